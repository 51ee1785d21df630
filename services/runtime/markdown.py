"""Headings and tables read out of a tool's markdown, for tools that report none. Standard library only.

The rules are those under which the recorded outputs were made: headings are ATX lines outside code fences; a table is
a line with a pipe directly above a separator, and every following line with a pipe.
"""

import html
import re
from collections.abc import Iterator

from services.runtime.form import Cell, Heading, Row, Table

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SEPARATOR = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_UNESCAPED_PIPE = re.compile(r"(?<!\\)\|")
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_MARKS = tuple(
    re.compile(pattern)
    for pattern in (
        r"`([^`\n]+)`",
        r"\*\*(?=\S)([^\n]+?)(?<=\S)\*\*",
        r"(?<!\w)__(?=\S)([^\n]+?)(?<=\S)__(?!\w)",
        r"(?<![*\\])\*(?=[^\s*])([^*\n]*?[^\s*\\])\*(?!\*)",
        r"(?<![\w\\])_(?=[^\s_])([^\n]*?[^\s_])_(?!\w)",
    )
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def headings(text: str) -> Iterator[Heading]:
    """Yield the ATX headings outside code fences, as plain text, without parents."""
    for line in _outside_fences(text):
        found = _ATX.match(line)
        if found and found[2]:
            yield Heading(plain(found[2]), level=len(found[1]))


def tables(text: str) -> Iterator[Table]:
    """Yield the pipe tables; the line above the separator is the header row."""
    lines = text.split("\n")
    at = 0
    while at + 1 < len(lines):
        if "|" not in lines[at] or "|" not in lines[at + 1] or not _SEPARATOR.match(lines[at + 1]):
            at += 1
            continue
        rows = [_row(lines[at], 0, header=True)]
        at += 2
        while at < len(lines) and "|" in lines[at]:
            rows.append(_row(lines[at], len(rows), header=False))
            at += 1
        yield Table(tuple(rows))


def plain(text: str) -> str:
    """Return inline markdown as the text a reader sees: no marks, links, tags, escapes or entities."""
    text = _LINK.sub(r"\1", _TAG.sub("", text))
    for mark in _MARKS:
        text = mark.sub(r"\1", text)
    return " ".join(html.unescape(_ESCAPE.sub(r"\1", text)).split())


def _row(line: str, index: int, *, header: bool) -> Row:
    line = line.strip()
    line = line[1:] if line.startswith("|") else line
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    texts = [plain(cell.replace("\\|", "|")) for cell in _UNESCAPED_PIPE.split(line)]
    return Row(header, tuple(Cell(text, index, column) for column, text in enumerate(texts)))


def _outside_fences(text: str) -> Iterator[str]:
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif found:
            fence = found[1]
        else:
            yield line
