"""Standard errors in closed form: a headline's first-order change when one document weighs a little more.

A headline is a smooth function of sums over documents, so its error is that of a sum of one number a document
(the infinitesimal jackknife, or delta method). For a plain mean it is the textbook standard error.
Source: Davison and Hinkley, Bootstrap Methods and their Application (1997), sections 2.7 and 3.2.
"""

import numpy as np

from scorer.stats.items import Floats, Ints, Sums, ratio


def influence(sums: Sums, total: Floats, count: Floats) -> Floats:
    """Return what each document adds to each headline's error (... x S x D).

    `total` and `count` (... x S x K) are the components' sums over the documents, as they are or as they were drawn.
    """
    weights = sums.used_weights()
    used = weights > 0
    share = weights[used] / weights[used].sum() if used.any() else weights[used]
    ratios = ratio(total, count)
    counts = count[..., None, used]
    residual = sums.total[..., used] - ratios[..., None, used] * sums.count[..., used]
    scaled = ratio(residual, np.broadcast_to(counts, residual.shape)) * sums.slopes(ratios)[..., None, used]
    # Where nothing is counted and a scale says what that is worth, no document changes it.
    known = np.where((counts == 0) & sums.is_scaled()[used], 0.0, scaled)
    return np.asarray((known * share).sum(axis=-1), dtype=np.float64)


def document_influence(sums: Sums) -> Floats:
    """Return what each document adds to each system's headline (S x D)."""
    return influence(sums, sums.total.sum(axis=1), sums.count.sum(axis=1))


def standard_errors(sums: Sums, strata: Ints) -> Floats:
    """Return each headline's standard error (S), documents drawn within strata; NaN without a headline."""
    return spread(document_influence(sums), strata)


def spread(influences: Floats, strata: Ints) -> Floats:
    """Return the standard error of sums over documents (last axis), each stratum about its own mean."""
    variance = np.zeros(influences.shape[:-1])
    for stratum in np.unique(strata):
        here = influences[..., strata == stratum]
        size = here.shape[-1]
        if size > 1:
            centred = here - here.mean(axis=-1, keepdims=True)
            variance = variance + (centred**2).sum(axis=-1) * size / (size - 1)
        else:
            variance = variance + here[..., 0] * 0.0  # keeps NaN
    return np.asarray(np.sqrt(variance), dtype=np.float64)


def degrees_of_freedom(strata: Ints) -> int:
    """Return documents less strata, counting no stratum of one document."""
    sizes = np.unique(strata, return_counts=True)[1]
    return int((sizes[sizes > 1] - 1).sum())
