"""Artifacts on disk."""

import hashlib
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorer.store.artifacts import Arriving, Artifacts
from scorer.store.errors import StorageFailed, StoreError


@pytest.fixture
def artifacts(tmp_path: Path) -> Artifacts:
    """An empty folder of artifacts."""
    return Artifacts(tmp_path / "results" / "artifacts")


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(slices=st.lists(st.binary(max_size=300), max_size=8))
def test_what_was_written_is_read_under_the_digest_of_its_content(artifacts: Artifacts, slices: list[bytes]) -> None:
    """However it was sliced."""
    with artifacts.arriving() as arriving:
        for piece in slices:
            arriving.write(piece)
        digest = arriving.keep()
    whole = b"".join(slices)
    assert digest == hashlib.sha256(whole).hexdigest()
    assert arriving.size == len(whole)
    assert arriving.first_line == whole.partition(b"\n")[0]
    with artifacts.open(digest) as source:
        assert source.read() == whole


def test_the_same_content_is_kept_once(artifacts: Artifacts) -> None:
    """Content names the file."""
    for _ in range(2):
        with artifacts.arriving() as arriving:
            arriving.write(b"same")
            arriving.keep()
    assert len(list(artifacts.folder.rglob("*.zst"))) == 1


def test_an_artifact_given_up_leaves_nothing(artifacts: Artifacts) -> None:
    """Neither a part nor a name."""
    with artifacts.arriving() as arriving:
        arriving.write(b"half")
    assert [path for path in artifacts.folder.rglob("*") if path.is_file()] == []


def test_what_a_killed_scorer_left_is_cleared(artifacts: Artifacts) -> None:
    """Halves do not pile up."""
    (artifacts.folder / "arriving" / "half").write_bytes(b"half")
    artifacts.clear()
    assert [path for path in artifacts.folder.rglob("*") if path.is_file()] == []


def test_a_missing_artifact_is_named(artifacts: Artifacts) -> None:
    """Somebody removed a file the store refers to."""
    with pytest.raises(StoreError, match="The artifact of a stored row is missing"), artifacts.open("ab" * 32):
        pass


@contextmanager
def small_files() -> Iterator[None]:
    """Files may not grow beyond 1 KiB, as if the disk were full.

    Not a fixture: pytest reports a test before it tears fixtures down, and its own log may be a larger file.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_named_with_its_folder(artifacts: Artifacts) -> None:
    """Nothing is left of what did not fit."""
    noise = b"".join(hashlib.sha256(bytes([i % 256, i // 256])).digest() for i in range(20_000))
    failed = pytest.raises(StorageFailed, match="results cannot be written")
    with artifacts.arriving() as arriving, small_files(), failed as caught:
        _write_and_keep(arriving, noise)
    assert caught.value.full
    assert [path for path in artifacts.folder.rglob("*") if path.is_file()] == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "results").write_text("a file")
    with pytest.raises(StorageFailed, match=r"results cannot be written: Not a directory") as caught:
        Artifacts(tmp_path / "results" / "artifacts")
    assert not caught.value.full


def _write_and_keep(arriving: Arriving, data: bytes) -> None:
    arriving.write(data)
    arriving.keep()
