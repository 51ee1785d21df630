"""A cell's neighbours in a direction: where the two released versions of OmniParseBench differ.

They differ for a cell whose row span a wider cell below cuts short: 1.0.0rc1 looks outward from the span
the markup declares, 1.0.0 from the slots the cell holds.

Source: OmniParseBench 1.0.0rc1 and 1.0.0, table_cell.
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Literal

from scorer.suites.omniparse.grid import Cell, Grid

Direction = Literal["up", "down", "left", "right"]

_STEPS: dict[Direction, tuple[int, int]] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def from_declared_span(grid: Grid, cell: Cell, direction: Direction) -> frozenset[Cell]:
    """Return the first other cell outward from each row or column of the declared span (1.0.0rc1)."""
    rowspan, colspan = grid.spans[cell]
    first_row, first_column = cell
    last_row = min(first_row + rowspan, grid.height) - 1
    top, bottom = _band(grid.rows, first_row), _band(grid.rows, last_row)
    left, right = _band(grid.columns, first_column), _band(grid.columns, first_column + colspan - 1)
    match direction:
        case "up":
            paths = [[(r, c) for r in range(top - 1, -1, -1)] for c in range(left, right + 1)]
        case "down":
            below = _band(grid.rows, last_row + 1) if last_row + 1 < grid.height else len(grid.rows)
            paths = [[(r, c) for r in range(below, len(grid.rows))] for c in range(left, right + 1)]
        case "left":
            paths = [[(r, c) for c in range(left - 1, -1, -1)] for r in range(top, bottom + 1)]
        case "right":
            paths = [[(r, c) for c in range(right + 1, len(grid.columns))] for r in range(top, bottom + 1)]
    return _firsts(grid, cell, paths)


def from_held_slots(grid: Grid, cell: Cell, direction: Direction) -> frozenset[Cell]:
    """Return the first other cell outward from each slot the cell holds (1.0.0)."""
    step_row, step_column = _STEPS[direction]
    rows, columns = grid.covers[cell]
    paths = []
    for r in rows:
        for c in columns:
            path = _path(grid, r + step_row, c + step_column, step_row, step_column)
            if grid.slots[r][c] == cell and path and grid.slots[path[0][0]][path[0][1]] != cell:
                paths.append(path)
    return _firsts(grid, cell, paths)


def _path(grid: Grid, row: int, column: int, step_row: int, step_column: int) -> list[tuple[int, int]]:
    path = []
    while 0 <= row < len(grid.rows) and 0 <= column < len(grid.columns):
        path.append((row, column))
        row, column = row + step_row, column + step_column
    return path


def _firsts(grid: Grid, cell: Cell, paths: Iterable[Iterable[tuple[int, int]]]) -> frozenset[Cell]:
    # Built by adding in order: the order in which a set of equal size and history is walked decides
    # which of equally good neighbours a `why` names.
    found: set[Cell] = set()
    for path in paths:
        other = next((x for r, c in path if (x := grid.slots[r][c]) is not None and x != cell), None)
        if other is not None:
            found.add(other)
    return frozenset(found)


def _band(firsts: tuple[int, ...], index: int) -> int:
    return bisect_right(firsts, index) - 1
