"""A small corpus with gold on every axis, to break in one way a test."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.corpus import CorpusError, Fault, load

PDF = b"%PDF-1.7\n1 0 obj <<>> endobj\n"
CONTENT = """# Annual Report

Revenue grew by 12% in 2023.

<table><tr><td>Costs</td><td>1,200</td></tr></table>
"""
HEADINGS = {
    "document": "report",
    "headings": [{"text": "Annual Report", "level": 1, "children": [{"text": "Costs", "level": 3, "children": []}]}],
}
TABLES = {
    "document": "report",
    "tables": [
        {
            "id": "t1",
            "page": None,
            "rows": [{"header": True, "cells": ["Item", "EUR"]}, {"header": False, "cells": ["Costs", "1,200"]}],
        }
    ],
}
QA = {
    "document": "report",
    "questions": [
        {
            "id": "q1",
            "question": "By how much did revenue grow?",
            "answer": None,
            "evidence": [{"text": "Revenue grew  by 12%", "page": None}, {"text": "Costs 1,200", "page": 1}],
        }
    ],
}


@dataclass(frozen=True)
class Folder:
    """A corpus folder under test."""

    path: Path

    def manifest(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change the manifest."""
        self.json("documents.json", change)

    def json(self, name: str, change: Callable[[dict[str, Any]], object]) -> None:
        """Change a JSON file."""
        value = json.loads((self.path / name).read_text())
        change(value)
        (self.path / name).write_text(json.dumps(value))

    def faults(self) -> list[Fault]:
        """Load the corpus, which must refuse, and return its errors."""
        with pytest.raises(CorpusError) as caught:
            load(self.path)
        return [fault for fault in caught.value.faults if not fault.warning]

    def fault(self) -> Fault:
        """Load the corpus, which must refuse with one error, and return it."""
        (fault,) = self.faults()
        return fault


def build(folder: Path) -> Folder:
    """Write the corpus: ``report`` with all gold, ``memo`` with none."""
    (folder / "documents").mkdir(parents=True)
    entries = []
    for name, axes in (("report", ["hierarchy", "content", "tables", "qa"]), ("memo", [])):
        content = PDF + name.encode()
        (folder / "documents" / f"{name}.pdf").write_bytes(content)
        entries.append(
            {
                "id": name,
                "domain": "finance",
                "format": "pdf",
                "pages": None,
                "path": f"documents/{name}.pdf",
                "sha256": hashlib.sha256(content).hexdigest(),
                "bytes": len(content),
                "origin": "a test",
                "licence": "CC0-1.0",
                "annotations": axes,
            }
        )
    (folder / "documents.json").write_text(json.dumps({"name": "small", "version": "1", "documents": entries}))
    for file, value in (
        ("hierarchy/report.headings.json", HEADINGS),
        ("tables/report.tables.json", TABLES),
        ("qa/report.qa.json", QA),
    ):
        path = folder / "annotations" / file
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(value))
    (folder / "annotations" / "content").mkdir()
    (folder / "annotations" / "content" / "report.content.md").write_text(CONTENT)
    return Folder(folder)


@pytest.fixture
def corpus(tmp_path: Path) -> Folder:
    """The corpus, without a fault."""
    return build(tmp_path / "corpus")
