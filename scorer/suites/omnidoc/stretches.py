"""Stretches of a text between two marks, in linear time whatever the text."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

__all__ = ["Marks", "delimited", "stretches", "without"]

Marks = tuple[str, str]
"""An opening and a closing mark."""


def stretches(text: str, opening: str, closing: str) -> Iterator[tuple[int, int]]:
    """Yield where text runs from an opening to the nearest closing mark, both included."""
    start = text.find(opening)
    while start >= 0 and (place := text.find(closing, start + len(opening))) >= 0:
        end = place + len(closing)
        yield start, end
        start = text.find(opening, end)


def without(text: str, opening: str, closing: str) -> str:
    """Delete every such stretch."""
    parts: list[str] = []
    done = 0
    for start, end in stretches(text, opening, closing):
        parts.append(text[done:start])
        done = end
    return "".join([*parts, text[done:]])


def delimited(text: str, kinds: Sequence[Marks]) -> Iterator[tuple[Marks, int, int]]:
    """Yield such stretches of several kinds, from the left; of kinds that open at one place, the first that closes."""
    search = _openings(tuple(opening for opening, _ in kinds)).search
    missing: set[str] = set()  # closing marks that stand nowhere behind: looked for once, not at every opening
    at = 0
    while found := search(text, at):
        start = at = found.start()
        for opening, closing in kinds:
            if closing in missing or not text.startswith(opening, start):
                continue
            place = text.find(closing, start + len(opening))
            if place >= 0:
                at = place + len(closing)
                yield (opening, closing), start, at
                break
            missing.add(closing)
        else:
            at += 1


@lru_cache
def _openings(marks: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, marks)))
