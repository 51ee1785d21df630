"""Documents that a manifest names by their address: fetched on demand from a server on loopback, never by a run."""

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from orchestrator.corpus import CorpusError, FetchError, check, fetch_sources, init, load, sources
from tests.orchestrator.cli.shell import docassay
from tests.orchestrator.corpus.conftest import PDF, Folder

CONTENT = PDF + b"from afar"
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@dataclass
class Site:
    """What a server has, by path: status and body; ``cut`` breaks the connection after so many bytes of a body."""

    files: dict[str, tuple[int, bytes]] = field(default_factory=lambda: {"/afar.pdf": (200, CONTENT)})
    moved: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    got: list[str] = field(default_factory=list)
    address: str = ""


@pytest.fixture
def site() -> Iterator[Site]:
    """A server, until the test is over."""
    made = Site()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            made.got.append(self.path)
            if target := made.moved.get(self.path):
                self.send_response(302)
                self.send_header("Location", target)
                self.end_headers()
                return
            status, content = made.files.get(self.path, (404, b"no such page"))
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: made.cut])

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.address = f"http://127.0.0.1:{server.server_port}"
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy stands before the server on loopback."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def listed(corpus: Folder, site: Site, **changes: Any) -> Path:
    """List a document that lies at the site; return where it goes."""
    entry = {"id": "afar", "format": "pdf", "path": "documents/afar.pdf", "sha256": DIGEST}
    corpus.manifest(
        lambda manifest: manifest["documents"].append(entry | {"source": f"{site.address}/afar.pdf"} | changes)
    )
    return corpus.path / str(changes.get("path", entry["path"]))


def entry_of(corpus: Folder) -> dict[str, Any]:
    entry: dict[str, Any] = json.loads((corpus.path / "documents.json").read_text())["documents"][-1]
    return entry


class TestFetch:
    def test_comes_and_is_marked(self, corpus: Folder, site: Site) -> None:
        """The document lies in its place, and whoever reads it is known to have been helped; the others were not."""
        path = listed(corpus, site)
        told: list[str] = []
        loaded = fetch_sources(corpus.path, told.append)
        assert path.read_bytes() == CONTENT
        assert [document.assisted for document in loaded.documents] == ["none", "none", "fetch"]
        assert told == [f"fetched afar: {len(CONTENT)} bytes from {site.address}/afar.pdf"]

    def test_again(self, corpus: Folder, site: Site) -> None:
        """What is there is not fetched again; what was spoilt is."""
        path = listed(corpus, site)
        fetch_sources(corpus.path)
        fetch_sources(corpus.path)
        assert site.got == ["/afar.pdf"]
        path.write_bytes(b"spoilt")
        fetch_sources(corpus.path)
        assert path.read_bytes() == CONTENT

    def test_an_open_digest_becomes_that_of_what_came(self, corpus: Folder, site: Site) -> None:
        """From then on it is that document; the rest of the manifest stays as it was."""
        listed(corpus, site, sha256=None, note="mine")
        before = entry_of(corpus)
        fetch_sources(corpus.path)
        assert entry_of(corpus) == before | {"sha256": DIGEST, "bytes": len(CONTENT)}
        site.files["/afar.pdf"] = (200, CONTENT + b"!")
        (corpus.path / "documents" / "afar.pdf").unlink()
        with pytest.raises(FetchError, match="the document there is another now"):
            fetch_sources(corpus.path)

    def test_a_page_that_moved_is_followed(self, corpus: Folder, site: Site) -> None:
        """Redirects are part of an address's life."""
        listed(corpus, site, source=f"{site.address}/old.pdf")
        site.moved["/old.pdf"] = "/afar.pdf"
        assert len(fetch_sources(corpus.path).documents) == 3

    def test_a_page_inside_sgml_is_marked_as_unwrapped(self, corpus: Folder, site: Site) -> None:
        """The later help is named."""
        page = b"<DOCUMENT>\n<TYPE>8-K\n<TEXT>\n<html><p>Words.</p></html>\n</TEXT>\n</DOCUMENT>\n"
        site.files["/afar.pdf"] = (200, page)
        listed(corpus, site, sha256=None, format="html", path="documents/afar.html")
        assert fetch_sources(corpus.path).documents[-1].assisted == "parse"


