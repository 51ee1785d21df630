"""What OpenDataLoader's adapter does when the tool fails, and when the sizes of pages cannot be told."""

import importlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from services.runtime import reasons
from services.runtime.form import Collected, Parsed

NODE = {"type": "heading", "content": "A title", "heading level": 1, "page number": 1, "bounding box": [0, 0, 9, 9]}


@pytest.fixture
def adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The adapter, without the tool: what it wrote is at hand; its temporary files go with the test's."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setitem(sys.modules, "opendataloader_pdf", ModuleType("opendataloader_pdf"))
    monkeypatch.delitem(sys.modules, "services.opendataloader.adapter", raising=False)
    return importlib.import_module("services.opendataloader.adapter").Adapter("")


def collect(adapter: Any, folder: Path, interpreter: str, monkeypatch: pytest.MonkeyPatch) -> Collected:
    """Read a document of one heading with a shell's words in place of the interpreter."""
    python, structure = folder / "python", folder / "document.json"
    python.write_text(f"#!/bin/sh\n{interpreter}\n")
    python.chmod(0o700)
    structure.write_text(json.dumps({"number of pages": 1, "kids": [NODE]}))
    monkeypatch.setattr(sys, "executable", str(python))
    found: Collected = adapter.collect(Parsed("", "markdown", (folder / "document.pdf", structure)))
    return Collected(found.pages, list(found.headings), list(found.tables), list(found.blocks))


def test_pdfium_dies(adapter: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool read the file: it has headings, and no blocks."""
    found = collect(adapter, tmp_path, "kill -SEGV $$", monkeypatch)
    assert [heading.text for heading in found.headings] == ["A title"]
    assert found.blocks == []


def test_pdfium_is_missing(adapter: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is no matter of the file, and is not kept quiet."""
    with pytest.raises(subprocess.CalledProcessError):
        collect(adapter, tmp_path, "exit 1", monkeypatch)


class TestFailure:
    def test_what_went_wrong_is_told(self, adapter: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """Called quietly the tool says nothing; called once more it says what it met."""
        said = "INFO: File name: a.pdf\nSEVERE: Error while parsing object : 70 0\n"

        def convert(*_: object, quiet: bool, **__: object) -> None:
            raise subprocess.CalledProcessError(1, ["java"], "" if quiet else said, "")

        monkeypatch.setattr(sys.modules["opendataloader_pdf"], "convert", convert, raising=False)
        with pytest.raises(subprocess.CalledProcessError) as caught:
            adapter.parse(Path("a.pdf"), "pdf")
        assert reasons.of(caught.value).endswith("java: exit code 1: SEVERE: Error while parsing object : 70 0")

    def test_what_it_said_at_once_is_enough(self, adapter: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """A quiet call that says why is not made again."""
        calls = []

        def convert(*_: object, quiet: bool, **__: object) -> None:
            calls.append(quiet)
            raise subprocess.CalledProcessError(1, ["java"], "", "Error: Unable to access jarfile")

        monkeypatch.setattr(sys.modules["opendataloader_pdf"], "convert", convert, raising=False)
        with pytest.raises(subprocess.CalledProcessError, match="exit status 1"):
            adapter.parse(Path("a.pdf"), "pdf")
        assert calls == [True]

    def test_one_that_does_not_happen_again_is_one(self, adapter: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """The document was not parsed by the call that was timed."""

        def convert(*_: object, quiet: bool, **__: object) -> None:
            if quiet:
                raise subprocess.CalledProcessError(1, ["java"], "", "")

        monkeypatch.setattr(sys.modules["opendataloader_pdf"], "convert", convert, raising=False)
        with pytest.raises(subprocess.CalledProcessError):
            adapter.parse(Path("a.pdf"), "pdf")
