"""The tables of a page with their cells folded, and walks over a table: headings, labels, sections.

Source: OmniParseBench 1.0.0rc1, table_cell; its table reading follows olmOCR-bench.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from bs4.element import Tag
from bs4.exceptions import ParserRejectedMarkup

from scorer.suites.html_parser import tree
from scorer.suites.omniparse.fold import fold
from scorer.suites.omniparse.grid import Cell, CellSpec, Grid, build, span
from scorer.suites.omniparse.neighbours import Direction
from scorer.suites.omniparse.plain_markup import plain_tables
from scorer.suites.omniparse.view import text_view

Neighbours = Callable[[Grid, Cell, Direction], frozenset[Cell]]
"""A rule by which a cell has neighbours: one of `neighbours`."""

Form = tuple[str, str]
"""A folded text and the same without spaces."""


@functools.lru_cache(maxsize=50_000)
def form(text: str) -> Form:
    """Return the two forms in which cells are compared; the same cell meets many tests and many parsers."""
    folded = fold(text)
    return folded, folded.replace(" ", "")


class PageTable:
    """One table: its grid, its cells' forms, and what lies around a cell; each answer is computed once."""

    def __init__(self, grid: Grid, neighbours: Neighbours) -> None:
        """Take a grid and the rule by which its cells have neighbours."""
        self.grid = grid
        self._rule = neighbours
        self._near: dict[tuple[Cell, Direction], frozenset[Cell]] = {}
        self._forms: dict[str, tuple[Form, ...]] = {}

    def whole(self, cell: Cell) -> Form:
        """Return the form of a cell's whole text."""
        return form(self.grid.text[cell])

    def candidates(self) -> Iterator[tuple[Cell, tuple[Form, ...]]]:
        """Yield each cell with the forms under which it may match: whole, or any of its lines."""
        for cell, text in self.grid.text.items():
            yield cell, self.forms(text)

    def forms(self, text: str) -> tuple[Form, ...]:
        """Return the forms of a text whole and of each of its lines, blank ones left out."""
        known = self._forms.get(text)
        if known is None:
            lines = dict.fromkeys([text, *text.split("\n")]) if "\n" in text else (text,)
            known = self._forms[text] = tuple(form(line) for line in lines if line.strip())
        return known

    def is_empty(self, cell: Cell | None) -> bool:
        """Tell whether a slot holds no text."""
        return cell is None or not self.grid.text[cell].strip()

    def neighbours(self, cell: Cell, direction: Direction) -> frozenset[Cell]:
        """Return the neighbours of a cell in a direction."""
        key = (cell, direction)
        if key not in self._near:
            self._near[key] = self._rule(self.grid, cell, direction)
        return self._near[key]

    def stand_in(self, cell: Cell, over: Direction) -> Cell:
        """Return the cell or, when it is empty, the first cell with text walking `over` from it."""
        passed: set[Cell] = set()
        while self.is_empty(cell) and cell not in passed:
            passed.add(cell)
            cell = min(self.neighbours(cell, over), default=cell)
        return cell

    def heading_cells(self, cell: Cell, direction: Direction) -> frozenset[Cell]:
        """Return every heading cell with text reached walking in a direction, else the cells at the edge."""
        reached = [cell]
        known = {cell}
        for current in reached:  # grows while it is walked
            onward = self.neighbours(current, direction) - known
            reached += onward
            known |= onward
        headings = {near for near in reached if near in self.grid.headings and not self.is_empty(near)}
        edge = {near for near in reached if not self.neighbours(near, direction)}
        return frozenset((headings or edge) - {cell})

    def above(self, cell: Cell) -> list[Cell]:
        """Return the cells over a cell's columns, top to bottom, each once."""
        rows, columns = self.grid.covers[cell]
        over = (self._read_as_heading(row, column) for row in range(rows[0]) for column in columns)
        return [near for near in dict.fromkeys(over) if near not in (None, cell)]

    def beside(self, cell: Cell) -> list[Cell]:
        """Return the cells left of a cell in its rows, left to right, each once."""
        rows, columns = self.grid.covers[cell]
        left = (self._read_as_row_group(row, column) for column in range(columns[0]) for row in rows)
        return [near for near in dict.fromkeys(left) if near is not None]

    def section(self, cell: Cell) -> list[str]:
        """Return the labels of the run of section rows nearest above a cell, top to bottom."""
        upward: list[str] = []
        for band in reversed(range(self.grid.covers[cell][0][0])):
            label = self._label(band)
            if label is not None:
                upward.append(self.grid.text[label])
            elif upward and not all(map(self.is_empty, self.grid.slots[band])):
                break
        return upward[::-1]

    def spans_rows(self, cell: Cell) -> bool:
        """Tell whether a cell covers more than one row."""
        return len(self.grid.covers[cell][0]) > 1

    def first_in_row(self, cell: Cell) -> Cell | None:
        """Return the first cell of a cell's top row."""
        top = self.grid.slots[self.grid.covers[cell][0][0]]
        return next((slot for slot in top if slot is not None), None)

    def _read_as_heading(self, band: int, column: int) -> Cell | None:
        """Return what stands over a column in a row.

        An empty slot of a section row reads as its label; any other as the nearest text to its left, as a
        printed table shows a heading over several columns written once.
        """
        slots = self.grid.slots[band]
        if band in self.grid.labels and self.is_empty(slots[column]):
            return self.grid.labels[band]
        return next((slots[left] for left in range(column, -1, -1) if not self.is_empty(slots[left])), None)

    def _read_as_row_group(self, band: int, column: int) -> Cell | None:
        """Return what stands left of a row in a column.

        An empty slot reads as the nearest text above it, up to a heading, as a printed table shows a row
        label written once over several rows.
        """
        for row in range(band, -1, -1):
            slot = self.grid.slots[row][column]
            if row < band and slot in self.grid.headings:
                return None
            if not self.is_empty(slot):
                return slot
        return None

    def _label(self, band: int) -> Cell | None:
        """Return the label of a section row: its first cell, the others empty, or one cell with text all across it."""
        if band in self.grid.labels:
            return self.grid.labels[band]
        held = {slot for slot in self.grid.slots[band] if slot is not None}
        if self.grid.width == 1 or len(held) > 1:
            return None
        return next((cell for cell in held if cell[0] == self.grid.rows[band] and not self.is_empty(cell)), None)


