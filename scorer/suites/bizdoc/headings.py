"""Headings: their types, their normal form, and when two of them match.

Source: BizDocBench, Hierarchy; decisions R1 to R5.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Levenshtein

MATCH_DISTANCE = 2
"""Two headings match when their normal forms are at most this many edits apart."""

# Case is folded before these apply. Any valid Roman numeral counts with a delimiter; bare, only those of at least two
# letters out of i, v and x, since "mix" and "cd" are words before they are numerals.
_DECIMAL = r"[0-9]+(?:\.[0-9]+)*[.)]?"
_ROMAN = r"(?=[ivxlcdm])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})[.)]"
_BARE_ROMAN = r"(?=[ivx]{2})x{0,3}(?:ix|iv|v?i{0,3})"
_LETTER = r"[a-z][.)]"
_NUMBERING = re.compile(rf"(?:{_DECIMAL}|{_ROMAN}|{_BARE_ROMAN}|{_LETTER}) (?=.)")


@dataclass(frozen=True, slots=True)
class GoldHeading:
    """A heading of the gold tree.

    Attributes:
        text: as printed, numbering included.
        level: 1 is the outermost; levels may be skipped.
        children: the headings directly below it. Edges come from this nesting, never from the levels.
    """

    text: str
    level: int
    children: tuple["GoldHeading", ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError(f"text of a gold heading must not be blank, got {self.text!r}")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading a tool reported, in the tool's reading order.

    Attributes:
        text: plain text, no marks, tags or entities. Blank headings are passed over.
        level: 1 is the outermost; None when the tool gives none.
        parent: index among the document's headings, ``"ROOT"`` for an explicit "no parent", None when not reported.
    """

    text: str
    level: int | None = None
    parent: int | Literal["ROOT"] | None = None


def normalise(text: str) -> str:
    """Return the form in which headings are compared.

    NFKC, case folded, whitespace collapsed, and one leading numbering dropped when text follows it.
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return _NUMBERING.sub("", folded, count=1) if _NUMBERING.match(folded) else folded


def distance(a: str, b: str) -> int:
    """Return the Levenshtein distance between the normal forms of two headings, in edits."""
    return int(Levenshtein.distance(normalise(a), normalise(b)))


def match(a: str, b: str) -> bool:
    """Return whether two headings count as the same."""
    return distance(a, b) <= MATCH_DISTANCE
