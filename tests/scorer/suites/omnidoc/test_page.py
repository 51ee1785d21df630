"""Pages whose tables cannot be read, or would be too dear to compare."""

from functools import partial

import pytest

from scorer.scoring.omnidoc.rows import _metrics
from scorer.suites.levenshtein import levenshtein
from scorer.suites.omnidoc import metrics
from scorer.suites.omnidoc import page as pages
from scorer.suites.omnidoc.evaluation import score_page, with_cdm
from scorer.suites.omnidoc.match import quick_match
from scorer.suites.omnidoc.metrics import edit_distances, table_scores
from scorer.suites.omnidoc.page import match_page
from scorer.suites.omnidoc.recognition import recognise
from scorer.suites.omnidoc.sample import UNKNOWN, OrderSample, Sample
from tests.scorer.suites.omnidoc.pages import LONG, block, page

_TABLE = "<table><tr><td>a</td><td>b</td></tr></table>"
_OTHER = "<table><tr><td>a</td><td>c</td></tr></table>"
_THIRD = "<table><tr><td>a</td><td>d</td></tr></table>"
_UNREADABLE = "<table><tr><td><![odd[x]]></td></tr></table>"


class TestUnreadable:
    def test_matched(self) -> None:
        """A predicted table that cannot be read scores 0 with the reason; the rest of the page is scored."""
        gold = page(block("text_block", 1, 0, text=LONG[0]), block("table", 2, 1, html=_TABLE))
        found = score_page(match_page(gold, f"{LONG[0]}\n\n{_UNREADABLE}"))
        [row] = found.tables
        assert row.metric["TEDS"] == 0.0
        assert row.error == "cannot be read as HTML: unknown status keyword 'odd' in marked section"
        assert [text.metric["Edit_dist"] for text in found.text] == [0.0]

    def test_left_over(self) -> None:
        """One that no gold table is matched with has no cells."""
        gold = page(block("table", 1, 0, html=_TABLE))
        assert match_page(gold, f"{_TABLE}\n\n{_UNREADABLE}").homeless == ()

    def test_recognised(self) -> None:
        """Recognition scores it 0 with the reason, too."""
        [row] = recognise([page(block("table", 1, 0, html=_TABLE, pred=_UNREADABLE))], kind="table", gold_key="html")
        assert (row.metric["TEDS"], row.error is not None) == (0.0, True)

    def test_nested(self) -> None:
        """Thousands of tags within one another are no obstacle."""
        deep = "<table><tr><td>" + "<b>x" * 3000 + "</b>y" * 3000 + "</td></tr></table>"
        [row] = score_page(match_page(page(block("table", 1, 0, html=deep)), deep)).tables
        assert (row.metric["TEDS"], row.metric["Edit_dist"]) == (1.0, 0.0)


class TestGoldWithoutLatex:
    _TABULAR = r"\begin{tabular}{ll}a & b\end{tabular}"

    def test_latex_tables(self) -> None:
        """Where LaTeX tables would be matched by what the gold lacks, the table scores 0 and says why."""
        gold = page(block("text_block", 1, 0, text=LONG[0]), block("table", 2, 1, html=_TABLE))
        found = score_page(match_page(gold, f"{LONG[0]}\n\n{self._TABULAR}"))
        [row] = found.tables
        assert dict(row.metric) == {"TEDS": 0.0, "TEDS_structure_only": 0.0, "Edit_dist": 1.0}
        assert (row.error or "").startswith(
            "the page's LaTeX tables outnumber its HTML ones, and the gold has no 'latex'"
        )
        assert [text.metric["Edit_dist"] for text in found.text] == [0.0]

    def test_one_of_several(self) -> None:
        """Those that have it are matched among themselves, whatever stands before them."""
        gold = page(block("table", 1, 0, html=_TABLE), block("table", 2, 1, html=_OTHER, latex=self._TABULAR))
        without, found = match_page(gold, f"{self._TABULAR}\n\n{self._TABULAR.replace('b', 'zzz')}").tables
        assert (without.piece_index, without.error is not None) == ((), True)
        assert (found.piece_index, found.error) == ((0,), None)

    def test_html_tables(self) -> None:
        """Where HTML tables are matched nobody asks for it."""
        [row] = score_page(match_page(page(block("table", 1, 0, html=_TABLE)), _TABLE)).tables
        assert (row.metric["TEDS"], row.error) == (1.0, None)


