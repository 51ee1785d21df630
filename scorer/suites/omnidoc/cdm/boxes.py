"""Two formulas' boxes, matched: which tokens are the same and stand in the same place (v1.5).

Source: OmniDocBench v1.5, CDM's visual matcher.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

__all__ = ["CdmScore", "Rendering", "TokenBox", "score_pair"]

Array = NDArray[np.float64]

_POSITION_WEIGHT = 0.05
_ORDER_WEIGHT = 0.15
_EQUIVALENT = 0.05
_ROUNDS = 3
_SAMPLES = 3
_PIXELS = 25.0
_TRIALS = 50
_SEED = 42

_TWINS = {
    r"\cdot": ".",
    r"\ast": "*",
    r"\prime": "'",
    r"\top": "T",
    r"\mid": "|",
    r"\to": r"\rightarrow",
    r"\cdots": r"\dots",
    r"\left<": r"\langle",
    r"\right>": r"\rangle",
}
"""Tokens that look like another, before brackets lose their size."""
_ALIKE = {
    r"\leq": r"\le",
    r"\geq": r"\ge",
    **dict.fromkeys((r"\Vert", r"\lVert", r"\rVert"), r"\|"),
    **dict.fromkeys((r"\vert", r"\lvert", r"\rvert"), "|"),
    r"\widehat": r"\hat",
    **dict.fromkeys((r"\widetilde", r"\Tilde"), r"\tilde"),
}
"""The same for brackets without a size, relations and accents."""


@dataclass(frozen=True, slots=True)
class CdmScore:
    """Recall, precision and F1 of matched tokens, in 0..1 to three decimals; `error` says why a pair scores 0."""

    recall: float
    precision: float
    f1: float
    error: str | None = None


@dataclass(frozen=True, slots=True)
class TokenBox:
    """A token and the extent of its pixels, one pixel wider on each side (left, top, right, bottom)."""

    token: str
    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Rendering:
    """A rendered formula: the image's size in pixels and the tokens that show; `error` when that failed."""

    width: int
    height: int
    boxes: tuple[TokenBox, ...]
    error: str | None = None


def score_pair(gold: Rendering, predicted: Rendering) -> CdmScore:
    """Match two renderings; one that failed, or shows nothing, scores 0 with its reason."""
    for side, rendering in (("gold", gold), ("prediction", predicted)):
        if rendering.error is not None or not rendering.boxes:
            return CdmScore(0.0, 0.0, 0.0, f"{side}: {rendering.error or 'no token shows'}")
    tokens = _token_costs(gold.boxes, predicted.boxes)
    position = _distances(_boxes(gold) / _size(gold), _boxes(predicted) / _size(predicted)) / 4
    order = _distances(_order(len(gold.boxes)), _order(len(predicted.boxes)))
    rows, columns = linear_sum_assignment(tokens + _POSITION_WEIGHT * position + _ORDER_WEIGHT * order)
    inliers = _consistent(_centres(gold)[rows], _centres(predicted)[columns])
    matched = int((inliers & (tokens[rows, columns] != 1.0)).sum())
    ours, theirs = len(gold.boxes), len(predicted.boxes)
    return CdmScore(round(matched / ours, 3), round(matched / theirs, 3), round(2 * matched / (ours + theirs), 3))


def _token_costs(gold: Sequence[TokenBox], predicted: Sequence[TokenBox]) -> Array:
    names, other_names = ([box.token for box in side] for side in (gold, predicted))
    costs = np.ones((len(gold), len(predicted)))
    costs[_equal([_look(name) for name in names], [_look(name) for name in other_names])] = _EQUIVALENT
    costs[_equal(names, other_names)] = 0.0
    return costs


def _equal(first: Sequence[str], second: Sequence[str]) -> NDArray[np.bool_]:
    return np.asarray(np.equal.outer(np.array(first, dtype=object), np.array(second, dtype=object)), dtype=bool)


