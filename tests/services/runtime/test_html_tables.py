"""Tables of a tool's HTML, placed as a browser places them."""

import pytest

from services.runtime import html_tables
from services.runtime.form import Cell


def grid(html: str) -> list[list[tuple[str, int, int]]]:
    """Return the rows of the only table: text, column and column span of every cell."""
    [table] = html_tables.tables(html)
    return [[(cell.text, cell.col, cell.colspan) for cell in row.cells] for row in table.rows]


class TestPlacing:
    def test_a_rowspan_shifts_the_row_below(self) -> None:
        """The second row's first cell stands in the second column."""
        html = "<table><tr><th rowspan=2>a<th colspan='2'>b</tr><tr><th>c<th>d</tr></table>"
        assert grid(html) == [[("a", 0, 1), ("b", 1, 2)], [("c", 1, 1), ("d", 2, 1)]]

    def test_a_rowspan_in_the_middle(self) -> None:
        """Cells go around the column that is covered from above."""
        html = "<table><tr><td>a</td><td rowspan=3>b</td><td>c</td></tr><tr><td>d</td><td>e</td></tr><tr><td>f</table>"
        assert grid(html)[1:] == [[("d", 0, 1), ("e", 2, 1)], [("f", 0, 1)]]

    def test_a_wide_cell_over_one_that_reaches_down(self) -> None:
        """Cells may overlap; the one from above still covers its last row."""
        html = "<table><tr><td>a<td rowspan=3>b<tr><td colspan=2>c<tr><td>d<td>e</table>"
        assert grid(html)[1:] == [[("c", 0, 2)], [("d", 0, 1), ("e", 2, 1)]]

    def test_spans_that_are_none(self) -> None:
        """Zero, negative and wordy spans are 1; a vast one is as large as browsers allow."""
        html = "<table><tr><td colspan=0>a<td colspan=-2>b<td colspan=x>c<td colspan=99999999>d</table>"
        assert grid(html) == [[("a", 0, 1), ("b", 1, 1), ("c", 2, 1), ("d", 3, html_tables.LARGEST_SPAN)]]


class TestHeaders:
    def test_a_head_or_header_cells_alone(self) -> None:
        """A row is a header in thead, or when all its cells are th."""
        html = (
            "<table><thead><tr><td>a</td></tr></thead><tbody><tr><th>b</th></tr>"
            "<tr><th>c</th><td>d</td></tr></tbody></table>"
        )
        [table] = html_tables.tables(html)
        assert [row.header for row in table.rows] == [True, True, False]


class TestText:
    def test_plain(self) -> None:
        """Marks go, references become characters, breaks and paragraphs separate words."""
        html = "<table><tr><td> <b>R&amp;D</b><br>2025<p>x</p><p>y</p></td></tr></table>"
        assert grid(html) == [[("R&D 2025 x y", 0, 1)]]

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            ("<p>x</p>y", "x y"),
            ("<h2>t</h2>u", "t u"),
            ("a<ul><li>b</li></ul>c", "a b c"),
            ("a<hr>b", "a b"),
            ("<b>a</b>b<sup>2</sup><span>c</span>", "ab2c"),
            ("A<table><tr><td>1<td>2<tr><td>3</table>", "A 1 2 3"),
        ],
    )
    def test_what_separates_words(self, content: str, text: str) -> None:
        """What stands on a line or in a cell of its own in a browser does; a mark within a line does not."""
        *_, outer = html_tables.tables(f"<table><tr><td>{content}</td></tr></table>")
        assert outer.rows[0].cells[0].text == text

    def test_a_table_in_a_cell(self) -> None:
        """The inner table is one of its own, and its words belong to the cell around it."""
        inner, outer = html_tables.tables(
            "<table><tr><td>a<table><tr><td>b</td></tr></table>c</td></tr></table>", page=3
        )
        assert inner.rows[0].cells == (Cell("b", 0, 0),)
        assert outer.rows[0].cells[0].text == "a b c"
        assert (inner.page, outer.page) == (3, 3)

    def test_broken(self) -> None:
        """What is not closed ends with the text; what is no table gives none."""
        assert grid("<table><tr><td>a") == [[("a", 0, 1)]]
        assert list(html_tables.tables("</table><td>x</td> & < <p>")) == []

    def test_vast_spans(self) -> None:
        """Hundreds of spans as large as allowed are placed side by side."""
        [table] = html_tables.tables("<table>" + "<tr>" + "<td colspan=1000 rowspan=1000>x" * 300 + "</table>")
        assert [cell.col for cell in table.rows[0].cells] == list(range(0, 300_000, html_tables.LARGEST_SPAN))
