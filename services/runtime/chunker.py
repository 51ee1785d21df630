"""The shared chunker for tools that have none: sections, packed paragraphs. Standard library only.

A chunk never crosses a heading and carries the headings above it. Paragraphs are packed up to ``LIMIT`` code points;
one that is longer is cut at line ends, then at spaces. The same text gives the same chunks for every parser.
"""

import re
from collections.abc import Iterator

from services.runtime import markdown
from services.runtime.form import Chunk, TextFormat
from services.runtime.inline import plain

LIMIT = 1_200
"""Code points in a chunk, at most: about what the embedders read without cutting."""

_BREAK = re.compile(r"\n\s*\n")


def chunk(text: str, text_format: TextFormat) -> Iterator[Chunk]:
    """Yield the chunks of a text; headings are seen in markdown alone."""
    path: list[tuple[int, str]] = []
    section: list[str] = []
    for line, fenced in markdown.lines(text):
        heading = None if fenced or text_format != "markdown" else markdown.atx(line)
        if heading is None:
            section.append(line)
            continue
        yield from _section(section, path)
        level, title = heading
        section = []
        path = [entry for entry in path if entry[0] < level] + [(level, plain(title, links=True))]
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
    """Yield paragraphs of at most ``LIMIT`` code points, cut where they are longer."""
    for paragraph in _BREAK.split(text):
        rest = paragraph.strip("\n")
        at = 0
        while len(rest) - at > LIMIT:
            cut = max(rest.rfind("\n", at + 1, at + LIMIT + 1), at)
            if cut == at:
                cut = max(rest.rfind(" ", at + 1, at + LIMIT + 1), at)
            if cut == at:
                cut = at + LIMIT
            yield from _said(rest[at:cut])
            at = cut
            while at < len(rest) and rest[at] in "\n ":
                at += 1
        yield from _said(rest[at:])


def _said(piece: str) -> Iterator[str]:
    if piece.strip():
        yield piece
