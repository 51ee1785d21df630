"""Pipe tables of markdown become one-line HTML tables, on both sides, before anything is compared.

Source: opendataloader-bench, its markdown table converter.
"""

import html
from collections.abc import Sequence

__all__ = ["with_html_tables"]


def with_html_tables(markdown: str) -> str:
    """Rewrite each pipe table (a line with `|`, then a separator line) as `<table>…</table>` on one line."""
    lines = markdown.splitlines(keepends=True)
    out: list[str] = []
    index = 0
    while index < len(lines):
        separator = _cells(lines[index + 1]) if index + 1 < len(lines) and "|" in lines[index] else None
        if separator is None or not _is_separator(separator):
            out.append(lines[index])
            index += 1
            continue
        header_line = lines[index]
        header = _cells(header_line) or []
        width = max(len(header), len(separator))
        index += 2
        body: list[list[str]] = []
        while index < len(lines) and (row := _cells(lines[index])) is not None:
            body.append(_fit(row, width))
            index += 1
        ending = header_line[len(header_line.rstrip("\r\n")) :]
        out.append(_table(_fit(header, width), body) + ending)
    return "".join(out)


def _cells(line: str) -> list[str] | None:
    """Cut a row at its pipes; None for a line that is no row."""
    text = line.strip()
    if "|" not in text:
        return None
    pieces = text.split("|")
    if text.startswith("|"):
        pieces = pieces[1:]
    if text.endswith("|"):
        pieces = pieces[:-1]
    return [piece.strip() for piece in pieces]


def _is_separator(cells: Sequence[str]) -> bool:
    bare = [cell.replace(" ", "") for cell in cells]
    return bool(bare) and all(cell and set(cell) <= {"-", ":"} for cell in bare)


def _fit(row: Sequence[str], width: int) -> list[str]:
    """Bring a row to the table's width: three cells stretch their middle one, others are padded or cut."""
    if len(row) == 3 and width > 3:
        return [row[0], *[row[1]] * (width - 2), row[2]]
    return [*row[:width], *[""] * (width - len(row))]


def _table(header: list[str], body: list[list[str]]) -> str:
    if body and not any(header):
        header, body = body[0], body[1:]
    rows = ["".join(f"<th>{html.escape(cell)}</th>" for cell in header)]
    rows += ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in body]
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
