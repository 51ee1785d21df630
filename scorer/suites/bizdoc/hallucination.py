"""Hallucination and omission: tool text that the gold does not have, and gold text that the tool does not have.

Where nid is one figure for everything that is wrong, order included, these two say in which direction the text is wrong
and leave the order of paragraphs out of it. They stand beside nid and enter no axis.

Source: docassay's own; the normal form is nid's.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.suites.bizdoc import word_ngrams
from scorer.suites.bizdoc.word_ngrams import Digests


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of words without a home, in 0..1; None of a text without words.

    Attributes:
        hallucination_rate: words of the tool without a home in the gold / words of the tool.
        omission_rate: words of the gold without a home in the tool's text / words of the gold.
    """

    hallucination_rate: float | None
    omission_rate: float | None


def rates(gold: str, pred: str, *, most: int = word_ngrams.MOST_WORDS) -> Rates:
    """Return the rates of two texts in their normal form; exchanging the texts exchanges the rates.

    A word has a home in the other text when it lies in a run of five consecutive words, or of all words of the shorter
    text if it has fewer, that the other text has too. A run has as many homes as it occurs there: the first ones in
    reading order get them, so what is said twice but stands once is homeless the second time.

    Raises:
        TooManyWords: a text has more words than ``most``.
    """
    gold_words, pred_words = word_ngrams.words(gold, most=most), word_ngrams.words(pred, most=most)
    length = min(word_ngrams.LENGTH, len(gold_words), len(pred_words))
    if not length:
        return Rates(1.0 if len(pred_words) else None, 1.0 if len(gold_words) else None)
    gold_runs, pred_runs = word_ngrams.ngrams(gold_words, length), word_ngrams.ngrams(pred_words, length)
    return Rates(_homeless(pred_runs, gold_runs, length), _homeless(gold_runs, pred_runs, length))


def _homeless(runs: Digests, others: Digests, length: int) -> float:
    """Return the share of words that lie in no run with a home among the others."""
    housed = _housed(runs, others)
    words = np.zeros(len(runs) + length - 1, np.bool_)
    for offset in range(length):
        words[offset : offset + len(runs)] |= housed
    return int(np.count_nonzero(~words)) / len(words)


def _housed(runs: Digests, others: Digests) -> NDArray[np.bool_]:
    """Return which runs have a home: the nth occurrence of one has when the others have it n times or more."""
    homes, counts = np.unique(others, return_counts=True)
    order = np.argsort(runs, kind="stable")
    ordered = runs[order]
    firsts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    sizes = np.diff(np.append(firsts, len(runs)))
    earlier = np.arange(len(runs)) - np.repeat(firsts, sizes)
    kinds = ordered[firsts]
    at = np.minimum(np.searchsorted(homes, kinds), len(homes) - 1)
    available = np.where(homes[at] == kinds, counts[at], 0)
    housed = np.empty(len(runs), np.bool_)
    housed[order] = earlier < np.repeat(available, sizes)
    return housed
