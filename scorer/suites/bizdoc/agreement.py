"""Agreement: how much of two parsers' texts of one document is the same, without any gold.

Source: docassay's own; the normal form is nid's.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.suites.bizdoc.ngrams import Digests, ngrams
from scorer.suites.bizdoc.words import MOST_WORDS, words

LENGTH = 5
"""Words of a run: few enough to lie between two misread words, too many to be shared by chance."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is kept of a text to compare it with others.

    Attributes:
        words: digest of every word, in reading order.
        runs: digest of every run of five words, each once, sorted.
        counts: how often each run occurs.
    """

    words: Digests
    runs: Digests
    counts: NDArray[np.int64]


def fingerprint(text: str, *, most: int = MOST_WORDS) -> Fingerprint:
    """Return the fingerprint of a text in its normal form.

    Raises:
        TooManyWords: the text has more words than ``most``.
    """
    found = words(text, most=most)
    return Fingerprint(found, *_counted(found, LENGTH))


def agreement(a: Fingerprint, b: Fingerprint) -> float:
    """Return the F1 of the runs of five consecutive words that two texts have, each as often as it occurs, in 0..1.

    When a text has fewer words, runs of all its words are compared. Two texts without words agree; a text and one
    without words do not at all.
    """
    shorter, longer = sorted((len(a.words), len(b.words)))
    if not shorter:
        return 0.0 if longer else 1.0
    if shorter < LENGTH:
        runs_a, counts_a = _counted(a.words, shorter)
        runs_b, counts_b = _counted(b.words, shorter)
    else:
        runs_a, counts_a, runs_b, counts_b = a.runs, a.counts, b.runs, b.counts
    _, in_a, in_b = np.intersect1d(runs_a, runs_b, assume_unique=True, return_indices=True)
    shared = int(np.minimum(counts_a[in_a], counts_b[in_b]).sum())
    return 2 * shared / (int(counts_a.sum()) + int(counts_b.sum()))


def _counted(words: Digests, length: int) -> tuple[Digests, NDArray[np.int64]]:
    runs, counts = np.unique(ngrams(words, length), return_counts=True)
    return runs, counts
