"""DocSlicer: parsed without its chunker in the timed call, chunked by its own chunker afterwards.

The tool chunks at the end of a parse or not at all, and a second parse would cost as much as the first. So its chunk
builder is set aside during the parse, with what it was called with, and called afterwards. A test compares the text
and the chunks with those of undivided calls.
"""

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import docslicer
import pandas as pd
from docslicer import _orchestrator
from docslicer.shared import shared_orchestrator
from lxml import etree

from services.runtime.form import Block, Cell, Chunk, Collected, Heading, Label, Parsed, Row, Table

_LABELS: dict[str, Label] = {
    "heading": "heading",
    "toc_heading": "heading",
    "exhibit_heading": "heading",
    "hybrid_heading_paragraph": "heading",
    # The next four are what the tool's own exports call furniture.
    "navigation": "page_furniture",
    "page_label": "page_furniture",
    "suppressed_repeated_heading": "page_furniture",
    "vertical_text": "page_furniture",
    "toc": "list",
    "exhibits": "list",
    "footnote": "footnote",
    "math": "equation",
    "table": "table",
    "form_field": "form",
    "chart": "figure",
    "image": "figure",
}
"""Everything else is text."""

_EMU = 12_700
"""Slides are measured in these, blocks in points: so many make one."""


class Adapter:
    """Headings, tables, blocks, pages and chunks are the tool's own."""

    def __init__(self, setting: str) -> None:
        self._build_chunks = _SetAside(shared_orchestrator.build_chunks)
        shared_orchestrator.build_chunks = self._build_chunks

    def parse(self, path: Path, format: str) -> Parsed:
        """Parse one document; the tool's text is its markdown."""
        # The browser route needs one; the static route is the tool's own fallback.
        options = {"use_browser": False} if format == "html" else {}
        try:
            result = docslicer.parse_document(path, **options)
        finally:
            arguments = self._build_chunks.take()
        return Parsed(result.export_to_markdown(), "markdown", _Document(path, result, arguments))

    def collect(self, parsed: Parsed) -> Collected:
        """Read the tool's hierarchy, tables and blocks."""
        result = parsed.native.result
        return Collected(
            pages=result.metadata.page_count or None,
            headings=_headings(result.hierarchy.roots),
            tables=[_table(table) for table in result.tables],
            blocks=_blocks(parsed.native),
        )

    def chunk(self, parsed: Parsed) -> Iterator[Chunk]:
        """Build a document's chunks as its parse would have."""
        for chunk in self._build_chunks.run(parsed.native.arguments):
            # Its text begins with its headings already; its ``heading`` says the same once more.
            yield Chunk(chunk.text, None)


@dataclass(frozen=True, slots=True)
class _Arguments:
    """What the chunk builder was called with; the first is the frame of the blocks."""

    positional: tuple[Any, ...]
    named: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Document:
    """The tool's result and what its chunks are built of; None where the parse found nothing to build them of.

    The frames are the document's and go with it: kept elsewhere they would be memory of the next document's parse.
    """

    path: Path
    result: Any
    arguments: _Arguments | None


class _SetAside:
    """Stands in the place of the tool's chunk builder: remembers its arguments and builds nothing yet."""

    def __init__(self, build: Callable[..., pd.DataFrame]) -> None:
        self._build = build
        self._arguments: _Arguments | None = None

    def __call__(self, *positional: Any, **named: Any) -> pd.DataFrame:
        self._arguments = _Arguments(positional, named)
        return pd.DataFrame()

    def take(self) -> _Arguments | None:
        """Return what it was called with since it was last asked, and forget it."""
        arguments, self._arguments = self._arguments, None
        return arguments

    def run(self, arguments: _Arguments | None) -> list[Any]:
        """Return the tool's chunks."""
        if arguments is None:
            return []
        chunks: list[Any] = _orchestrator._build_chunks(self._build(*arguments.positional, **arguments.named))
        return chunks


def _blocks(document: _Document) -> Iterator[Block]:
    """Yield where blocks lie, in the tool's order; only PDFs and slides have places."""
    sizes = _page_sizes(document)
    for block, (width, height) in zip(document.result.blocks, sizes, strict=True) if sizes else ():
        # Speaker notes lie on a page of their own, not on the slide.
        if block.bbox is None or block.type == "speaker_notes":
            continue
        left, right = (min(max(value / width, 0.0), 1.0) for value in (block.bbox.x_left, block.bbox.x_right))
        top, bottom = (min(max(value / height, 0.0), 1.0) for value in (block.bbox.y_top, block.bbox.y_bottom))
        yield Block(block.page_number, _LABELS.get(block.type, "text"), (left, top, right, bottom))


def _page_sizes(document: _Document) -> list[tuple[float, float]]:
    """Return the width and height of each block's page as it is shown, in points; nothing where pages have none.

    The result itself has the first page's alone, and no slide's.
    """
    if document.arguments is None:
        return []
    frame = document.arguments.positional[0]
    match document.result.metadata.content_type:
        case "pdf":
            return list(zip(frame["page_width"], frame["page_height"], strict=True))
        case "pptx":
            with zipfile.ZipFile(document.path) as package, package.open("ppt/presentation.xml") as part:
                size = etree.parse(part).find("{*}sldSz")
            return [] if size is None else [(int(size.attrib["cx"]) / _EMU, int(size.attrib["cy"]) / _EMU)] * len(frame)
        case _:
            return []


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
                    Cell(_text(cell), cell.row, cell.col, max(cell.rowspan, 1), max(cell.colspan, 1))
                    for cell in sorted(cells, key=lambda cell: cell.col)
                ),
            )
            for cells in rows
        ),
        page=table.page_number,
        source="reported",
    )


def _text(cell: Any) -> str:
    """Return a cell's text; a covered one has a span of 0, and none, whatever lies hidden in it in the file."""
    return cell.text if cell.rowspan and cell.colspan else ""
