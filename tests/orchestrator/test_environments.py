"""Where environments are kept."""

from pathlib import Path

import pytest

from orchestrator.environments import cache_folder


def test_a_home_folder_that_no_shell_has_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A shell leaves a quoted ~ as it is."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DOCASSAY_CACHE", "~/kept")
    assert cache_folder() == tmp_path / "kept"
