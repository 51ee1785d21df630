"""What ``corpus check`` and ``corpus init`` say."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from orchestrator.cli.app import app
from tests.orchestrator.corpus.conftest import build


def check(folder: Path, *words: str) -> tuple[int, list[str]]:
    """Check a corpus; return the exit code and the lines printed."""
    done = CliRunner().invoke(app, ["corpus", "check", str(folder), *words])
    return done.exit_code, done.stdout.splitlines()


class TestCheck:
    def test_counts_have_their_plural(self, tmp_path: Path) -> None:
        """No fault, one fault, two faults."""
        corpus = build(tmp_path / "corpus")
        assert check(corpus.path) == (0, ["0 faults, 0 warnings"])
        corpus.manifest(lambda manifest: manifest["documents"][0].update(format="xlsx", note="mine"))
        assert check(corpus.path)[1][-1] == "1 fault, 1 warning"
        corpus.manifest(lambda manifest: manifest["documents"][1].update(format="xlsx"))
        code, lines = check(corpus.path)
        assert (code, lines[-1]) == (2, "2 faults, 1 warning")

    def test_json_lines(self, tmp_path: Path) -> None:
        """One object a fault and line, and nothing else."""
        corpus = build(tmp_path / "corpus")
        assert check(corpus.path, "--json") == (0, [])
        corpus.manifest(lambda manifest: manifest["documents"][0].update(format="xlsx"))
        code, [line] = check(corpus.path, "--json")
        assert code == 2
        told = json.loads(line)
        assert told.pop("text").startswith('found "xlsx", expected pdf, docx, ')
        assert told == {"file": "documents.json", "place": "/documents/0/format", "warning": False}

    def test_whatever_a_corpus_holds_can_be_printed(self, tmp_path: Path) -> None:
        """Keys, ids and paths with halves of characters or a terminal's commands are escaped, as text and as JSON."""
        corpus = build(tmp_path / "corpus")

        def break_it(manifest: dict[str, Any]) -> None:
            report, memo = manifest["documents"]
            report["\ud800"] = 1
            memo |= {"id": "x\udfff", "annotations": ["tables"], "path": "\udfff\x1b[31m"}

        corpus.manifest(break_it)
        (corpus.path / "annotations" / "tables" / "\x1b[2J.tables.json").write_text("{}")
        code, lines = check(corpus.path)
        assert (code, lines[-1]) == (2, "5 faults, 2 warnings")
        assert not any("\x1b" in line for line in lines)
        assert [line for line in lines if line.startswith("warning: annotations/tables/\\x1b[2J.tables.json: is not")]
        code, lines = check(corpus.path, "--json")
        assert code == 2
        files = {json.loads(line)["file"] for line in lines}
        assert files == {
            "documents.json",
            "annotations/tables/x\\udfff.tables.json",
            "annotations/tables/\\x1b[2J.tables.json",
        }


class TestInit:
    def test_counts_have_their_plural(self, tmp_path: Path) -> None:
        """One document, no annotations."""
        (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7")
        done = CliRunner().invoke(app, ["corpus", "init", str(tmp_path)])
        assert done.stdout == f"{tmp_path.resolve() / 'documents.json'}: 1 document, 0 annotations\n"
