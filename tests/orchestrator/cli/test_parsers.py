"""``docassay parsers``: what is here, what it lacks, and the licences people must see before they ship."""

import json
import socket

import pytest
from typer.testing import CliRunner

from orchestrator.cli.app import app
from services.runtime import weights


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["parsers", *words], env={"COLUMNS": "300"})
    assert done.exit_code == 0, done.output
    return done.stdout


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

    def test_what_is_missing_is_told_with_its_remedy(self, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
        """Weights that are not here: which, how large, and the command; also in the list for people."""
        monkeypatch.setenv(weights.VARIABLE, str(tmp_path))
        [entry] = [entry for entry in json.loads(run("--json")) if entry["parser"] == "indra_ocr"]
        assert entry["state"] == "weights_unavailable"
        for told in (entry["missing"], run()):
            assert "about 76 MB" in told
            assert "hf download datalab-to/indra-ocr" in told

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
