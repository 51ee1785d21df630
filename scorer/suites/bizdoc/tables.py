"""The Tables axis: table_detection_recall, table_detection_precision, table_record_match, table_header_accuracy.

Source: BizDocBench, Tables; decisions R6, R22 to R26 and R41.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scorer.suites.bizdoc import cells
from scorer.suites.bizdoc.cells import Cell

_NO_CELL = Cell("", None)


@dataclass(frozen=True, slots=True)
class Row:
    """A table row in plain text; a merged cell's text stands once, at its top left, covered positions are empty."""

    header: bool
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the gold or of a tool; a tool's rows may differ in width."""

    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class PreparedTable:
    """A table ready to compare.

    Attributes:
        rows: the cells of every row.
        headers: the indexes of the rows flagged as header.
        fingerprint: how often each non-empty normal form occurs, header rows included.
    """

    rows: tuple[tuple[Cell, ...], ...]
    headers: tuple[int, ...]
    fingerprint: Counter[str]

    @property
    def header_columns(self) -> tuple[tuple[Cell, ...], ...]:
        """The texts of every column of the header rows, from top to bottom; a column without text is none."""
        width = max((len(self.rows[index]) for index in self.headers), default=0)
        columns = (
            tuple(row[column] for row in self._header_rows if column < len(row) and row[column].text)
            for column in range(width)
        )
        return tuple(column for column in columns if column)

    @property
    def header_cells(self) -> tuple[Cell, ...]:
        """Every cell of the header rows."""
        return tuple(dict.fromkeys(cell for row in self._header_rows for cell in row))

    @property
    def _header_rows(self) -> tuple[tuple[Cell, ...], ...]:
        return tuple(self.rows[index] for index in self.headers)


@dataclass(frozen=True, slots=True)
class Tables:
    """The KPIs of the axis, in 0..1; None where the gold does not define one."""

    table_detection_recall: float | None
    table_detection_precision: float | None
    table_record_match: float | None
    table_header_accuracy: float | None


def prepare(tables: Iterable[Table]) -> tuple[PreparedTable, ...]:
    """Normalise every cell once, for comparing the tables many times."""
    prepared: dict[str, Cell] = {}

    def cell(text: str) -> Cell:
        found = prepared.get(text)
        if found is None:
            found = prepared[text] = cells.prepare(text)
        return found

    return tuple(
        PreparedTable(
            rows := tuple(tuple(cell(text) for text in row.cells) for row in table.rows),
            tuple(index for index, row in enumerate(table.rows) if row.header),
            Counter(one.normalised for row in rows for one in row if one.text),
        )
        for table in tables
    )


def tables(gold: Sequence[PreparedTable], tool: Sequence[PreparedTable]) -> Tables:
    """Score a tool's tables against the gold's.

    Every gold table takes the tool table that holds most of its fingerprint, the first of equals, if that is at least
    half; one tool table may serve several. Rows and header columns are pooled over the document.
    """
    if not gold:
        return Tables(None, None, None, None)
    found = rows = matched = columns = right = 0
    serves = [False] * len(tool)
    for wanted in gold:
        size = wanted.fingerprint.total()
        overlaps = [_overlap(wanted.fingerprint, table.fingerprint) for table in tool]
        for index, overlap in enumerate(overlaps):
            serves[index] |= bool(size) and 2 * overlap >= size
        best = max(range(len(tool)), key=overlaps.__getitem__, default=None)
        rows += len(wanted.rows)
        header_columns = wanted.header_columns
        columns += len(header_columns)
        if best is None or not size or 2 * overlaps[best] < size:
            continue
        found += 1
        matched += _matched_rows(wanted, tool[best])
        flagged = tool[best].header_cells
        right += sum(
            all(any(cells.contains(text, cell) for cell in flagged) for text in column) for column in header_columns
        )
    return Tables(
        table_detection_recall=found / len(gold),
        table_detection_precision=sum(serves) / len(tool) if tool else 0.0,
        table_record_match=matched / rows if rows else None,
        table_header_accuracy=right / columns if columns else None,
    )


def _overlap(gold: Counter[str], tool: Counter[str]) -> int:
    return sum(min(count, tool[form]) for form, count in gold.items() if form in tool)


def _matched_rows(gold: PreparedTable, tool: PreparedTable) -> int:
    """Return how many gold rows some row of the tool's table reaches 0.80 agreement with."""
    distinct = dict.fromkeys(tool.rows)
    known: dict[tuple[Cell, Cell], bool] = {}

    def agree(wanted: Cell, got: Cell) -> bool:
        pair = (wanted, got)
        answer = known.get(pair)
        if answer is None:
            answer = known[pair] = cells.agree(wanted, got)
        return answer

    def reaches(wanted: tuple[Cell, ...], got: tuple[Cell, ...]) -> bool:
        allowed = len(wanted) // 5
        for index, cell in enumerate(wanted):
            if not agree(cell, got[index] if index < len(got) else _NO_CELL):
                allowed -= 1
                if allowed < 0:
                    return False
        return True

    return sum(row in distinct or any(reaches(row, candidate) for candidate in distinct) for row in gold.rows)
