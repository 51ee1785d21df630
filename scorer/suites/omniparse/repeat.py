"""`repeat`: a line appears exactly so many times, as a whole run of words.

Source: OmniParseBench 1.0.0rc1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer.suites.omniparse.content import Mark, mark
from scorer.suites.omniparse.text import needle_forms

if TYPE_CHECKING:
    from scorer.suites.omniparse.page import Page


@dataclass(frozen=True, slots=True)
class Repeat:
    """A line and how many times a reader sees it."""

    text: str
    expected_count: int


def repeat(test: Repeat, page: Page) -> Mark:
    """Tell whether the line appears exactly as often as expected, image descriptions aside."""
    count = _count(needle_forms(test.text)[1], page)
    return mark(count == test.expected_count, f"{test.text[:50]!r} appears {count}x, not {test.expected_count}x")


def _count(line: str, page: Page) -> int:
    """Count a squeezed line where no letter or digit adjoins it; spaces may fall anywhere in it."""
    squeezed, seen = page.seen_squeezed, page.seen
    count, at = 0, squeezed.find(line)
    while at >= 0:
        first, last = page.place_seen(at), page.place_seen(at + len(line) - 1)
        adjoining = seen[max(0, first - 1) : first], seen[last + 1 : last + 2]
        is_whole = not any(map(str.isalnum, adjoining))
        count += is_whole
        at = squeezed.find(line, at + (len(line) if is_whole else 1))
    return count
