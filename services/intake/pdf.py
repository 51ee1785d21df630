"""PDF: the header, the password, the pages."""

import os
from pathlib import Path

import pypdfium2.internal
import pypdfium2.raw as pdfium

from services.intake.findings import Findings, kind

_HEADER_WITHIN = 1024
"""Bytes of junk that readers allow in front of the header (ISO 32000, implementation note 13)."""


def look(path: Path) -> Findings:
    """Look at a PDF. PDFium counts its pages, as lenient as most readers are."""
    with path.open("rb") as source:
        head = source.read(_HEADER_WITHIN + 5)
        source.seek(max(0, path.stat().st_size - _HEADER_WITHIN))
        tail = source.read()
    at = head.find(b"%PDF-")
    if at < 0:
        return Findings.failed(f"declared a PDF, but there is no %PDF- in its first KiB; it begins as {kind(head)}")
    notes = []
    if at:
        notes.append(f"{at} byte{'s' * (at > 1)} in front of the PDF header")
    if b"%%EOF" not in tail:
        notes.append("no %%EOF at its end: cut short, or its structure must be repaired")
    # Asked of PDFium itself: its last error is set by failures alone, so it says nothing of a file without pages, which
    # the binding's own document class takes for a failure.
    document = pdfium.FPDF_LoadDocument(os.fsencode(path) + b"\0", None)
    if not document:
        code = pdfium.FPDF_GetLastError()
        if code == pdfium.FPDF_ERR_PASSWORD:
            return Findings.locked("the PDF needs a user password")
        said = pypdfium2.internal.ErrorToStr.get(code, f"error {code}")
        return Findings(notes=(*notes, f"PDFium does not open it: {said}"))
    pages = pdfium.FPDF_GetPageCount(document)
    pdfium.FPDF_CloseDocument(document)
    if not pages:
        notes.append("it has no pages")
    return Findings(pages=pages, notes=tuple(notes))
