"""The words of a text's normal form, as digests."""

from collections.abc import Iterator

import numpy as np

from scorer.suites.bizdoc.ngrams import Digests, scattered

MOST_WORDS = 8_000_000
"""Words of one text that are counted, about 16,000 pages; of a longer text nothing is said."""

_PIECE = 1 << 20
_SPACE = 32
# Thai to Lao, Myanmar, Khmer, Chinese and Japanese: written without spaces, so that each character stands for a word.
_UNSPACED = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3001, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF)),
    *((0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
)


class TooManyWords(ValueError):
    """A text has more words than are counted."""


def words(text: str, *, most: int = MOST_WORDS) -> Digests:
    """Return the digest of every word of a text in its normal form, in reading order.

    A word is what stands between two spaces; in scripts written without spaces, each character.

    Raises:
        TooManyWords: there are more than ``most``.
    """
    found: list[Digests] = []
    left = most
    for piece in _pieces(text):
        digests = _words_of(piece)
        left -= len(digests)
        if left < 0:
            raise TooManyWords(f"the text has more than {most} words: it was not compared")
        found.append(digests)
    return np.concatenate(found) if found else np.empty(0, np.uint64)


def _pieces(text: str) -> Iterator[str]:
    """Cut the text at spaces; a word longer than a piece is cut, too."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text):
            space = text.rfind(" ", start + 1, end)
            end = end if space < 0 else space
        yield text[start:end]
        start = end


def _words_of(piece: str) -> Digests:
    characters = np.frombuffer(piece.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
    space = characters == _SPACE
    alone = np.zeros(len(characters), np.bool_)
    if not piece.isascii():
        for first, last in _UNSPACED:
            alone |= (characters >= first) & (characters <= last)
    starts = ~space
    starts[1:] &= space[:-1] | alone[1:] | alone[:-1]
    begins = np.flatnonzero(starts)
    if not len(begins):
        return np.empty(0, np.uint64)
    place = np.arange(len(characters)) - begins[np.maximum(np.cumsum(starts) - 1, 0)]
    mixed = scattered(characters.astype(np.uint64) | (place.astype(np.uint64) << np.uint64(32)))
    mixed[space] = 0
    return np.add.reduceat(mixed, begins)
