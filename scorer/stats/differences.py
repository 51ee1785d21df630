"""Difference-in-differences: does a system do better on one kind of item than others' results there explain?

A system's score on the items of interest less its score on the rest, minus the same for the systems it is
compared with. What makes the items harder for all cancels. The placebo repeats it on a split that should show
nothing: the rest's documents halved at random.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorer.stats.bootstrap import Interval
from scorer.stats.items import Bools, Floats, Ints, Items, ratio, weighted_sums
from scorer.stats.resampling import draws

DIFFERENCES_SEED = 7
DIFFERENCES_RESAMPLES = 1_000
_NOTHING = np.empty(0)


@dataclass(frozen=True, slots=True)
class DifferenceInDifferences:
    """One system's effect, its interval, and the placebo's.

    An effect is NaN for a system without a scored item on one of the sides, and where there is no other to compare
    with; an interval also where a side rests on a single document, which says nothing of how it varies.
    """

    system: str
    effect: float
    interval: Interval
    placebo: float
    placebo_interval: Interval

    @property
    def stands_out(self) -> bool:
        """Whether the effect's interval excludes 0 while the placebo's does not."""
        return _excludes_zero(self.interval) and not _excludes_zero(self.placebo_interval)


def differences(
    items: Items,
    chosen: Bools,
    *,
    among: Sequence[str] | None = None,
    resamples: int = DIFFERENCES_RESAMPLES,
    seed: int = DIFFERENCES_SEED,
    level: float = 0.95,
) -> list[DifferenceInDifferences]:
    """Compare each system with the mean of the others that have scored items on both sides.

    Args:
        items: What was scored.
        chosen: The items of interest (T); all others are the rest.
        among: The systems compared; all by default.
        resamples: Document resamples.
        seed: Of the draws and of the placebo's split.
        level: Of the intervals.

    Raises:
        ValueError: for fewer than two systems.
        KeyError: when a system is unknown.
    """
    names = list(items.systems) if among is None else list(among)
    if unknown := [name for name in names if name not in items.systems]:
        raise KeyError(f"no systems {unknown}; there are {list(items.systems)}")
    if len(names) < 2:
        raise ValueError("a difference-in-differences needs two systems or more")
    rows = np.array([items.systems.index(name) for name in names])
    placebo_documents = np.random.default_rng(seed).permutation(len(items.documents)) % 2 == 0
    drawn = draws(np.zeros(len(items.documents), dtype=np.int64), resamples=resamples, seed=seed)
    weights = np.vstack([np.ones(len(items.documents)), drawn])
    real = _effects(items, rows, chosen, ~chosen, weights)
    half = placebo_documents[items.document]
    placebo = _effects(items, rows, ~chosen & half, ~chosen & ~half, weights)
    known = _rests_on_several(items, rows, chosen) & _rests_on_several(items, rows, ~chosen)
    known_placebo = (
        known & _rests_on_several(items, rows, ~chosen & half) & _rests_on_several(items, rows, ~chosen & ~half)
    )
    return [
        DifferenceInDifferences(
            system=name,
            effect=float(real[0, s]),
            interval=_interval(real[1:, s] if known[s] else _NOTHING, level),
            placebo=float(placebo[0, s]),
            placebo_interval=_interval(placebo[1:, s] if known_placebo[s] else _NOTHING, level),
        )
        for s, name in enumerate(names)
    ]


def _effects(items: Items, rows: Ints, chosen: Bools, rest: Bools, weights: Floats) -> Floats:
    """Return each system's effect under each row of document weights, the first of which is the documents as they are.

    The systems that have a score on both sides then are compared with each other, in every resample the same.
    """
    difference = _rates(items, rows, chosen, weights) - _rates(items, rows, rest, weights)
    compared = np.isfinite(difference[0])
    effects = np.full(difference.shape, np.nan)
    if compared.sum() > 1:
        theirs = difference[:, compared]
        others = (theirs.sum(axis=1, keepdims=True) - theirs) / (theirs.shape[1] - 1)
        effects[:, compared] = theirs - others
    return effects


def _rests_on_several(items: Items, rows: Ints, part: Bools) -> Bools:
    """Tell of each system whether its scored items of a part are of several documents."""
    scored = np.isfinite(items.values[rows][:, part])
    document = items.document[part]
    return np.array([np.unique(document[row]).size > 1 for row in scored], dtype=np.bool_)


def _rates(items: Items, rows: Ints, part: Bools, weights: Floats) -> Floats:
    values = items.values[rows][:, part]
    scored = np.isfinite(values)
    document, size = items.document[part], len(items.documents)
    known = np.where(scored, values, 0.0)
    total = np.array([np.bincount(document, row, size) for row in known], dtype=np.float64)
    count = np.array([np.bincount(document[row], minlength=size) for row in scored], dtype=np.float64)
    return ratio(weighted_sums(weights, total.T), weighted_sums(weights, count.T))


def _interval(values: Floats, level: float) -> Interval:
    known = values[np.isfinite(values)]
    if not known.size:
        return Interval(float("nan"), float("nan"))
    low, high = np.quantile(known, ((1 - level) / 2, (1 + level) / 2))
    return Interval(float(low), float(high))


def _excludes_zero(interval: Interval) -> bool:
    return interval.lower > 0 or interval.upper < 0
