"""What intake found out about one document."""

import math
from dataclasses import dataclass
from typing import Any, Literal

CHARACTERS_PER_PAGE = 3_000
"""For formats without pages of their own (DOCX, HTML)."""

SIGNATURES = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a zip archive",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an OLE compound file (Office 97-2003, or an encrypted Office file)",
    b"\x89PNG\r\n\x1a\n": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"II*\x00": "a TIFF image",
    b"MM\x00*": "a TIFF image",
    b"BM": "a BMP image",
    b"\x1f\x8b": "a gzip file",
    b"{\\rtf": "an RTF file",
}


@dataclass(frozen=True, slots=True)
class Findings:
    """Facts about one document.

    Attributes:
        status: what the document is for every parser alike, without asking any; None when parsers get the file.
        reason: why, in a line.
        pages: how many; None when they cannot be counted.
        estimated: whether ``pages`` is characters of source text over ``CHARACTERS_PER_PAGE``.
        notes: whatever is odd, a line each.
    """

    status: Literal["error", "encrypted"] | None = None
    reason: str = ""
    pages: int | None = None
    estimated: bool = False
    notes: tuple[str, ...] = ()

    @classmethod
    def failed(cls, reason: str) -> "Findings":
        """Return the findings of a file that is not what it is declared to be."""
        return cls(status="error", reason=reason)

    @classmethod
    def locked(cls, reason: str) -> "Findings":
        """Return the findings of a file that nobody reads without its password."""
        return cls(status="encrypted", reason=reason)

    def facts(self) -> dict[str, Any]:
        """Return the form in which the orchestrator reads them."""
        return {
            "settled": None if self.status is None else {"status": self.status, "reason": self.reason},
            "pages": self.pages,
            "pages_estimated": self.estimated,
            "notes": list(self.notes),
        }

    def words(self) -> str:
        """Return them as a line for people."""
        if self.status is not None:
            return f"{self.status}, {self.reason}"
        pages = "pages unknown"
        if self.pages is not None:
            pages = f"{self.pages} page{'s' * (self.pages != 1)}{' (estimated)' * self.estimated}"
        return "; ".join([pages, *self.notes])


def estimated_pages(characters: int) -> int:
    """Return the pages that so many characters of source text stand for."""
    return max(1, math.ceil(characters / CHARACTERS_PER_PAGE))


def kind(head: bytes) -> str:
    """Say what a file's first bytes are those of."""
    for signature, name in SIGNATURES.items():
        if head.startswith(signature):
            return name
    return "nothing known"
