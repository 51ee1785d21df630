"""Ollama embedders, against a server on loopback."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ollama")

from scorer.embedders import EmbedderError, open_embedder
from scorer.embedders.ollama_server import OllamaServer
from tests.scorer.embedders.ollama_fake import CONTEXT, Server, serving, vector


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that OLLAMA_HOST names."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving(Server()) as running:
        monkeypatch.setenv("OLLAMA_HOST", running.address)
        yield running


class TestEmbed:
    def test_prefixes_and_length(self, server: Server, tmp_path: Path) -> None:
        """Questions and chunks go out with nomic's prefixes; what comes back is brought to length 1."""
        embedder = open_embedder("ollama", tmp_path)
        (query,) = embedder.embed_queries(["growth?"]).vectors
        (passage,) = embedder.embed_passages(["Revenue grew."]).vectors
        assert [asked["input"] for asked in server.asked] == ["search_query: growth?", "search_document: Revenue grew."]
        expected = np.array(vector("search_query: growth?"))
        assert query == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
        assert np.linalg.norm(passage) == pytest.approx(1, abs=1e-6)
        embedder.close()

    def test_never_cut_in_silence(self, server: Server) -> None:
        """The server is told its context and told not to cut."""
        OllamaServer().embed(["a"])
        assert server.asked == [
            {"model": "nomic-embed-text", "input": "a", "truncate": False, "options": {"num_ctx": CONTEXT}}
        ]

    def test_too_long(self, server: Server) -> None:
        """A text the server refuses is cut to the longest start, in steps of 64 characters, and counted."""
        text = "".join(f"word{number:04} " for number in range(300))
        whole, cut = OllamaServer().embed([text[:400], text])
        assert (whole.truncated, cut.truncated) == (False, True)
        expected = np.array(vector(text[:448]))  # 49 words of nine characters and seven more; 512 would be 57 words
        assert cut.vector == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)

    def test_other_models_have_no_prefix(self, server: Server, tmp_path: Path) -> None:
        """A model whose authors ask for no prefix gets none, and the identity says so."""
        server.models = {"mini:33m": "abc"}
        embedder = open_embedder("ollama:mini:33m", tmp_path)
        embedder.embed_queries(["a"])
        assert server.asked[0]["input"] == "a"
        assert (embedder.identity.query_prefix, embedder.identity.passage_prefix) == ("", "")
        embedder.close()


class TestIdentity:
    def test_facts(self, server: Server) -> None:
        """The identity has the server's digest of the model, its context and the server's version."""
        identity = OllamaServer().identity
        assert identity.name == "ollama:nomic-embed-text"
        assert "sha256:0a109f422b47" in identity.weights
        assert f"{CONTEXT} tokens" in identity.context
        assert "0.15.6" in identity.runtime
        assert identity.passage_prefix == "search_document: "

    def test_other_weights_other_signature(self, server: Server) -> None:
        """The same name with other weights is another embedder."""
        before = OllamaServer().identity.signature()
        server.models = {"nomic-embed-text:latest": "ffff"}
        assert OllamaServer().identity.signature() != before


class TestErrors:
    def test_no_server(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """Without a server the error has its address and the commands that help."""
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        with serving(Server()) as gone:
            pass
        monkeypatch.setenv("OLLAMA_HOST", gone.address)
        with pytest.raises(EmbedderError, match=f"{gone.address}.*ollama serve.*ollama pull nomic-embed-text"):
            open_embedder("ollama", tmp_path)

    def test_no_model(self, server: Server, tmp_path: Path) -> None:
        """Without the model the error has the command that gets it."""
        with pytest.raises(EmbedderError, match="ollama pull other-model"):
            open_embedder("ollama:other-model", tmp_path)

    def test_no_embedding_model(self, server: Server) -> None:
        """A model that states no length of embeddings is refused."""
        server.facts = {"llama.context_length": 100}
        with pytest.raises(EmbedderError, match="no embedding model"):
            OllamaServer()

    def test_server_fails(self, server: Server) -> None:
        """A refusal that is not about length is passed on, not cut around."""
        model = OllamaServer()
        server.status = 500
        with pytest.raises(EmbedderError, match="status 500: out of memory"):
            model.embed(["a"])

    @pytest.mark.parametrize("embeddings", [[], [[1.0]], [[0.0] * 8], [[1.0] * 8, [1.0] * 8]])
    def test_unusable_vector(self, server: Server, embeddings: list[list[float]]) -> None:
        """No vector, one too short, one of zeros, or two for one text are refused."""
        model = OllamaServer()
        server.answer = {"embeddings": embeddings}
        with pytest.raises(EmbedderError, match="update Ollama"):
            model.embed(["a"])

    def test_no_ollama(self, server: Server) -> None:
        """An answer that is not Ollama's is an error that asks for OLLAMA_HOST."""
        model = OllamaServer()
        server.answer = {"hello": "world"}
        with pytest.raises(EmbedderError, match="OLLAMA_HOST"):
            model.embed(["a"])

    def test_gone_meanwhile(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        """A server that went away after opening is an error with its address."""
        with serving(Server()) as short:
            model = OllamaServer(host=short.address)
        with pytest.raises(EmbedderError, match="ollama serve"):
            model.embed(["a"])

    @pytest.mark.parametrize("status", [200, 404, 502])
    def test_a_page_of_the_web(self, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
        """What answered is told, not what it said; and nobody is sent for a model that no such server has."""

        class Web(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!DOCTYPE html><html><body>a page</body></html>")

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        with ThreadingHTTPServer(("127.0.0.1", 0), Web) as web:
            threading.Thread(target=web.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{web.server_port}"
            with pytest.raises(EmbedderError) as caught:
                OllamaServer(host=address)
            web.shutdown()
        said = f"found an answer no Ollama server gives (status {status}, text/html); is OLLAMA_HOST right?"
        assert str(caught.value) == f"{address}: {said}"
