"""Making a manifest for a team's own files."""

import json
import os
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.corpus import CorpusError, check, init, load
from tests.orchestrator.corpus.conftest import HEADINGS, PDF


def office(path: Path, folder: str) -> None:
    """Write a package with one part in a folder, as Office does."""
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr(f"{folder}/document.xml", "<x/>")


def manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest."""
    value: dict[str, Any] = json.loads((folder / "documents.json").read_text())
    return value


class TestInit:
    def test_loose_files(self, tmp_path: Path) -> None:
        """Files anywhere in the folder become a corpus that loads, where they lie."""
        (tmp_path / "2023" / "Q1").mkdir(parents=True)
        (tmp_path / "2023" / "Q1" / "Annual Report.pdf").write_bytes(PDF)
        office(tmp_path / "contract.DOCX", "word")
        office(tmp_path / "deck.pptx", "ppt")
        (tmp_path / "page.htm").write_text("\ufeff  <!DOCTYPE html><p>Hi</p>")
        made = init(tmp_path, domain="legal")
        assert (made.documents, made.annotations, made.skipped) == (4, 0, ())
        corpus = load(tmp_path)
        assert [(d.id, d.format, d.domain, d.pages) for d in corpus.documents] == [
            ("contract", "docx", "legal", None),
            ("deck", "pptx", "legal", None),
            ("page", "html", "legal", None),
            ("Annual_Report", "pdf", "legal", None),
        ]
        assert corpus.documents[3].path == tmp_path / "2023" / "Q1" / "Annual Report.pdf"
        assert corpus.name == tmp_path.name

    def test_defaults(self, tmp_path: Path) -> None:
        """Without a word from the team the domain is unknown."""
        (tmp_path / "a.pdf").write_bytes(PDF)
        init(tmp_path)
        assert load(tmp_path).documents[0].domain == "unknown"

    def test_gold_is_listed(self, tmp_path: Path) -> None:
        """Gold that lies where the layout wants it is in the manifest; no annotation is taken for a document."""
        (tmp_path / "report.pdf").write_bytes(PDF)
        gold = tmp_path / "annotations" / "hierarchy"
        gold.mkdir(parents=True)
        (gold / "report.headings.json").write_text(json.dumps(HEADINGS))
        (tmp_path / "annotations" / "notes.html").write_text("<p>")
        assert init(tmp_path).annotations == 1
        assert load(tmp_path).documents[0].annotations == ("hierarchy",)

    @pytest.mark.parametrize(
        ("name", "content", "why"),
        [
            ("a.txt", b"hello", "extension"),
            ("noextension", b"%PDF-1.7", "extension"),
            ("a.pdf", b"", "empty"),
            ("a.pdf", b"<html>", "its content is html"),
            ("a.html", b"%PDF-1.7", "its content is pdf"),
            ("a.html", b"just words", "its content is plain text"),
            ("a.html", b"\0\1\2", "its content is binary data"),
            ("a.docx", b"PK\x03\x04 cut off", "damaged ZIP"),
            ("a.png", b"%PDF-1.7", "its content is pdf"),
            ("a.pdf", b"\x89PNG\r\n\x1a\n", "its content is image"),
            ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "OLE"),
        ],
    )
    def test_skipped(self, tmp_path: Path, name: str, content: bytes, why: str) -> None:
        """What is no document by its name, or not the one its name says, is left out with its reason."""
        (tmp_path / "good.pdf").write_bytes(PDF)
        (tmp_path / name).write_bytes(content)
        (skipped,) = init(tmp_path).skipped
        assert skipped.path == name
        assert why in skipped.reason

    def test_page_images(self, tmp_path: Path) -> None:
        """Images are documents where there is no HTML, and pictures of its pages where there is."""
        (tmp_path / "scan.JPG").write_bytes(b"\xff\xd8\xff\xe0 and so on")
        assert (init(tmp_path).documents, load(tmp_path).documents[0].format) == (1, "image")
        (tmp_path / "page.html").write_text("<p>words")
        (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n")
        made = init(tmp_path, replace=True)
        assert [document.id for document in load(tmp_path).documents] == ["page", "scan"]
        assert [skipped.path for skipped in made.skipped] == ["logo.png"]
        assert "among HTML pages" in made.skipped[0].reason

    def test_other_package(self, tmp_path: Path) -> None:
        """A presentation named .docx is told from a document by what is in it."""
        (tmp_path / "good.pdf").write_bytes(PDF)
        office(tmp_path / "deck.docx", "ppt")
        assert "its content is pptx" in init(tmp_path).skipped[0].reason

    def test_copies(self, tmp_path: Path) -> None:
        """A file that is there twice counts once."""
        (tmp_path / "a.pdf").write_bytes(PDF)
        (tmp_path / "b.pdf").write_bytes(PDF)
        made = init(tmp_path)
        assert made.documents == 1
        assert "a.pdf" in made.skipped[0].reason

    def test_links(self, tmp_path: Path) -> None:
        """A link out of the folder, a broken link and a pipe are left out."""
        folder = tmp_path / "corpus"
        folder.mkdir()
        (tmp_path / "secret.pdf").write_bytes(PDF)
        (folder / "good.pdf").write_bytes(PDF + b"good")
        (folder / "out.pdf").symlink_to(tmp_path / "secret.pdf")
        (folder / "broken.pdf").symlink_to("nowhere")
        os.mkfifo(folder / "pipe.pdf")
        made = init(folder)
        assert {skipped.path for skipped in made.skipped} == {"out.pdf", "broken.pdf", "pipe.pdf"}
        assert check(folder) == []

    def test_hidden(self, tmp_path: Path) -> None:
        """Hidden files and folders are passed over in silence."""
        (tmp_path / ".cache").mkdir()
        (tmp_path / ".cache" / "a.pdf").write_bytes(PDF)
        (tmp_path / "b.pdf").write_bytes(PDF)
        assert init(tmp_path).skipped == ()

    def test_name_not_utf8(self, tmp_path: Path) -> None:
        """A file whose name no manifest can hold is left out, not a traceback."""
        (tmp_path / "good.pdf").write_bytes(PDF)
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.pdf")).write_bytes(PDF + b"x")
        assert "UTF-8" in init(tmp_path).skipped[0].reason

    def test_nothing(self, tmp_path: Path) -> None:
        """A folder without documents is refused, with the reasons."""
        (tmp_path / "a.txt").write_text("x")
        with pytest.raises(CorpusError, match=r"a\.txt"):
            init(tmp_path)


class TestIds:
    def test_different_in_more_than_case(self, tmp_path: Path) -> None:
        """Names that give one id, or ids that differ in case alone, get numbers."""
        for name in ("Report.pdf", "report.html", "a/report.pdf", "re port.pdf", "re_port.pdf"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(PDF + name.encode() if name.endswith("pdf") else b"<p>")
        init(tmp_path)
        assert [entry["id"] for entry in manifest(tmp_path)["documents"]] == [
            "Report",
            "re_port",
            "re_port_2",
            "report_2",
            "report_3",
        ]

    @settings(max_examples=100)
    @given(
        names=st.lists(
            st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=30),
            min_size=1,
            max_size=4,
            unique=True,
        )
    )
    def test_any_name(self, names: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
        """Whatever files are called, the manifest that is made has no fault."""
        folder = tmp_path_factory.mktemp("names")
        for number, name in enumerate(names):
            (folder / f"{name}.pdf").write_bytes(PDF + b"%d" % number)
        (folder / "one.pdf").write_bytes(PDF)
        init(folder)
        assert check(folder) == []


class TestReplace:
    def test_never_by_itself(self, tmp_path: Path) -> None:
        """A manifest that is there is not overwritten, not even a broken one."""
        (tmp_path / "a.pdf").write_bytes(PDF)
        (tmp_path / "documents.json").write_text("mine")
        with pytest.raises(CorpusError, match=f"exists already .* `docassay corpus init {tmp_path} --replace`"):
            init(tmp_path)
        assert (tmp_path / "documents.json").read_text() == "mine"

    def test_keeps_what_people_wrote(self, tmp_path: Path) -> None:
        """Replaced, documents keep their id, domain, origin and licence; pages go with a changed file."""
        (tmp_path / "a.pdf").write_bytes(PDF)
        (tmp_path / "b.pdf").write_bytes(PDF + b"b")
        init(tmp_path)
        value = manifest(tmp_path)
        value["documents"][0] |= {"id": "b", "domain": "tax", "origin": "mail", "licence": "own", "pages": 3}
        value["documents"][1] |= {"id": "second", "pages": 4}
        (tmp_path / "documents.json").write_text(json.dumps(value))
        (tmp_path / "b.pdf").write_bytes(PDF + b"new")
        (tmp_path / "c.pdf").write_bytes(PDF + b"c")
        init(tmp_path, replace=True, domain="other")
        first, second, third = load(tmp_path).documents
        assert (first.id, first.domain, first.pages) == ("b", "tax", 3)
        assert (second.id, second.domain, second.pages) == ("second", "unknown", None)
        assert (third.id, third.domain) == ("c", "other")
        assert manifest(tmp_path)["documents"][0]["licence"] == "own"

    def test_keeps_the_rest(self, tmp_path: Path) -> None:
        """So do the corpus's name and version and keys of one's own; another name is given on demand."""
        (tmp_path / "a.pdf").write_bytes(PDF)
        init(tmp_path)
        value = manifest(tmp_path) | {"name": "Leases", "version": "2024-3", "contact": "us"}
        value["documents"][0]["note"] = "check page 3"
        (tmp_path / "documents.json").write_text(json.dumps(value))
        init(tmp_path, replace=True)
        assert manifest(tmp_path) == value
        init(tmp_path, replace=True, name="Contracts")
        assert manifest(tmp_path) == value | {"name": "Contracts"}

    def test_keeps_what_a_person_listed(self, tmp_path: Path) -> None:
        """A hidden file, one of another extension and a copy: nobody else lists them, and the check accepts them."""
        (tmp_path / "a.pdf").write_bytes(PDF)
        (tmp_path / ".hidden").mkdir()
        (tmp_path / ".hidden" / "h.pdf").write_bytes(PDF + b"h")
        (tmp_path / "copy.pdf").write_bytes(PDF)
        (tmp_path / "filing.txt").write_text("<!DOCTYPE html><p>words")
        init(tmp_path)
        value = manifest(tmp_path)
        for path, format in ((".hidden/h.pdf", "pdf"), ("copy.pdf", "pdf"), ("filing.txt", "html")):
            content = (tmp_path / path).read_bytes()
            listed = {
                "id": f"by_hand_{len(value['documents'])}",
                "format": format,
                "path": path,
                "sha256": sha256(content).hexdigest(),
            }
            value["documents"].append(listed | {"origin": f"of {path}"})
        (tmp_path / "documents.json").write_text(json.dumps(value))
        assert check(tmp_path) == []
        made = init(tmp_path, replace=True)
        assert made.skipped == ()
        assert {(entry["path"], entry["format"], entry["origin"]) for entry in manifest(tmp_path)["documents"]} == {
            ("a.pdf", "pdf", None),
            (".hidden/h.pdf", "pdf", "of .hidden/h.pdf"),
            ("copy.pdf", "pdf", "of copy.pdf"),
            ("filing.txt", "html", "of filing.txt"),
        }
        assert check(tmp_path) == []

    def test_a_file_that_was_moved_or_is_gone(self, tmp_path: Path) -> None:
        """Moved, it is the same document; gone, it is named and left out."""
        for name in ("a.pdf", "b.pdf", "c.pdf"):
            (tmp_path / name).write_bytes(PDF + name.encode())
        init(tmp_path)
        value = manifest(tmp_path)
        value["documents"][0] |= {"id": "lease", "origin": "mail", "pages": 3, "note": "mine"}
        (tmp_path / "documents.json").write_text(json.dumps(value))
        (tmp_path / "old").mkdir()
        (tmp_path / "a.pdf").rename(tmp_path / "old" / "lease.pdf")
        (tmp_path / "b.pdf").unlink()
        made = init(tmp_path, replace=True)
        assert [(skipped.path, skipped.reason) for skipped in made.skipped] == [
            ("b.pdf", 'its file is gone; it was "b"')
        ]
        entries = {entry["id"]: entry for entry in manifest(tmp_path)["documents"]}
        assert set(entries) == {"c", "lease"}
        assert entries["lease"] == value["documents"][0] | {"path": "old/lease.pdf"}
        assert [fault.warning for fault in check(tmp_path)] == [True]  # of the note

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("{", "no JSON"),
            ('{"name": "n", "documents": []}', "version"),
            ('{"name": "n", "version": "1", "documents": [{"id": "x"}]}', "/documents/0"),
        ],
    )
    def test_broken_manifest(self, tmp_path: Path, text: str, told: str) -> None:
        """One with a fault is kept, for what it says of the documents would be lost; moved away, all begins anew."""
        (tmp_path / "a.pdf").write_bytes(PDF)
        (tmp_path / "documents.json").write_text(text)
        with pytest.raises(CorpusError, match="move it away") as caught:
            init(tmp_path, replace=True)
        assert told in str(caught.value)
        assert (tmp_path / "documents.json").read_text() == text
        (tmp_path / "documents.json").rename(tmp_path / "old.json")
        init(tmp_path, replace=True)
        assert check(tmp_path) == []