def page_tables(markup: str, neighbours: Neighbours) -> tuple[PageTable, ...]:
    """Return every table with a cell, in the order of the markup, nested ones included."""
    return tuple(PageTable(grid, neighbours) for grid in read_grids(markup))


def read_grids(markup: str) -> list[Grid]:
    """Read every `<table>` of a page's HTML as bs4's `html.parser` reads it."""
    if "<table" not in markup.lower():
        return []
    tables = plain_tables(markup)
    grids = map(build, soup_tables(markup) if tables is None else tables)
    return [grid for grid in grids if grid is not None]


def soup_tables(markup: str) -> list[list[list[CellSpec]]]:
    """Return the rows of cells of every `<table>`, nested ones included, by bs4.

    Markup that the parser rejects whole (a marked section left open, as in "<![x") has no tables.
    """
    with warnings.catch_warnings():
        # bs4 comments on markup that looks like something else; here the markup is what it is.
        warnings.simplefilter("ignore")
        try:
            soup = tree(markup)
        except ParserRejectedMarkup:
            return []
    known: dict[int, list[_Cell]] = {}
    return [_rows(table, known) for table in soup.find_all("table")]


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell, and whether it reaches down to the last row of whichever table it is read in."""

    spec: CellSpec
    to_the_end: bool

    def with_rows_left(self, rows: int) -> CellSpec:
        return replace(self.spec, rowspan=rows) if self.to_the_end else self.spec


def _rows(table: Tag, known: dict[int, list[_Cell]]) -> list[list[CellSpec]]:
    """Return a table's rows of cells; a row is read once, however many tables it is nested in."""
    rows = table.find_all("tr")  # those of nested tables too
    for row in rows:
        if id(row) not in known:
            in_head = row.find_parent("thead") is not None
            known[id(row)] = [_cell(cell, in_head=in_head) for cell in row.find_all(["td", "th"], recursive=False)]
    return [
        [cell.with_rows_left(rows_left) for cell in known[id(row)]]
        for row, rows_left in zip(rows, range(len(rows), 0, -1), strict=True)
    ]


def _cell(cell: Tag, *, in_head: bool) -> _Cell:
    for line_break in cell.find_all("br"):
        line_break.replace_with("\n")
    spec = CellSpec(
        text=text_view(cell.decode_contents()).strip(),
        rowspan=span(_attribute(cell, "rowspan")),
        colspan=span(_attribute(cell, "colspan")),
        heading=in_head or cell.name == "th",
    )
    return _Cell(spec, to_the_end=(_attribute(cell, "rowspan") or "").strip() == "0")


def _attribute(cell: Tag, name: str) -> str | None:
    value = cell.get(name)
    return None if value is None else str(value)
