"""OpenDataLoader PDF: one JVM a call, as its documentation gives it to a new user; markdown and JSON in one call."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import opendataloader_pdf

from services.runtime.form import Block, Cell, Collected, Heading, Label, Parsed, Row, Table

_LABELS: dict[str, Label] = {
    "heading": "heading",
    "list": "list",
    "list item": "list",
    "caption": "caption",
    "table": "table",
    "image": "figure",
}
"""Everything else is text."""


class Adapter:
    """Headings, tables, blocks and pages are the tool's own, from the JSON of the same call."""

    def __init__(self, setting: str) -> None:
        pass

    def parse(self, path: Path, format: str) -> Parsed:
        """Convert one document; the tool writes files, so its text is what it wrote."""
        folder = Path(tempfile.mkdtemp(prefix="opendataloader-"))
        try:
            _convert(path, folder, quiet=True)
        except subprocess.CalledProcessError as error:
            if not (error.stdout or error.stderr):
                _convert(path, folder, quiet=False)  # quiet, it does not say what went wrong
            raise
        text = (folder / f"{path.stem}.md").read_text(encoding="utf-8")
        return Parsed(text, "markdown", (path, folder / f"{path.stem}.json"))

    def collect(self, parsed: Parsed) -> Collected:
        """Read the tool's JSON."""
        path, structure = parsed.native
        document = json.loads(structure.read_text(encoding="utf-8"))
        return Collected(
            pages=document["number of pages"],
            # A heading inside a table is a cell's text: the tool's own markdown shows it as that alone.
            headings=[_heading(node) for node in _nodes(document, _BODY) if node["type"] == "heading"],
            tables=[_table(node) for node in _nodes(document, _EVERYWHERE) if node["type"] == "table"],
            blocks=_blocks(path, document),
        )


def _convert(path: Path, folder: Path, *, quiet: bool) -> None:
    opendataloader_pdf.convert(
        str(path), output_dir=str(folder), format="json,markdown", quiet=quiet, image_output="off"
    )


_BODY = ("kids", "list items")
_EVERYWHERE = (*_BODY, "rows", "cells")


def _nodes(node: dict[str, Any], keys: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield every node below one, in reading order, along the given keys."""
    for key in keys:
        for kid in node.get(key, ()):
            yield kid
            yield from _nodes(kid, keys)


def _heading(node: dict[str, Any]) -> Heading:
    return Heading(
        text=node.get("content", ""), level=node.get("heading level"), page=node.get("page number"), source="reported"
    )


def _table(node: dict[str, Any]) -> Table:
    rows = []
    for index, row in enumerate(node["rows"]):
        cells = [
            Cell(
                text=" ".join(filter(None, (kid.get("content", "") for kid in _nodes(cell, _EVERYWHERE)))),
                row=index,
                col=cell["column number"] - 1,
                rowspan=cell["row span"],
                colspan=cell["column span"],
            )
            for cell in row["cells"]
        ]
        # A row is a header when every cell that starts in it is one.
        header = bool(row["cells"]) and all(cell.get("is_header", False) for cell in row["cells"])
        rows.append(Row(header, tuple(cells)))
    return Table(tuple(rows), page=node.get("page number"), source="reported")


def _blocks(path: Path, document: dict[str, Any]) -> Iterator[Block]:
    """Yield a block and those inside it, but for the cells of tables.

    Boxes are left, bottom, right and top in points from the bottom left of the page as it is shown: cropped and turned.
    """
    sizes = _page_sizes(path)
    for node in _nodes(document, _BODY):
        size = sizes.get(node["page number"])
        if size is None:
            continue
        width, height = size
        left, bottom, right, top = node["bounding box"]
        left, right = (min(max(value / width, 0.0), 1.0) for value in (left, right))
        top, bottom = (min(max(1 - value / height, 0.0), 1.0) for value in (top, bottom))
        yield Block(node["page number"], _LABELS.get(node["type"], "text"), (left, top, right, bottom))


def _page_sizes(path: Path) -> dict[int, tuple[float, float]]:
    """Return the width and height of every page as it is shown, in points; those that PDFium cannot tell are left out.

    A process of its own asks: loaded here, PDFium would be memory of every parse, and could die of a file that the tool
    reads.
    """
    asking = [sys.executable, "-I", str(Path(__file__).with_name("page_sizes.py")), str(path)]
    done = subprocess.run(asking, capture_output=True, text=True, check=False)
    if done.returncode < 0:  # died of a signal
        return {}
    done.check_returncode()
    return {number: (width, height) for number, width, height in json.loads(done.stdout)}
