"""An Ollama server on loopback that embeds by hashing, for tests."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSIONS = 8
CONTEXT = 50
"""Tokens; a token of this model is a word."""


@dataclass
class Server:
    """What the server has, how it misbehaves, and what was asked of it."""

    models: Mapping[str, str] = field(default_factory=lambda: {"nomic-embed-text:latest": "0a109f422b47"})
    facts: Mapping[str, Any] = field(
        default_factory=lambda: {"nomic-bert.embedding_length": DIMENSIONS, "nomic-bert.context_length": CONTEXT}
    )
    answer: Mapping[str, Any] | None = None
    status: int = 200
    asked: list[dict[str, Any]] = field(default_factory=list)
    address: str = ""


def vector(text: str) -> list[float]:
    """Return what the server answers for a text, not normalised."""
    return [byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()[:DIMENSIONS]]


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Serve while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            match self.path:
                case "/api/tags":
                    self._json(200, {"models": [{"model": m, "digest": d} for m, d in server.models.items()]})
                case "/api/version":
                    self._json(200, {"version": "0.15.6"})

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/api/show":
                self._json(200, {"model_info": server.facts})
                return
            server.asked.append(asked)
            if server.status != 200:
                self._json(server.status, {"error": "out of memory"})
            elif server.answer is not None:
                self._json(200, server.answer)
            elif len(asked["input"].split()) > asked["options"]["num_ctx"]:
                self._json(400, {"error": "the input length exceeds the context length"})
            else:
                self._json(200, {"model": asked["model"], "embeddings": [vector(asked["input"])]})

        def _json(self, status: int, value: object) -> None:
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    server.address = f"http://127.0.0.1:{http.server_port}"
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
