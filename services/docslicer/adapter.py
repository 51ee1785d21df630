"""DocSlicer: parsed without its chunker in the timed call, chunked by its own chunker afterwards.

The tool chunks at the end of a parse or not at all, and a second parse would cost as much as the first. So its chunk
builder is set aside during the parse, with what it was called with, and called afterwards. A test compares the text
and the chunks with those of undivided calls.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import docslicer
import pandas as pd
from docslicer import _orchestrator
from docslicer.shared import shared_orchestrator

from services.runtime.form import Cell, Chunk, Collected, Heading, Parsed, Row, Table


class Adapter:
    """Headings, tables, pages and chunks are the tool's own."""

    def __init__(self, setting: str) -> None:
        self._build_chunks = _SetAside(shared_orchestrator.build_chunks)
        shared_orchestrator.build_chunks = self._build_chunks

    def parse(self, path: Path, format: str) -> Parsed:
        """Parse one document; the tool's text is its markdown."""
        self._build_chunks.arguments = None
        # The browser route needs one; the static route is the tool's own fallback.
        options = {"use_browser": False} if format == "html" else {}
        result = docslicer.parse_document(path, **options)
        return Parsed(result.export_to_markdown(), "markdown", result)

    def collect(self, parsed: Parsed) -> Collected:
        """Read the tool's hierarchy and tables."""
        result = parsed.native
        return Collected(
            pages=result.metadata.page_count or None,
            headings=_headings(result.hierarchy.roots),
            tables=[_table(table) for table in result.tables],
        )

    def chunk(self, parsed: Parsed) -> Iterator[Chunk]:
        """Build the chunks of the document parsed last, as its parse would have."""
        for chunk in self._build_chunks.run():
            # Its text begins with its headings already; its ``heading`` says the same once more.
            yield Chunk(chunk.text, None)


class _SetAside:
    """Stands in the place of the tool's chunk builder: remembers its arguments and builds nothing yet."""

    def __init__(self, build: Callable[..., pd.DataFrame]) -> None:
        self._build = build
        self.arguments: tuple[tuple[Any, ...], dict[str, Any]] | None = None

    def __call__(self, *positional: Any, **named: Any) -> pd.DataFrame:
        self.arguments = positional, named
        return pd.DataFrame()

    def run(self) -> list[Any]:
        """Return the tool's chunks; none where the parse found nothing to build them of."""
        if self.arguments is None:
            return []
        positional, named = self.arguments
        chunks: list[Any] = _orchestrator._build_chunks(self._build(*positional, **named))
        return chunks


def _headings(roots: list[Any]) -> list[Heading]:
    """Return the tool's tree in reading order, with the parents it reports."""
    found: list[Heading] = []
    pending: list[tuple[Any, int | Literal["ROOT"]]] = [(node, "ROOT") for node in reversed(roots)]
    while pending:
        node, parent = pending.pop()
        pending += [(child, len(found)) for child in reversed(node.children)]
        found.append(Heading(text=node.text, level=node.level, parent=parent, page=node.page_number, source="reported"))
    return found


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
