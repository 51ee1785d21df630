"""What a corpus's faults say to do, outside a container and in one, which sees the corpus read-only."""

import json
import shlex
from pathlib import Path

import pytest

from orchestrator import corpus
from orchestrator.corpus import CorpusError
from scorer import mounts


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that compose mounts, called contracts/ outside."""
    monkeypatch.setattr(mounts, "_VARIABLES", {tmp_path: "DOCASSAY_HOST_CORPUS"})
    monkeypatch.setenv("DOCASSAY_HOST_CORPUS", "contracts/")
    (tmp_path / "a.html").write_text("<p>text</p>")
    return tmp_path


INIT = "docker compose run --rm --no-deps -v ./contracts:/new orchestrator corpus init /new"


def only_fault(folder: Path) -> str:
    [fault] = [fault for fault in corpus.check(folder) if not fault.warning]
    return fault.text


class TestInAContainer:
    def test_a_folder_without_a_manifest(self, folder: Path) -> None:
        """The command is the host's, and its folder the host's."""
        assert only_fault(folder).endswith(f"make it with `{INIT}`")
        with pytest.raises(CorpusError, match=r"\(contracts on the host\): 1 fault"):
            corpus.load(folder)

    def test_a_manifest_that_is_there(self, folder: Path) -> None:
        """So is the command that replaces it."""
        (folder / "documents.json").write_text("{}")
        with pytest.raises(CorpusError, match=f"run `{INIT} --replace`"):
            corpus.init(folder)

    def test_a_document_that_was_not_fetched(self, folder: Path) -> None:
        """No container has a way to it."""
        corpus.init(folder)
        manifest = json.loads((folder / "documents.json").read_text())
        manifest["documents"][0] |= {"source": "https://example.org/a.html", "sha256": None}
        del manifest["documents"][0]["bytes"]
        (folder / "documents.json").write_text(json.dumps(manifest))
        assert only_fault(folder).endswith("run `docassay corpus fetch contracts` outside the containers")

    def test_a_manifest_cannot_be_written_there(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Instead of a traceback, the command that writes it."""
        _refuse_to_write(monkeypatch)
        with pytest.raises(CorpusError) as caught:
            corpus.init(folder)
        assert "Read-only file system" in str(caught.value)
        assert f"run `{INIT} --replace`" in str(caught.value)


class TestOutside:
    def test_a_folder_that_cannot_be_written_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """With the file, the reason and what to do."""
        (tmp_path / "a.html").write_text("<p>text</p>")
        _refuse_to_write(monkeypatch)
        told = r"documents\.json: cannot be written \(Read-only file system\); make the folder writable"
        with pytest.raises(CorpusError, match=told):
            corpus.init(tmp_path)

    def test_a_folder_without_a_manifest(self, tmp_path: Path) -> None:
        """The command is docassay's own, its folder quoted for a shell."""
        folder = tmp_path / "my corpus"
        folder.mkdir()
        assert only_fault(folder).endswith(f"make it with `docassay corpus init {shlex.quote(str(folder))}`")


def _refuse_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make files and removals fail as on a read-only file system: the tests may run as root, whom no mode stops."""

    def refuse(self: Path, *_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system", str(self))

    opened = Path.open

    def only_read(self: Path, mode: str = "r", *words: object, **named: object) -> object:
        return refuse(self) if "w" in mode else opened(self, mode, *words, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", only_read)
    monkeypatch.setattr(Path, "unlink", refuse)
