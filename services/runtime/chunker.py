"""The shared chunker for tools that have none: sections, packed paragraphs. Standard library only.

A chunk never crosses a heading and carries the headings above it. Paragraphs are packed up to ``LIMIT`` code points;
one that is longer is cut at line ends, then at spaces. The same text gives the same chunks for every parser.
"""

import re
from collections.abc import Iterator

from services.runtime.form import Chunk, TextFormat

LIMIT = 1_200
"""Code points in a chunk, at most: about what the embedders read without cutting."""

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def chunk(text: str, text_format: TextFormat) -> Iterator[Chunk]:
    """Yield the chunks of a text; headings are seen in markdown alone."""
    path: list[tuple[int, str]] = []
    section: list[str] = []
    fence = ""
    for line in text.splitlines():
        marks = _FENCE.match(line)
        if marks:
            fence = "" if fence and marks[1].startswith(fence) else fence or marks[1]
        heading = None if fence or text_format != "markdown" else _ATX.match(line)
        if heading is None:
            section.append(line)
            continue
        yield from _section(section, path)
        level, section = len(heading[1]), []
        path = [entry for entry in path if entry[0] < level] + [(level, heading[2])]
    yield from _section(section, path)


def _section(lines: list[str], path: list[tuple[int, str]]) -> Iterator[Chunk]:
    heading = tuple(text for _, text in path) or None
    packed = ""
    for piece in _pieces("\n".join(lines)):
        joined = f"{packed}\n\n{piece}" if packed else piece
        if len(joined) > LIMIT and packed:
            yield Chunk(packed, heading)
            joined = piece
        packed = joined
    if packed:
        yield Chunk(packed, heading)


def _pieces(text: str) -> Iterator[str]:
    """Yield paragraphs of at most ``LIMIT`` code points."""
    for paragraph in re.split(r"\n\s*\n", text):
        rest = paragraph.strip("\n")
        while len(rest) > LIMIT:
            cut = max(rest.rfind("\n", 1, LIMIT + 1), 0) or max(rest.rfind(" ", 1, LIMIT + 1), 0) or LIMIT
            yield rest[:cut]
            rest = rest[cut:].lstrip("\n ")
        if rest.strip():
            yield rest
