"""Images of pages: one page each."""

from pathlib import Path

from services.intake.findings import Findings, kind


def look(path: Path) -> Findings:
    """Look at an image by its signature."""
    with path.open("rb") as source:
        head = source.read(16)
    known = kind(head).endswith("image") or (head.startswith(b"RIFF") and head[8:12] == b"WEBP")
    if not known:
        return Findings.failed(f"declared an image, but it begins as {kind(head)}")
    return Findings(pages=1)