class TestBounded:
    def test_tables_of_a_page(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Past the budget equal tables are paired before any others, and every row can be anything."""
        monkeypatch.setattr(pages, "CELLS", 0)
        gold = page(block("table", 1, 0, html=_TABLE), block("table", 2, 1, html=_OTHER))
        rows = score_page(match_page(gold, f"{_THIRD}\n\n{_TABLE}")).tables
        assert [row.predicted for row in rows] == [_TABLE, _THIRD]
        assert [row.bounds for row in rows] == [UNKNOWN, UNKNOWN]

    def test_worst(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What is stored of a page whose matching was cut short is the worst: the worse of 0 and 1, in every metric."""
        monkeypatch.setattr(pages, "CELLS", 0)
        gold = page(block("table", 1, 0, html=_TABLE), block("table", 2, 1, html=_OTHER))
        rows = score_page(match_page(gold, f"{_OTHER}\n\n{_THIRD}")).tables
        assert [row.bounds for row in rows] == [UNKNOWN, UNKNOWN]
        assert [dict(row.metric) for row in rows] == [{"TEDS": 0.0, "TEDS_structure_only": 0.0, "Edit_dist": 1.0}] * 2

    def test_formula(self) -> None:
        """So is CDM, for which nothing is drawn then."""
        sample = Sample(image="x", gold="x", predicted="x", norm_gold="x", norm_predicted="x", bounds=UNKNOWN)
        asked: list[object] = []
        [row] = with_cdm([sample], lambda pairs: asked.extend(pairs) or [])
        assert (row.metric["CDM"], row.error, asked) == (0.0, None, [])

    def test_one_table_on_each_side(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Matching can change nothing then: the metrics are those of the tables, their bounds their own."""
        monkeypatch.setattr(pages, "CELLS", 0)
        monkeypatch.setattr(pages, "levenshtein", partial(levenshtein, cells=0))
        matched = match_page(page(block("table", 1, 0, html=_TABLE)), _OTHER)
        [row] = score_page(matched).tables
        assert (row.bounds, row.metric["TEDS"]) == ({}, pytest.approx(1 - 1 / 3))
        [row] = score_page(matched, budget=0).tables
        assert row.bounds == {"TEDS": (row.metric["TEDS"], 1.0)}
        assert 0 < row.metric["TEDS"] < 1

    def test_the_same_tables(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A perfect prediction scores 1 and is known, however long."""
        monkeypatch.setattr(pages, "CELLS", 0)
        gold = page(block("table", 1, 0, html=_TABLE), block("table", 2, 1, html=_OTHER))
        rows = score_page(match_page(gold, f"{_OTHER}\n\n{_TABLE}")).tables
        assert [(row.metric["TEDS"], row.bounds) for row in rows] == [(1.0, {}), (1.0, {})]

    def test_cells_left_over(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where it is not known which tables are left, neither is which texts their cells are."""
        monkeypatch.setattr(pages, "CELLS", 0)
        gold = page(block("text_block", 1, 0, text=LONG[0]), block("table", 2, 1, html=_TABLE))
        found = score_page(match_page(gold, f"{LONG[0]}\n\n{_OTHER}\n\n{_THIRD}"))
        assert [(row.bounds, row.metric["Edit_dist"]) for row in found.text] == [(UNKNOWN, 1.0)]
        assert found.order is not None
        assert (found.order.bounds, found.order.edit) == (UNKNOWN, 1.0)

    def test_table(self) -> None:
        """Of a table past the budget only what is not known exactly has bounds."""
        whole = f"<html><body>{_TABLE}</body></html>", f"<html><body>{_OTHER}</body></html>"
        sample = Sample(image="x", gold="", predicted="", norm_gold=whole[0], norm_predicted=whole[1])
        [row] = table_scores([sample], budget=0)
        assert row.bounds == {"TEDS": (row.metric["TEDS"], 1.0)}
        assert row.metric["TEDS_structure_only"] == 1.0

    def test_text(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """An edit distance that is not known exactly is the most it can be; the least is kept."""
        monkeypatch.setattr(metrics, "levenshtein", lambda *texts: levenshtein(*texts, cells=0))
        sample = Sample(image="x", gold="", predicted="", norm_gold="abcd", norm_predicted="bcda")
        [row] = edit_distances([sample])
        lower, upper = row.bounds["Edit_dist"]
        assert lower <= 0.5 <= upper
        assert (row.metric["Edit_dist"], row.edits) == (upper, 4 * upper)

    def test_reading_order(self) -> None:
        """The reading order of a page whose matching was past its budget is stored as bounded."""
        order = OrderSample(image="x", gold=(1, 2), predicted=(2, 1), edits=2, bounds=UNKNOWN)
        assert list(_metrics(order)) == [
            {"metric": "Edit_dist", "value": 1.0, "bounded": True, "lower": 0.0, "upper": 1.0}
        ]

    def test_step(self) -> None:
        """Where joining is past its budget the pieces are matched as they are."""
        gold, pieces = ["abcdefghijkl" * 3], ["abcdefghijkl"] * 3
        assert [pair.pieces for pair in quick_match(gold, [False], pieces).pairs] == [(0, 1, 2)]
        found = quick_match(gold, [False], pieces, budget=100_000)
        assert found.bounded
        assert all(len(pair.pieces) == 1 for pair in found.pairs if pair.gold)
