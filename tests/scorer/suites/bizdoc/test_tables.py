"""The Tables axis, worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc import Row, Table
from scorer.suites.bizdoc.tables import Tables, prepare, tables


def table(*rows: str, headers: int = 1) -> Table:
    """Build a table from rows of cells separated by pipes, the first ones flagged as header."""
    return Table(tuple(Row(index < headers, tuple(row.split("|"))) for index, row in enumerate(rows)))


GOLD = table("|2023|2022", "Net sales|383|394", "Costs|214|223", "Tax|(16)|(19)")

TABLES = st.lists(
    st.builds(
        Table,
        st.lists(
            st.builds(Row, st.booleans(), st.lists(st.sampled_from(["", "a", "b", "5", "$5"]), max_size=4).map(tuple)),
            max_size=4,
        ).map(tuple),
    ),
    max_size=3,
)


def score(gold: list[Table], tool: list[Table]) -> Tables:
    """Prepare and score."""
    return tables(prepare(gold), prepare(tool))


class TestDetection:
    def test_half_of_the_cells(self) -> None:
        """A table with half of the fingerprint is the gold table, with less it is none."""
        gold = table("a|b", "c|d", headers=0)
        assert score([gold], [table("a|b", headers=0)]).table_detection_recall == 1.0
        assert score([gold], [table("a|x", headers=0)]).table_detection_recall == 0.0

    def test_multiset(self) -> None:
        """A cell counts as often as it occurs: one 1 is a quarter of four."""
        assert score([table("1|1", "1|1", headers=0)], [table("1", headers=0)]).table_detection_recall == 0.0

    def test_precision_counts_every_tool_table(self) -> None:
        """One right, one foreign and one empty table: a third."""
        found = score([GOLD], [GOLD, table("x|y"), Table(())])
        assert found.table_detection_precision == pytest.approx(1 / 3)

    def test_one_tool_table_may_serve_two(self) -> None:
        """Two gold tables the tool merged are both found."""
        a, b = table("a|b", "1|2"), table("c|d", "3|4")
        merged = Table(a.rows + b.rows)
        assert score([a, b], [merged]) == Tables(1.0, 1.0, 1.0, 1.0)

    def test_best_overlap_first_of_equals(self) -> None:
        """Of two tables with the same overlap the first one's rows count."""
        gold = table("a|b", "c|d", headers=0)
        first, second = table("a|c", "b|d", headers=0), table("a|b", "c|d", headers=0)
        assert score([gold], [first, second]).table_record_match == 0.0
        assert score([gold], [second, first]).table_record_match == 1.0

    def test_blank_gold_table(self) -> None:
        """A gold table without text cannot be found."""
        assert score([table("|", headers=0)], [table("|", headers=0)]).table_detection_recall == 0.0

    def test_no_gold_no_output(self) -> None:
        """Gold without tables defines nothing; a tool without tables scores 0."""
        assert score([], [GOLD]) == Tables(None, None, None, None)
        assert score([GOLD], []) == Tables(0.0, 0.0, 0.0, 0.0)


class TestRecords:
    def test_four_of_five(self) -> None:
        """A row is matched at four of five cells; empty cells agree and count."""
        gold = table("a|b|c|d|e", "Assets:||||", headers=0)
        tool = table("a|b|c|d|x", "Other assets:||||", headers=0)
        assert score([gold], [tool]).table_record_match == 1.0

    def test_columns_by_index(self) -> None:
        """Cells are aligned by column: a shifted row does not match."""
        assert score([table("a|b", headers=0)], [table("|a|b", headers=0)]).table_record_match == 0.0

    def test_extra_cells_are_ignored(self) -> None:
        """Cells beyond the gold's width neither help nor hurt."""
        assert score([table("a|b", headers=0)], [table("a|b|c|d", headers=0)]).table_record_match == 1.0

    def test_pooled(self) -> None:
        """Rows are pooled over the tables: one of three here, not the mean of 1 and 0."""
        found = score([table("a|b", headers=0), table("c|d", "e|f", headers=0)], [table("a|b", headers=0)])
        assert found.table_record_match == pytest.approx(1 / 3)


class TestHeaders:
    def test_flag_is_needed(self) -> None:
        """A header text in a row the tool did not flag is missed."""
        assert score([GOLD], [Table(tuple(Row(False, row.cells) for row in GOLD.rows))]).table_header_accuracy == 0.0

    def test_every_text_of_a_column(self) -> None:
        """A column of two header rows needs both its texts: one of two columns here."""
        gold = table("2023|2022", "Sales|Costs", "1|2", "3|4", headers=2)
        tool = table("2023|2022", "Sales|Other", "1|2", "3|4", headers=2)
        assert score([gold], [tool]).table_header_accuracy == 0.5

    def test_no_header_row(self) -> None:
        """Gold without header text does not define the KPI."""
        assert score([table("a|b", headers=0)], [table("a|b")]).table_header_accuracy is None
        assert score([table("|", "a|b")], [table("|", "a|b")]).table_header_accuracy is None


class TestProperties:
    @given(TABLES)
    def test_in_range_and_defined_by_the_gold(self, tool: list[Table]) -> None:
        """Every score is in 0..1 and defined whatever the tool gives."""
        found = score([GOLD], tool)
        assert all(0 <= getattr(found, name) <= 1 for name in Tables.__slots__)

    @given(TABLES)
    def test_identity(self, gold: list[Table]) -> None:
        """The gold's own tables score 1 where every table has text and they differ."""
        gold = [*gold, GOLD]
        prepared = prepare(gold)
        if all(one.fingerprint for one in prepared):
            found = tables(prepared, prepared)
            assert found.table_detection_recall == found.table_detection_precision == 1.0

    def test_row_order(self) -> None:
        """The order of the rows does not matter."""
        assert score([GOLD], [Table(GOLD.rows[::-1])]) == Tables(1.0, 1.0, 1.0, 1.0)
