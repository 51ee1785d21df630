"""PyMuPDF4LLM: markdown page by page, as ``to_markdown(path, page_chunks=True)`` gives it.

Joined, the pages are what ``to_markdown(path)`` returns. Left to itself the tool recognises characters wherever it
finds a Tesseract on the machine; here that is a setting, so that a result does not depend on what else is installed.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pymupdf
import pymupdf4llm

from services.runtime import markdown
from services.runtime.form import Block, Chunk, Collected, Encrypted, Heading, Label, Parsed, Table

_Pages = list[dict[str, Any]]
_LABELS: dict[str, Label] = {
    "title": "heading",
    "section-header": "heading",
    "page-header": "page_furniture",
    "page-footer": "page_furniture",
    "list-item": "list",
    "caption": "caption",
    "footnote": "footnote",
    "formula": "equation",
    "code": "code",
    "table": "table",
    "table-fallback": "table",
    "picture": "figure",
}
"""Everything else is text."""

_Item = TypeVar("_Item", Heading, Table)


class Adapter:
    """Pages, blocks and chunks (one a page) are the tool's own; headings and tables are read from each page's text."""

    def __init__(self, setting: str) -> None:
        self._use_ocr = setting == "ocr"

    def parse(self, path: Path, format: str) -> Parsed:
        """Convert one document."""
        try:
            pages: _Pages = pymupdf4llm.to_markdown(str(path), page_chunks=True, use_ocr=self._use_ocr)
        except TypeError:  # what it raises for a locked file, among others
            with pymupdf.open(path) as document:
                if document.needs_pass:
                    raise Encrypted("the document needs a password") from None
            raise
        return Parsed("".join(page["text"] for page in pages), "markdown", (path, pages))

    def collect(self, parsed: Parsed) -> Collected:
        """Read structure from each page, so that its page is known."""
        path, pages = parsed.native
        numbered = [(page["metadata"]["page_number"], page) for page in pages]
        return Collected(
            pages=pages[0]["metadata"]["page_count"] if pages else 0,
            headings=_on_pages(markdown.headings, numbered),
            tables=_on_pages(markdown.tables, numbered),
            blocks=_blocks(path, numbered),
        )

    def chunk(self, parsed: Parsed) -> Iterator[Chunk]:
        """Yield the pages: the tool's page chunks."""
        for page in parsed.native[1]:
            if page["text"].strip():
                yield Chunk(page["text"])


def _on_pages(read: Callable[[str], Iterator[_Item]], pages: list[tuple[int, dict[str, Any]]]) -> Iterator[_Item]:
    for number, page in pages:
        for item in read(page["text"]):
            yield replace(item, page=number)


def _blocks(path: Path, pages: list[tuple[int, dict[str, Any]]]) -> Iterator[Block]:
    """Yield the boxes of every page, which the tool gives in points from the page's top left."""
    with pymupdf.open(path) as document:
        for number, page in pages:
            size = document[number - 1].rect
            for box in page["page_boxes"]:
                left, top, right, bottom = (
                    min(max(value / length, 0.0), 1.0)
                    for value, length in zip(box["bbox"], (size.width, size.height) * 2, strict=True)
                )
                yield Block(number, _LABELS.get(box["class"], "text"), (left, top, right, bottom))
