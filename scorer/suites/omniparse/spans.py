"""Spans of a text between an opening and its closing, found in one pass from left to right.

A closing that is missing once is not looked for again, so that a text of openings alone takes linear time.
"""

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Where a span starts and ends (opening and closing included), how it opens, and its body between."""

    start: int
    end: int
    opening: str
    body: str


@dataclass(frozen=True, slots=True)
class Closing:
    """The pattern that ends a span, and the fewest characters that must stand before it."""

    pattern: str
    least: int = 0


Accepts = Callable[[re.Match[str], int], bool]
"""Tells, from an opening and where the closing starts, whether this is a span at all."""


class Spans:
    """One kind of spans, or several of which the first to open wins; letters match in either case."""

    def __init__(self, opening: str, closing: Callable[[str], Closing], *, accepts: Accepts | None = None) -> None:
        """Take the pattern of an opening and the rule that gives the closing of an opening found."""
        self._opening = re.compile(opening, re.I)
        self._closing = closing
        self._accepts = accepts

    def find(self, text: str) -> Iterator[Span]:
        """Yield the spans of a text, none within another."""
        missing: set[str] = set()
        at = 0
        while (opened := self._opening.search(text, at)) is not None:
            at = opened.start() + 1
            closing = self._closing(opened[0])
            if closing.pattern in missing:
                continue
            closed = _compiled(closing.pattern).search(text, opened.end() + closing.least)
            if closed is None:
                missing.add(closing.pattern)
            elif self._accepts is None or self._accepts(opened, closed.start()):
                at = closed.end()
                yield Span(opened.start(), at, opened[0], text[opened.end() : closed.start()])

    def rewrite(self, text: str, written: Callable[[Span], str]) -> str:
        """Return the text with each span written anew."""
        return replaced(text, self.find(text), written)


@functools.lru_cache(maxsize=1_000)
def _compiled(closing: str) -> re.Pattern[str]:
    return re.compile(closing, re.I)


def replaced(text: str, spans: Iterator[Span], written: Callable[[Span], str]) -> str:
    """Return the text with each of its spans, given from left to right, written anew."""
    parts, done = [], 0
    for span in spans:
        parts += [text[done : span.start], written(span)]
        done = span.end
    return "".join([*parts, text[done:]])


def between(opening: str, closing: str, *, least: int = 0) -> Spans:
    """Return the spans between one opening and one closing, both patterns."""
    ends = Closing(closing, least)
    return Spans(opening, lambda _: ends)


def elements(*names: str, spaced: bool = False) -> Spans:
    """Return the elements with these names, each up to the first end tag of its name; it may be spaced, as `</p >`."""
    room = r"\s*" if spaced else ""
    return Spans(rf"<(?:{'|'.join(names)})\b", lambda opening: Closing(f"</{re.escape(opening[1:])}{room}>"))
