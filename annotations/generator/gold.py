"""The gold of a rendition, from the record of what was set down where.

Conventions are in ``annotations/README.md``; the rules R41, R41b and R45 are the ``bizdoc`` suite's.
"""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from annotations.generator import inline
from annotations.generator.model import Row, Source, grid
from annotations.generator.rendition import HeadingPiece, Piece, Rendition, TablePiece


def headings(pieces: Sequence[Piece]) -> list[dict[str, Any]]:
    """The heading tree: each heading under the nearest earlier one of a smaller level."""
    roots: list[dict[str, Any]] = []
    path: list[dict[str, Any]] = []
    for piece in pieces:
        if isinstance(piece, HeadingPiece):
            node: dict[str, Any] = {"text": piece.text, "level": piece.level, "children": []}
            while path and path[-1]["level"] >= piece.level:
                path.pop()
            (path[-1]["children"] if path else roots).append(node)
            path.append(node)
    return roots


def content(pieces: Sequence[Piece], numbers: Mapping[str, int]) -> str:
    """The reading-order text: one paragraph a piece, tables as HTML."""
    parts = []
    for piece in pieces:
        match piece:
            case HeadingPiece():
                parts.append(f"{'#' * piece.level} {piece.text}")
            case TablePiece():
                parts.append(table_html(piece.header, piece.body, numbers))
            case _:
                parts.append(piece.text)
    return "\n\n".join(parts) + "\n"


def table_html(header: Sequence[Row], body: Sequence[Row], numbers: Mapping[str, int]) -> str:
    """A table as HTML, header cells as ``th``, spans as attributes."""
    lines = ["<table>"]
    for tag, rows in (("th", header), ("td", body)):
        for row in rows:
            cells = []
            for cell in row:
                spans = "".join(
                    f' {name}="{count}"'
                    for name, count in (("rowspan", cell.rows), ("colspan", cell.cols))
                    if count > 1
                )
                cells.append(f"<{tag}{spans}>{html.escape(inline.plain(cell.text, numbers), quote=False)}</{tag}>")
            lines.append(f"<tr>{''.join(cells)}</tr>")
    lines.append("</table>")
    return "\n".join(lines)


def tables(pieces: Sequence[Piece], numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    """The tables as flat rows; the parts of a table that runs over pages are one table, its header once."""
    found: list[dict[str, Any]] = []
    for piece in pieces:
        if not isinstance(piece, TablePiece):
            continue
        flat = [[inline.plain(text, numbers) for text in row] for row in grid((*piece.header, *piece.body))]
        rows = [{"header": at < len(piece.header), "cells": cells} for at, cells in enumerate(flat)]
        if piece.continues:
            found[-1]["rows"].extend(row for row in rows if not row["header"])
        else:
            found.append({"id": piece.id, "page": piece.page, "rows": rows})
    return found


def questions(source: Source, rendition: Rendition, numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    """The questions, each span with the page of this rendition on which it first stands.

    Raises:
        ValueError: when a span occurs nowhere in the rendition, or runs over a page's end.
    """
    pages: dict[int | None, list[Piece]] = {}
    for piece in rendition.pieces:
        pages.setdefault(piece.page, []).append(piece)
    page_texts = {page: normal(content(pieces, numbers)) for page, pieces in pages.items()}
    result = []
    for at, question in enumerate(source.questions, start=1):
        evidence = []
        for span in question.evidence:
            page = next((page for page, text in page_texts.items() if normal(span) in text), -1)
            if page == -1:
                raise ValueError(f"{source.name}.{rendition.format}: evidence occurs on no page: {span!r}")
            evidence.append({"text": span, "page": page})
        result.append({"id": f"q{at}", "question": question.question, "answer": question.answer, "evidence": evidence})
    return result


def normal(text: str) -> str:
    """Whitespace as one space."""
    return " ".join(text.split())
