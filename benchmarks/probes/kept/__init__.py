"""Probes that are kept as files, because they cannot be made the same twice.

``right_to_left.pdf`` was drawn by reportlab 5.1.0 with DejaVu Sans 2.37, which is not everywhere: a Hebrew sentence,
its letters from left to right as they lie on the page, which is how printing programs write them.
``locked.docx`` was made by python-docx and locked by msoffcrypto-tool 6.1.0 with the password ``open``: a lock has
random salts.
"""

from pathlib import Path

_FOLDER = Path(__file__).parent


def right_to_left() -> bytes:
    """A Hebrew sentence as a PDF."""
    return (_FOLDER / "right_to_left.pdf").read_bytes()


def locked() -> bytes:
    """A DOCX file that opens with a password alone."""
    return (_FOLDER / "locked.docx").read_bytes()
