"""Headings and tables read out of a tool's markdown, for tools that report none. Standard library only.

The rules are those under which the recorded outputs were made: headings are ATX lines outside code fences; a table is
a line with a pipe directly above a separator, and every following line with a pipe. Every step is linear in the text,
whatever it holds.
"""

import re
from collections.abc import Iterator

from services.runtime.form import Cell, Heading, Row, Table
from services.runtime.inline import plain

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HASHES = re.compile(r" {0,3}(#{1,6})(?![^ \t])")
_DASHES = re.compile(r":?-+:?")
_LINE_END = re.compile(r"\r\n?|\n")
"""As CommonMark has it: a form feed or a vertical tab ends no line."""
_UNESCAPED_PIPE = re.compile(r"(?<!\\)\|")

_PADDED_CELLS = 1_000_000


def headings(text: str) -> Iterator[Heading]:
    """Yield the ATX headings outside code fences, as plain text, without parents."""
    for line, fenced in lines(text):
        found = None if fenced else atx(line)
        if found:
            level, title = found
            yield Heading(plain(title, links=True), level=level)


def tables(text: str) -> Iterator[Table]:
    """Yield the pipe tables; the line above the separator is the header row.

    Every row has as many cells as the widest, unless that would make a small text a vast table. A cell keeps its links
    and images as the tool wrote them.
    """
    rows = _LINE_END.split(text)
    at = 0
    while at + 1 < len(rows):
        if "|" not in rows[at] or not _separates(rows[at + 1]):
            at += 1
            continue
        found = [_cells(rows[at])]
        at += 2
        while at < len(rows) and "|" in rows[at]:
            found.append(_cells(rows[at]))
            at += 1
        widest = max(map(len, found))
        padded = widest if widest * len(found) <= _PADDED_CELLS else 0
        yield Table(
            tuple(
                Row(
                    header=index == 0,
                    cells=tuple(
                        Cell(cells[column] if column < len(cells) else "", index, column)
                        for column in range(max(padded, len(cells)))
                    ),
                )
                for index, cells in enumerate(found)
            )
        )


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield every line and whether it belongs to a fenced code block, fences included."""
    fence = ""
    for line in _LINE_END.split(text):
        found = _FENCE.match(line)
        if fence:
            yield line, True
            if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        else:
            fence = found[1] if found else ""
            yield line, bool(fence)


def atx(line: str) -> tuple[int, str] | None:
    """Return the level and the markdown of an ATX heading; None for any other line, and for one without text."""
    found = _HASHES.match(line)
    if found is None:
        return None
    title = line[found.end() :].strip(" \t")
    body = title.rstrip("#")
    if not body or body[-1] in " \t":  # a closing sequence of hashes is set off by a space
        title = body.rstrip(" \t")
    return (len(found[1]), title) if title else None


def _separates(line: str) -> bool:
    return "|" in line and all(_DASHES.fullmatch(cell.strip()) for cell in _inner(line).split("|"))


def _cells(line: str) -> list[str]:
    return [plain(cell.replace("\\|", "|"), links=False) for cell in _UNESCAPED_PIPE.split(_inner(line))]


def _inner(line: str) -> str:
    """Return a row without its outer pipes."""
    line = line.strip().removeprefix("|")
    return line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
