from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.suites.omniparse import RC1, V1_0_0, cells
from scorer.suites.omniparse.cells import read_grids, soup_tables
from tests.scorer.suites.omniparse.made import gold_test, passes, text, verdict

TABLE = (
    "<table><tr><th>Year</th><th>Total</th><th>Change</th></tr>"
    "<tr><td>2023</td><td>1,105</td><td>9%</td></tr>"
    "<tr><td>2024</td><td>1,240</td><td>12%</td></tr></table>"
)


def _test(cell: str, **around: Any) -> dict[str, Any]:
    return gold_test("table_cell", cell=text(cell), **around)


class TestNeighbours:
    def test_all_around(self) -> None:
        """A cell with the right neighbours and heading passes."""
        around = {
            "up": text("1,105"),
            "left": text("2024"),
            "right": text("12%"),
            "top_heading": text("Total"),
        }
        assert passes(_test("1,240", **around), TABLE)

    def test_a_wrong_neighbour_is_named(self) -> None:
        """The reason quotes the nearest candidate and its ratio."""
        assert verdict(_test("1,240", left=text("2023")), TABLE).why == (
            "cells matching '1,240' found, but: left '2024' doesn't match '2023' (0.75)"
        )

    def test_no_neighbour_no_cell_no_table(self) -> None:
        """Each has its own reason."""
        assert verdict(_test("2024", down=text("2025")), TABLE).why.endswith("but: no down cell")
        assert verdict(_test("zzzz"), TABLE).why == "no cell matching 'zzzz' in any table"
        assert verdict(_test("x"), "<p>x</p>").why == "no tables found"

    def test_an_empty_neighbour_stands_for_the_value_above(self) -> None:
        """A value written once above empty cells counts as their left neighbour."""
        html = "<table><tr><td>North</td><td>a</td></tr><tr><td></td><td>b</td></tr></table>"
        assert passes(_test("b", left=text("North")), html)

    def test_where_the_two_versions_differ(self) -> None:
        """A row span cut short by a wider cell: rc1 looks from where it was to end, 1.0.0 from where it ends."""
        html = (
            "<table><tr><td>a</td><td rowspan=3>b</td></tr><tr><td>c</td></tr>"
            "<tr><td colspan=2>d</td></tr><tr><td>e</td><td>f</td></tr></table>"
        )
        for version, below in ((RC1, "f"), (V1_0_0, "d")):
            assert passes(_test("b", down=text(below)), html, version=version)

    def test_a_cut_row_span_at_the_end_of_the_table(self) -> None:
        """A declared span beyond the table's last row ends with the table."""
        html = "<table><tr><td>a</td><td rowspan=3>b</td></tr><tr><td colspan=2>d</td></tr></table>"
        assert passes(_test("b", left=text("a")), html)


class TestStructure:
    HTML = (
        "<table><tr><th></th><th colspan=2>Univariable</th></tr><tr><th></th><th>OR</th><th>P</th></tr>"
        "<tr><td>A. Overall</td><td></td><td></td></tr>"
        "<tr><td rowspan=2>Board</td><td>1.5</td><td>0.120</td></tr><tr><td>1.7</td><td>0.3</td></tr></table>"
    )

    def test_headings_in_order(self) -> None:
        """Headings over the column count in order; in the wrong order they do not."""
        assert passes(_test("0.120", headings=[text("Univariable"), text("P")]), self.HTML)
        assert not passes(_test("0.120", headings=[text("P"), text("Univariable")]), self.HTML)

    def test_section_and_row_group(self) -> None:
        """A label before empty cells is a section; a spanning cell to the left is a row group."""
        assert passes(_test("0.3", section=text("A. Overall"), row_groups=[text("Board")]), self.HTML)
        assert verdict(_test("0.120", section=text("B. Rest")), self.HTML).why.endswith(
            "not in the section 'B. Rest' (nearest above: 'A. Overall')"
        )

    def test_a_cell_may_hold_two_headings(self) -> None:
        """A merged heading matches two gold headings joined by a space."""
        html = "<table><tr><th>Univariable P</th></tr><tr><td>0.120</td></tr></table>"
        assert passes(_test("0.120", headings=[text("Univariable"), text("P")]), html)

    def test_one_line_of_a_cell_is_enough(self) -> None:
        """Lines of a cell match on their own."""
        assert passes(_test("2024"), "<table><tr><td>2023<br>2024</td></tr></table>")


