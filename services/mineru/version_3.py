"""MinerU 3: ``do_parse`` writes files; its text is the markdown file, its structure the content list beside it."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from services.mineru.labels import LABELS
from services.runtime import html_tables
from services.runtime.form import Block, Collected, Heading, Label, Parsed
from services.runtime.inline import plain

_SCALE = 1_000
"""Boxes of the content list are in thousandths of the page."""


def reader() -> Callable[[Path], Parsed]:
    """Return what parses a document with the pipeline backend, its models taken from the weights folder alone."""
    configuration = Path(os.environ["HOME"]) / "mineru.json"
    models = {"pipeline": f"{os.environ['DOCASSAY_WEIGHTS']}/PDF-Extract-Kit-1.0"}
    configuration.write_text(json.dumps({"models-dir": models, "config_version": "1.3.2"}))
    os.environ["MINERU_TOOLS_CONFIG_JSON"] = str(configuration)
    from mineru.cli.common import do_parse

    def read(path: Path) -> Parsed:
        folder = Path(tempfile.mkdtemp(prefix="mineru-"))
        do_parse(str(folder), ["document"], [path.read_bytes()], ["en"], backend="pipeline", parse_method="auto")
        [text] = folder.glob("document/*/document.md")
        return Parsed(text.read_text(encoding="utf-8"), "markdown", text.parent)

    return read


def collect(parsed: Parsed) -> Collected:
    """Read the content list; its text is markdown, its tables HTML."""
    items = json.loads((parsed.native / "document_content_list.json").read_text(encoding="utf-8"))
    pages = json.loads((parsed.native / "document_middle.json").read_text(encoding="utf-8"))["pdf_info"]
    titles = [(item, plain(item["text"], links=True)) for item in items if item.get("text_level")]
    return Collected(
        pages=len(pages),
        headings=[
            Heading(text, level=item["text_level"], page=item["page_idx"] + 1, source="reported")
            for item, text in titles
            if text
        ],
        tables=[
            table
            for item in items
            if item["type"] == "table" and item.get("table_body")
            for table in html_tables.tables(item["table_body"], page=item["page_idx"] + 1)
        ],
        blocks=[Block(item["page_idx"] + 1, _label(item), _box(item["bbox"])) for item in items if item.get("bbox")],
    )


def _label(item: dict[str, Any]) -> Label:
    return "heading" if item.get("text_level") else LABELS.get(item["type"], "text")


def _box(box: list[float]) -> tuple[float, float, float, float]:
    left, top, right, bottom = (min(max(value / _SCALE, 0.0), 1.0) for value in box)
    return left, top, right, bottom
