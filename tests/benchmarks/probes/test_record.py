"""The probes are the same files everywhere, their record is what the parsers do, and the page shows the record."""

import io
import zipfile
from datetime import UTC, datetime, timedelta

import pypdfium2
import pytest

from benchmarks.probes import asking, record
from benchmarks.probes.corpus import PROBES, Probe
from orchestrator import local
from orchestrator.selection import Selected

RECORDED = [selected for selected in asking.known() if selected.key in record.read()]


class TestFiles:
    @pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.key)
    def test_the_same_bytes_every_time(self, probe: Probe) -> None:
        """A probe made twice is one file, of its format."""
        content = probe.make()
        assert content == probe.make()
        match probe.format:
            case "pdf":
                assert content.startswith(b"%PDF-")
            case "html":
                assert b"</html>" in content
            case "docx" if probe.name == "a password":
                assert content.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
            case _:
                assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None

    @pytest.mark.parametrize(
        "probe",
        [probe for probe in PROBES if probe.format in ("docx", "pptx") and probe.name != "a password"],
        ids=lambda probe: probe.key,
    )
    def test_no_part_holds_the_time(self, probe: Probe) -> None:
        """No part names this day or the one before it: a file made in the next second would be another."""
        days = [str(datetime.now(UTC).date() - timedelta(days=ago)).encode() for ago in (0, 1)]
        with zipfile.ZipFile(io.BytesIO(probe.make())) as package:
            parts = {name: package.read(name) for name in package.namelist()}
        assert [name for name, part in parts.items() if any(day in part for day in days)] == []

    def test_keys_are_unique(self) -> None:
        """Each probe has its own row."""
        assert len({probe.key for probe in PROBES}) == len(PROBES)

    def test_the_note_is_where_word_keeps_it(self) -> None:
        """In the part for footnotes, referred to from the text, which does not hold its words."""
        [probe] = [probe for probe in PROBES if probe.key == "footnotes.docx"]
        package = zipfile.ZipFile(io.BytesIO(probe.make()))
        assert b"Words of the note" in package.read("word/footnotes.xml")
        assert b"Words of the note" not in package.read("word/document.xml")
        assert b'<w:footnoteReference w:id="1"/>' in package.read("word/document.xml")
        assert b'"footnotes.xml"' in package.read("word/_rels/document.xml.rels")
        assert b"/word/footnotes.xml" in package.read("[Content_Types].xml")

    def test_the_letters_of_the_sentence_lie_from_left_to_right(self) -> None:
        """As a printing program writes them: the last letter of the sentence comes first in the page's content."""
        [probe] = [probe for probe in PROBES if probe.key == "right-to-left text.pdf"]
        page = pypdfium2.PdfDocument(probe.make())[0].get_textpage()
        letters = {page.get_charbox(index)[0]: page.get_text_range(index, 1) for index in range(9)}
        assert "".join(letters[left] for left in sorted(letters)) == "שלום עולם"[::-1]

    def test_the_locked_document_holds_an_encrypted_package(self) -> None:
        """What Word makes of a document with a password; its words are not to be read in the file."""
        [probe] = [probe for probe in PROBES if probe.key == "a password.docx"]
        assert "EncryptedPackage".encode("utf-16-le") in probe.make()
        assert b"Words under lock" not in probe.make()

    def test_the_locked_one_opens_with_its_password_alone(self) -> None:
        """Nothing else opens it."""
        [probe] = [probe for probe in PROBES if probe.key == "a password.pdf"]
        with pytest.raises(pypdfium2.PdfiumError):
            pypdfium2.PdfDocument(probe.make())
        assert len(pypdfium2.PdfDocument(probe.make(), password="open")) == 1


class TestRecord:
    def test_the_page_shows_it(self) -> None:
        """The tables in docs/parsers.md are those of the record."""
        assert record.tables(record.read()) in record.PAGE.read_text(encoding="utf-8")

    @pytest.mark.parametrize("selected", RECORDED, ids=lambda selected: selected.key)
    def test_is_whole(self, selected: Selected) -> None:
        """No probe of a format that the parser declares is missing."""
        assert selected.descriptor is not None
        formats = selected.descriptor.chosen(selected.version, selected.setting).formats
        assert set(record.read()[selected.key]) == {probe.key for probe in PROBES if probe.format in formats}

    @pytest.mark.parametrize("selected", RECORDED, ids=lambda selected: selected.key)
    def test_is_what_the_parser_does(self, selected: Selected) -> None:
        """Every verdict again; a row that changed with a pin is to be recorded by python -m benchmarks.probes."""
        try:
            verdicts = asking.ask(selected)
        except local.NotReady as error:
            pytest.skip(str(error))
        assert verdicts == record.read()[selected.key]
