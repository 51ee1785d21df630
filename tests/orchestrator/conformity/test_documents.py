"""The documents of an examination are what they claim to be, to readers that are not ours."""

import io
import re
from collections.abc import Callable

import docx
import pptx
import pypdfium2
import pytest
from lxml import html

from orchestrator.conformity import documents

LARGE = 3 << 20


def _html(content: bytes) -> str:
    [body] = html.document_fromstring(content, html.HTMLParser(huge_tree=True)).findall("body")
    return " ".join(text for text in body.xpath("//body//text()[not(parent::script)]"))


def _docx(content: bytes) -> str:
    document = docx.Document(io.BytesIO(content))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return " ".join([paragraph.text for paragraph in document.paragraphs] + cells)


def _pptx(content: bytes) -> str:
    shapes = [shape for slide in pptx.Presentation(io.BytesIO(content)).slides for shape in slide.shapes]
    texts = [shape.text_frame.text for shape in shapes if shape.has_text_frame]
    tables = [shape.table for shape in shapes if shape.has_table]
    return " ".join(texts + [cell.text for table in tables for row in table.rows for cell in row.cells])


def _pdf(content: bytes) -> str:
    document = pypdfium2.PdfDocument(content)
    try:
        return " ".join(document[index].get_textpage().get_text_range() for index in range(len(document)))
    finally:
        document.close()


READERS: dict[str, Callable[[bytes], str]] = {"html": _html, "docx": _docx, "pptx": _pptx, "pdf": _pdf}


@pytest.fixture(autouse=True)
def _smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LARGE_BYTES", LARGE)


@pytest.mark.parametrize("format", READERS)
class TestReadable:
    def test_a_padded_probe_has_the_text_of_the_probe_alone(self, format: str) -> None:
        """It is larger than what must be exceeded, and no reader shows the padding."""
        content = documents.padded(format)
        assert len(content) > LARGE
        assert _words(READERS[format](content)) == _words(READERS[format](documents.plain(format)))

    def test_a_lengthy_document_has_more_text_than_must_be_exceeded(self, format: str) -> None:
        """All of it to be read."""
        assert len(READERS[format](documents.lengthy(format))) > LARGE

    def test_a_trial_has_a_sixteenth_of_the_text(self, format: str) -> None:
        """What it takes, times sixteen, is what the whole would take; paragraphs and pages are not cut."""
        whole, trial = (len(READERS[format](documents.lengthy(format, trial=trial))) for trial in (False, True))
        assert whole / 16 <= trial < whole / 8

    def test_the_probe_has_the_words_it_is_known_by(self, format: str) -> None:
        """Whatever reads it."""
        text = READERS[format](documents.plain(format)).lower()
        assert [word for word in documents.WORDS if word not in text] == []


def test_a_padded_page_image_is_made_of_whole_chunks() -> None:
    """Its checksums hold, and the private chunk lies before the end."""
    content, at, kinds = documents.padded("image"), 8, []
    while at < len(content):
        length = int.from_bytes(content[at : at + 4], "big")
        kinds.append(content[at + 4 : at + 8])
        at += 12 + length
    assert at == len(content)
    assert kinds[-2:] == [b"paDd", b"IEND"]
    assert len(content) > LARGE


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
