"""Temporary folders do not outlive their owners, and sockets fit wherever they lie."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from orchestrator import local
from services.runtime import ownership

_OWN = """
import sys, time
from services.runtime import ownership
with ownership.temporary() as folder:
    print(folder, flush=True)
    time.sleep(3600)
"""


@pytest.fixture(name="place")
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(ownership, "SHORT", tmp_path)
    return tmp_path


def owner(place: Path) -> tuple[subprocess.Popen[str], Path]:
    """Start a process that owns a folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", _OWN],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(place), "PYTHONPATH": str(local.ROOT)},
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


class TestClear:
    def test_what_a_killed_process_left_is_removed(self, place: Path) -> None:
        """While it lives, its folder is not touched."""
        process, folder = owner(place)
        (folder / "deep").mkdir()
        (folder / "deep" / "file").write_text("x")
        (folder / "deep").chmod(0)
        ownership.clear()
        assert folder.is_dir()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert folder.is_dir()
        ownership.clear()
        assert not folder.exists()

    def test_what_is_nobodys_stays(self, place: Path) -> None:
        """Folders without the mark, links, files and folders of other names."""
        (place / "docassay-unmarked").mkdir()
        (place / "mine").mkdir()
        (place / "mine" / "owner").write_text("")
        (place / "docassay-link").symlink_to(place / "mine")
        (place / "docassay-file").write_text("")
        before = sorted(place.iterdir())
        ownership.clear()
        assert sorted(place.iterdir()) == before
        assert (place / "mine" / "owner").exists()

    def test_what_is_still_written_into_is_removed_the_next_time(
        self, place: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A server may take a while to end after its owner was killed."""
        folder = place / "docassay-busy"
        folder.mkdir()
        (folder / "owner").write_text("")

        def busy(emptied: Path) -> None:
            (emptied / "owner").unlink()
            (emptied / "log").write_text("one more word")

        with monkeypatch.context() as patched:
            patched.setattr(ownership, "empty", busy)
            ownership.clear()
        assert folder.is_dir()
        ownership.clear()
        assert not folder.exists()

    def test_links_are_not_followed(self, place: Path) -> None:
        """The documents that a run staged are the user's."""
        (place / "document").write_text("mine")
        folder = place / "docassay-old"
        folder.mkdir()
        (folder / "owner").write_text("")
        (folder / "staged").symlink_to(place / "document")
        (folder / "all").symlink_to(place)
        ownership.clear()
        assert not folder.exists()
        assert (place / "document").read_text() == "mine"


class TestSocket:
    @pytest.mark.parametrize("name", ["n" * 120, "a blank", "100%41", "é", "question?#"])
    def test_a_server_answers_wherever_its_folder_lies(self, tmp_path: Path, name: str) -> None:
        """A path that no socket can have, or no address, is replaced by a short one, which goes with the server."""
        folder = tmp_path / name
        folder.mkdir()
        before = set(ownership.SHORT.glob("docassay-*"))
        command = [sys.executable, "-m", "scorer", "--results", str(tmp_path / "results"), "--with-parent"]
        service = local.start(command, socket=folder / "scorer.sock")
        assert len(os.fsencode(service.address.removeprefix("unix:"))) <= 107
        assert (folder / "scorer.log").is_file()
        [made] = [path for path in ownership.SHORT.glob("docassay-*") if str(path) in service.address]
        assert made not in before
        local.stop(service)
        assert not made.exists()

    def test_one_that_fits_lies_beside_its_log(self, tmp_path: Path) -> None:
        """As long as it can."""
        command = [sys.executable, "-m", "scorer", "--results", str(tmp_path / "results"), "--with-parent"]
        service = local.start(command, socket=tmp_path / "s")
        assert service.address == f"unix:{tmp_path / 's'}"
        local.stop(service)
