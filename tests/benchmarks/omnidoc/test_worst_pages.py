"""The worst pages, small: that each is scored, and how what is bounded is marked."""

import json

import pytest

from benchmarks.omnidoc.worst_pages import SHAPES, gold_page, main
from scorer.suites.omnidoc import rows
from scorer.suites.omnidoc.evaluation import score_page
from scorer.suites.omnidoc.match import quick_match
from scorer.suites.omnidoc.page import match_page


class TestWorstPages:
    @pytest.mark.parametrize("shape", SHAPES)
    def test_shape(self, shape: str) -> None:
        """A page of every shape is scored, exactly at this size, and each gold text is in a row."""
        page = score_page(match_page(gold_page(), SHAPES[shape](600)))
        scored = (*page.text, *page.formulas, *page.formulas_as_text)
        assert not any(row.bounds for row in scored)
        assert sum(len(row.gold_index) for row in scored) == 46

    def test_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Every row of a page whose matching was past its budget can be anything, and so can the reading order."""
        monkeypatch.setattr(rows, "quick_match", lambda *texts: quick_match(*texts, budget=0))
        page = score_page(match_page(gold_page(), "a page\n\nof some\n\npieces"))
        assert page.order is not None
        assert all(row.bounds["Edit_dist"] == (0.0, 1.0) for row in (*page.text, *page.formulas, page.order))

    def test_command(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        """The command prints a line of JSON a page."""
        monkeypatch.setattr("sys.argv", ["worst_pages", "one line", "--here", "--suite", "odl", "--bytes", "1000"])
        assert main() == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["suite"], found["shape"], found["bounded"]) == ("odl", "one line", False)
