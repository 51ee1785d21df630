"""Documents drawn with replacement, whole, within annotation strata.

A stratum is the documents annotated for the same components: drawing within it keeps every component as well
annotated in a resample as in the corpus, so none is ever empty.
"""

import numpy as np

from scorer.stats.items import Bools, Floats, Ints, Sums

DEFAULT_SEED = 20261022
DEFAULT_RESAMPLES = 2_000
SMALLEST_STRATUM = 5


def annotation_strata(sums: Sums) -> Ints:
    """Return each document's stratum (D): which components any system has an item of.

    Drawing within a stratum of few documents hardly varies, which makes intervals too short. So a stratum of fewer
    than five is joined to the next smallest, as long as every component keeps a stratum all of whose documents
    have it: that alone keeps it from ever being empty.
    """
    annotated = (sums.count > 0).any(axis=0)
    patterns, stratum = np.unique(annotated, axis=0, return_inverse=True)
    stratum = stratum.reshape(-1).astype(np.int64)
    # For each stratum: its size, what all of its documents have, and what any has.
    size = np.bincount(stratum, minlength=len(patterns))
    every, some = patterns.copy(), patterns.copy()
    while True:
        merge = _next_merge(size, every, some)
        if merge is None:
            return np.asarray(np.unique(stratum, return_inverse=True)[1].reshape(-1), dtype=np.int64)
        small, into = merge
        stratum[stratum == small] = into
        size[into] += size[small]
        size[small] = 0
        every[into] &= every[small]
        some[into] |= some[small]
        every[small] = False


def _next_merge(size: Ints, every: Bools, some: Bools) -> tuple[int, int] | None:
    """Return a small stratum and the one to join it to: the two smallest, of equals the most alike; None when done."""
    kept = every.any(axis=0)
    there = np.flatnonzero(size)
    for small in sorted((s for s in there if size[s] < SMALLEST_STRATUM), key=lambda s: (size[s], s)):
        others = [other for other in there if other != small]
        for into in sorted(others, key=lambda o: (size[o], (some[o] != some[small]).sum(), o)):
            rest = [other for other in others if other != into]
            if ((every[rest].any(axis=0) | (every[into] & every[small])) >= kept).all():
                return int(small), int(into)
    return None


def draws(strata: Ints, *, resamples: int = DEFAULT_RESAMPLES, seed: int = DEFAULT_SEED) -> Floats:
    """Return how often each document is drawn in each resample (B x D).

    One generator serves all strata in order, so the draws depend on the seed and the strata alone, not on
    the machine. Pass strata of zeros for an unstratified bootstrap.

    Raises:
        ValueError: when there is no document or no resample.
    """
    if strata.size == 0 or resamples < 1:
        raise ValueError(f"a bootstrap needs documents and resamples, got {strata.size} and {resamples}")
    generator = np.random.default_rng(seed)
    counts = np.empty((resamples, strata.size))
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        chosen = generator.integers(0, members.size, (resamples, members.size))
        cell = chosen + np.arange(resamples)[:, None] * members.size
        drawn = np.bincount(cell.reshape(-1), minlength=resamples * members.size)
        counts[:, members] = drawn.reshape(resamples, members.size)
    return counts