class TestNested:
    def test_a_row_span_to_the_end_ends_with_each_table(self) -> None:
        """A row belongs to every table around it, and reaches down to the last row of each; line ends stay."""
        html = (
            "<table><tr><td rowspan=0>a<br>b<table><tr><td rowspan=0>c</td></tr></table></td></tr>"
            "<tr><td>d</td></tr></table>"
        )
        outer, inner = soup_tables(html)
        assert [[(cell.text, cell.rowspan) for cell in row] for row in outer] == [
            [("a\nb   c", 3)],
            [("c", 2)],
            [("d", 1)],
        ]
        assert [[(cell.text, cell.rowspan) for cell in row] for row in inner] == [[("c", 1)]]

    def test_a_cell_is_read_once_however_deep(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Reading it again for every table around it made a page of 4 kB take minutes."""
        read = []
        monkeypatch.setattr(cells, "text_view", lambda markup: read.append(markup) or "")
        depth = 50
        assert [len(rows) for rows in soup_tables("<table><tr><td>" * depth + "x")] == list(range(depth, 0, -1))
        assert len(read) == depth


class TestGrid:
    def test_spans_nested_tables_and_malformed_spans(self) -> None:
        """A malformed span is 1, a row span of 0 reaches the last row, an inner table is one of its own."""
        html = "<table><tr><td rowspan=0>a</td><td colspan=x>b</td></tr><tr><td>c</td></tr></table>"
        (grid,) = read_grids(html)
        assert grid.every_slot() == [[(0, 0), (0, 1)], [(0, 0), (1, 1)]]
        nested = f"<table><tr><td>{TABLE}</td></tr></table>"
        assert [grid.height for grid in read_grids(nested)] == [4, 3]

    @settings(max_examples=60)
    @given(
        st.lists(
            st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=0, max_size=4), min_size=1, max_size=4
        )
    )
    def test_bands_written_out_are_the_grid_placed_slot_by_slot(self, rows: list[list[tuple[int, int]]]) -> None:
        """Keeping repeated rows and columns once loses nothing: a plain slot-by-slot placement gives the same grid."""
        html = "".join(
            "<tr>" + "".join(f"<td rowspan={r} colspan={c}>x</td>" for r, c in row) + "</tr>" for row in rows
        )
        found = read_grids(f"<table>{html}</table>")
        expected = _slot_by_slot(rows)
        assert [grid.every_slot() for grid in found] == ([expected] if any(rows) else [])

    def test_huge_spans_are_bands(self) -> None:
        """Three cells of a thousand rows and columns keep two rows and three columns."""
        (grid,) = read_grids("<table><tr>" + "<td rowspan=1000 colspan=1000>x</td>" * 3 + "</tr></table>")
        assert (grid.height, grid.width, len(grid.rows), len(grid.columns)) == (1000, 3000, 2, 3)

    @pytest.mark.parametrize(
        "html", ["<table><![x", "<table", "<table><tr><td>a", "<!-- <table> -->", "<table></table>"]
    )
    def test_broken_markup_is_read_or_has_no_tables(self, html: str) -> None:
        """No markup breaks the reading."""
        assert verdict(_test("zzz"), html).result == "fail"


def _slot_by_slot(rows: list[list[tuple[int, int]]]) -> list[list[tuple[int, int] | None]]:
    """The rule as the specification words it, one slot at a time."""
    carried: dict[int, tuple[tuple[int, int], int]] = {}
    grid: list[dict[int, tuple[int, int]]] = []
    for r, row in enumerate(rows):
        slots: dict[int, tuple[int, int]] = {}
        column = 0
        waiting = list(row)
        width = max([*carried, -1]) + 1
        while waiting or column < width:
            if carried.get(column, ((0, 0), 0))[1] > 0:
                cell, left = carried[column]
                slots[column], carried[column] = cell, (cell, left - 1)
                column += 1
            elif waiting:
                rowspan, colspan = waiting.pop(0)
                for c in range(column, column + colspan):
                    slots[c], carried[c] = (r, column), ((r, column), rowspan - 1)
                column += colspan
                width = max(width, column)
            else:
                column += 1
        grid.append(slots)
    while any(left > 0 for _, left in carried.values()):
        grid.append({c: cell for c, (cell, left) in carried.items() if left > 0})
        carried = {c: (cell, left - 1) for c, (cell, left) in carried.items()}
    width = max((c for slots in grid for c in slots), default=-1) + 1
    return [[slots.get(c) for c in range(width)] for slots in grid]
