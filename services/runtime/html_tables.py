"""Tables read out of a tool's HTML, placed on their grid as HTML places cells. Standard library only.

Source: the HTML standard, "forming a table": a cell goes to the first free slot of its row, and covers as many slots as
its spans say.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from services.runtime.form import Cell, Row, Table
from services.runtime.inline import LINES

LARGEST_SPAN = 1_000
"""Slots a cell may span, as in browsers."""


def tables(html: str, *, page: int | None = None) -> Iterator[Table]:
    """Yield the tables of a piece of HTML, each after the tables inside it.

    Args:
        html: any HTML; what is outside tables does not matter.
        page: the page they are on, counted from 1; None when unknown.
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    while reader.open:  # a table that is not closed ends with the text
        reader.finish()
    for found in reader.done:
        yield Table(tuple(_place(found)), page=page, source="reported")


@dataclass(slots=True)
class _Open:
    """A cell as it is read."""

    header: bool
    rowspan: int
    colspan: int
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Unplaced:
    """A table as it is read: its rows, and which of them are in its head."""

    rows: list[list[_Open]] = field(default_factory=list)
    head: set[int] = field(default_factory=set)
    in_head: bool = False
    cell: _Open | None = None


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[_Unplaced] = []
        self.done: list[_Unplaced] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a table, a row or a cell; every tag that begins a line in a browser separates words."""
        self._separate(tag)
        if tag == "table":
            self.open.append(_Unplaced())
        if not self.open:
            return
        table = self.open[-1]
        match tag:
            case "thead" | "tbody" | "tfoot":
                table.in_head = tag == "thead"
                table.cell = None
            case "tr":
                self._row(table)
            case "td" | "th":
                if not table.rows:
                    self._row(table)
                spans = dict(attrs)
                table.cell = _Open(tag == "th", _span(spans.get("rowspan")), _span(spans.get("colspan")))
                table.rows[-1].append(table.cell)

    def handle_endtag(self, tag: str) -> None:
        """Close a table, a head or a cell."""
        self._separate(tag)
        if not self.open:
            return
        match tag:
            case "table":
                self.finish()
            case "thead":
                self.open[-1].in_head = False
            case "td" | "th" | "tr":
                self.open[-1].cell = None

    def _separate(self, tag: str) -> None:
        if tag in LINES:
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        """Take a cell's text; a table's text belongs to the cells around that table as well."""
        for table in self.open:
            if table.cell is not None:
                table.cell.pieces.append(data)

    def finish(self) -> None:
        """End the innermost table."""
        self.done.append(self.open.pop())

    @staticmethod
    def _row(table: _Unplaced) -> None:
        if table.in_head:
            table.head.add(len(table.rows))
        table.rows.append([])
        table.cell = None


def _span(value: str | None) -> int:
    return min(max(int(value), 1), LARGEST_SPAN) if value and value.isascii() and value.isdigit() else 1


def _place(table: _Unplaced) -> Iterator[Row]:
    """Give every cell the first slot of its row that no cell above covers."""
    covered: dict[int, int] = {}
    """Columns that cells of earlier rows cover, and up to which row."""
    for number, row in enumerate(table.rows):
        column, cells = 0, []
        for cell in row:
            while covered.get(column, 0) > number:
                column += 1
            cells.append(Cell(" ".join("".join(cell.pieces).split()), number, column, cell.rowspan, cell.colspan))
            for at in range(column, column + cell.colspan):
                # A wide cell may overlap one from above that reaches further down.
                covered[at] = max(covered.get(at, 0), number + cell.rowspan)
            column += cell.colspan
        header = number in table.head or (bool(row) and all(cell.header for cell in row))
        yield Row(header, tuple(cells))
