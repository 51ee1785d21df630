"""Which code a run was made with."""

import re
import subprocess
from pathlib import Path

import pytest

from orchestrator import machine
from orchestrator.machine import Commit

BUILT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(name="checkout")
def _checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one commit, whose code is ``orchestrator/code.py``."""
    monkeypatch.delenv("DOCASSAY_COMMIT", raising=False)
    (tmp_path / "orchestrator").mkdir()
    (tmp_path / "orchestrator" / "code.py").write_text("print()\n")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "first"]):
        git(tmp_path, *words)
    return tmp_path


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, text=True).stdout.strip()


class TestCommit:
    def test_a_checkout_has_its_own(self, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whatever an image was built from, or a hook of another repository says."""
        monkeypatch.setenv("DOCASSAY_COMMIT", BUILT)
        monkeypatch.setenv("GIT_DIR", "/nowhere")
        head = (checkout / ".git" / "refs" / "heads").rglob("*")
        [commit] = {path.read_text().strip() for path in head if path.is_file()}
        assert machine.commit(checkout, "1.0") == Commit(commit, known=True, dirty=False)
        (checkout / "orchestrator" / "code.py").write_text("print(1)\n")
        assert machine.commit(checkout, "1.0") == Commit(commit, known=True, dirty=True)

    def test_a_package_within_another_checkout_has_not_that_one_s(self, checkout: Path) -> None:
        """A virtual environment often lies in a repository; its commit says nothing of what is installed there."""
        found = machine.commit(checkout / "orchestrator", "1.0")
        assert not found.known
        assert re.fullmatch(r"1\.0\+[0-9a-f]{12}", found.name)

    @pytest.mark.parametrize(
        ("built", "expected"),
        [
            (BUILT, Commit(BUILT, known=True, dirty=False)),
            (f"{BUILT}-dirty", Commit(BUILT, known=True, dirty=True)),
        ],
    )
    def test_an_image_has_the_one_it_was_built_from(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, built: str, expected: Commit
    ) -> None:
        """There is no git in it, and no checkout."""
        monkeypatch.setenv("DOCASSAY_COMMIT", built)
        assert machine.commit(tmp_path, "1.0") == expected

    @pytest.mark.parametrize("built", ["", "main", BUILT[:7]])
    def test_what_names_no_commit_is_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, built: str) -> None:
        """A branch moves; the code itself still tells two runs apart."""
        monkeypatch.setenv("DOCASSAY_COMMIT", built)
        before = machine.commit(tmp_path, "1.0")
        (tmp_path / "scorer").mkdir()
        (tmp_path / "scorer" / "code.py").touch()
        after = machine.commit(tmp_path, "1.0")
        assert before.name != after.name
        assert after.record() == {"code": after.name, "commit": None, "dirty": None}
