"""DocSlicer: parsed without its chunker in the timed call, chunked by its own chunker afterwards."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
            pages=result.metadata.page_count,
            headings=[
                Heading(text=node.text, level=node.level, page=node.page_number, source="reported")
                for node in result.hierarchy.flatten()
            ],
            tables=[_table(table) for table in result.tables],
        )

    def chunk(self, parsed: Parsed) -> Iterator[Chunk]:
        """Run the tool again with its chunker on: it has no way to chunk what it has parsed."""
        path, format, _ = parsed.native
        for chunk in _run(path, format, chunking=True).chunks:
            yield Chunk(chunk.text, (chunk.heading,) if chunk.heading else None)


def _run(path: Path, format: str, *, chunking: bool) -> Any:
    # The browser route needs one; the static route is the tool's own fallback.
    options = {"use_browser": False} if format == "html" else {}
    return docslicer.parse_document(path, chunking=chunking, **options)


def _table(table: Any) -> Table:
    rows: dict[int, list[Any]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(cell)
    return Table(
        tuple(
            Row(
                header=all(cell.role == "header" for cell in cells),
                cells=tuple(
                    # A covered cell of a DOCX table has a rowspan of 0: it starts nothing.
                    Cell(cell.text or "", cell.row, cell.col, max(cell.rowspan, 1), max(cell.colspan, 1))
                    for cell in sorted(cells, key=lambda cell: cell.col)
                ),
            )
            for _, cells in sorted(rows.items())
        ),
        page=table.page_number,
        source="reported",
    )
