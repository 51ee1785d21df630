"""The odl measures on hand-made documents."""

import pytest

from scorer.suites.odl import score_document, summarize
from scorer.suites.odl.mhs import mhs
from scorer.suites.odl.nid import nid
from scorer.suites.odl.pipe_tables import with_html_tables
from scorer.suites.odl.similarity import Similarity
from scorer.suites.odl.tables import teds


class TestPipeTables:
    def test_simple(self) -> None:
        """A header, a separator and a body become one line of HTML with the header's line ending."""
        markdown = "before\n| a | b |\n|---|:-:|\n| <1> | 2 |\nafter"
        assert with_html_tables(markdown) == (
            "before\n<table><tr><th>a</th><th>b</th></tr><tr><td>&lt;1&gt;</td><td>2</td></tr></table>\nafter"
        )

    @pytest.mark.parametrize(
        ("row", "cells"),
        [
            ("| x | y | z |", ["x", "y", "y", "z"]),
            ("| x | y |", ["x", "y", "", ""]),
            ("| 1 | 2 | 3 | 4 | 5 |", ["1", "2", "3", "4"]),
        ],
    )
    def test_odd_rows(self, row: str, cells: list[str]) -> None:
        """Three cells stretch their middle one; other rows are padded or cut to the table's width."""
        html = with_html_tables(f"|a|b|c|d|\n|-|-|-|-|\n{row}\n")
        assert html.endswith("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr></table>\n")

    def test_empty_header(self) -> None:
        """An empty header gives way to the first row of the body."""
        assert with_html_tables("| | |\n|-|-|\n|a|b|\n|c|d|") == (
            "<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>\n"
        )


class TestMeasures:
    def test_identity(self) -> None:
        """A document scores exactly 1 against itself in every measure."""
        markdown = "# Title\n\nText\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
        scores = score_document(markdown, markdown)
        assert (scores.overall, scores.nid, scores.nid_s, scores.teds, scores.teds_s, scores.mhs, scores.mhs_s) == (
            (1.0,) * 7
        )

    def test_undefined(self) -> None:
        """Without tables or headings in the gold their measures are undefined, and the overall is NID alone."""
        scores = score_document("plain words", "plain words # x")
        assert scores.teds is None
        assert scores.mhs is None
        assert scores.overall == scores.nid

    def test_empty(self) -> None:
        """An empty prediction scores 0 in all that is defined; an empty gold defines nothing."""
        gold = "# T\n\n|a|\n|-|\n|b|\n"
        assert score_document(gold, "").overall == 0.0
        assert score_document("", "x").overall is None

    def test_nid_without_tables(self) -> None:
        """NID-S forgets the tables of both sides."""
        found = nid("a b <table><tr></tr></table>", "a b <table><td>other</td></table>")
        assert found is not None
        assert found[1] == Similarity(1.0, 1.0)

    def test_teds_by_hand(self) -> None:
        """One of three nodes (table, row, cell) has a cell half wrong: a sixth is lost, nothing of the structure."""
        scores = teds("<table><tr><td>ab</td></tr></table>", "<table><tr><th>ax</th></tr></table>")
        assert scores.teds is not None
        assert scores.teds.lower == scores.teds.upper == pytest.approx(1 - 0.5 / 3)
        assert scores.teds_s == Similarity(1.0, 1.0)

    def test_all_tables_count(self) -> None:
        """A second table that is missing costs its nodes."""
        one = "<table><tr><td>a</td></tr></table>"
        assert teds(one + one, one).teds == Similarity(0.5, 0.5)

    def test_tags_in_cells(self) -> None:
        """Of seven elements a wrong table of one cell costs five, and still five of 203 with 200 breaks in the cell."""
        gold = "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>"
        for breaks, elements in (("", 7), ("<br>" * 200, 203)):
            scores = teds(gold, f"<table><tr><td>wrong{breaks}</td></tr></table>")
            assert scores.teds is not None
            assert scores.teds.lower == scores.teds.upper == pytest.approx(1 - 5 / elements)

    def test_long_span(self) -> None:
        """A span of more digits than are read is said to be too long, not to be no number."""
        good, bad = "<table><tr><td>a</td></tr></table>", f"<table><tr><td rowspan='{'9' * 5000}'>a</td></tr></table>"
        scores = teds(good, bad)
        assert scores.teds == Similarity(0.0, 0.0)
        assert scores.error == "a cell's rowspan has 5000 characters, expected a whole number of 4300 digits at most"

    def test_bad_span(self) -> None:
        """A span that is no number scores 0 as a prediction and nothing as gold, whatever was predicted."""
        good, bad = "<table><tr><td>a</td></tr></table>", "<table><tr><td colspan='x'>a</td></tr></table>"
        scores = teds(good, bad)
        assert (scores.teds, scores.teds_s) == (Similarity(0.0, 0.0), Similarity(0.0, 0.0))
        assert scores.error == "a cell's colspan is 'x', expected a whole number"
        for predicted in (good, bad, ""):
            scores = teds(bad, predicted)
            assert (scores.teds, scores.teds_s) == (None, None)
            assert scores.error == "gold: a cell's colspan is 'x', expected a whole number"

    def test_no_html(self) -> None:
        """A table that cannot be read scores 0 as a prediction and nothing as gold; the error says why."""
        good, bad = "<table><tr><td>a</td></tr></table>", "<table><![odd[a]]></table>"
        scores = score_document(good, bad)
        assert (scores.teds, scores.teds_s) == (0.0, 0.0)
        assert scores.error == "cannot be read as HTML: unknown status keyword 'odd' in marked section"
        scores = score_document(bad, good)
        assert (scores.teds, scores.teds_s, scores.error is not None) == (None, None, True)

    def test_nested_tags(self) -> None:
        """Thousands of tags within one another are read like any."""
        deep = "<table><tr><td>" + "<b>x" * 3000 + "</b>y" * 3000 + "</td></tr></table>"
        assert score_document(deep, deep).teds == 1.0

    def test_budget(self) -> None:
        """Tables past the work budget have two bounds, and the document's scores with them."""
        first, second = ("<table>" + f"<tr><td>{cell}</td></tr>" * 20_000 + "</table>" for cell in "ab")
        scores = score_document(first, second)
        assert scores.bounds["teds"] == (scores.teds, 1.0)
        assert scores.bounds["overall"][0] == scores.overall
        assert scores.teds is not None
        assert scores.teds < 0.6

    def test_mhs_by_hand(self) -> None:
        """Of document, heading and content, one wrong heading costs its share of the three."""
        found = mhs("# ab\ntext", "## ax\ntext")
        assert found is not None
        assert found[0].lower == found[0].upper == pytest.approx(1 - 0.5 / 3)
        assert found[1] == Similarity(1.0, 1.0)

    def test_two_overalls(self) -> None:
        """The mean of documents and the mean of measures differ, and both are named."""
        rows = [score_document("# a\nb", "# a\nb"), score_document("xy", "zz")]
        summary = summarize(rows)
        assert summary.overall_mean == pytest.approx(0.5)
        assert summary.overall_readme == pytest.approx((0.5 + 1.0) / 2)
