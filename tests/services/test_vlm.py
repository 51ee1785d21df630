"""The vision model's service against an Ollama server on loopback: what it asks, what it makes of the answer."""

import ast
import base64
import shutil
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from docassay.v1 import parser_pb2 as pb
from orchestrator import environments, local
from services.runtime import descriptor
from tests.scorer.embedders.ollama_fake import Server, serving
from tests.services.served import Served, outcome, requests

FOLDER = local.SERVICES / "vlm"
PROBES = local.SERVICES / "runtime" / "probes"
MODELS = {"qwen2.5vl:7b": "ab" * 32, "qwen3-vl:8b": "cd" * 32}
PAGE = "# Title\n\nThe words.\n\n<table><tr><th>a</th></tr><tr><td>b</td></tr></table>"


def served(folder: Path, address: str, *arguments: str) -> Served:
    [version] = descriptor.read(FOLDER).versions
    python = environments.python_of(
        descriptor.read(FOLDER).lock(version), python=sys.executable, label=f"vlm-{version}"
    )
    environment = {"OLLAMA_HOST": address, "NO_PROXY": "127.0.0.1"}
    return Served(folder, *arguments, parser=FOLDER, version=version, python=python, environment=environment)


def server(**changes: object) -> Server:
    answer = {"model": "m", "message": {"role": "assistant", "content": PAGE}, "done": True}
    return Server(**{"models": MODELS, "answer": answer, **changes})  # type: ignore[arg-type]


PAGE_OF_THE_WEB = "<!DOCTYPE html><html><body>\x1b[31m" + "a page of the web " * 99


