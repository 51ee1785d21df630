"""Indra OCR, called as its documentation shows a new user: ``load(...)`` once, ``convert(path)`` a document."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import indra_ocr
import indra_ocr.models
import pypdfium2

from services.runtime import html_tables, markdown
from services.runtime.form import Block, Collected, Encrypted, Label, Parsed

_DOTS_PER_INCH = 200.0
"""Its own default, named here because boxes are in pixels."""

_POINTS_PER_INCH = 72

_LABELS: dict[str, Label] = {
    "Section-Header": "heading",
    "Page-Header": "page_furniture",
    "Page-Footer": "page_furniture",
    "List-Group": "list",
    "Caption": "caption",
    "Footnote": "footnote",
    "Table": "table",
    "Table-Of-Contents": "list",
    "Form": "form",
    "Picture": "figure",
}
"""Everything else is text."""


class Adapter:
    """Blocks and pages are the tool's own; headings and tables are those of its markdown, which has tables as HTML."""

    def __init__(self, setting: str) -> None:
        self._converter = indra_ocr.load(
            # The models that this version was made with.
            Path(os.environ["DOCASSAY_WEIGHTS"]) / indra_ocr.models.HF_REVISION,
            threads=len(os.sched_getaffinity(0)),
            dpi=_DOTS_PER_INCH,
            math=setting == "math",
        )

    def parse(self, path: Path, format: str) -> Parsed:
        """Read one document."""
        try:
            pages = [page for _, page in self._converter.convert(str(path))]
        except indra_ocr.InputError as error:
            if "password" in str(error).lower():
                raise Encrypted("the document needs a password") from None
            raise
        return Parsed("\n\n".join(map(_text, pages)), "markdown", (path, format, pages))

    def collect(self, parsed: Parsed) -> Collected:
        """Read every page."""
        path, format, pages = parsed.native
        numbered = [(number, _text(page)) for number, page in enumerate(pages, start=1)]
        return Collected(
            pages=len(pages),
            headings=[
                replace(heading, page=number) for number, text in numbered for heading in markdown.headings(text)
            ],
            tables=[
                replace(table, source="derived")
                for number, text in numbered
                for table in html_tables.tables(text, page=number)
            ],
            blocks=_blocks(pages, _sizes(path) if format == "pdf" else [_size(path)] * len(pages)),
        )


def _text(page: Any) -> str:
    """Return a page as the tool's own program writes it: plain where it made no markdown, which may well be empty."""
    return str(page.text if page.markdown is None else page.markdown)


def _sizes(path: Path) -> list[tuple[float, float]]:
    """Return the width and height in pixels of every page of a PDF, as it was drawn."""
    scale = _DOTS_PER_INCH / _POINTS_PER_INCH
    with pypdfium2.PdfDocument(path) as document:
        return [(width * scale, height * scale) for width, height in (page.get_size() for page in document)]


def _size(path: Path) -> tuple[float, float]:
    height, width = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE).shape
    return float(width), float(height)


def _blocks(pages: list[Any], sizes: list[tuple[float, float]]) -> Iterator[Block]:
    for number, (page, (width, height)) in enumerate(zip(pages, sizes, strict=True), start=1):
        for block in page.blocks:
            corners = [turned_back(point, page.rotation, width, height) for point in _corners(block["bbox"])]
            lefts, tops = zip(*corners, strict=True)
            left, right = (min(max(value / width, 0.0), 1.0) for value in (min(lefts), max(lefts)))
            top, bottom = (min(max(value / height, 0.0), 1.0) for value in (min(tops), max(tops)))
            yield Block(number, _LABELS.get(block["label"], "text"), (left, top, right, bottom))


def _corners(box: list[float]) -> list[tuple[float, float]]:
    left, top, right, bottom = box
    return [(left, top), (right, bottom)]


def turned_back(point: tuple[float, float], rotation: int, width: float, height: float) -> tuple[float, float]:
    """Return where a point of the page as it was read lies on the page as it is.

    Args:
        point: on the page that the tool turned upright.
        rotation: degrees counter-clockwise by which it turned the page.
        width: of the page as it is, in the point's units.
        height: likewise.
    """
    x, y = point
    match rotation % 360:
        case 90:
            return width - y, x
        case 180:
            return width - x, height - y
        case 270:
            return y, height - x
        case _:
            return x, y
