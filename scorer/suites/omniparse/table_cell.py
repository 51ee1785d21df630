"""`table_cell`: a cell stands in a table among the right neighbours, under the right headings.

Source: OmniParseBench 1.0.0rc1.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rapidfuzz import fuzz

from scorer.suites.omniparse.cells import Form, PageTable
from scorer.suites.omniparse.content import Mark
from scorer.suites.omniparse.grid import Cell
from scorer.suites.omniparse.text import needle_forms

if TYPE_CHECKING:
    from scorer.suites.omniparse.page import Page

Relation = Literal["up", "down", "left", "right", "top_heading", "left_heading"]
RELATIONS: tuple[Relation, ...] = ("up", "down", "left", "right", "top_heading", "left_heading")

_LEAST_RATIO = 0.5


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell's text and what must lie around it, all within `max_diffs` edits.

    `headings` over its column, top to bottom; `section`, the section row nearest above; `row_groups` to its
    left, left to right. Other cells may lie between.
    """

    cell: str
    relations: Mapping[Relation, str]
    max_diffs: int
    headings: tuple[str, ...] = ()
    section: str | None = None
    row_groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A text of the gold in the forms in which cells are compared, and how alike a cell must be to it."""

    form: Form
    threshold: float

    def ratio(self, cell: Form) -> float:
        """Return how alike a cell is, with its spaces or without."""
        return max(map(fuzz.ratio, self.form, cell)) / 100.0

    def matches(self, cell: Form) -> bool:
        return cell == self.form or self.ratio(cell) >= self.threshold


def _wanted(text: str, max_diffs: int) -> _Wanted:
    forms = needle_forms(text)
    return _Wanted(forms, max(_LEAST_RATIO, 1.0 - max_diffs / max(1, len(forms[0]))))


def table_cell(test: TableCell, page: Page) -> Mark:
    """Tell whether one cell of one table satisfies everything; else what each matching cell lacks."""
    if not page.tables:
        return False, "no tables found"
    wanted = _wanted(test.cell, test.max_diffs)
    around = {relation: _wanted(text, test.max_diffs) for relation, text in test.relations.items()}
    lacking: list[str] = []
    for table in page.tables:
        for cell, forms in table.candidates():
            if any(map(wanted.matches, forms)):
                lacks = [*_related(table, cell, around), *_structured(table, cell, test)]
                if not lacks:
                    return True, ""
                lacking += lacks
    if not lacking:
        return False, f"no cell matching {test.cell!r} in any table"
    return False, f"cells matching {test.cell!r} found, but: {'; '.join(lacking)}"


def _related(table: PageTable, cell: Cell, around: Mapping[Relation, _Wanted]) -> Iterator[str]:
    """Yield why each relation that a cell lacks does not hold."""
    for relation, wanted in around.items():
        forms = [table.whole(near) for near in _cells_at(table, cell, relation)]
        if any(map(wanted.matches, forms)):
            continue
        if not forms:
            yield f"no {relation} cell"
            continue
        nearest = max(forms, key=wanted.ratio)
        yield f"{relation} {nearest[0]!r} doesn't match {wanted.form[0]!r} ({wanted.ratio(nearest):.2f})"


def _cells_at(table: PageTable, cell: Cell, relation: Relation) -> AbstractSet[Cell]:
    match relation:
        case "top_heading":
            return table.heading_cells(cell, "up")
        case "left_heading":
            return table.heading_cells(cell, "left")
        case "left" | "right":
            # An empty neighbour stands for the value written over it, which spans it.
            return {table.stand_in(near, "up") for near in table.neighbours(cell, relation)}
        case "up" | "down":
            return {table.stand_in(near, "left") for near in table.neighbours(cell, relation)}


def _structured(table: PageTable, cell: Cell, test: TableCell) -> Iterator[str]:
    """Yield why a cell is not under its headings, in its row groups or in its section."""
    if test.headings and not _appear(test.headings, table.above(cell), table, test.max_diffs):
        yield f"not under the headings {' > '.join(test.headings)!r}"
    if test.row_groups and not _appear(test.row_groups, table.beside(cell), table, test.max_diffs):
        yield f"not in the row groups {' > '.join(test.row_groups)!r}"
    if test.section:
        labels = table.section(cell)
        wanted = _wanted(test.section, test.max_diffs)
        forms = itertools.chain.from_iterable(map(table.forms, _section_texts(table, cell, labels)))
        if not any(map(wanted.matches, forms)):
            yield f"not in the section {test.section!r} (nearest above: {' '.join(labels) or 'none'!r})"


def _section_texts(table: PageTable, cell: Cell, labels: Sequence[str]) -> Iterator[str]:
    """Yield every text that may name a cell's section: the labels' ends, tall cells to its left, its row's first."""
    for start in range(len(labels)):
        yield " ".join(labels[start:])
    for near in table.beside(cell):
        if table.spans_rows(near):
            yield table.grid.text[near]
    # A long label printed on a line of its own may be written as its row's first cell instead.
    first = table.first_in_row(cell)
    if first not in (None, cell):
        yield table.grid.text[first]


def _appear(texts: Sequence[str], cells: Iterable[Cell], table: PageTable, max_diffs: int) -> bool:
    """Tell whether all texts appear in order; one cell may hold several in a row, the longest run first."""
    missing = list(texts)
    for cell in cells:
        forms = table.forms(table.grid.text[cell])
        for size in range(len(missing), 0, -1):
            run = _wanted(" ".join(missing[:size]), max_diffs)
            if any(map(run.matches, forms)):
                del missing[:size]
                break
    return not missing
