"""What parsers see of a corpus: opaque names that tell the format alone."""

from pathlib import Path

import pytest

from orchestrator import staging
from orchestrator.corpus import Document


def document(path: Path, format: str) -> Document:
    return Document(
        id="secret",
        domain="finance",
        format=format,
        pages=None,
        path=path,
        sha256="ab" * 32,
        bytes=1,
        annotations=(),
        gold_digest="",
    )


@pytest.mark.parametrize(
    ("name", "format", "suffix"),
    [
        ("report.pdf", "pdf", ".pdf"),
        ("page.htm", "html", ".html"),
        ("scan.PNG", "image", ".png"),
        ("scan.jpeg", "image", ".jpeg"),
        ("scan", "image", ".image"),
        ("scan.exe", "image", ".image"),
    ],
)
def test_a_name_tells_the_format_and_the_kind_of_an_image(name: str, format: str, suffix: str) -> None:
    """Tools go by a file's ending; nothing else of its name is theirs to see."""
    assert staging.opaque_name(document(Path("/corpus") / name, format)) == "ab" * 16 + suffix
