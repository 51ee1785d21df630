"""Hallucination and omission: tool text that the gold does not have, and gold text that the tool does not have.

Where nid is one figure for everything that is wrong, order included, these two say in which direction the text is wrong
and leave the order of passages out of it. They stand beside nid and enter no axis.

Only letters and digits are looked at. What a tool does to spaces, hyphens and quotation marks is no invention: many
readers of PDF run words together, and every such word would pass for an invented one.

Source: docassay's own; the normal form is nid's.
"""

import functools
import sys
import unicodedata
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.suites.bizdoc.ngrams import Digests, ngrams

LENGTH = 16
"""Characters of a run, about three words: few enough to lie between two misread ones, too many to occur by chance."""

_BLOCK = 1 << 20
_Characters = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of letters and digits without a home, in 0..1; None of a text without any.

    Attributes:
        hallucination_rate: those of the tool without a home in the gold / those of the tool.
        omission_rate: those of the gold without a home in the tool's text / those of the gold.
    """

    hallucination_rate: float | None
    omission_rate: float | None


def rates(gold: str, pred: str) -> Rates:
    """Return the rates of two texts in their normal form; exchanging the texts exchanges the rates.

    A letter or digit has a home in the other text when it lies in a run of ``LENGTH`` of them that the other text has,
    too; when a text has fewer, in a run of all of its. A run has as many homes as it occurs in the other text: the
    first ones in reading order get them, so what is said twice but stands once is homeless the second time.

    Time is linear but for one sort of the gold, memory some 50 bytes a character of gold and 5 of the tool's text.
    """
    gold_characters, pred_characters = _characters(gold), _characters(pred)
    length = min(LENGTH, len(gold_characters), len(pred_characters))
    if not length:
        return Rates(1.0 if len(pred_characters) else None, 1.0 if len(gold_characters) else None)
    kinds, homes = np.unique(ngrams(gold_characters.astype(np.uint64), length), return_counts=True)
    hallucinated, homes_in_pred = _homeless(pred_characters, kinds, homes, length)
    omitted, _ = _homeless(gold_characters, kinds, homes_in_pred, length)
    return Rates(hallucinated, omitted)


def _homeless(
    characters: _Characters, kinds: Digests, homes: NDArray[np.int64], length: int
) -> tuple[float, NDArray[np.int64]]:
    """Return the share of characters in no run with a home, and how often each kind of run occurs.

    Args:
        characters: of the text.
        kinds: the gold's runs, each once, sorted.
        homes: how many homes there are for each kind.
        length: of a run.
    """
    taken = np.zeros(len(kinds), np.int64)
    housed = np.zeros(len(characters), np.bool_)
    for start in range(0, len(characters) - length + 1, _BLOCK):
        runs = ngrams(characters[start : start + _BLOCK + length - 1].astype(np.uint64), length)
        order = np.argsort(runs, kind="stable")
        runs = runs[order]
        at = np.minimum(np.searchsorted(kinds, runs), len(kinds) - 1)
        known = kinds[at] == runs
        kind, place = at[known], order[known]
        first = np.searchsorted(kind, kind)
        earlier = taken[kind] + np.arange(len(kind)) - first
        begins = np.zeros(len(runs), np.bool_)
        begins[place[earlier < homes[kind]]] = True
        for offset in range(length):
            housed[start + offset : start + offset + len(begins)] |= begins
        np.add.at(taken, kind, 1)
    return int(np.count_nonzero(~housed)) / len(characters), taken


def _characters(text: str) -> _Characters:
    """Return the letters, with their marks, and the digits of a text."""
    counted = _counted()
    found = [np.empty(0, np.uint32)]
    for start in range(0, len(text), _BLOCK):
        piece = text[start : start + _BLOCK].encode("utf-32-le", "surrogatepass")
        characters = np.frombuffer(piece, np.dtype("<u4"))
        found.append(characters[counted[characters]])
    return np.concatenate(found)


@functools.cache
def _counted() -> NDArray[np.bool_]:
    """Return for every code point whether it is a letter, mark or number."""
    return np.fromiter((unicodedata.category(chr(code))[0] in "LMN" for code in range(sys.maxunicode + 1)), np.bool_)
