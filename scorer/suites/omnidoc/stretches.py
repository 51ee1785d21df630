"""Stretches of a text between two marks, in linear time whatever the text."""

from collections.abc import Iterator

__all__ = ["stretches", "without"]


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
