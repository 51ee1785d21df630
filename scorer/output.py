"""Reads what a parser made of a document: the common form's JSON lines, into the types the suites take.

Third parties write these lines. A line that cannot be used is a warning with its number, never an error; whatever is
longer than a document can sensibly be is read up to a fixed amount of work and marked ``bounded``.
"""

import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal

from scorer.suites.bizdoc import Chunk, DocumentOutput, Heading, Row, Table, faithfulness

MOST_CHARACTERS = faithfulness.LONGEST + 1
"""Of text that are read: one more than is compared, so that what was cut is never taken for the whole."""
MOST_HEADINGS = 500_000
MOST_BLOCKS = 100_000
MOST_CELLS = 4_000_000
"""Table positions, covered ones included."""

_MOST_LINE_BYTES = 4 * faithfulness.LONGEST
_MOST_COLUMNS = 10_000
_MOST_WARNINGS = 20
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Output:
    """One document as a parser gave it.

    Attributes:
        document: text, headings and tables.
        bounded: not everything was read.
        warnings: what could not be used, by line.
    """

    document: DocumentOutput
    bounded: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageOutput:
    """One page as a parser gave it.

    Attributes:
        text: in the tool's own format.
        text_format: ``markdown``, ``html`` or ``plain``; a tool that names none is taken to write markdown.
        blocks: label and box of each region; what is wrong with them is for the measure to say.
        bounded: not everything was read.
        warnings: what could not be used, by line.
    """

    text: str
    text_format: str
    blocks: tuple[tuple[Any, Any], ...]
    bounded: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunks:
    """The chunks of one document; ``bounded`` and ``warnings`` as for ``Output``."""

    chunks: tuple[Chunk, ...]
    bounded: bool
    warnings: tuple[str, ...]


def read_output(source: BinaryIO) -> Output:
    """Read an output artifact."""
    reader = _Reader(source)
    text: list[str] = []
    headings: list[Heading] = []
    tables: list[Table] = []
    left, cells = MOST_CHARACTERS, MOST_CELLS
    for item in reader.items(("text", "heading", "table")):
        match item["kind"]:
            case "text":
                piece = reader.text(item)
                if len(piece) > left:
                    reader.bound(f"the text is longer than {MOST_CHARACTERS} characters: the rest was not read")
                text.append(piece[:left])
                left -= len(text[-1])
            case "heading" if len(headings) == MOST_HEADINGS:
                reader.bound(f"there are more than {MOST_HEADINGS} headings: the rest was not read")
            case "heading":
                headings.append(_heading(item, len(headings), reader))
            case "table":
                table = _table(item, reader)
                size = sum(len(row.cells) for row in table.rows) if table else 0
                if size > cells:
                    reader.bound(f"the tables have more than {MOST_CELLS} positions: the rest was not read")
                    cells = 0
                elif table:
                    tables.append(table)
                    cells -= size
    checked = tuple(_checked_parent(heading, index, len(headings), reader) for index, heading in enumerate(headings))
    document = DocumentOutput(text="".join(text), headings=checked, tables=tuple(tables))
    return Output(document, reader.bounded, reader.warnings())


def read_page(source: BinaryIO) -> PageOutput:
    """Read an output artifact of a single page: its text as it is, and its blocks."""
    reader = _Reader(source)
    text: list[str] = []
    blocks: list[tuple[Any, Any]] = []
    text_format, left = "markdown", MOST_CHARACTERS
    for item in reader.items(("meta", "text", "block")):
        match item["kind"]:
            case "meta" if item.get("text_format") in ("markdown", "html", "plain"):
                text_format = item["text_format"]
            case "meta":
                found = _shown(item.get("text_format"))
                reader.warn(f"text_format is {found}, expected markdown, html or plain: taken as markdown")
            case "text":
                piece = reader.text(item)
                if len(piece) > left:
                    reader.bound(f"the text is longer than {MOST_CHARACTERS} characters: the rest was not read")
                text.append(piece[:left])
                left -= len(text[-1])
            case "block" if item.get("page") not in (None, 1):
                reader.warn(f"a block is on page {_shown(item.get('page'))} of a single page: left out")
            case "block" if len(blocks) == MOST_BLOCKS:
                reader.bound(f"there are more than {MOST_BLOCKS} blocks: the rest was not read")
            case "block":
                blocks.append((item.get("label"), item.get("box")))
    return PageOutput("".join(text), text_format, tuple(blocks), reader.bounded, reader.warnings())


def read_chunks(source: BinaryIO) -> Chunks:
    """Read a chunks artifact."""
    reader = _Reader(source)
    chunks: list[Chunk] = []
    left = MOST_CHARACTERS
    for item in reader.items(("chunk",)):
        heading = item.get("heading")
        if isinstance(heading, str):
            heading = [heading]
        if heading is not None and not (isinstance(heading, list) and all(isinstance(part, str) for part in heading)):
            reader.warn(f"heading of a chunk is {_shown(heading)}, expected a list of texts or null: left out")
            heading = None
        chunk = Chunk(reader.text(item), tuple(_repaired(part) for part in heading or ()))
        size = len(chunk.text) + sum(map(len, chunk.heading))
        if size > left:
            reader.bound(f"the chunks are longer than {MOST_CHARACTERS} characters: the rest was not read")
            break
        left -= size
        chunks.append(chunk)
    return Chunks(tuple(chunks), reader.bounded, reader.warnings())


