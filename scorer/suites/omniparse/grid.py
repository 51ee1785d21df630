"""An HTML table as a grid of cells.

A cell spanning rows or columns is stored once and covers every slot it spans. Rows and columns that
repeat the one before are kept once, with how often they occur: three cells spanning a thousand rows and
columns make a grid of a few bands, not of three million slots, and every walk over it finds the same cells.

Source: OmniParseBench 1.0.0rc1, table_cell; its table reading follows olmOCR-bench.
"""

import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Cell = tuple[int, int]
"""The row and column of a cell's top left slot."""

LARGEST_SPAN = 1000


@dataclass(frozen=True, slots=True)
class CellSpec:
    """A cell as the markup gives it: its text, its spans (1 to 1000), and whether it is a heading."""

    text: str
    rowspan: int
    colspan: int
    heading: bool


def span(value: str | None, *, rows_left: int | None = None) -> int:
    """Return a span attribute as 1 to 1000: 1 when missing or malformed; a row span of "0" reaches the last row."""
    written = (value or "").strip()
    if rows_left is not None and written == "0":
        return max(1, rows_left)
    try:
        declared = int(written)
    except ValueError:
        declared = 1
    return max(1, min(declared, LARGEST_SPAN))


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: texts by cell, heading cells, declared spans, and the slots in bands.

    `slots[band][column_band]` is the cell there or None; `rows[band]` and `columns[column_band]` are the
    first row and column of a band, `height` and `width` the table's true size. Band indices are what `covers` gives.
    """

    text: dict[Cell, str]
    headings: frozenset[Cell]
    spans: dict[Cell, tuple[int, int]]
    slots: tuple[tuple[Cell | None, ...], ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    height: int
    width: int
    covers: dict[Cell, tuple[tuple[int, ...], tuple[int, ...]]]
    labels: dict[int, Cell]

    def every_slot(self) -> list[list[Cell | None]]:
        """Return the grid with every repeated row and column written out."""
        heights = _sizes(self.rows, self.height)
        widths = _sizes(self.columns, self.width)
        return [
            [cell for cell, width in zip(band, widths, strict=True) for _ in range(width)]
            for band, height in zip(self.slots, heights, strict=True)
            for _ in range(height)
        ]


@dataclass(frozen=True, slots=True)
class _Run:
    """Slots `start` to `stop` of a row that one cell holds, through row `until` (excluded)."""

    start: int
    stop: int
    cell: Cell
    until: int


_Slice = tuple[int, int, Cell]  # start, stop, cell


def build(specs: Sequence[Sequence[CellSpec]]) -> Grid | None:
    """Place rows of cells on a grid, carrying row spans down; None without any cell."""
    placed, lines = _place(specs)
    if not placed:
        return None
    text = {cell: spec.text for cell, spec in placed.items()}
    width = max(stop for line in lines for _, stop, _ in line)
    rows = [r for r, line in enumerate(lines) if r < 2 or line != lines[r - 1] or lines[r - 1] != lines[r - 2]]
    edges = {edge for line in lines for start, stop, _ in line for edge in (start, stop)}
    columns = sorted({0, *edges} - {width})
    band_of_column = {column: index for index, column in enumerate([*columns, width])}
    slots = tuple(_band(lines[r], band_of_column) for r in rows)
    return Grid(
        text=text,
        headings=frozenset(cell for cell, spec in placed.items() if spec.heading),
        spans={cell: (spec.rowspan, spec.colspan) for cell, spec in placed.items()},
        slots=slots,
        rows=tuple(rows),
        columns=tuple(columns),
        height=len(lines),
        width=width,
        covers=_covers(slots),
        labels=_labels(text, rows),
    )


def _place(specs: Sequence[Sequence[CellSpec]]) -> tuple[dict[Cell, CellSpec], list[list[_Slice]]]:
    """Return the cells by place, and each row's slices from left to right."""
    placed: dict[Cell, CellSpec] = {}
    lines: list[list[_Slice]] = []
    carried: list[_Run] = []
    known_width = 0
    for r, row in enumerate(specs):
        line: list[_Slice] = []
        column = 0
        running = [run for run in carried if run.until > r] if carried else []
        waiting = list(row)[::-1]
        while waiting or column < known_width:
            holding = next((run for run in running if run.start <= column < run.stop), None) if running else None
            if holding is not None:
                line.append((column, holding.stop, holding.cell))
                column = holding.stop
            elif not waiting:
                column = min((run.start for run in running if run.start > column), default=known_width)
            else:
                spec = waiting.pop()
                cell, stop = (r, column), column + spec.colspan
                placed[cell] = spec
                line.append((column, stop, cell))
                if running:
                    running = _overwritten(running, column, stop)
                if spec.rowspan > 1:
                    running.append(_Run(column, stop, cell, r + spec.rowspan))
                known_width = max(known_width, stop)
                column = stop
        carried = running
        lines.append(line)
    lines += [
        sorted((run.start, run.stop, run.cell) for run in carried if run.until > r)
        for r in range(len(specs), max((run.until for run in carried), default=0))
    ]
    return placed, lines


def _overwritten(running: Sequence[_Run], start: int, stop: int) -> list[_Run]:
    """Return the carried runs less what a cell at `start` to `stop` covers: a wide cell ends a row span above it."""
    kept = []
    for run in running:
        if run.stop <= start or run.start >= stop:
            kept.append(run)
            continue
        if run.start < start:
            kept.append(_Run(run.start, start, run.cell, run.until))
        if run.stop > stop:
            kept.append(_Run(stop, run.stop, run.cell, run.until))
    return kept


def _band(line: Sequence[_Slice], columns: Mapping[int, int]) -> tuple[Cell | None, ...]:
    held: list[Cell | None] = [None] * (len(columns) - 1)  # the last edge is the table's end
    for start, stop, cell in line:
        for index in range(columns[start], columns[stop]):
            held[index] = cell
    return tuple(held)


def _covers(slots: Sequence[Sequence[Cell | None]]) -> dict[Cell, tuple[tuple[int, ...], tuple[int, ...]]]:
    rows: dict[Cell, set[int]] = {}
    columns: dict[Cell, set[int]] = {}
    for r, band in enumerate(slots):
        for c, cell in enumerate(band):
            if cell is not None:
                rows.setdefault(cell, set()).add(r)
                columns.setdefault(cell, set()).add(c)
    return {cell: (tuple(sorted(rows[cell])), tuple(sorted(columns[cell]))) for cell in rows}


def _labels(text: dict[Cell, str], rows: Sequence[int]) -> dict[int, Cell]:
    """Return the section rows by band: two or more cells start in the row, only its first column has text."""
    labels: dict[int, Cell] = {}
    for row, starting in itertools.groupby(sorted(text), key=lambda cell: cell[0]):
        first, *others = starting
        is_label = first[1] == 0 and bool(text[first].strip())
        if is_label and others and not any(text[other].strip() for other in others):
            labels[bisect_right(rows, row) - 1] = first
    return labels


def _sizes(firsts: Sequence[int], total: int) -> list[int]:
    return [after - first for first, after in zip(firsts, [*firsts[1:], total], strict=True)]
