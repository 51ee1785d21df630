"""MinerU 4: ``parse(path, tier=...)``; settings are its tiers. PDFs are read by a child process of the tool's."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from services.mineru.labels import LABELS
from services.runtime import html_tables
from services.runtime.form import Block, Collected, Heading, Parsed
from services.runtime.inline import plain

_TITLES = ("doc_title", "paragraph_title")


def reader(tier: str) -> Callable[[Path], Parsed]:
    """Return what parses a document with one tier."""
    from mineru.parser import parse

    def read(path: Path) -> Parsed:
        result = parse(path, tier=tier)
        return Parsed(result.markdown(), "markdown", result)

    return read


def collect(parsed: Parsed) -> Collected:
    """Read the blocks of every page: titles as they are rendered, the rest as the tool keeps it.

    Rendered, a table without merged cells is a pipe table, and captions have lost their label.
    """
    rendered = parsed.native.structured_content()["pages"]
    titles = [
        (page["page_idx"] + 1, block, plain(block["content"], links=True))
        for page in rendered
        for block in page["blocks"]
        if block["type"] in _TITLES
    ]
    pages = parsed.native.to_dict()["pages"]  # what is empty is left out of it
    numbered = [(number, block) for number, page in enumerate(pages, 1) for block in page.get("blocks", ())]
    return Collected(
        pages=len(pages),
        headings=[
            Heading(text, level=block.get("level"), page=page, source="reported")
            for page, block, text in titles
            if text
        ],
        tables=[
            table
            for page, block in numbered
            for part in _parts(block)
            if part["type"] == "table_body"
            for table in html_tables.tables(part.get("content", ""), page=page)
        ],
        blocks=[
            Block(page, LABELS.get(part["type"], "text"), tuple(part["bbox"]))
            for page, block in numbered
            for part in (block, *_parts(block))
            if part.get("bbox") and not part["type"].endswith("_body")
        ],
    )


def _parts(block: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what a table, a figure, a chart or code is made of: its body, captions and footnotes."""
    for part in block["content"] if isinstance(block.get("content"), list) else ():
        if part["type"].startswith(f"{block['type']}_"):
            yield part