def _look(token: str) -> str:
    r"""Return what tokens that look alike have in common.

    As with the reference, `\left` and `\right` go from arrows too, which makes `\leftarrow` like `\rightarrow`, and an
    operator such as `\bigcup` counts by its last letter.
    """
    token = _TWINS.get(token, token)
    if token.startswith((r"\left", r"\right")):
        token = token.replace(r"\left", "").replace(r"\right", "")
    if token.startswith((r"\big", r"\Big")):
        size, backslash, name = token.rpartition("\\")
        token = backslash + name if size else token[-1]
    for arrow in (r"\rightarrow", r"\leftarrow"):
        if token.endswith(arrow[1:]):
            return arrow
    return _ALIKE.get(token, token)


def _boxes(rendering: Rendering) -> Array:
    return np.array([box.box for box in rendering.boxes], dtype=np.float64)


def _size(rendering: Rendering) -> Array:
    return np.array([rendering.width, rendering.height] * 2, dtype=np.float64)


def _order(count: int) -> Array:
    return np.arange(count, dtype=np.float64)[:, None] / count


def _distances(first: Array, second: Array) -> Array:
    return np.asarray(np.abs(first[:, None, :] - second[None, :, :]).sum(axis=2))


def _centres(rendering: Rendering) -> Array:
    boxes = _boxes(rendering)
    return np.stack([(boxes[:, 1] + boxes[:, 3]) / 2, (boxes[:, 0] + boxes[:, 2]) / 2], axis=1)


def _consistent(source: Array, target: Array) -> NDArray[np.bool_]:
    """Tell which pairs some shift and scale brings together, in up to three rounds over the pairs that are left."""
    if len(source) <= _SAMPLES:
        return np.ones(len(source), dtype=bool)
    inliers = np.zeros(len(source), dtype=bool)
    for _ in range(_ROUNDS):
        left = np.flatnonzero(~inliers)
        if len(left) <= _SAMPLES:
            break
        found = _ransac(source[left], target[left])
        if not found.any():
            break
        inliers[left[found]] = True
        if inliers.all():
            break
    return inliers


def _ransac(source: Array, target: Array) -> NDArray[np.bool_]:
    """Find the largest set of pairs that one transform explains within 25 pixels, from 50 seeded samples of three.

    The draws, and the ties between equally large sets (the smaller sum of squared residuals wins), are those of
    scikit-image's `ransac`.
    """
    generator = np.random.default_rng(_SEED)
    best = np.zeros(len(source), dtype=bool)
    best_count, best_residual = 0, np.inf
    sample = generator.choice(len(source), _SAMPLES, replace=False)
    trials = _TRIALS
    trial = 0
    while trial < trials:
        trial += 1
        residuals = _residuals(source[sample], target[sample], source, target)
        sample = generator.choice(len(source), _SAMPLES, replace=False)
        near = residuals < _PIXELS
        total, count = float(residuals @ residuals), int(near.sum())
        if count > best_count or (count == best_count and total < best_residual):
            best, best_count, best_residual = near, count, total
            trials = min(trials, _trials_needed(count, len(source)))
            if best_residual <= 0:
                break
    return best


def _trials_needed(inliers: int, total: int) -> int:
    """Return the trials after which no better sample is expected, at certainty 1: one if all fit, else no end."""
    return 1 if inliers == total else _TRIALS


def _residuals(sample: Array, sample_target: Array, source: Array, target: Array) -> Array:
    """Fit a shift of centres and a ratio of spreads to a sample, and measure how far it leaves every pair apart."""
    centre, target_centre = sample.mean(axis=0), sample_target.mean(axis=0)
    spread = np.linalg.norm(sample - centre, axis=1).mean()
    scale = np.linalg.norm(sample_target - target_centre, axis=1).mean() / (spread + 1e-10)
    middle = source.mean(axis=0)
    moved = scale * (source - middle) + middle + (target_centre - centre)
    return np.asarray(np.sqrt(((moved - target) ** 2).sum(axis=1)))
