"""OpenDataLoader PDF: one JVM a call, as its documentation gives it to a new user; markdown and JSON in one call."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import opendataloader_pdf

from services.runtime.form import Cell, Collected, Heading, Parsed, Row, Table


class Adapter:
    """Headings, tables and pages are the tool's own, from the JSON of the same call."""

    def __init__(self, setting: str) -> None:
        pass

    def parse(self, path: Path, format: str) -> Parsed:
        """Convert one document; the tool writes files, so its text is what it wrote."""
        folder = Path(tempfile.mkdtemp(prefix="opendataloader-"))
        opendataloader_pdf.convert(
            str(path), output_dir=str(folder), format="json,markdown", quiet=True, image_output="off"
        )
        return Parsed(
            (folder / f"{path.stem}.md").read_text(encoding="utf-8"), "markdown", folder / f"{path.stem}.json"
        )

    def collect(self, parsed: Parsed) -> Collected:
        """Read the tool's JSON."""
        document = json.loads(parsed.native.read_text(encoding="utf-8"))
        return Collected(
            pages=document["number of pages"],
            # A heading inside a table is a cell's text: the tool's own markdown shows it as that alone.
            headings=[_heading(node) for node in _nodes(document, _BODY) if node["type"] == "heading"],
            tables=[_table(node) for node in _nodes(document, _EVERYWHERE) if node["type"] == "table"],
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