class Other(BaseHTTPRequestHandler):
    """Something else than an Ollama server: it answers every question alike."""

    status, kind, body = 200, "text/html", PAGE_OF_THE_WEB

    def do_GET(self) -> None:
        self.send_response(self.status)
        if self.kind:
            self.send_header("Content-Type", self.kind)
        self.end_headers()
        self.wfile.write(self.body.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


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
            assert (asked["model"], asked["options"]) == (
                "qwen2.5vl:7b",
                {"temperature": 0, "seed": 0, "num_ctx": 16_384},
            )
            assert base64.b64decode(message["images"][0]).startswith(b"\x89PNG")
            assert "HTML tables" in message["content"]
            assert parser.close() == 0

    def test_an_answer_that_is_cut_off_is_an_error(self, folder: Path) -> None:
        """The page is named, and that its text did not end; part of a page never passes for all of it."""
        cut = {"message": {"role": "assistant", "content": "and " * 99}, "done": True, "done_reason": "length"}
        with serving(server()) as ollama:
            parser = served(folder, ollama.address)
            parser.warm()
            ollama.answer = cut
            header = pb.ParseHeader(document_id="d", format="pdf", deadline_seconds=60)
            found = outcome(parser.stub.Parse(requests(header, (PROBES / "probe.pdf").read_bytes()), timeout=120))
            assert (found.status, found.text) == ("error", "")
            assert "page 1 did not end within the model's context of 16384 tokens" in found.reason
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


class TestIdentity:
    @pytest.mark.parametrize(("setting", "model"), [("", "qwen2.5vl:7b"), ("qwen3-vl-8b", "qwen3-vl:8b")])
    def test_the_digest_is_that_of_the_model(self, folder: Path, setting: str, model: str) -> None:
        """Before anything is parsed, as it enters every score's signature; it is the server's, and of this model."""
        with serving(server()) as ollama:
            parser = served(folder, ollama.address, "--setting", setting)
            told = parser.client.describe()
            assert (told.setting, told.weights_digest) == (setting, MODELS[model])
            assert told.adapter_digest == descriptor.read(FOLDER).adapter_digest()
            assert parser.below == []
            assert parser.warm().state == pb.PARSER_STATE_READY
            assert parser.client.describe() == told
            assert parser.close() == 0

    def test_a_model_that_was_pulled_anew_is_another(self, folder: Path) -> None:
        """A name stands for other weights tomorrow: they are asked for each time."""
        with serving(server()) as ollama:
            parser = served(folder, ollama.address)
            before = parser.client.describe()
            ollama.models = {"qwen2.5vl:7b": "sha256:" + "ef" * 32}
            after = parser.client.describe()
            assert (before.weights_digest, after.weights_digest) == ("ab" * 32, "ef" * 32)
            parser.warm()
            ollama.models = MODELS
            parser.warm()
            assert parser.client.describe().weights_digest == "ab" * 32
            assert parser.close() == 0

    def test_the_prompt_is_in_the_adapters_digest(self, tmp_path: Path) -> None:
        """Another prompt is another adapter, and so another signature."""
        copy = tmp_path / "vlm"
        shutil.copytree(FOLDER, copy)
        assert descriptor.read(copy).adapter_digest() == descriptor.read(FOLDER).adapter_digest()
        text = (copy / "adapter.py").read_text()
        (copy / "adapter.py").write_text(text.replace("Transcribe this page", "Read this page"))
        assert descriptor.read(copy).adapter_digest() != descriptor.read(FOLDER).adapter_digest()


class TestMissing:
    def test_the_model(self, folder: Path) -> None:
        """The command that fetches it is told."""
        with serving(server(models={})) as ollama:
            parser = served(folder, ollama.address)
            for answer in (parser.client.describe(), parser.warm()):
                assert answer.state == pb.PARSER_STATE_WEIGHTS_UNAVAILABLE
                assert "ollama pull qwen2.5vl:7b" in answer.reason
            ollama.models = MODELS
            assert parser.client.describe().state == pb.PARSER_STATE_READY
            assert parser.close() == 0

    def test_the_server(self, folder: Path) -> None:
        """Nobody listens: where one was looked for and the remedy are told; once somebody does, it works."""
        with serving(server()) as ollama:
            address = ollama.address
        parser = served(folder, address)
        for answer in (parser.client.describe(), parser.warm()):
            assert answer.state == pb.PARSER_STATE_REQUIREMENT_MISSING
            assert answer.reason.startswith(f"an Ollama server is needed at {address}, and none answers there (")
            assert "ollama serve" in answer.reason
        assert parser.below == []
        assert parser.close() == 0

    @pytest.mark.parametrize(
        ("status", "kind", "body", "told"),
        [
            (200, "text/html; charset=utf-8", PAGE_OF_THE_WEB, "status 200, text/html; charset=utf-8"),
            (404, "text/html", PAGE_OF_THE_WEB, "status 404, text/html"),
            (200, "", "", "status 200, no type of content"),
            (200, "application/json", "[]", "status 200, application/json"),
            (500, "application/json", "[]", "status 500, application/json"),
            (200, "application/json", PAGE_OF_THE_WEB, "status 200, application/json"),
            (418, "\x1b[31m" + "x" * 999, "", "status 418, ?[31m" + "x" * 115),
        ],
    )
    def test_a_server_of_something_else(self, folder: Path, status: int, kind: str, body: str, told: str) -> None:
        """It listens and does not answer as Ollama does: what answers is told, not what it said."""
        other_kind = type("Answering", (Other,), {"status": status, "kind": kind, "body": body})
        with ThreadingHTTPServer(("127.0.0.1", 0), other_kind) as other:
            threading.Thread(target=other.serve_forever, daemon=True).start()
            parser = served(folder, f"http://user:secret@127.0.0.1:{other.server_port}")
            for answer in (parser.client.describe(), parser.warm()):
                assert answer.state == pb.PARSER_STATE_REQUIREMENT_MISSING
                assert answer.reason == (
                    f"an Ollama server is needed, and what answers at 127.0.0.1:{other.server_port} is none ({told}): "
                    "start one with ollama serve, or name another in OLLAMA_HOST"
                )
            assert parser.close() == 0
            other.shutdown()

    @pytest.mark.parametrize("body", ['{"error": "\\u001b[31mout of memory"}', '{"models": [1]}'])
    def test_a_server_s_own_failure_is_told_in_its_words(self, folder: Path, body: str) -> None:
        """A few of them, and none that a terminal would obey."""
        failing = type(
            "Failing", (Other,), {"status": 500 if "error" in body else 200, "kind": "application/json", "body": body}
        )
        with ThreadingHTTPServer(("127.0.0.1", 0), failing) as other:
            threading.Thread(target=other.serve_forever, daemon=True).start()
            parser = served(folder, f"http://127.0.0.1:{other.server_port}")
            reason = parser.client.describe().reason
            assert reason.startswith("an Ollama server is needed and does not answer (")
            assert "\x1b" not in reason
            assert ("out of memory (status code: 500)" in reason) == ("error" in body)
            assert parser.close() == 0
            other.shutdown()


def test_parser_toml_and_adapter_name_the_same_models() -> None:
    """What a person is told to pull is what the parser asks for."""
    commands = descriptor.read(FOLDER).weights_elsewhere
    assigned = ast.parse((FOLDER / "adapter.py").read_text()).body
    [models] = [
        ast.literal_eval(node.value)
        for node in assigned
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MODELS"
    ]
    assert commands == {setting: f"ollama pull {model}" for setting, model in models.items()}
