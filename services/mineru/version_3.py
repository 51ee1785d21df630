"""MinerU 3: ``do_parse`` writes files; its text is the markdown file, its structure the JSON beside it."""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from services.mineru.labels import LABELS
from services.runtime import html_tables
from services.runtime.form import Block, Collected, Heading, Label, Parsed
from services.runtime.inline import plain

_LABELS: dict[str, Label] = {**LABELS, "ref_text": "list"}
"""Its content list calls references a list."""


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
    """Read titles and tables of the content list, and where everything lies from what that is made of.

    Text of the content list is markdown, its tables are HTML: one that goes on over a page's end is whole there where
    it begins, as in the markdown file. It has no boxes of captions and footnotes, and calls lists text.
    """
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
        blocks=[block for number, page in enumerate(pages, 1) for block in _blocks(page, number)],
    )


def _blocks(page: dict[str, Any], number: int) -> Iterator[Block]:
    """Yield where everything on a page lies; office formats have no boxes."""
    if not (size := page.get("page_size")):
        return
    for block in (*page["para_blocks"], *page["discarded_blocks"]):
        for part in (block, *_beside(block)):
            yield Block(number, _label(part), _box(part["bbox"], *size))


def _beside(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the captions and footnotes of a table, a figure, a chart or code.

    The footnotes of a table's second part are the first one's, too, after the merge, but lie on the page after it.
    """
    for part in block.get("blocks", ()):
        if part["type"].endswith(("_caption", "_footnote")) and not part.get("cross_page"):
            yield part


def _label(block: dict[str, Any]) -> Label:
    if block["type"] == "title" and block.get("level", 1) < 1:  # a heading to the layout alone
        return "text"
    return _LABELS.get(block["type"], "text")


def _box(box: list[float], width: float, height: float) -> tuple[float, float, float, float]:
    shares = (box[0] / width, box[1] / height, box[2] / width, box[3] / height)
    left, top, right, bottom = (min(max(share, 0.0), 1.0) for share in shares)
    return left, top, right, bottom
