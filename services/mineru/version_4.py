"""MinerU 4: ``parse(path, tier=...)``; settings are its tiers. PDFs are read by a child process of the tool's."""

from collections.abc import Callable
from pathlib import Path

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
    """Read the blocks of every page; their text is markdown, their tables HTML."""
    pages = parsed.native.structured_content()["pages"]
    numbered = [(page["page_idx"] + 1, block) for page in pages for block in page["blocks"]]
    titles = [
        (page, block, plain(block["content"], links=True)) for page, block in numbered if block["type"] in _TITLES
    ]
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
            if block["type"] == "table" and isinstance(block.get("content"), str)
            for table in html_tables.tables(block["content"], page=page)
        ],
        blocks=[
            Block(page, LABELS.get(block["type"], "text"), tuple(block["bbox"]))
            for page, block in numbered
            if block.get("bbox")
        ],
    )
