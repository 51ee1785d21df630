"""One page's HTML output in every form the tests read, each built once and only when asked for.

Source: OmniParseBench 1.0.0rc1; the reference builds these forms again for every test.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scorer.suites.omniparse.blocks import MalformedOutputError
from scorer.suites.omniparse.equations import PageMath, page_math
from scorer.suites.omniparse.fold import fold, without_spaces
from scorer.suites.omniparse.number import clean
from scorer.suites.omniparse.view import text_view

if TYPE_CHECKING:
    from scorer.suites.omniparse.cells import Neighbours, PageTable


class Page:
    """A page's HTML and, lazily, its text, folded, squeezed, numeric, mathematical and tabular forms."""

    def __init__(self, html: Any, *, neighbours: Neighbours) -> None:
        """Take a parser's `html` output and the rule by which its table cells have neighbours.

        Raises:
            MalformedOutputError: when `html` is no string.
        """
        if not isinstance(html, str):
            raise MalformedOutputError(f"html must be a string, not {type(html).__name__}: {html!r:.80}")
        self.html: str = html
        self._neighbours = neighbours

    @cached_property
    def text(self) -> str:
        """What a reader sees, image descriptions included."""
        return text_view(self.html)

    @cached_property
    def folded(self) -> str:
        """The text as it is compared."""
        return fold(self.text)

    @cached_property
    def squeezed(self) -> str:
        """The folded text without spaces."""
        return without_spaces(self.folded)

    @cached_property
    def numeric(self) -> str:
        """The folded text as numbers are looked up in it."""
        return clean(self.folded)

    @cached_property
    def seen(self) -> str:
        """The folded text without image descriptions."""
        seen = text_view(self.html, alt=False)
        return self.folded if seen == self.text else fold(seen)

    @cached_property
    def seen_squeezed(self) -> str:
        """`seen` without spaces."""
        return without_spaces(self.seen)

    def place_seen(self, place: int) -> int:
        """Return where in `seen` the character at a place of `seen_squeezed` stands: a space later a word before it."""
        return place + bisect_right(self._word_ends_seen, place)

    @cached_property
    def _word_ends_seen(self) -> list[int]:
        """Where in `seen_squeezed` each word of `seen` ends."""
        return list(itertools.accumulate(map(len, self.seen.split(" "))))

    @cached_property
    def math(self) -> PageMath:
        """The equations of the raw HTML."""
        return page_math(self.html)

    @cached_property
    def tables(self) -> tuple[PageTable, ...]:
        """The tables that have a cell, with their folded cells."""
        from scorer.suites.omniparse.cells import page_tables

        return page_tables(self.html, self._neighbours)
