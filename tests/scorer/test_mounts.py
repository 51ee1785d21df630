"""What a container calls the host's folders."""

import errno
from pathlib import Path

import duckdb
import pytest

from scorer import mounts
from scorer.store.artifacts import Artifacts, storing
from scorer.store.database import FILE, Database
from scorer.store.errors import StorageFailed, StoreError


@pytest.fixture(name="mounted", autouse=True)
def _mounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container of compose that was told of two folders."""
    monkeypatch.setenv("DOCASSAY_HOST_CORPUS", "my contracts/")
    monkeypatch.setenv("DOCASSAY_HOST_RESULTS", "./results")


class TestOnHost:
    @pytest.mark.parametrize(
        ("path", "host"),
        [
            ("/corpus", "my contracts"),
            ("/corpus/documents/a.pdf", "my contracts/documents/a.pdf"),
            ("/results/export", "results/export"),
            ("/resultsfolder", None),
            ("/new", None),
        ],
    )
    def test_a_path_below_a_mounted_folder_has_a_name_there(self, path: str, host: str | None) -> None:
        """As compose was told of it, and nothing else has one."""
        assert mounts.on_host(Path(path)) == host

    def test_outside_compose_there_is_no_other_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A folder /results may well be somebody's own."""
        monkeypatch.delenv("DOCASSAY_HOST_RESULTS")
        assert mounts.on_host(Path("/results")) is None
        assert mounts.named(Path("/results")) == "/results"


class TestStorageFailed:
    def test_a_container_names_the_host_s_folder_and_what_to_do_there(self) -> None:
        """It writes as the owner of that folder, so it is the owner who must be able to."""
        with pytest.raises(StorageFailed) as caught, storing(Path("/results")):
            raise PermissionError(errno.EACCES, "Permission denied")
        told = (
            "the results folder /results (results on the host) cannot be written: Permission denied. Make the "
            "folder writable to its owner (chmod u+w results), or name another in DOCASSAY_RESULTS, and run the same "
            "command again"
        )
        assert str(caught.value) == told

    def test_what_was_kept_stands_before_what_to_do(self) -> None:
        """A full disk wants room, wherever it is."""
        with pytest.raises(StorageFailed) as caught, storing(Path("/elsewhere"), what="folder"):
            raise OSError(errno.ENOSPC, "No space left on device")
        assert caught.value.full
        assert str(caught.value.because("nothing is lost")) == (
            "the folder /elsewhere cannot be written: No space left on device; nothing is lost. "
            "Free space and run the same command again"
        )


class TestStore:
    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (None, "does not exist: no run was stored here yet"),
            (b"not a database " * 1000, "is not a DuckDB file"),
            ({"theirs": 1}, "is a DuckDB file but no docassay store"),
            ({"schema_version": 999}, "has table layout 999"),
        ],
    )
    def test_a_store_that_is_none_is_named_as_on_the_host(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | dict[str, int] | None, words: str
    ) -> None:
        """Whoever is to choose another folder knows it by that name."""
        monkeypatch.setattr(mounts, "_VARIABLES", {tmp_path: "DOCASSAY_HOST_RESULTS"})
        path = tmp_path / FILE
        if isinstance(content, bytes):
            path.write_bytes(content)
        for table, version in content.items() if isinstance(content, dict) else ():
            with duckdb.connect(path) as other:
                other.execute(f"create table {table} as select {version} as version")
        with pytest.raises(StoreError) as caught:
            Database(path, read_only=True)
        assert str(caught.value).startswith(f"{path} (results/{FILE} on the host) {words}")

    def test_an_artifact_that_is_missing_is_named_so_too(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is somebody on the host who took it away."""
        monkeypatch.setattr(mounts, "_VARIABLES", {tmp_path: "DOCASSAY_HOST_RESULTS"})
        with (
            pytest.raises(StoreError, match=r"\(results/.* on the host\): .* is missing"),
            Artifacts(tmp_path).open("0" * 64),
        ):
            pass
