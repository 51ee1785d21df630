"""The pages of Marker's JSON form, read into the common form.

Source: ``marker.renderers.json`` and ``marker.schema`` of marker-pdf 2.0.0. Works on the objects, so nothing of the
tool is imported here.
"""

import html
import re
from collections.abc import Iterator
from typing import Any

from services.runtime import html_tables
from services.runtime.form import Block, Collected, Heading, Label

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
    "Diagram": "figure",
    "PictureGroup": "figure",
    "FigureGroup": "figure",
}
"""Everything else is text."""

_PARTS = frozenset(("Line", "Span", "Char", "TableCell", "Reference"))
"""What blocks are made of: no regions beside the table, the form, the table of contents or the list they are in."""

_HEADING = re.compile(r"<h([1-6])[^>]*>(.*?)</h\1>", re.DOTALL)
_BREAK = re.compile(r"<br[^>]*>")
_TAG = re.compile(r"<[^>]*>")
"""Marker's HTML is written by BeautifulSoup: tags are closed, and there is no other ``>`` in them."""


def read(pages: list[Any]) -> Collected:
    """Read the pages: blocks in reading order, their content HTML.

    Any block may hold tables: a form and a table of contents are made as tables are, and on a page read by the vision
    model every block is HTML of that model's.
    """
    found = [
        (number, page, block)
        for number, page in enumerate(pages, start=1)
        for child in page.children or ()
        for block in _regions(child)
    ]
    return Collected(
        pages=len(pages),
        headings=[
            Heading(text, level=int(level), page=number, source="reported")
            for number, _, block in found
            if block.block_type == "SectionHeader"
            for level, markup in _HEADING.findall(block.html)
            if (text := _plain(markup))
        ],
        # A group's own HTML has nothing but references to the blocks in it, so no table is met twice.
        tables=[table for number, _, block in found for table in html_tables.tables(block.html, page=number)],
        blocks=[
            Block(number, _LABELS.get(block.block_type, "text"), _box(block, page)) for number, page, block in found
        ],
    )


def _regions(block: Any) -> Iterator[Any]:
    """Yield a block and those inside it."""
    if block.block_type not in _PARTS:
        yield block
        for child in block.children or ():
            yield from _regions(child)


def _plain(markup: str) -> str:
    """Return HTML as the text a reader sees; marks of markdown are none in it."""
    return " ".join(html.unescape(_TAG.sub("", _BREAK.sub(" ", markup))).split())


def _box(block: Any, page: Any) -> tuple[float, float, float, float]:
    left, top, right, bottom = page.bbox
    size = right - left, bottom - top
    x0, x1 = (min(max((value - left) / size[0], 0.0), 1.0) for value in (block.bbox[0], block.bbox[2]))
    y0, y1 = (min(max((value - top) / size[1], 0.0), 1.0) for value in (block.bbox[1], block.bbox[3]))
    return x0, y0, x1, y1
