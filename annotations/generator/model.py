"""What a source document is made of, before any format.

Texts carry two marks only: ``**bold**`` and ``[^id]``, a reference to the footnote of that id.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from annotations.generator import inline

ListKind = Literal["bullet", "decimal", "letter", "roman"]

_FIGURE = re.compile(r"[(\-–]?[$€]?\s?[\d.,]+\s?[%kMx]?\)?|–")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the document's title, which the source holds apart, so blocks start at 2.

    ``new_page``: whether it starts a page, where the format has pages.
    """

    level: int
    text: str
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """A list item and the list nested under it, if any."""

    text: str
    nested: "ItemList | None" = None


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list; the kind decides the visible label of its items (``1.``, ``a.``, ``i.``)."""

    kind: ListKind
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Definitions:
    """Terms, each with the text that defines it; term and text together read as one sentence."""

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Cards:
    """Short labelled boxes: grouped shapes on slides, boxed paragraphs elsewhere."""

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell, written where its top-left corner lies."""

    text: str
    rows: int = 1
    cols: int = 1


Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table. Rows hold only the cells that start in them, as in HTML.

    Attributes:
        id: unique in its document.
        caption: printed above the table.
        header: header rows.
        body: data rows.
        widths: each column's share of the width; they add up to 1.
    """

    id: str
    caption: str
    header: tuple[Row, ...]
    body: tuple[Row, ...]
    widths: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """Blocks set in two columns (PDF, DOCX, HTML) or in two text boxes side by side (PPTX)."""

    blocks: tuple["Heading | Paragraph | ItemList | Definitions", ...]


@dataclass(frozen=True, slots=True)
class Landscape:
    """Blocks on landscape pages of their own, where the format has pages."""

    blocks: tuple["Heading | Paragraph | Table", ...]


Block = Heading | Paragraph | ItemList | Definitions | Cards | Table | Columns | Landscape


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its short answer and the texts that prove it, verbatim."""

    question: str
    answer: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Furniture:
    """What repeats on every page: two header texts, and a footer text beside the page number."""

    left: str
    right: str
    footer: str


@dataclass(frozen=True, slots=True)
class Source:
    """A whole document.

    Attributes:
        name: the stem of its documents' ids.
        domain: the manifest's domain.
        title: the level-1 heading.
        lead: lines under the title.
        blocks: everything after them, in reading order.
        notes: footnote texts by id.
        paper: page size in PDF and DOCX.
        serif: whether body text has serifs.
        outline: whether the PDF has bookmarks.
        slide_level: the deepest heading level that opens a slide; deeper ones stand in text boxes.
        slide_points: size of the slides' body text.
    """

    name: str
    domain: str
    title: str
    lead: tuple[str, ...]
    furniture: Furniture
    blocks: tuple[Block, ...]
    questions: tuple[Question, ...]
    notes: Mapping[str, str] = field(default_factory=dict)
    paper: Literal["A4", "letter"] = "A4"
    serif: bool = True
    outline: bool = True
    slide_level: int = 3
    slide_points: float = 16.0


def texts(blocks: Sequence[Block]) -> Iterator[str]:
    """Every text of the blocks in reading order, marks included."""
    for block in blocks:
        match block:
            case Heading() | Paragraph():
                yield block.text
            case ItemList():
                for item in block.items:
                    yield item.text
                    if item.nested:
                        yield from texts([item.nested])
            case Definitions() | Cards():
                for label, text in block.entries:
                    yield from (label, text)
            case Table():
                yield block.caption
                yield from (cell.text for row in (*block.header, *block.body) for cell in row)
            case Columns() | Landscape():
                yield from texts(block.blocks)


def note_numbers(source: Source) -> dict[str, int]:
    """The footnotes' numbers, in the order of their references.

    Raises:
        ValueError: when a reference has no footnote, a footnote no reference, or a footnote two.
    """
    referred = [note for text in texts(source.blocks) for note in inline.notes(text)]
    if sorted(referred) != sorted(source.notes):
        raise ValueError(f"{source.name}: footnotes {sorted(source.notes)} but references {sorted(referred)}")
    return {note: number for number, note in enumerate(referred, start=1)}


_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")


def label(kind: ListKind, index: int) -> str:
    """The visible label of a list's item (index from 0); a bullet is written as in markdown."""
    match kind:
        case "bullet":
            return "-"
        case "decimal":
            return f"{index + 1}."
        case "letter":
            return f"{'abcdefghijklmnopqrstuvwxyz'[index]}."
        case "roman":
            return f"{_ROMAN[index]}."


def placed(rows: Sequence[Row]) -> list[tuple[int, int, Cell]]:
    """Each cell with the row and column of its top-left corner.

    Raises:
        ValueError: when the rows do not fill a rectangle exactly.
    """
    taken: set[tuple[int, int]] = set()
    result = []
    for at, row in enumerate(rows):
        column = 0
        for cell in row:
            while (at, column) in taken:
                column += 1
            covered = {(at + r, column + c) for r in range(cell.rows) for c in range(cell.cols)}
            if covered & taken:
                raise ValueError(f"cells overlap at row {at}, column {column}: {cell.text!r}")
            taken |= covered
            result.append((at, column, cell))
    width = max(column for _, column in taken) + 1
    if taken != {(r, c) for r in range(len(rows)) for c in range(width)}:
        raise ValueError(f"rows do not fill {len(rows)} by {width}: {[[cell.text for cell in row] for row in rows]}")
    return result


def grid(rows: Sequence[Row]) -> list[list[str]]:
    """Flat rows of equal width: a text once at its cell's top left, covered positions empty."""
    cells = placed(rows)
    width = max(column + cell.cols for _, column, cell in cells)
    flat = [[""] * width for _ in rows]
    for at, column, cell in cells:
        flat[at][column] = cell.text
    return flat


def is_figure(text: str) -> bool:
    """Whether a cell is set as a figure, to the right."""
    return _FIGURE.fullmatch(text) is not None


def breaks(rows: Sequence[Row]) -> list[int]:
    """The row indices before which the rows may be cut without cutting a cell, the end included."""
    cells = placed(rows)
    return [cut for cut in range(1, len(rows) + 1) if not any(at < cut < at + cell.rows for at, _, cell in cells)]
