"""The locks beside the parsers: complete, hashed, of the version their name says, and of no particular registry."""

import re
from pathlib import Path

import pytest

from services import locks
from services.runtime import descriptor

FOLDERS = sorted(path.parent for path in locks.SERVICES.glob("*/parser.toml"))
LOCKS = sorted(path for folder in FOLDERS for path in folder.glob("*.lock"))
RUNTIME = locks.SERVICES / "runtime" / "requirements.lock"


def entries(lock: Path) -> list[str]:
    return re.split(r"\n(?=\S)", lock.read_text().strip().replace(" \\\n", " "))


@pytest.mark.parametrize("lock", [*LOCKS, RUNTIME], ids=lambda path: f"{path.parent.name}-{path.stem}")
class TestEveryLock:
    def test_hashed_throughout(self, lock: Path) -> None:
        """Every line pins one version and has at least one SHA-256."""
        for entry in entries(lock):
            assert re.match(r"[A-Za-z0-9._-]+(\[[a-z0-9,]+\])?==[A-Za-z0-9.+!]+ ", entry), entry
            assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry

    def test_names_no_host(self, lock: Path) -> None:
        """No address and no option: any registry will do."""
        text = lock.read_text()
        assert "://" not in text
        assert not re.search(r"^-", text, re.MULTILINE)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
class TestEveryFolder:
    def test_versions_and_locks_are_the_same(self, folder: Path) -> None:
        """Every version in parser.toml has its lock, every other lock is a setting's, and all are named there."""
        read = descriptor.read(folder)
        own = {f"{version}-{setting}" for version in read.versions for setting in read.settings_of(version)}
        found = {path.stem for path in folder.glob("*.lock")}
        assert set(read.versions) <= found <= {*read.versions, *own}
        assert {path.stem for path in folder.glob("*.in")} <= {*found, "requirements"}

    def test_lock_pins_the_version_of_its_name(self, folder: Path) -> None:
        """A lock installs the version it is named after; a tool that is no package is a program of that version."""
        read = descriptor.read(folder)
        for lock in folder.glob("*.lock"):
            version, _, setting = lock.stem.partition("-")
            if programs := [entry for entry in read.chosen(version, setting).requirements if entry.exact]:
                assert version in [entry.version for entry in programs]
                continue
            wanted = locks.requirements(folder, version, setting).splitlines()[0]
            tool = re.match(r"[A-Za-z0-9._-]+", wanted)
            assert tool is not None
            pinned = [re.match(rf"{tool[0]}(?:\[.*?\])?==(\S+)", entry) for entry in entries(lock)]
            assert [found[1] for found in pinned if found] == [version]

    def test_no_hash_of_a_local_build_but_of_torch(self, folder: Path) -> None:
        """A release with builds for CPUs alone has their hashes too; nothing else has a hash of such a build."""
        for lock in folder.glob("*.lock"):
            for release, hashes in locks.CPU_BUILDS.items():
                for entry in entries(lock):
                    held = [value for value in hashes if value in entry]
                    alone = not any(other.startswith("torchvision==") for other in entries(lock))
                    assert held == (list(hashes) if alone and entry.startswith(f"{release} ") else [])


class TestRequirements:
    def test_first_line_is_the_tool(self, tmp_path: Path) -> None:
        """The tool is pinned, with its extras; what else it needs stays free."""
        (tmp_path / "requirements.in").write_text("# why\ntool[a,b]\n\nother<2\n")
        assert locks.requirements(tmp_path, "1.2") == "tool[a,b]==1.2\nother<2\n"

    def test_missing(self, tmp_path: Path) -> None:
        """A folder without requirements is named."""
        with pytest.raises(locks.LockFailed, match=r"requirements\.in must name the tool"):
            locks.requirements(tmp_path, "1.2")
