"""What a file is, by its name and by its first bytes."""

import zipfile
from pathlib import Path

from services.runtime import picture
from services.runtime.picture import IMAGE_SUFFIXES

OF_EXTENSION = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "pptx",
    ".html": "html",
    ".htm": "html",
    **dict.fromkeys(IMAGE_SUFFIXES, "image"),
}

HEAD = 1024
"""Bytes in which a file must show its format; PDF readers look as far for the mark."""


def of(path: Path, head: bytes) -> str:
    """Return the format that a file's first bytes show: one of a corpus, or what else it is, in words.

    Args:
        path: the file; opened only where its first bytes are those of a package.
        head: its first ``HEAD`` bytes.
    """
    if head.startswith(b"PK\x03\x04"):
        return _of_package(path)
    if picture.suffix(head) in IMAGE_SUFFIXES:
        return "image"
    if b"%PDF-" in head:
        return "pdf"
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return "an OLE file (an encrypted or an old Office document)"
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"<" in head and (wide or b"\0" not in head):
        return "html"
    return "binary data" if b"\0" in head and not wide else "plain text"


def _of_package(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as package:
            names = package.namelist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return "a damaged ZIP archive"
    for folder, format in (("word/", "docx"), ("ppt/", "pptx")):
        if any(name.startswith(folder) for name in names):
            return format
    return "a ZIP archive"
