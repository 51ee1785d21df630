"""Runs of consecutive words or characters as numbers: what hallucination and agreement count.

A run is a 64-bit digest, so that a text of millions of words costs a few arrays and no word is kept. Digests depend on
the text alone; that two different runs among ten million agree by chance has a probability of a few in a million.
"""

import numpy as np
from numpy.typing import NDArray

Digests = NDArray[np.uint64]


def ngrams(units: Digests, length: int) -> Digests:
    """Return the digest of every run of ``length`` consecutive units, at least 1, in reading order."""
    if len(units) < length:
        return np.empty(0, np.uint64)
    runs, size = scattered(units), 1
    while size < length:
        # Two runs that overlap say as much as the longer one they make.
        step = min(size, length - size)
        runs = scattered(runs[:-step]) + runs[step:]
        size += step
    return runs


def scattered(values: Digests) -> Digests:
    """Return the values scattered over all 64 bits, one to one: the finaliser of SplitMix64 (Steele et al., 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values ^= values >> np.uint64(30)
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values
