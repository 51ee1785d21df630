"""The vision model's service against an Ollama server on loopback: what it asks, what it makes of the answer."""

import base64
import sys
from pathlib import Path

import pytest

from docassay.v1 import parser_pb2 as pb
from orchestrator import environments, local
from services.runtime import descriptor
from tests.scorer.embedders.ollama_fake import Server, serving
from tests.services.served import Served, outcome, requests

FOLDER = local.SERVICES / "vlm"
PROBES = local.SERVICES / "runtime" / "probes"
PAGE = "# Title\n\nThe words.\n\n<table><tr><th>a</th></tr><tr><td>b</td></tr></table>"


def served(folder: Path, address: str) -> Served:
    [version] = descriptor.read(FOLDER).versions
    python = environments.python_of(
        descriptor.read(FOLDER).lock(version), python=sys.executable, label=f"vlm-{version}"
    )
    return Served(folder, parser=FOLDER, version=version, python=python, environment={"OLLAMA_HOST": address})


def server(**changes: object) -> Server:
    answer = {"model": "m", "message": {"role": "assistant", "content": PAGE}, "done": True}
    return Server(**{"models": {"qwen2.5vl:7b": "digest"}, "answer": answer, **changes})  # type: ignore[arg-type]


class TestService:
    @pytest.mark.parametrize("format", ["pdf", "image"])
    def test_a_page_is_asked_for_and_read(self, folder: Path, format: str) -> None:
        """The model gets the page's image once, and its markdown is the text."""
        with serving(server()) as ollama:
            parser = served(folder, ollama.address)
            assert parser.warm().state == pb.PARSER_STATE_READY
            ollama.asked.clear()
            content = (PROBES / f"probe.{'png' if format == 'image' else format}").read_bytes()
            header = pb.ParseHeader(document_id="d", format=format, deadline_seconds=60)
            found = outcome(parser.stub.Parse(requests(header, content), timeout=120))
            assert (found.status, found.text) == ("ok", PAGE)
            [asked] = ollama.asked
            [message] = asked["messages"]
            assert (asked["model"], asked["options"]) == ("qwen2.5vl:7b", {"temperature": 0, "seed": 0})
            assert base64.b64decode(message["images"][0]).startswith(b"\x89PNG")
            assert "HTML tables" in message["content"]
            assert parser.close() == 0

    def test_a_server_that_fails_is_an_error_with_its_words(self, folder: Path) -> None:
        """One document's failure, told as the server tells it."""
        with serving(server()) as ollama:
            parser = served(folder, ollama.address)
            parser.warm()
            ollama.status = 500
            header = pb.ParseHeader(document_id="d", format="image", deadline_seconds=60)
            found = outcome(parser.stub.Parse(requests(header, (PROBES / "probe.png").read_bytes()), timeout=120))
            assert found.status == "error"
            assert "out of memory" in found.reason
            assert parser.close() == 0


class TestMissing:
    def test_the_model(self, folder: Path) -> None:
        """The command that fetches it is told."""
        with serving(server(models={})) as ollama:
            parser = served(folder, ollama.address)
            answer = parser.warm()
            assert answer.state == pb.PARSER_STATE_WEIGHTS_UNAVAILABLE
            assert "ollama pull qwen2.5vl:7b" in answer.reason
            assert parser.close() == 0

    def test_the_server(self, folder: Path) -> None:
        """Nobody listens: the remedy is told."""
        parser = served(folder, "http://127.0.0.1:9")
        answer = parser.warm()
        assert answer.state == pb.PARSER_STATE_REQUIREMENT_MISSING
        assert "ollama serve" in answer.reason
        assert parser.close() == 0
