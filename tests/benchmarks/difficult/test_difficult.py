"""Difficult files: every kind of file is sent, whatever is wrong with it, and what is wrong with an answer is said."""

import sys
from pathlib import Path

import pytest

from benchmarks.difficult import __main__ as difficult
from benchmarks.difficult import readable
from benchmarks.difficult.__main__ import Row
from orchestrator import corpus


class TestReadable:
    @pytest.mark.parametrize(
        "reason",
        [
            "the tool returned no text",
            "still working after 60 s",
            "KeyError: 'text' (tool/pages.py, line 4)",
            "OSError: [Errno 2] No such file: 'model.onnx'",
            "bob's page 0x1 is bad",
        ],
    )
    def test_a_line_that_says_something(self, reason: str) -> None:
        """Nothing is wrong with it."""
        assert readable.faults(reason) == []

    @pytest.mark.parametrize(
        ("reason", "fault"),
        [
            ("", "nothing"),
            (" \n", "nothing"),
            ("KeyError", "the name of an error alone"),
            ("tool.PdfReadError: ", "the name of an error alone"),
            ("failed: Traceback (most recent call last): in main", "a traceback"),
            ('failed: File "/opt/tool/a.py", line 3, in read', "a traceback"),
            ("ValueError: found b'MS' there", "a byte string"),
            ("TypeError: <Page object at 0x7f12ab34cd56>", "an address in memory"),
            ("two\nlines", "a control character"),
            ("\x1b[31mred\x1b[0m", "colours of a terminal"),
            ("word " * 100, "too many words"),
        ],
    )
    def test_a_line_that_does_not(self, reason: str, fault: str) -> None:
        """What is wrong is named."""
        assert fault in readable.faults(reason)


class TestManifest:
    def test_every_file_is_sent(self, tmp_path: Path) -> None:
        """Empty, of another format than its name says, or the same twice: the corpus loads with all of them."""
        files = {"empty.pdf": b"", "really.docx": b"%PDF-1.4", "a.htm": b"<p>", "b.HTML": b"<p>", "c.pptx": b"PK"}
        folder = tmp_path / "files"
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        (folder / "SOURCES.tsv").write_text("no document")
        assert difficult.manifest(folder, tmp_path / "corpus") == sorted(files)
        loaded = corpus.load(tmp_path / "corpus")
        assert {document.id: document.format for document in loaded.documents} == {
            "empty.pdf": "pdf",
            "really.docx": "docx",
            "a.htm": "html",
            "b.HTML": "html",
            "c.pptx": "pptx",
        }

    def test_any_name_and_what_is_no_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """A name that can be no id is made one; a folder or a link to nowhere is left out and said to be."""
        folder = tmp_path / "files"
        folder.mkdir()
        (folder / "-x a'b \"ü.PDF").write_bytes(b"%PDF-1.4")
        (folder / "gone.pdf").symlink_to(tmp_path / "nowhere")
        (folder / "sub.pdf").mkdir()
        assert len(difficult.manifest(folder, tmp_path / "corpus")) == 1
        [document] = corpus.load(tmp_path / "corpus").documents
        assert document.path.read_bytes() == b"%PDF-1.4"
        said = capsys.readouterr().err.splitlines()
        assert [line.endswith(": left out: it is no file") for line in said] == [True, True]

    def test_a_folder_without_documents(self, tmp_path: Path) -> None:
        """Said, with the folder's name."""
        with pytest.raises(SystemExit, match=r"no file ends in \.pdf"):
            difficult.manifest(tmp_path, tmp_path / "corpus")


class TestFaults:
    def test_each_is_said(self) -> None:
        """A file without a row, one with two, one that ran on, one whose reason says nothing."""
        rows = [
            Row("a", "ok", "", 1.0),
            Row("b", "error", "", 1.0),
            Row("c", "timeout", "still working after 5 s", 30.0),
            Row("d", "empty", "the tool returned no text", 1.0),
            Row("d", "empty", "the tool returned no text", 1.0),
        ]
        found = list(difficult.faults(rows, ["a", "b", "c", "d", "e"], 5.0))
        assert found == [
            "d: 2 rows, expected one",
            "e: 0 rows, expected one",
            "b: error: its reason has nothing: ''",
            "c: ended after 30.0 s, the deadline was 5 s",
        ]


def test_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Through the command line and a real parser: a line of counts, every reason, and the exit code."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "good.html").write_text("<p>words</p>")
    (folder / "empty.html").write_bytes(b"")
    monkeypatch.setattr(sys, "argv", ["difficult", str(folder), "markitdown", "no_such_parser", "--reasons"])
    assert difficult.main() == 1
    told = capsys.readouterr().out.splitlines()
    assert told[2] == "| markitdown | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 |"
    assert told[3] == "markitdown: empty.html: 0.0 s: error: the file has no bytes"
    assert told[4] == "| no_such_parser | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |"
    assert told[5].startswith("no_such_parser: no rows: ")
    assert "no_such_parser" in told[5].partition("no rows")[2]
