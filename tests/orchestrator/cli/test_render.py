"""What a person reads after a run."""

import io
from typing import Any

import pyarrow as pa
import pytest
from rich.console import Console

from orchestrator.cli import render

EQUAL = dict.fromkeys(render.AXES, 1.0)


def _shown(annotate_first: list[dict[str, Any]]) -> str:
    board = {
        "suite": "bizdoc@1",
        "run": {"corpus_name": "small", "corpus_version": "1", "run_id": "r", "exclusive": True},
        "weights": EQUAL,
        "parsers": [],
        "by_format": [],
        "by_domain": [],
        "failures": [],
        "failures_total": 0,
        "not_ready": [],
        "partial": False,
        "comparable": True,
        "certainty": None,
        "annotate_first": annotate_first,
    }
    sink = io.StringIO()
    render.leaderboard(board, Console(file=sink, width=render.PLAIN_WIDTH))
    return sink.getvalue()


class TestAnnotateFirst:
    def test_documents_are_listed_with_their_agreement_and_how_the_outputs_differ(self) -> None:
        """A document's name is no markup, and the hint says where the rest is."""
        row = {"document": "[bold]lease", "agreement": 0.25}
        row |= {"fewest_characters": 10, "most_characters": 990, "fewest_headings": 3, "most_headings": 3}
        row |= {"fewest_tables": 0, "most_tables": 2}
        shown = _shown([row])
        [line] = [line for line in shown.splitlines() if "lease" in line]
        assert line.split() == ["[bold]lease", "0.2500", "10–990", "3", "0–2"]
        assert 'docassay sql "from annotate_first"' in shown

    def test_nothing_is_said_when_there_is_nothing_to_annotate(self) -> None:
        """All documents have gold, or there was one parser."""
        assert "annotate" not in _shown([])


def _row(parser: str, rank: int, last: int, place: int, interval: list[float] | None) -> dict[str, Any]:
    return {
        "parser": parser,
        "rank": rank,
        "last_rank": last,
        "place": place,
        "composite": 0.875 - place / 100,
        "composite_interval": interval,
        "composite_small_sample_interval": None,
        "gap": (place - 1) / 100,
        "gap_interval": [-0.02, 0.04],
        "leads": 1 / place,
        "axes": dict.fromkeys(render.AXES, 0.5),
        "pages_per_second": 1.0,
        "failed": 0,
        "documents": 127,
    }


def _board(
    rows: list[dict[str, Any]],
    width: int,
    *,
    few: bool = False,
    weights: dict[str, float] = EQUAL,
    exclusive: bool = True,
) -> str:
    board = {
        "suite": "bizdoc@1",
        "run": {"corpus_name": "small", "corpus_version": "1", "run_id": "r", "exclusive": exclusive},
        "weights": weights,
        "parsers": rows,
        "certainty": {"documents": 9 if few else 127, "few_documents": few, "resamples": 2000, "seed": 1},
        "by_format": [],
        "by_domain": [],
        "failures": [],
        "failures_total": 0,
        "not_ready": [],
        "partial": False,
        "comparable": True,
        "annotate_first": [],
    }
    sink = io.StringIO()
    render.leaderboard(board, Console(file=sink, width=width))
    return sink.getvalue()


class TestRows:
    def test_no_value_reaches_the_terminal_as_a_command(self) -> None:
        """A document's title or a parser's reason may hold escape sequences: they are shown, not sent."""
        sink = io.StringIO()
        batch = pa.RecordBatch.from_pylist([{"text": "a\x1b]0;title\x07[red]b", "list": ["\x1b[2J"]}])
        render.rows([batch], Console(file=sink, width=render.PLAIN_WIDTH))
        assert "a\\x1b]0;title\\x07[red]b" in sink.getvalue()
        assert "\\x1b[2J" in sink.getvalue()
        assert "\x1b" not in sink.getvalue()


class TestCertainty:
    ROWS = [_row("first@1.0.0", 1, 2, 1, [0.84, 0.91]), _row("second@2.0.0", 1, 2, 2, [0.8, 0.9])]

    @pytest.mark.parametrize("width", [80, 100, 160])
    def test_a_composite_has_its_interval_and_a_shared_place_shows(self, width: int) -> None:
        """Whatever the width: nothing is cut off, no order is suggested."""
        shown = _board(self.ROWS, width)
        assert "[0.84, 0.91]" in shown
        assert shown.count("1–2 ") >= 2
        assert "…" not in shown
        assert "127 documents. Intervals hold 95 %, from 2,000 resamples" in shown
        assert max(map(len, shown.splitlines())) <= width

    def test_few_documents_are_said_to_be_few(self) -> None:
        """And a rank that is sure is one number."""
        shown = _board([_row("only@1", 1, 1, 1, [0.84, 0.91])], 160, few=True)
        assert "9 documents are few" in shown
        assert "1–2" not in shown

    @pytest.mark.parametrize(
        ("documents", "few", "said"),
        [
            (1, True, "[yellow]1 page is few:[/] small differences cannot be shown, intervals are wide"),
            (2, True, "[yellow]2 pages are few:[/] small differences cannot be shown, intervals are wide"),
            (30, False, "30 pages"),
        ],
    )
    def test_one_is_singular(self, documents: int, few: bool, said: str) -> None:
        """In every suite's leaderboard."""
        assert render.how_many({"documents": documents, "few_documents": few}, "page") == said

    def test_a_throughput_run_is_told_apart(self) -> None:
        """Whose documents were parsed side by side, and that their speeds are not ranked with others."""
        rows = [row | {"replicas": count} for row, count in zip(self.ROWS, (3, 1), strict=True)]
        shown = _board(rows, 160, exclusive=False)
        assert "no exclusive run: documents were parsed side by side (first@1.0.0: 3 replicas)" in shown
        assert "no exclusive run" not in _board(rows, 160)

    def test_of_few_documents_the_interval_that_is_too_short_is_not_shown(self) -> None:
        """Where the other one is not known, none is."""
        row = _row("only@1", 1, 1, 1, [0.84, 0.91])
        shown = _board([row], 160, few=True)
        assert "[0.84, 0.91]" not in shown
        assert "nothing is known of how much a score varies" in shown
        assert "[0.70, 0.97]" in _board([row | {"composite_small_sample_interval": [0.7, 0.97]}], 160, few=True)

    def test_no_interval_is_a_dash_with_its_reason(self) -> None:
        """Never an empty bracket."""
        shown = _board([_row("only@1", 1, 1, 1, None)], 100)
        assert "rests on a single document" in shown


class TestWeights:
    def test_weights_that_are_not_equal_stand_below_the_composite(self) -> None:
        """A composite of other weights is another figure; equal ones go without saying."""
        rows = [_row("only@1", 1, 1, 1, [0.84, 0.91])]
        assert "weights of the composite" not in _board(rows, 160)
        shown = _board(rows, 160, weights=EQUAL | {"tables": 2.5, "speed": 0.0})
        assert "weights of the composite: coverage 1, speed 0, hierarchy 1, faithfulness 1, tables 2.5" in shown
