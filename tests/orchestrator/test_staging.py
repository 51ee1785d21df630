"""What parsers see of a corpus: opaque names that tell the format alone."""

from dataclasses import replace
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


@pytest.mark.parametrize("where", ["linked", "copied"])
def test_a_page_is_staged_without_its_sgml(tmp_path: Path, where: str) -> None:
    """Parsers and intake read the page alone; the file of the corpus stays as it is, and other files are untouched."""
    page = b"<html><p>Words.</p></html>\n"
    wrapped, plain = tmp_path / "wrapped.html", tmp_path / "plain.html"
    wrapped.write_bytes(b"<DOCUMENT>\n<TYPE>8-K\n<TEXT>\n" + page + b"</TEXT>\n</DOCUMENT>\n")
    plain.write_bytes(page)
    documents = [
        replace(document(wrapped, "html"), assisted="parse"),
        replace(document(plain, "html"), sha256="cd" * 32),
    ]
    folder = tmp_path / "staged"
    if where == "linked":
        staged, placed = staging.stage(documents, folder)
    else:
        folder.mkdir()
        staged, placed = staging.copy(documents, folder)
    assert [one.path.read_bytes() for one in placed] == [page, page]
    assert [(staged.folder / staging.opaque_name(one)).read_bytes() for one in placed] == [page, page]
    assert wrapped.read_bytes().startswith(b"<DOCUMENT>")
