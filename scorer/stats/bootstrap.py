"""The document-level bootstrap of headlines, and intervals from it.

Percentile intervals throughout; for fewer than 30 documents, where they are too short, a BCa and a studentised
interval beside them. Sources: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 12 to 14;
Davison and Hinkley, Bootstrap Methods and their Application (1997), section 5.3, for strata.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from scorer.stats.items import Floats, Ints, Sums, combine, ratio, weighted_sums
from scorer.stats.linearisation import influence, standard_errors
from scorer.stats.resampling import DEFAULT_RESAMPLES, DEFAULT_SEED, annotation_strata, draws

FEW_DOCUMENTS = 30
"""Below this many documents an interval is marked, and the small-sample intervals stand beside it."""


_AT_ONCE = 200
"""Resamples linearised together: as many as fit the cache, roughly."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval."""

    lower: float
    upper: float

    @property
    def known(self) -> "Interval | None":
        """The interval if it is one: a resample may leave a system without any document that counts."""
        return self if np.isfinite((self.lower, self.upper)).all() else None


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """Headlines of S systems and their replicates.

    `estimates` (S), `replicates` (B x S); `sums`, `strata` and `counts` (B x D) are what they were made of, `seed`
    what they were drawn with. A system without a headline is NaN throughout.
    """

    sums: Sums
    strata: Ints
    counts: Floats
    seed: int
    estimates: Floats
    replicates: Floats

    @property
    def few_documents(self) -> bool:
        """Whether there are fewer than 30 documents."""
        return len(self.sums.documents) < FEW_DOCUMENTS

    @property
    def varies(self) -> bool:
        """Whether the documents tell how a headline varies: no component rests on one, and some stratum has two.

        Where they do not, an interval is a point however little is known.
        """
        counted = (self.sums.count > 0).any(axis=0).sum(axis=0)
        strata = np.unique(self.strata, return_counts=True)[1]
        return bool((counted != 1).all() and (strata > 1).any())

    def percentile(self, *, level: float = 0.95) -> list[Interval]:
        """Return each system's percentile interval."""
        return _quantiles(self.replicates, (1 - level) / 2, (1 + level) / 2)

    def bca(self, *, level: float = 0.95) -> list[Interval]:
        """Return each system's bias-corrected and accelerated interval, by the jackknife within strata."""
        below = (self.replicates < self.estimates).mean(axis=0)
        equal = (self.replicates == self.estimates).mean(axis=0)
        bias = ndtri(below + equal / 2)
        acceleration = _acceleration(self.sums, self.strata)
        tails = ndtri([(1 - level) / 2, (1 + level) / 2])
        intervals = []
        for system, column in enumerate(self.replicates.T):
            if np.ptp(column) == 0:
                intervals.append(Interval(float(column[0]), float(column[0])))
            elif np.isfinite(bias[system]):
                z = bias[system] + tails
                adjusted = ndtr(bias[system] + z / (1 - acceleration[system] * z))
                intervals.append(Interval(*map(float, np.quantile(column, adjusted))))
            else:  # no headline, or every replicate on one side of it: no correction is known
                intervals.append(Interval(float("nan"), float("nan")))
        return intervals

    def studentised(self, *, level: float = 0.95) -> list[Interval]:
        """Return each system's bootstrap-t interval, cut to the range of the values; NaN where no error is known."""
        errors = standard_errors(self.sums, self.strata)
        replicate_errors = _replicate_errors(self.sums, self.strata, self.counts)
        lowest, highest = _range(self.sums)
        intervals = []
        for system, error in enumerate(errors):
            spread = replicate_errors[:, system]
            known = spread > 0
            if not (error > 0 and known.any()):
                value = float(self.estimates[system]) if error == 0 else float("nan")
                intervals.append(Interval(value, value))
                continue
            t = (self.replicates[known, system] - self.estimates[system]) / spread[known]
            if np.ptp(t) == 0:  # of two documents a stratum, only the draws that equal the sample have an error
                intervals.append(Interval(float("nan"), float("nan")))
                continue
            low, high = np.quantile(t, ((1 - level) / 2, (1 + level) / 2))
            ends = self.estimates[system] - error * np.array([high, low])
            intervals.append(Interval(*map(float, np.clip(ends, lowest, highest))))
        return intervals


