"""``docassay parsers``: what is here, what it lacks, and the licences people must see before they ship."""

import json
import shutil
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from orchestrator import local
from orchestrator.cli.app import app
from services.runtime import weights


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["parsers", *words], env={"COLUMNS": "300"})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_first_help_promises_no_more_than_a_run_does() -> None:
    """A run that names no parser has the usual ones, not every parser that is here."""
    shown = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "300"}).stdout.split())
    assert "it parses the sample corpus with the usual parsers, scores it" in shown
    assert "every parser" not in shown


class TestParsers:
    def test_every_row_of_the_published_leaderboard_exists(self) -> None:
        """All eight tools, each with the version that was published."""
        entries = {entry["parser"]: entry for entry in json.loads(run("--json"))}
        published = {
            "docslicer": "0.2.0",
            "docling": "2.115.0",
            "markitdown": "0.1.6",
            "unstructured": "0.24.1",
            "opendataloader": "2.5.0",
            "pymupdf4llm": "1.28.0",
            "mineru": "3.4.4",
            "marker": "2.0.0",
        }
        assert {name: entries[name]["versions"][-1] for name in published} == published
        assert {"tesseract", "indra_ocr", "docling_rs", "vlm"} <= set(entries)

    def test_what_is_missing_is_told_with_its_remedy(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Weights that are not here: which, how large, and the command; also in the list for people."""
        monkeypatch.setenv(weights.VARIABLE, str(tmp_path))
        [entry] = [entry for entry in json.loads(run("--json")) if entry["parser"] == "indra_ocr"]
        assert entry["state"] == "weights_unavailable"
        for told in (entry["missing"], run()):
            assert "about 76 MB" in told
            assert "hf download datalab-to/indra-ocr" in told

    def test_each_setting_has_a_state_of_its_own(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The tier without models is ready where the others lack theirs, and each version says what it reads."""
        monkeypatch.setenv(weights.VARIABLE, str(tmp_path))
        [entry] = [entry for entry in json.loads(run("--json")) if entry["parser"] == "mineru"]
        assert entry["state"] == "weights_unavailable"
        assert {name: setting["state"] for name, setting in entry["settings"].items()} == {
            "flash": "ready",
            "basic": "weights_unavailable",
        }
        assert entry["formats_of_versions"] == {
            "4.0.12": ["pdf", "docx", "pptx", "html"],
            "3.4.4": ["pdf", "docx", "pptx"],
        }
        shown = run()
        assert "mineru@4.0.12:flash, ready: the tier without models" in shown
        assert "mineru@4.0.12:basic, weights unavailable: " in shown
        assert "mineru:basic: small models (858 MB" in shown

    def test_what_an_older_version_lacks(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The published versions are the older ones: their models are others, and are told as well."""
        monkeypatch.setenv(weights.VARIABLE, str(tmp_path))
        entries = {entry["parser"]: entry for entry in json.loads(run("--json"))}
        assert entries["mineru"]["older"]["3.4.4"]["state"] == "weights_unavailable"
        assert entries["markitdown"]["older"] == {"0.1.6": {"state": "ready", "missing": ""}}
        shown = run()
        assert f"mineru@3.4.4: {entries['mineru']['older']['3.4.4']['missing']}"[:200] in shown
        assert "markitdown@0.1.6:" not in shown

    def test_a_lock_that_is_yet_to_be_made(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The parser says what makes it; the others are listed as ever."""
        services = tmp_path / "services"
        for name in ("intake", "markitdown", "opendataloader"):
            shutil.copytree(local.SERVICES / name, services / name)
        path = services / "markitdown" / "parser.toml"
        path.write_text(path.read_text().replace("versions = [", 'versions = ["99", '))
        monkeypatch.setattr(local, "SERVICES", services)
        entries = {entry["parser"]: entry for entry in json.loads(run("--json"))}
        assert list(entries) == ["markitdown", "opendataloader"]
        assert entries["markitdown"]["state"] == "requirement_missing"
        assert "python -m services.locks markitdown 99" in entries["markitdown"]["missing"]
        assert entries["markitdown"]["older"]["0.1.9"]["state"] == "ready"
        assert "python -m services.locks markitdown 99" in run()

    def test_a_server_that_is_not_there_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A parser whose models another server has is not ready where there is none."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            monkeypatch.setenv("OLLAMA_HOST", address)
            [there] = [entry for entry in json.loads(run("--json")) if entry["parser"] == "vlm"]
        [gone] = [entry for entry in json.loads(run("--json")) if entry["parser"] == "vlm"]
        assert (there["state"], there["missing"]) == ("ready", "")
        assert gone["state"] == "requirement_missing"
        for told in (gone["missing"], run()):
            assert f"an Ollama server is needed at {address}, and none answers there" in told

    @pytest.mark.parametrize(
        "words",
        [
            "docslicer: AGPL",
            "pymupdf4llm: AGPL",
            "pymupdf4llm@1.28.0: AGPL-3.0-only, and PolyForm-Noncommercial-1.0.0 for its layout package: ",
            "mineru: MinerU's own licence",
            "marker: the weights' licence",
        ],
    )
    def test_licences_that_bind_are_said(self, words: str) -> None:
        """Copyleft, non-commercial and custom terms stand below the table."""
        assert words in run()
