"""How sure the figures of a detection are: pages drawn anew, whole, and one left out at a time.

A mean average precision is no sum over pages, so its resamples are matched boxes counted anew (`Detected.figures`), and
the error that a paired test needs is the jackknife's. Source: Efron and Tibshirani, An Introduction to the Bootstrap
(1993), chapters 11 and 13.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from scorer.stats import DEFAULT_RESAMPLES, DEFAULT_SEED, Interval, Sums
from scorer.stats.linearisation import degrees_of_freedom, spread
from scorer.stats.resampling import annotation_strata, draws
from scorer.suites.omnidoc.detection import LEVELS, Detected

__all__ = ["Gap", "gaps", "intervals"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gap:
    """A figure of two detections of the same pages: second less first, its paired interval, and a two-sided p.

    None where the pages do not tell: a class rests on one page.
    """

    first: float
    second: float
    interval: Interval | None
    p: float


def intervals(
    detected: Detected, *, resamples: int = DEFAULT_RESAMPLES, seed: int = DEFAULT_SEED
) -> dict[str, Interval | None]:
    """Return every figure's 95 % interval; None where the pages say nothing of how it varies."""
    strata = _strata(detected)
    replicates = detected.figures(draws(strata, resamples=resamples, seed=seed))
    return {name: _ends(values) if _varies(detected, name, strata) else None for name, values in replicates.items()}


def gaps(
    first: Detected, second: Detected, *, resamples: int = DEFAULT_RESAMPLES, seed: int = DEFAULT_SEED
) -> dict[str, Gap]:
    """Return every figure that both detections have, paired; they have the same pages, classes and gold."""
    strata = _strata(first)
    pages = len(first.images)
    values = [side.figures() for side in (first, second)]
    drawn = [side.figures(draws(strata, resamples=resamples, seed=seed)) for side in (first, second)]
    without = [side.figures(1.0 - np.eye(pages)) for side in (first, second)]
    found = {}
    for name in values[0]:
        before, after = (float(side[name][0]) for side in values)
        if not (np.isfinite(before) and np.isfinite(after)):
            continue
        known = _varies(first, name, strata)
        influence = (after - before - (without[1][name] - without[0][name])) * (pages - 1) / pages
        found[name] = Gap(
            before,
            after,
            _ends(drawn[1][name] - drawn[0][name]) if known else None,
            _p(after - before, influence, strata) if known else 1.0,
        )
    return found


def _strata(detected: Detected) -> NDArray[np.int64]:
    """Tell pages apart by which classes they have gold of: drawn within them, no class is ever without gold."""
    names = detected.classes.names()
    gold = np.array([[len(page) for page in detected.gold[name]] for name in names], dtype=np.float64).T[None]
    return annotation_strata(Sums(("gold",), detected.images, names, gold, gold, np.ones(len(names))))


def _varies(detected: Detected, figure: str, strata: NDArray[np.int64]) -> bool:
    """Say whether the pages tell how a figure varies: no class in it rests on one, and some stratum has two."""
    pages = [sum(map(bool, detected.gold[name])) for name in _classes(detected, figure)]
    return 1 not in pages and any(pages) and bool((np.unique(strata, return_counts=True)[1] > 1).any())


def _classes(detected: Detected, figure: str) -> Sequence[str]:
    if figure in LEVELS:
        names: tuple[str, ...] = getattr(detected.classes, figure)
        return names
    own = figure.removesuffix("_precision")
    return (own,) if own != figure else detected.classes.names()


def _ends(replicates: Floats) -> Interval | None:
    if not np.isfinite(replicates).all():
        return None
    lower, upper = np.quantile(replicates, (0.025, 0.975))
    return Interval(float(lower), float(upper))


def _p(gap: float, influence: Floats, strata: NDArray[np.int64]) -> float:
    """Return the two-sided p of a paired t-test on what each page adds to the gap."""
    error = float(spread(influence, strata))
    freedom = degrees_of_freedom(strata)
    if not np.isfinite(error) or freedom <= 0 or gap == 0:
        return 1.0
    if error <= 1e-12 * abs(gap):
        return 0.0
    return float(2 * stdtr(freedom, -abs(gap) / error))
