"""Intake: looks at each document once, before any parser does, and says what every parser should be told alike.

Its version is that of PDFium's binding, the one library it needs. It is served and locked down as a parser is, because
what it reads is just as untrusted.
"""

from collections.abc import Callable
from pathlib import Path

from services.intake import office, pdf, picture, web
from services.intake.findings import Findings
from services.runtime.form import Collected, Parsed

_LOOKS: dict[str, Callable[[Path], Findings]] = {
    "pdf": pdf.look,
    "docx": office.look_docx,
    "pptx": office.look_pptx,
    "html": web.look,
    "image": picture.look,
}


class Adapter:
    """Hands over ``facts``; its text is the same in words."""

    def __init__(self, setting: str) -> None:
        pass

    def parse(self, path: Path, format: str) -> Parsed:
        """Look at one document of the format its corpus declares."""
        findings = _LOOKS[format](path) if path.stat().st_size else Findings.failed("the file has no bytes")
        return Parsed(f"{format}: {findings.words()}", "plain", findings)

    def collect(self, parsed: Parsed) -> Collected:
        """Hand over what was found."""
        findings: Findings = parsed.native
        return Collected(pages=findings.pages, facts=findings.facts())
