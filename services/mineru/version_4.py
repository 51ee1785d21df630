"""MinerU 4: ``parse(path, tier=...)``; settings are its tiers. PDFs are read by a child process of the tool's."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from services.mineru.labels import LABELS
from services.runtime import html_tables
from services.runtime.form import Block, Collected, Heading, Parsed
from services.runtime.inline import plain

FLASH = "flash"
"""The tier without models."""

_TITLES = ("doc_title", "paragraph_title")


class NoTextLayer(Exception):
    """The tier without models met a page that wants them."""


def reader(tier: str) -> Callable[[Path], Parsed]:
    """Return what parses a document with one tier."""
    if tier == FLASH:
        # Were there models for the other tiers, this one would read with them what it cannot read without.
        os.environ["MINERU_MODEL_BASE_DIR"] = f"{os.environ['HOME']}/no-models"
    from mineru.parser import parse

    def read(path: Path) -> Parsed:
        try:
            result = parse(path, tier=tier)
        except FileNotFoundError as error:
            if tier == FLASH and "Model repo" in str(error):
                raise NoTextLayer(
                    "a page has no usable text layer, and this tier has no models to recognise one with: the setting "
                    "basic and the default have (docassay weights mineru:basic)"
                ) from None
            raise
        return Parsed(result.markdown(), "markdown", result)

    return read


def collect(parsed: Parsed) -> Collected:
    """Read the tool's result in the forms it has of it."""
    result = parsed.native
    return read(result.structured_content()["pages"], result.to_dict()["pages"], _bodies(result.middle_json))


def _bodies(document: Any) -> Iterator[tuple[int, str]]:
    """Yield the tables that are rendered, HTML mostly, and the page each begins on.

    One that goes on over a page's end is kept as its parts, and merged while it is rendered. Of what is public only the
    web page shows all tables as HTML, made ready for a browser; this is the plan that the tool's markdown follows.
    """
    from docvortex.render._internal.common.planner import build_render_plan

    for number, page in enumerate(build_render_plan(document), 1):
        for planned in page:
            if planned.block.type == "table" and not planned.removed:
                for part in planned.block.content:
                    if part.type == "table_body":
                        yield number, part.content


def read(rendered: list[dict[str, Any]], kept: list[dict[str, Any]], bodies: Iterable[tuple[int, str]]) -> Collected:
    """Read titles as they are rendered, tables as they are merged for that, the rest as the tool keeps it.

    Rendered, a table without merged cells is a pipe table, and captions have lost their label.

    Args:
        rendered: the pages of the structured content.
        kept: the pages as the tool keeps them; what is empty is left out of them.
        bodies: what the tables consist of, and the page each begins on, counted from 1.
    """
    titles = [
        (page["page_idx"] + 1, block, plain(block["content"], links=True))
        for page in rendered
        for block in page["blocks"]
        if block["type"] in _TITLES
    ]
    return Collected(
        pages=len(kept),
        headings=[
            Heading(text, level=block.get("level"), page=page, source="reported")
            for page, block, text in titles
            if text
        ],
        tables=[table for page, body in bodies for table in html_tables.tables(body, page=page)],
        blocks=[
            Block(page, LABELS.get(part["type"], "text"), tuple(part["bbox"]))
            for page, found in enumerate(kept, 1)
            for block in found.get("blocks", ())
            for part in (block, *_parts(block))
            if part.get("bbox") and not part["type"].endswith("_body")
        ],
    )


def _parts(block: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what a table, a figure, a chart or code is made of: its body, captions and footnotes."""
    for part in block["content"] if isinstance(block.get("content"), list) else ():
        if part["type"].startswith(f"{block['type']}_"):
            yield part
