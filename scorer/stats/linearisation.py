"""Standard errors in closed form: a headline's first-order change when one document weighs a little more.

A headline is a smooth function of sums over documents, so its error is that of a sum of one number a document
(the infinitesimal jackknife, or delta method). For a plain mean it is the textbook standard error.
Source: Davison and Hinkley, Bootstrap Methods and their Application (1997), sections 2.7 and 3.2.
"""

import numpy as np

from scorer.stats.items import Floats, Ints, Sums, ratio


def influence(total: Floats, count: Floats, scores: Floats, counts: Floats, weights: Floats) -> Floats:
    """Return what each document adds to each headline's error (S x D).

    `total` and `count` are S x D x K; `scores` and `counts` (S x K) are the components' scores and item counts.
    """
    used = weights > 0
    share = weights[used] / weights[used].sum() if used.any() else weights[used]
    residual = total[..., used] - scores[:, None, used] * count[..., used]
    scaled = ratio(residual, np.broadcast_to(counts[:, None, used], residual.shape))
    return np.asarray((scaled * share).sum(axis=-1), dtype=np.float64)


def document_influence(sums: Sums) -> Floats:
    """Return what each document adds to each system's headline (S x D)."""
    return influence(sums.total, sums.count, sums.component_scores(), sums.count.sum(axis=1), sums.used_weights())


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
