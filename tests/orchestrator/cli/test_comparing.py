"""``docassay compare`` as a person and a gate meet it."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from orchestrator import scorer_client
from orchestrator.cli import comparing
from orchestrator.cli.app import app


class _Scorer:
    def __init__(self, found: dict[str, Any]) -> None:
        self.comparison_json = json.dumps(found)

    def compare(self, before: str, after: str) -> "_Scorer":
        return self

    def __enter__(self) -> "_Scorer":
        return self

    def __exit__(self, *error: object) -> None:
        pass


def _change(headline: str, verdict: str) -> dict[str, Any]:
    if verdict == "not compared":
        return {"headline": headline, "verdict": verdict, "reason": "other conditions: machine", "few_documents": False}
    return {
        "headline": headline,
        "verdict": verdict,
        "documents": 40,
        "few_documents": False,
        "before": 0.9,
        "after": 0.8,
        "difference": -0.1,
        "interval": {"lower": -0.12, "upper": -0.08},
        "adjusted_p": 0.001,
    }


def _ask(monkeypatch: pytest.MonkeyPatch, folder: Path, verdicts: dict[str, str], *words: str) -> Any:
    found = {
        "suite": "bizdoc@1",
        "before": {"run_id": "one"},
        "after": {"run_id": "two"},
        "documents": 40,
        "only_before": ["[red]x"],
        "only_after": [],
        "other_files": [],
        "differing": [
            {"condition": "machine", "axes": ["speed"], "parsers": ["tool@2"], "before": "m1", "after": "m2"}
        ],
        "parsers": [
            {
                "before": "tool@1",
                "after": "tool@2",
                "changes": [_change(*item) for item in verdicts.items()],
                "regressed": [{"document": "d1", "change": -0.1, "kpis": {"nid": [0.9, 0.8]}}],
                "newly_failed": [{"document": "d2", "reason": "crash: gone"}],
                "mended": [],
            }
        ],
        "unpaired_before": [],
        "unpaired_after": [],
        "worse": [{"parser": "tool@2", "headline": name} for name, verdict in verdicts.items() if verdict == "worse"],
    }
    monkeypatch.setattr(scorer_client, "session", lambda _, **_how: _Scorer(found))
    monkeypatch.setattr(comparing.options, "existing", lambda results: results)
    monkeypatch.setenv("COLUMNS", "80")
    return CliRunner().invoke(app, ["compare", "one", "two", "--results", str(folder), *words])


class TestCompare:
    def test_a_person_reads_what_changed_and_where(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """On 80 columns nothing is cut off; names from a file are no markup."""
        verdicts = {"composite": "not compared", "faithfulness": "worse", "coverage": "no difference shown"}
        shown = _ask(monkeypatch, tmp_path, verdicts)
        assert shown.exit_code == 0
        assert "tool@1 → tool@2" in shown.output
        assert "no difference shown" in shown.output
        assert "machine (m1 → m2): speed not compared" in shown.output
        assert "regressed: d1 -0.1000: nid 0.900 → 0.800" in shown.output
        assert "newly failed: d2: crash: gone" in shown.output
        assert "only in the earlier run: [red]x" in shown.output
        assert "…" not in shown.output
        assert "Go by the verdict, not by whether intervals overlap" in " ".join(shown.output.split())

    @pytest.mark.parametrize(("verdict", "code"), [("worse", 1), ("better", 0), ("no difference shown", 0)])
    def test_the_gate_ends_with_1_when_something_is_worse(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, verdict: str, code: int
    ) -> None:
        """Without the gate the answer is the same, the code is 0."""
        assert _ask(monkeypatch, tmp_path, {"tables": verdict}, "--gate").exit_code == code
        asked = _ask(monkeypatch, tmp_path, {"tables": verdict}, "--json")
        assert asked.exit_code == 0
        assert json.loads(asked.output)["parsers"][0]["changes"][0]["verdict"] == verdict

    def test_a_gate_with_nothing_to_compare_does_not_pass(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """Silence is no approval."""
        asked = _ask(monkeypatch, tmp_path, {"tables": "not compared"}, "--gate")
        assert isinstance(asked.exception, comparing.UsageError)
