"""A Hugging Face hub on loopback, with one dataset or one model, for tests."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

REPOSITORY = "someone/corpus"
REVISION = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """What the hub holds and what was asked of it.

    Attributes:
        files: content by path; those ending in .pdf are large files, with a SHA-256.
        listed: content whose digest is listed in place of the true one.
        cut: bytes of a body after which the connection breaks, once for each path named.
        refused: paths that are answered with 403.
        got: paths whose content was asked for.
        repository: the path of its content.
        revisions: names of the one state that it has.
    """

    files: Mapping[str, bytes]
    listed: dict[str, bytes] = field(default_factory=dict)
    cut: dict[str, int] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    got: list[str] = field(default_factory=list)
    repository: str = f"datasets/{REPOSITORY}"
    revisions: tuple[str, ...] = (REVISION, "main")
    endpoint: str = ""

    @property
    def api(self) -> str:
        """The path of what it says of its content; a model's differ in more than a prefix."""
        return f"/api/{self.repository if self.repository.startswith('datasets/') else f'models/{self.repository}'}"


def _entry(path: str, content: bytes) -> dict[str, object]:
    git = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    entry: dict[str, object] = {"type": "file", "path": path, "rfilename": path, "size": len(content)}
    entry |= {"oid": git, "blobId": git}
    if path.endswith(".pdf"):
        sha256 = hashlib.sha256(content).hexdigest()
        entry["lfs"] = {"sha256": sha256, "oid": sha256, "size": len(content), "pointerSize": 130}
    return entry


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serve the hub while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            path = unquote(urlsplit(self.path).path)
            listed = [_entry(name, hub.listed.get(name, content)) for name, content in hub.files.items()]
            for revision in hub.revisions:
                if path == f"{hub.api}/revision/{revision}":
                    self._json(200, {"id": hub.repository, "sha": REVISION, "siblings": listed})
                elif path.startswith(f"{hub.api}/tree/{revision}"):
                    self._json(200, listed)
                elif path.startswith(prefix := f"/{hub.repository}/resolve/{revision}/"):
                    self._file(path.removeprefix(prefix), body=body)
                else:
                    continue
                return
            if path.startswith(f"{hub.api}/"):
                self._json(404, {"error": "Invalid rev id"}, {"X-Error-Code": "RevisionNotFound"})
            else:
                self._json(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})

        def _json(self, status: int, value: object, headers: Mapping[str, str] = {}) -> None:
            content = json.dumps(value).encode()
            self.send_response(status)
            for name, text in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _file(self, name: str, *, body: bool) -> None:
            if name in hub.refused:
                self._json(403, {"error": "not now"})
                return
            content, entry = hub.files[name], _entry(name, hub.files[name])
            start = 0
            if asked := self.headers.get("Range"):
                start = int(re.findall(r"\d+", asked)[0])
            self.send_response(206 if asked else 200)
            etag = entry["lfs"]["sha256"] if "lfs" in entry else entry["oid"]  # type: ignore[index]
            self.send_header("ETag", f'"{etag}"')
            self.send_header("X-Repo-Commit", REVISION)
            self.send_header("Accept-Ranges", "bytes")
            if asked:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            if not body:
                return
            hub.got.append(name)
            end = hub.cut.pop(name, len(content))
            self.wfile.write(content[start:end])
            if end < len(content):
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
