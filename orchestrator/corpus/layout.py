"""Where things lie in a corpus folder, what a loaded corpus is, and what a fault is.

Source: the corpus layout of BizDocBench; decisions R6, R7c, R45 and R54 of docs/method/bizdoc.md.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from orchestrator.printable import printable
from scorer import mounts
from scorer.counting import counted

MANIFEST = "documents.json"

FORMATS = ("pdf", "docx", "pptx", "html", "image")
"""An image is one page, a PNG or JPEG file say."""

ANNOTATION_SUFFIXES = {
    "hierarchy": ".headings.json",
    "content": ".content.md",
    "tables": ".tables.json",
    "qa": ".qa.json",
}
"""What follows a document's id in the name of its annotation file, by axis."""


def annotation_path(axis: str, document: str) -> str:
    """Return the path of an annotation inside the corpus folder."""
    return f"annotations/{axis}/{document}{ANNOTATION_SUFFIXES[axis]}"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a corpus. Whatever that holds, its fault can be printed.

    Attributes:
        file: path inside the corpus folder.
        place: a JSON pointer, or ``line 3, column 5``; empty when it is the whole file.
        text: what was found, what was expected, what to do.
        warning: whether the corpus can be loaded nevertheless.
    """

    file: str
    place: str
    text: str
    warning: bool = False

    def __post_init__(self) -> None:
        """Escape what a terminal must not be sent."""
        for field in ("file", "place", "text"):
            object.__setattr__(self, field, printable(getattr(self, field)))

    def __str__(self) -> str:
        kind = "warning: " if self.warning else ""
        return f"{self.file}{f' at {self.place}' if self.place else ''}: {kind}{self.text}"


class CorpusError(Exception):
    """A corpus that cannot be loaded; ``faults`` lists everything that is wrong, warnings included."""

    def __init__(self, folder: Path, faults: tuple[Fault, ...]) -> None:
        self.folder = folder
        self.faults = faults
        errors = [fault for fault in faults if not fault.warning]
        super().__init__(
            f"{mounts.named(folder)}: {counted(len(errors), 'fault')}\n" + "\n".join(f"  {fault}" for fault in errors)
        )


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a corpus.

    Attributes:
        id: unique in the corpus, and safe as a file name.
        domain: ``unknown`` when the manifest names none.
        format: one of ``FORMATS``.
        pages: None when the manifest does not know.
        path: absolute, inside the corpus folder.
        sha256: digest of the file, verified.
        bytes: size of the file.
        annotations: the axes it has gold for, in the order of ``ANNOTATION_SUFFIXES``.
        gold_digest: SHA-256 over its annotation files; that of nothing when it has none.
        assisted: what is done for every parser alike before it has the document: ``fetch``, it was got from its source;
            ``parse``, the page is taken out of its SGML. The method counts neither as the parser's own work.
    """

    id: str
    domain: str
    format: str
    pages: int | None
    path: Path
    sha256: str
    bytes: int
    annotations: tuple[str, ...]
    gold_digest: str
    assisted: Literal["none", "fetch", "parse"] = "none"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus without errors.

    Attributes:
        folder: absolute.
        digest: SHA-256 over the documents and their gold; order, paths and the corpus's name do not enter.
        documents: in the order of the manifest.
        warnings: what is odd, but does not keep the corpus from being loaded.
    """

    name: str
    version: str
    folder: Path
    digest: str
    documents: tuple[Document, ...]
    warnings: tuple[Fault, ...] = ()