def bootstrap(
    sums: Sums,
    *,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
    stratified: bool = True,
) -> Bootstrap:
    """Resample the documents of `sums` and recompute every headline.

    Args:
        sums: What was scored, by document and component.
        resamples: How many resamples.
        seed: Of the generator; the same seed gives the same replicates on any machine.
        stratified: Draw within annotation strata. Without, a component may be empty in a resample, whose
            headline is then NaN.
    """
    strata = annotation_strata(sums) if stratified else np.zeros(len(sums.documents), dtype=np.int64)
    counts = draws(strata, resamples=resamples, seed=seed)
    return Bootstrap(sums, strata, counts, seed, sums.headlines(), replicate_headlines(sums, counts))


def replicate_headlines(sums: Sums, counts: Floats) -> Floats:
    """Return the headlines under each row of document counts (B x S)."""
    total, count = _replicate_sums(sums, counts)
    return combine(sums.scaled(ratio(total, count)), sums.used_weights())


def _replicate_sums(sums: Sums, counts: Floats) -> tuple[Floats, Floats]:
    """Return the components' totals and item counts of each resample (both B x S x K)."""
    systems, documents, components = sums.total.shape
    flat = (documents, systems * components)
    total = weighted_sums(counts, sums.total.transpose(1, 0, 2).reshape(flat))
    count = weighted_sums(counts, sums.count.transpose(1, 0, 2).reshape(flat))
    shape = (counts.shape[0], systems, components)
    return total.reshape(shape), count.reshape(shape)


def _quantiles(replicates: Floats, lower: float, upper: float) -> list[Interval]:
    low, high = np.quantile(replicates, (lower, upper), axis=0)
    return [Interval(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def _range(sums: Sums) -> tuple[float, float]:
    """Return 0 and 1 when every value can lie there, else no bounds."""
    plain = ~sums.is_scaled()
    total, count = sums.total[..., plain], sums.count[..., plain]
    present = count > 0
    inside = bool((total >= 0).all() and (total[present] <= count[present] * (1 + 1e-12)).all())
    inside &= all(scale.lowest >= 0 and scale.highest <= 1 for scale in sums.scales.values())
    return (0.0, 1.0) if inside else (-np.inf, np.inf)


def _acceleration(sums: Sums, strata: Ints) -> Floats:
    """Return each system's acceleration (S) from the headline without each document in turn.

    A document alone in its stratum is in every resample, so it says nothing about how resamples vary.
    """
    left_out = leave_one_out(sums)
    cube, square = np.zeros(len(sums.systems)), np.zeros(len(sums.systems))
    for stratum in np.unique(strata):
        without = left_out[strata == stratum]
        size = without.shape[0]
        if size > 1:
            known = np.isfinite(without)
            mean = np.where(known, without, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
            shift = np.where(known, mean - without, 0.0) * (size - 1) / size
            cube += (shift**3).sum(axis=0)
            square += (shift**2).sum(axis=0)
    return np.divide(cube, 6 * square**1.5, out=np.zeros_like(cube), where=square > 0)


def leave_one_out(sums: Sums) -> Floats:
    """Return the headlines without each document in turn (D x S)."""
    total = sums.total.sum(axis=1)[:, None, :] - sums.total
    count = sums.count.sum(axis=1)[:, None, :] - sums.count
    return combine(sums.scaled(ratio(total, count)), sums.used_weights()).T


def _replicate_errors(sums: Sums, strata: Ints, counts: Floats) -> Floats:
    """Return each resample's linearised standard errors (B x S)."""
    total, count = _replicate_sums(sums, counts)
    names, inverse, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    member = (inverse.reshape(-1)[:, None] == np.arange(names.size)).astype(np.float64)
    scale = np.where(sizes > 1, sizes / np.maximum(sizes - 1, 1), 0.0)
    errors = np.empty(total.shape[:2])
    for start in range(0, len(counts), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        values = influence(sums, total[part], count[part])
        drawn = counts[part, None, :]
        first, second = (drawn * values) @ member, (drawn * values**2) @ member
        errors[part] = np.sqrt((np.maximum(second - first**2 / sizes, 0.0) * scale).sum(axis=-1))
    return errors
