"""DocSlicer: parsed without its chunker in the timed call, chunked by its own chunker afterwards."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import docslicer

from services.runtime.form import Cell, Chunk, Collected, Heading, Parsed, Row, Table


class Adapter:
    """Headings, tables, pages and chunks are the tool's own."""

    def __init__(self, setting: str) -> None:
        pass

    def parse(self, path: Path, format: str) -> Parsed:
        """Parse one document; the tool's text is its markdown."""
        result = _run(path, format, chunking=False)
        return Parsed(result.export_to_markdown(), "markdown", (path, format, result))

    def collect(self, parsed: Parsed) -> Collected:
        """Read the tool's hierarchy and tables."""
        _, _, result = parsed.native
        return Collected(
            pages=result.metadata.page_count or None,
            headings=_headings(result.hierarchy.roots),
            tables=[_table(table) for table in result.tables],
        )

    def chunk(self, parsed: Parsed) -> Iterator[Chunk]:
        """Run the tool again with its chunker on: it has no way to chunk what it has parsed."""
        path, format, _ = parsed.native
        for chunk in _run(path, format, chunking=True).chunks:
            # Its text begins with its headings already; its ``heading`` says the same once more.
            yield Chunk(chunk.text, None)


def _headings(roots: list[Any]) -> list[Heading]:
    """Return the tool's tree in reading order, with the parents it reports."""
    found: list[Heading] = []
    pending: list[tuple[Any, int | Literal["ROOT"]]] = [(node, "ROOT") for node in reversed(roots)]
    while pending:
        node, parent = pending.pop()
        pending += [(child, len(found)) for child in reversed(node.children)]
        found.append(Heading(text=node.text, level=node.level, parent=parent, page=node.page_number, source="reported"))
    return found


def _run(path: Path, format: str, *, chunking: bool) -> Any:
    # The browser route needs one; the static route is the tool's own fallback.
    options = {"use_browser": False} if format == "html" else {}
    return docslicer.parse_document(path, chunking=chunking, **options)


def _table(table: Any) -> Table:
    rows: list[list[Any]] = [[] for _ in range(max((cell.row + 1 for cell in table.cells), default=0))]
    for cell in table.cells:
        rows[cell.row].append(cell)
    return Table(
        tuple(
            Row(
                header=bool(cells) and all(cell.role == "header" for cell in cells),
                cells=tuple(
                    # A covered cell has a span of 0: it is a position of the grid with no text of its own.
                    Cell(cell.text or "", cell.row, cell.col, max(cell.rowspan, 1), max(cell.colspan, 1))
                    for cell in sorted(cells, key=lambda cell: cell.col)
                ),
            )
            for cells in rows
        ),
        page=table.page_number,
        source="reported",
    )