class _Reader:
    """The lines of an artifact, and what was found wrong with them."""

    def __init__(self, source: Any) -> None:
        self._source = io.BufferedReader(source, 1 << 20)
        self._line = 0
        self._warnings: list[str] = []
        self._more = 0
        self.bounded = False

    def items(self, wanted: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Yield the objects of the kinds wanted."""
        while line := self._source.readline(_MOST_LINE_BYTES):
            self._line += 1
            if len(line) == _MOST_LINE_BYTES and not line.endswith(b"\n"):
                self.bound(f"the line is longer than {_MOST_LINE_BYTES} bytes: left out")
                while (rest := self._source.readline(1 << 20)) and not rest.endswith(b"\n"):
                    pass
                continue
            if not line.strip():
                continue
            try:
                item = json.loads(line)
            except (ValueError, RecursionError) as error:
                self.warn(f"no JSON ({error}): left out")
                continue
            if not (isinstance(item, dict) and isinstance(item.get("kind"), str)):
                self.warn(f"found {_shown(item)}, expected an object with a kind: left out")
            elif item["kind"] in wanted:
                yield item

    def text(self, item: dict[str, Any]) -> str:
        """Return the text of an item; empty when it is none."""
        value = item.get("text")
        if isinstance(value, str):
            return _repaired(value)
        self.warn(f"text of a {item['kind']} is {_shown(value)}, expected a text: taken as empty")
        return ""

    def warn(self, text: str) -> None:
        """Note what is wrong with the line at hand."""
        if len(self._warnings) < _MOST_WARNINGS:
            self._warnings.append(f"line {self._line}: {text}")
        else:
            self._more += 1

    def bound(self, text: str) -> None:
        """Note, once, that not everything is read."""
        if not self.bounded:
            self.warn(text)
        self.bounded = True

    def warnings(self) -> tuple[str, ...]:
        """Return the notes; beyond a few, how many more."""
        return (*self._warnings, *([f"and {self._more} more like these"] if self._more else []))


def _heading(item: dict[str, Any], index: int, reader: _Reader) -> Heading:
    level, parent = item.get("level"), item.get("parent")
    if not (level is None or (type(level) is int and level >= 1)):
        reader.warn(f"level of heading {index} is {_shown(level)}, expected 1 or more, or null: taken as null")
        level = None
    found: int | Literal["ROOT"] | None = None
    if parent == "ROOT":
        found = "ROOT"
    elif type(parent) is int:
        found = parent
    elif parent is not None:
        reader.warn(f"parent of heading {index} is {_shown(parent)}, expected an index, ROOT or null: taken as null")
    # A heading without text keeps its place, since others name their parents by index.
    return Heading(reader.text(item), level, found)


def _checked_parent(heading: Heading, index: int, count: int, reader: _Reader) -> Heading:
    if isinstance(heading.parent, int) and (heading.parent == index or not 0 <= heading.parent < count):
        reader.warn(f"parent of heading {index} is {heading.parent}, expected another of the {count}: taken as null")
        return Heading(heading.text, heading.level, None)
    return heading


def _table(item: dict[str, Any], reader: _Reader) -> Table | None:
    """Flatten spans: a cell's text stands once, at its top left; the positions it covers are empty."""
    rows = item.get("rows")
    if not isinstance(rows, list):
        reader.warn(f"rows of a table is {_shown(rows)}, expected a list: the table is left out")
        return None
    return Table(tuple(_row(row, reader) for row in rows))


def _row(row: Any, reader: _Reader) -> Row:
    if not (isinstance(row, dict) and isinstance(row.get("cells"), list)):
        reader.warn(f"a row is {_shown(row)}, expected an object with cells: taken as empty")
        return Row(False, ())
    flat: list[str] = []
    for cell in row["cells"]:
        if isinstance(cell, str):
            cell = {"text": cell}
        if not (isinstance(cell, dict) and isinstance(cell.get("text"), str)):
            reader.warn(f"a cell is {_shown(cell)}, expected an object with a text: taken as empty")
            cell = {"text": ""}
        column, span = _count(cell, "col", len(flat), 0, reader), _count(cell, "colspan", 1, 1, reader)
        flat.extend([""] * (column + span - len(flat)))
        if flat[column] and cell["text"]:
            reader.warn(f"two cells of a row are in column {column}: the first is kept")
        else:
            flat[column] = _repaired(cell["text"])
    return Row(row.get("header") is True, tuple(flat))


def _count(cell: dict[str, Any], name: str, default: int, least: int, reader: _Reader) -> int:
    value = cell.get(name, default)
    if type(value) is int and least <= value <= _MOST_COLUMNS:
        return value
    reader.warn(f"{name} of a cell is {_shown(value)}, expected {least} to {_MOST_COLUMNS}: taken as {default}")
    return default


def _repaired(text: str) -> str:
    return _UNSTORABLE.sub("\ufffd", text)


def _shown(value: Any) -> str:
    shown = ascii(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
