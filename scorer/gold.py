"""Reads the gold of one document into the types the suites take.

``docassay corpus check`` has looked at these files before; what is wrong here changed since, or was never checked.
Layout: BizDocBench's, see docs/corpus.md.
"""

import hashlib
import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from scorer.suites.bizdoc import DocumentGold, GoldHeading, Question, Row, Table

_FILES = {
    "hierarchy": "annotations/hierarchy/{}.headings.json",
    "content": "annotations/content/{}.content.md",
    "tables": "annotations/tables/{}.tables.json",
    "qa": "annotations/qa/{}.qa.json",
}


class GoldError(Exception):
    """An annotation is missing or cannot be used; the message names the file, the place and what was found."""


def load(corpus_folder: Path, document_id: str, annotations: Collection[str]) -> DocumentGold:
    """Return the annotations of a document that are listed; the others are None.

    Raises:
        GoldError: a listed annotation is missing, or is not in its layout.
    """

    def read(name: str, convert: Callable[[bytes], Any]) -> Any:
        if name not in annotations:
            return None
        path = _path(corpus_folder, document_id, name)
        try:
            return convert(_bytes(path))
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            what = f"lacks {error}" if isinstance(error, KeyError) else str(error)
            raise GoldError(f"{path}: {what}. Run `docassay corpus check {corpus_folder}`") from error

    return DocumentGold(
        headings=read("hierarchy", lambda data: tuple(_heading(item) for item in json.loads(data)["headings"])),
        content=read("content", lambda data: data.decode("utf-8-sig")),
        tables=read("tables", lambda data: tuple(_table(item) for item in json.loads(data)["tables"])),
        questions=read("qa", lambda data: tuple(_question(item) for item in json.loads(data)["questions"])),
    )


def digest(corpus_folder: Path, document_id: str, annotations: Collection[str]) -> str:
    """Return the SHA-256 over a document's annotation files, as a loaded corpus has it.

    Raises:
        GoldError: a listed annotation is missing.
    """
    digests = [
        [name, hashlib.sha256(_bytes(_path(corpus_folder, document_id, name))).hexdigest()]
        for name in _FILES
        if name in annotations
    ]
    return hashlib.sha256(json.dumps(digests, separators=(",", ":")).encode() if digests else b"").hexdigest()


def _path(corpus_folder: Path, document_id: str, name: str) -> Path:
    path = (corpus_folder / _FILES[name].format(document_id)).resolve()
    if not path.is_relative_to(corpus_folder.resolve()):
        raise GoldError(f"the document id {document_id!r} leads out of {corpus_folder}; choose a plain name")
    return path


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise GoldError(f"{path}: {error.strerror}. The gold of a document of the run cannot be read") from error


def _heading(item: dict[str, Any]) -> GoldHeading:
    return GoldHeading(item["text"], item["level"], tuple(_heading(child) for child in item.get("children", ())))


def _table(item: dict[str, Any]) -> Table:
    return Table(tuple(Row(row["header"], tuple(row["cells"])) for row in item["rows"]))


def _question(item: dict[str, Any]) -> Question:
    evidence = tuple(span["text"] for span in item["evidence"])
    return Question(item["id"], item["question"], item.get("answer"), evidence)
