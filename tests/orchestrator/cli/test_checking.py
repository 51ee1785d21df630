"""What ``verify`` tells of recorded answers, and where the machine lacks what a comparison needs."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from orchestrator.cli.app import app
from scorer.conformance import ConformanceError
from tests.orchestrator.cli.shell import docassay

CASE = {
    "id": "h-1",
    "axis": "heading_match",
    "input": {"a": "Scope", "b": "Scopes"},
    "expected": {"distance": 1, "match": True},
}


def told(path: Path, *lines: object) -> tuple[int, list[str]]:
    """Verify bizdoc cases; return the exit code and the lines printed."""
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    done = CliRunner().invoke(app, ["verify", "bizdoc", str(path)])
    return done.exit_code, done.stdout.splitlines()


class TestVerify:
    def test_all_is_well(self, tmp_path: Path) -> None:
        """One case that passes: exit 0."""
        assert told(tmp_path / "c.jsonl", CASE) == (0, ["1 passed, 0 failed, 0 skipped, 0 faults"])

    def test_a_difference(self, tmp_path: Path) -> None:
        """Values are JSON, and the exit code is 1."""
        wrong = {**CASE, "id": "h-\x1b", "expected": {"distance": 1, "match": None}}
        code, lines = told(tmp_path / "c.jsonl", CASE, wrong)
        assert code == 1
        assert lines == [
            "differs: h-\\x1b: match: expected null, got true",
            "1 passed, 1 failed, 0 skipped, 0 faults",
        ]

    def test_broken_lines(self, tmp_path: Path) -> None:
        """Every broken line is listed with file and number, the good ones are compared, and the exit code is 2."""
        path = tmp_path / "c.jsonl"
        code, lines = told(path, "{", CASE, {"id": "\ud800", "axis": "heading_match"})
        assert code == 2
        assert lines[0].startswith(f"fault: {path}, line 1: not JSON")
        assert lines[1].startswith(f"fault: {path}, line 3: a case must have")
        assert lines[2] == "1 passed, 0 failed, 0 skipped, 2 faults"

    def test_nothing_to_compare(self, tmp_path: Path) -> None:
        """Recordings without values are shown as skipped, and when there is nothing else the exit code is 2."""
        recorded = {"document": "d", "parser": "p", "annotations": [], "output": None, "expected": {}}
        (tmp_path / "d.json").write_text(json.dumps(recorded))
        done = CliRunner().invoke(app, ["verify", "bizdoc", str(tmp_path), "--corpus", str(tmp_path)])
        assert done.stdout.splitlines() == [
            "skipped: p/d: nothing is recorded to compare it with",
            "0 passed, 0 failed, 1 skipped, 0 faults",
        ]
        nothing = f"no recorded answer was found in {tmp_path}, so nothing was compared"
        assert str(done.exception) == nothing

    @pytest.mark.parametrize("suite", ["bizdoc", "omnidoc", "omniparse"])
    def test_an_empty_file_is_named(self, tmp_path: Path, suite: str) -> None:
        """Nothing is in it to compare."""
        path = tmp_path / "empty.jsonl"
        path.touch()
        done = CliRunner().invoke(app, ["verify", suite, str(path)])
        assert str(done.exception) == f"no recorded answer was found in {path}, so nothing was compared"

    @pytest.mark.parametrize("suite", ["bizdoc", "omnidoc", "omniparse", "odl"])
    def test_a_missing_path(self, tmp_path: Path, suite: str) -> None:
        """A path that is not there is named."""
        words = ["--gold", str(tmp_path)] if suite == "odl" else []
        done = CliRunner().invoke(app, ["verify", suite, str(tmp_path / "none"), *words])
        assert isinstance(done.exception, ConformanceError)
        assert str(done.exception).startswith(f"{tmp_path / 'none'} does not exist")


class TestVerifyOmnidoc:
    def test_cdm_without_latex(self, tmp_path: Path) -> None:
        """Asked for CDM on a machine without LaTeX, it compares nothing and names the packages to install."""
        case = {"id": "t", "kind": "text_norm", "input": {"text": "a"}}
        case["expected"] = {"textblock2unicode": "a", "clean_string": "a"}
        (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
        nowhere = {"PATH": str(tmp_path)}
        plain = docassay("verify", "omnidoc", tmp_path, environment=nowhere)
        assert plain.stdout == "1 passed, 0 failed, 0 skipped, 0 faults\n"
        asked = docassay("verify", "omnidoc", tmp_path, "--cdm", environment=nowhere)
        assert (asked.returncode, asked.stdout) == (1, "")
        [command] = re.findall(r"apt-get install --no-install-recommends (.*)", asked.stderr)
        assert {"fontconfig", "ghostscript", "texlive-lang-chinese", "texlive-xetex"} <= set(command.split())
