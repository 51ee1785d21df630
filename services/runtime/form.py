"""The common output form: what an adapter hands over, and how it is written as JSON lines.

One JSON object a line. ``meta`` comes first, ``text`` pieces are concatenated, and every heading, table and block says
whether the tool reported it or it was derived from the tool's text. Standard library only: this runs in every parser's
environment.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

TextFormat = Literal["markdown", "html", "plain"]
Source = Literal["reported", "derived"]
Label = Literal[
    "text",
    "heading",
    "page_furniture",
    "list",
    "caption",
    "footnote",
    "equation",
    "code",
    "table",
    "form",
    "figure",
]
"""What a block can be: the labels that measures of layout know. An adapter says which a tool's own stand for."""

TEXT_PIECE = 262_144
"""Code points in one ``text`` line, so that a reader never holds a long document whole."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in the tool's reading order.

    Attributes:
        text: plain text, no marks, tags or entities.
        level: 1 is the outermost; None when the tool gives none.
        parent: index among the document's headings, ``"ROOT"``, or None when not reported.
        page: counted from 1; None when unknown.
        source: whether the tool reported it or it was read from the tool's text.
    """

    text: str
    level: int | None = None
    parent: int | Literal["ROOT"] | None = None
    page: int | None = None
    source: Source = "derived"


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell at its top-left position (both counted from 0), in plain text."""

    text: str
    row: int
    col: int
    rowspan: int = 1
    colspan: int = 1


@dataclass(frozen=True, slots=True)
class Row:
    """A table row; ``header`` when the tool flags it so."""

    header: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; ``page`` counted from 1, None when unknown."""

    rows: tuple[Row, ...]
    page: int | None = None
    source: Source = "derived"


@dataclass(frozen=True, slots=True)
class Block:
    """A labelled region of a page; ``box`` is left, top, right, bottom in 0..1 of the page, from its top left.

    The label is one of text, heading, page_furniture, list, caption, footnote, equation, code, table, form and figure:
    a measure of layout takes no other.
    """

    page: int
    label: Label
    box: tuple[float, float, float, float]
    source: Source = "reported"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece for retrieval; ``heading`` outermost first when the tool separates it, else None."""

    text: str
    heading: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What ``parse`` returns: the tool's own text, and whatever ``collect`` and ``chunk`` need of the tool's result."""

    text: str
    text_format: TextFormat
    native: Any = None


@dataclass(frozen=True, slots=True)
class Collected:
    """What ``collect`` returns: the structure the tool found."""

    pages: int | None = None
    headings: Iterable[Heading] = ()
    tables: Iterable[Table] = ()
    blocks: Iterable[Block] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    """What only ``intake`` reports: findings about the file itself."""


class Unsupported(Exception):
    """The tool does not read this format."""


class Encrypted(Exception):
    """The document needs a password."""


class RequirementMissing(Exception):
    """Something outside the environment is absent; the message names it and the remedy."""


class WeightsUnavailable(Exception):
    """Model weights are absent; the message names them, their size and the command that fetches them."""


class Repair:
    """Replaces what cannot be stored as UTF-8 text (NUL, lone surrogates) by U+FFFD, and counts it."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, text: str) -> str:
        """Return the text as it can be stored."""
        repaired, found = _UNSTORABLE.subn("�", text)
        self.count += found
        return repaired


def output_lines(parsed: Parsed, collected: Collected, repair: Repair) -> Iterator[bytes]:
    """Yield the output of one document as JSON lines, text in pieces of ``TEXT_PIECE``."""
    meta: dict[str, Any] = {"kind": "meta", "text_format": parsed.text_format, "pages": collected.pages}
    if collected.facts:
        meta["facts"] = _repaired(collected.facts, repair)
    yield _line(meta)
    for start in range(0, len(parsed.text), TEXT_PIECE):
        yield _line({"kind": "text", "text": repair(parsed.text[start : start + TEXT_PIECE])})
    for heading in collected.headings:
        yield _line(
            {
                "kind": "heading",
                "text": repair(heading.text),
                "level": heading.level,
                "parent": heading.parent,
                "page": heading.page,
                "source": heading.source,
            }
        )
    for table in collected.tables:
        yield _line(
            {
                "kind": "table",
                "page": table.page,
                "source": table.source,
                "rows": [
                    {
                        "header": row.header,
                        "cells": [
                            {
                                "text": repair(cell.text),
                                "row": cell.row,
                                "col": cell.col,
                                "rowspan": cell.rowspan,
                                "colspan": cell.colspan,
                            }
                            for cell in row.cells
                        ],
                    }
                    for row in table.rows
                ],
            }
        )
    for block in collected.blocks:
        yield _line(
            {
                "kind": "block",
                "page": block.page,
                "label": repair(block.label),
                "box": block.box,
                "source": block.source,
            }
        )


def chunk_lines(chunks: Iterable[Chunk], repair: Repair) -> Iterator[bytes]:
    """Yield the chunks of one document as JSON lines."""
    for chunk in chunks:
        heading = None if chunk.heading is None else [repair(part) for part in chunk.heading]
        yield _line({"kind": "chunk", "text": repair(chunk.text), "heading": heading})


def _repaired(value: Any, repair: Repair) -> Any:
    match value:
        case str():
            return repair(value)
        case dict():
            return {key: _repaired(entry, repair) for key, entry in value.items()}
        case list() | tuple():
            return [_repaired(entry, repair) for entry in value]
        case _:
            return value


def _line(item: dict[str, Any]) -> bytes:
    return json.dumps(item, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"
