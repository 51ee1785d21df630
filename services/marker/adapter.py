"""Marker, called as its documentation shows a new user: ``PdfConverter(artifact_dict=create_model_dict())``.

Its models run in servers of its own, which it starts as children and which live as long as the worker.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from marker.converters.pdf import PdfConverter
from marker.models import create_model_dict
from marker.renderers.json import JSONRenderer
from surya.inference.backends import spawn

from services.marker import waiting
from services.runtime import html_tables
from services.runtime.form import Block, Collected, Heading, Label, Parsed
from services.runtime.inline import plain

_LABELS: dict[str, Label] = {
    "SectionHeader": "heading",
    "PageHeader": "page_furniture",
    "PageFooter": "page_furniture",
    "ListItem": "list",
    "ListGroup": "list",
    "TableOfContents": "list",
    "Caption": "caption",
    "Footnote": "footnote",
    "Equation": "equation",
    "Code": "code",
    "Table": "table",
    "TableGroup": "table",
    "Form": "form",
    "Picture": "figure",
    "Figure": "figure",
    "PictureGroup": "figure",
    "FigureGroup": "figure",
}
"""Everything else is text."""

_HEADING = re.compile(r"<h([1-6])[^>]*>(.*?)</h\1>", re.DOTALL)


class Adapter:
    """Headings, tables, blocks and pages are the tool's own, from its JSON form of the same document."""

    def __init__(self, setting: str) -> None:
        waiting.end_with_the_server(spawn)
        self._converter = PdfConverter(artifact_dict=create_model_dict())

    def parse(self, path: Path, format: str) -> Parsed:
        """Convert one document; the two steps are those of calling the converter."""
        document = self._converter.build_document(str(path))
        rendered = self._converter.resolve_dependencies(self._converter.renderer)(document)
        return Parsed(rendered.markdown, "markdown", document)

    def collect(self, parsed: Parsed) -> Collected:
        """Render the document once more, as JSON."""
        pages = self._converter.resolve_dependencies(JSONRenderer)(parsed.native).children
        return read(pages)


def read(pages: list[Any]) -> Collected:
    """Read the pages of Marker's JSON form: blocks in reading order, their content HTML."""
    found = [
        (number, page, block)
        for number, page in enumerate(pages, start=1)
        for child in page.children or ()
        for block in _below(child)
    ]
    return Collected(
        pages=len(pages),
        headings=[
            Heading(text, level=int(level), page=number, source="reported")
            for number, _, block in found
            if block.block_type == "SectionHeader"
            for level, html in _HEADING.findall(block.html)
            if (text := plain(html, links=True))
        ],
        tables=[
            table
            for number, _, block in found
            if block.block_type == "Table"
            for table in html_tables.tables(block.html, page=number)
        ],
        blocks=[
            Block(number, _LABELS.get(block.block_type, "text"), _box(block, page)) for number, page, block in found
        ],
    )


def _below(block: Any) -> Iterator[Any]:
    """Yield a block and those inside it, but for the cells of tables."""
    yield block
    if block.block_type != "Table":
        for child in block.children or ():
            yield from _below(child)


def _box(block: Any, page: Any) -> tuple[float, float, float, float]:
    left, top, right, bottom = page.bbox
    size = right - left, bottom - top
    x0, x1 = (min(max((value - left) / size[0], 0.0), 1.0) for value in (block.bbox[0], block.bbox[2]))
    y0, y1 = (min(max((value - top) / size[1], 0.0), 1.0) for value in (block.bbox[1], block.bbox[3]))
    return x0, y0, x1, y1
