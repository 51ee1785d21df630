"""What OpenDataLoader's adapter does when the sizes of pages cannot be told."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from services.runtime.form import Collected, Parsed

NODE = {"type": "heading", "content": "A title", "heading level": 1, "page number": 1, "bounding box": [0, 0, 9, 9]}


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The adapter, without the tool: what it wrote is at hand."""
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
