"""Which systems are better than which: paired gaps, shares of resamples led, ranks that claim only what is known.

Two systems are compared on the same documents, so what both find hard cancels. A rank is one plus the number of
systems that are better beyond doubt: by a paired t-test over documents, Holm's correction over all pairs, 5 %.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from scorer.stats.bootstrap import Bootstrap, Interval
from scorer.stats.items import Bools, Floats, Ints, Sums
from scorer.stats.linearisation import degrees_of_freedom, document_influence, spread
from scorer.stats.resampling import annotation_strata


@dataclass(frozen=True, slots=True)
class Standing:
    """One system among the others.

    `rank` is 1 plus the systems better beyond doubt, None without a headline; `gap` is the leader's headline less
    its own, with a paired interval; `leads` is the share of resamples in which it has the highest headline.
    """

    system: str
    headline: float
    interval: Interval
    small_sample: Interval | None
    gap: float
    gap_interval: Interval
    leads: float
    rank: int | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems: `gap` is the first's headline less the second's; `p` is two-sided, `adjusted` after Holm."""

    first: str
    second: str
    gap: float
    interval: Interval
    p: float
    adjusted: float

    @property
    def differs(self) -> bool:
        """Whether the two differ beyond doubt, at 5 % over all pairs."""
        return self.adjusted <= 0.05

    def higher_first(self) -> "Pair":
        """Return the pair with the system of the higher headline first."""
        if not self.gap < 0:
            return self
        turned = Interval(-self.interval.upper, -self.interval.lower)
        return Pair(self.second, self.first, -self.gap, turned, self.p, self.adjusted)


def standings(bootstrap: Bootstrap, *, level: float = 0.95) -> list[Standing]:
    """Return every system's standing, the highest headline first, those without a headline last."""
    estimates, replicates = bootstrap.estimates, bootstrap.replicates
    order = sorted(range(estimates.size), key=lambda s: (-np.nan_to_num(estimates[s], nan=-np.inf), s))
    leader = order[0]
    gaps = replicates[:, [leader]] - replicates
    percentile = bootstrap.percentile(level=level)
    small = bootstrap.studentised(level=level) if bootstrap.few_documents else None
    leads = _lead_shares(replicates)
    ranks = beyond_doubt_ranks(bootstrap.sums)
    return [
        Standing(
            system=bootstrap.sums.systems[s],
            headline=float(estimates[s]),
            interval=percentile[s],
            small_sample=small[s] if small else None,
            gap=float(estimates[leader] - estimates[s]),
            gap_interval=_interval(gaps[:, s], level),
            leads=float(leads[s]),
            rank=ranks[s],
        )
        for s in order
    ]


def pairs(bootstrap: Bootstrap, *, level: float = 0.95) -> list[Pair]:
    """Return every pair of systems, in the order of `systems`, with paired interval and corrected p."""
    systems = bootstrap.sums.systems
    p, first, second = pairwise_p(bootstrap.sums)
    adjusted = holm(p)
    return [
        Pair(
            first=systems[a],
            second=systems[b],
            gap=float(bootstrap.estimates[a] - bootstrap.estimates[b]),
            interval=_interval(bootstrap.replicates[:, a] - bootstrap.replicates[:, b], level),
            p=float(p[i]),
            adjusted=float(adjusted[i]),
        )
        for i, (a, b) in enumerate(zip(first, second, strict=True))
    ]


def beyond_doubt_ranks(sums: Sums) -> list[int | None]:
    """Return each system's rank: 1 plus the systems better beyond doubt; None for one without a headline."""
    headlines = sums.headlines()
    p, first, second = pairwise_p(sums)
    better = np.zeros(headlines.size, dtype=np.int64)
    for a, b, adjusted in zip(first, second, holm(p), strict=True):
        if adjusted <= 0.05:
            better[b if headlines[a] > headlines[b] else a] += 1
    return [None if np.isnan(headline) else int(1 + count) for headline, count in zip(headlines, better, strict=True)]


def pairwise_p(sums: Sums) -> tuple[Floats, Ints, Ints]:
    """Return the two-sided p of every pair and the pair's systems.

    A paired t-test on the documents' influences: for a mean over documents, the textbook one. A pair in which one
    has no headline, or of which too few documents are known, has p = 1: so also one that differs in a component of
    which one of the two has a single document, since nothing is known of how such a component varies.
    """
    strata = annotation_strata(sums)
    first, second = np.triu_indices(len(sums.systems), k=1)
    headlines, influences = sums.headlines(), document_influence(sums)
    gap = headlines[first] - headlines[second]
    error = spread(influences[first] - influences[second], strata)
    freedom = degrees_of_freedom(strata)
    p = np.ones(gap.size)
    if freedom > 0:
        tiny = 1e-12 * np.abs(gap)
        known = error > tiny
        p[known] = 2 * stdtr(freedom, -np.abs(gap[known]) / error[known])
        p[(error <= tiny) & (gap != 0)] = 0.0
        p[_rest_on_one_document(sums, first, second)] = 1.0
    return p, first, second


def _rest_on_one_document(sums: Sums, first: Ints, second: Ints) -> Bools:
    used = sums.used_weights() > 0
    single = ((sums.count > 0).sum(axis=1) == 1)[:, used]
    scores = sums.component_scores()[:, used]
    return np.asarray(((single[first] | single[second]) & (scores[first] != scores[second])).any(axis=-1))


def holm(p: Floats) -> Floats:
    """Return p-values adjusted by Holm's step-down procedure (Holm 1979)."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def _lead_shares(replicates: Floats) -> Floats:
    """Return the share of resamples each leads; a tie is shared out."""
    filled = np.where(np.isnan(replicates), -np.inf, replicates)
    best: Bools = (filled == filled.max(axis=1, keepdims=True)) & np.isfinite(filled)
    shared = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
    return np.asarray(shared.mean(axis=0), dtype=np.float64)


def _interval(values: Floats, level: float) -> Interval:
    low, high = np.quantile(values, ((1 - level) / 2, (1 + level) / 2))
    return Interval(float(low), float(high))
