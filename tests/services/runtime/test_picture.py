"""The endings of image files."""

import pytest

from services.runtime import picture


@pytest.mark.parametrize(
    ("head", "suffix"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", ".png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", ".jpg"),
        (b"II*\0\x08\0\0\0", ".tif"),
        (b"MM\0*\0\0\0\x08", ".tif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", ".webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", ".image"),
        (b"%PDF-1.7", ".image"),
        (b"", ".image"),
    ],
)
def test_suffix(head: bytes, suffix: str) -> None:
    """A file is named after what it begins with; what is no image is not named as one."""
    assert picture.suffix(head) == suffix
