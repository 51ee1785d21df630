"""What a person reads after a run."""

import io
from typing import Any

from rich.console import Console

from orchestrator.cli import render


def _shown(annotate_first: list[dict[str, Any]]) -> str:
    board = {
        "suite": "bizdoc@1",
        "run": {"corpus_name": "small", "corpus_version": "1", "run_id": "r"},
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