class TestFailure:
    @pytest.mark.parametrize(
        ("format", "content", "found"),
        [
            ("pdf", b"<html>404 page</html>", "html"),
            ("docx", b"not here", "plain text"),
            ("html", CONTENT, "pdf"),
        ],
    )
    def test_what_is_plainly_something_else(
        self, corpus: Folder, site: Site, format: str, content: bytes, found: str
    ) -> None:
        """A page that says 404 with the code 200 is no PDF; nothing of it is kept, and its digest is not taken."""
        site.files["/afar.pdf"] = (200, content)
        path = listed(corpus, site, sha256=None, format=format, path=f"documents/afar.{format}")
        with pytest.raises(FetchError, match=f"what came is {found}, its format is {format}; correct the address"):
            fetch_sources(corpus.path)
        assert not path.exists()
        assert entry_of(corpus)["sha256"] is None

    @pytest.mark.parametrize(
        ("format", "content"),
        [("html", b"plain words"), ("docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(8)), ("pdf", b"\0damaged")],
    )
    def test_what_may_be_it_is_kept(self, corpus: Folder, site: Site, format: str, content: bytes) -> None:
        """A locked, a damaged or a bare document is one: parsers shall meet it."""
        site.files["/afar.pdf"] = (200, content)
        path = listed(corpus, site, sha256=None, format=format, path=f"documents/afar.{format}")
        fetch_sources(corpus.path)
        assert path.read_bytes() == content

    @pytest.mark.parametrize(
        ("path", "status", "content", "message"),
        [
            ("/other.pdf", 200, CONTENT, "answered 404"),
            ("/afar.pdf", 500, CONTENT, "answered 500"),
            ("/afar.pdf", 200, CONTENT[:-1], "expected " + DIGEST),
            ("/afar.pdf", 200, b"", "sent nothing"),
        ],
    )
    def test_is_named_and_leaves_nothing(
        self, corpus: Folder, site: Site, path: str, status: int, content: bytes, message: str
    ) -> None:
        """Why, what to do, and no half of a file; the other documents come all the same."""
        site.files = {path: (status, content), "/second.pdf": (200, CONTENT)}
        target = listed(corpus, site)
        second = listed(corpus, site, id="second", path="documents/2.pdf", source=f"{site.address}/second.pdf")
        with pytest.raises(FetchError, match=f"^afar: {site.address}/afar.pdf: .*{message}.*yourself$"):
            fetch_sources(corpus.path)
        assert not target.exists()
        assert second.read_bytes() == CONTENT
        assert [name for name in target.parent.iterdir() if name.name.startswith(".")] == []

    def test_a_connection_that_breaks(self, corpus: Folder, site: Site) -> None:
        """Half a document is none, whether or not its digest is known."""
        path = listed(corpus, site, sha256=None)
        site.cut = 5
        with pytest.raises(FetchError, match=rf"broke after 5 of {len(CONTENT)} bytes"):
            fetch_sources(corpus.path)
        assert not path.exists()

    def test_too_large(self, corpus: Folder, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        """A server that sends without end is left."""
        listed(corpus, site)
        monkeypatch.setattr(sources, "LARGEST", 10)
        with pytest.raises(FetchError, match="larger than"):
            fetch_sources(corpus.path)

    @pytest.mark.parametrize("address", ["http://127.0.0.1:9/a.pdf", "http://[/a.pdf", "https://127.0.0.1:9/a.pdf"])
    def test_nobody_there(self, corpus: Folder, site: Site, address: str) -> None:
        """A server that does not answer, an address that is none: a message, never a traceback."""
        listed(corpus, site, source=address)
        with pytest.raises(FetchError, match="could not be fetched"):
            fetch_sources(corpus.path)

    @pytest.mark.parametrize("path", ["../afar.pdf", "/tmp/afar.pdf", f"{'a' * 300}.pdf", "a\0.pdf"])
    def test_a_place_outside(self, corpus: Folder, site: Site, path: str) -> None:
        """Nothing is asked for that could not be put into the folder."""
        listed(corpus, site, path=path)
        with pytest.raises(CorpusError) as caught:
            fetch_sources(corpus.path)
        assert [fault.place for fault in caught.value.faults if not fault.warning] == ["/documents/2/path"]
        assert site.got == []

    @pytest.mark.parametrize("source", ["file:///etc/passwd", "ftp://example.org/a", "afar.pdf", "http://", 7])
    def test_no_address(self, corpus: Folder, site: Site, source: object) -> None:
        """Pages of the web alone."""
        listed(corpus, site, source=source)
        with pytest.raises(CorpusError, match="expected the address the document is fetched from"):
            fetch_sources(corpus.path)


class TestUnfetched:
    @pytest.mark.parametrize(
        ("changes", "place"), [({}, "/documents/2/path"), ({"sha256": None}, "/documents/2/sha256")]
    )
    def test_is_a_fault_that_names_the_command(
        self, corpus: Folder, site: Site, changes: dict[str, Any], place: str
    ) -> None:
        """Loading fetches nothing, and says what does."""
        listed(corpus, site, **changes)
        fault = corpus.fault()
        assert (fault.file, fault.place) == ("documents.json", place)
        assert f"docassay corpus fetch {corpus.path}" in fault.text
        assert site.got == []

    def test_only_a_source_leaves_the_digest_open(self, corpus: Folder) -> None:
        """Any other document must be the one that was meant."""
        corpus.manifest(lambda manifest: manifest["documents"][0].update(sha256=None))
        fault = corpus.fault()
        assert (fault.place, "only a document with a source" in fault.text) == ("/documents/0/sha256", True)

    def test_stays_in_a_manifest_made_anew(self, corpus: Folder, site: Site) -> None:
        """``init --replace`` loses no address, fetched or not."""
        listed(corpus, site)
        before = entry_of(corpus)
        init(corpus.path, replace=True)
        assert entry_of(corpus) == before
        fetch_sources(corpus.path)
        init(corpus.path, replace=True)
        after = {entry["id"]: entry for entry in json.loads((corpus.path / "documents.json").read_text())["documents"]}
        assert after["afar"]["source"] == before["source"]
        assert check(corpus.path) == []

    def test_the_digest_of_a_corpus_knows_of_it(self, corpus: Folder, site: Site) -> None:
        """The same file counts for a parser without a source, and for none with one: two different corpora."""
        listed(corpus, site)
        helped = fetch_sources(corpus.path)
        corpus.manifest(lambda manifest: manifest["documents"][-1].pop("source"))
        assert load(corpus.path).digest != helped.digest


class TestCommand:
    def test_fetches_a_folder(self, corpus: Folder, site: Site) -> None:
        """The shell's view: what came, and the corpus; an error has exit code 1, a wrong use 2."""
        listed(corpus, site)
        done = docassay("corpus", "fetch", corpus.path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == f"{corpus.path}: small 1, 3 documents"
        (corpus.path / "documents" / "afar.pdf").unlink()
        site.files.clear()
        failed = docassay("corpus", "fetch", corpus.path)
        assert (failed.returncode, "answered 404" in failed.stderr) == (1, True), failed.stderr
        wrong = docassay("corpus", "fetch", corpus.path, "--revision", "0" * 40)
        assert (wrong.returncode, "a dataset alone" in wrong.stderr) == (2, True), wrong.stderr

    def test_a_run_names_the_command(self, corpus: Folder, site: Site) -> None:
        """A run fetches nothing: it ends before it begins."""
        listed(corpus, site)
        done = docassay("run", "--local", "--corpus", corpus.path, cwd=corpus.path.parent)
        assert (done.returncode, "docassay corpus fetch" in done.stderr, site.got) == (2, True, []), done.stderr
