"""Tesseract's adapter against programs that end as Tesseract does."""

from pathlib import Path

import pytest

from services.tesseract import adapter


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo Page 1 >&2; echo Image too large >&2; echo Error. >&2; exit 1", "Image too large; Error."),
        ("echo Error. >&2; exit 1", "Error."),
        ("exit 4", "exit code 4"),
    ],
)
def test_what_went_wrong_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str) -> None:
    """The last line alone says no more than that something did."""
    program = tmp_path / "tesseract"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(adapter.TesseractFailed) as caught:
        adapter._run("page.pgm", "stdout")
    assert str(caught.value) == words
