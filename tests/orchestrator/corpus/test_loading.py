"""What a corpus must be, and that everything wrong with one is said with its file and place."""

import contextlib
import json
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.corpus import Corpus, CorpusError, check, load
from tests.orchestrator.corpus.conftest import CONTENT, Folder, build

HIERARCHY = "annotations/hierarchy/report.headings.json"
TABLES = "annotations/tables/report.tables.json"
QA = "annotations/qa/report.qa.json"
TEXT = "annotations/content/report.content.md"


class TestLoad:
    def test_documents(self, corpus: Folder) -> None:
        """A corpus without faults loads with its documents in the manifest's order, paths absolute."""
        loaded = load(corpus.path)
        assert (loaded.name, loaded.version, loaded.warnings) == ("small", "1", ())
        assert [document.id for document in loaded.documents] == ["report", "memo"]
        report, memo = loaded.documents
        assert report.annotations == ("hierarchy", "content", "tables", "qa")
        assert memo.annotations == ()
        assert report.path == corpus.path.resolve() / "documents" / "report.pdf"
        assert report.pages is None

    def test_optional_keys(self, corpus: Folder) -> None:
        """Only id, format, path and digest are needed; a missing domain is unknown."""

        def strip(manifest: dict[str, Any]) -> None:
            for entry in manifest["documents"]:
                for key in ("domain", "pages", "bytes", "origin", "licence", "annotations"):
                    del entry[key]

        corpus.manifest(strip)
        loaded = load(corpus.path)
        assert {document.domain for document in loaded.documents} == {"unknown"}

    def test_gold_digest_follows_the_gold(self, corpus: Folder) -> None:
        """A changed annotation changes its document's gold digest and the corpus's, nobody else's."""
        before = load(corpus.path)
        (corpus.path / TEXT).write_text(CONTENT + "More.\n")
        after = load(corpus.path)
        assert before.documents[0].gold_digest != after.documents[0].gold_digest
        assert before.documents[1].gold_digest == after.documents[1].gold_digest
        assert before.digest != after.digest

    def test_digest_is_of_what_is_measured(self, corpus: Folder) -> None:
        """Order, name and place of the files do not enter the corpus's digest."""
        before = load(corpus.path)
        (corpus.path / "documents" / "memo.pdf").rename(corpus.path / "memo.pdf")

        def move(manifest: dict[str, Any]) -> None:
            manifest["name"] = "other"
            manifest["documents"][1]["path"] = "memo.pdf"
            manifest["documents"].reverse()

        corpus.manifest(move)
        assert load(corpus.path).digest == before.digest

    def test_real_corpus(self) -> None:
        """The real corpus loads, with nothing but evidence that could not be looked up to warn of."""
        folder = os.environ.get("DOCASSAY_CORPUS")
        if not folder:
            pytest.skip("DOCASSAY_CORPUS is unset: the real corpus is not at hand")
        loaded = load(Path(folder) / "real")
        assert len(loaded.documents) == 127
        assert {Path(fault.file).parent.name for fault in loaded.warnings} == {"qa"}
        assert all("no content.md" in fault.text for fault in loaded.warnings)

    def test_levels_may_skip(self, corpus: Folder) -> None:
        """A level-6 heading under a level-2 root is no fault: edges come from nesting."""
        corpus.json(HIERARCHY, lambda gold: gold["headings"][0].update(level=2))
        corpus.json(HIERARCHY, lambda gold: gold["headings"][0]["children"][0].update(level=6))
        assert check(corpus.path) == []


class TestManifest:
    def test_missing(self, tmp_path: Path) -> None:
        """A folder without a manifest says that documents.json is missing, and which command makes it."""
        folder = tmp_path / "my files"
        folder.mkdir()
        text = Folder(folder).fault().text
        assert text == f"the file \"documents.json\" is missing; make it with `docassay corpus init '{folder}'`"

    def test_folder_missing(self, tmp_path: Path) -> None:
        """A folder that does not exist, or is none, is a fault, not a traceback."""
        assert "does not exist" in Folder(tmp_path / "nowhere").fault().text
        (tmp_path / "file").write_text("")
        assert "is a file" in Folder(tmp_path / "file").fault().text

    def test_no_json(self, corpus: Folder) -> None:
        """A manifest that is no JSON says in which line and column."""
        (corpus.path / "documents.json").write_text('{\n  "name": oops\n}')
        assert corpus.fault().place == "line 2, column 11"

    def test_no_utf8(self, corpus: Folder) -> None:
        """A manifest that is no UTF-8 says in which line."""
        (corpus.path / "documents.json").write_bytes(b'{\n"name": "\xe4"}')
        assert corpus.fault().place == "line 2"

    @pytest.mark.parametrize("text", ["[" * 100_000, '{"name": NaN}', "1" * 5000])
    def test_hostile_json(self, corpus: Folder, text: str) -> None:
        """Nesting without end, NaN and endless numbers are faults."""
        (corpus.path / "documents.json").write_text(text)
        assert corpus.fault().file == "documents.json"

    @pytest.mark.parametrize(
        ("key", "value", "place"),
        [
            ("format", "xlsx", "/documents/0/format"),
            ("sha256", "abc", "/documents/0/sha256"),
            ("pages", -1, "/documents/0/pages"),
            ("annotations", ["tables", "tables"], "/documents/0/annotations"),
            ("annotations", ["headings"], "/documents/0/annotations/0"),
        ],
    )
    def test_values(self, corpus: Folder, key: str, value: object, place: str) -> None:
        """An unknown format, a digest that is none, an unknown or repeated axis: each at its JSON pointer."""
        corpus.manifest(lambda manifest: manifest["documents"][0].update({key: value}))
        assert ("documents.json", place) in {(fault.file, fault.place) for fault in corpus.faults()}

    @pytest.mark.parametrize(
        "identifier", ["", ".", "..", ".hidden", "-rf", "a/b", "a\\b", "a b", "a\nb", "a\n", "c:d"]
    )
    def test_ids(self, corpus: Folder, identifier: str) -> None:
        """An id that could not be a file name everywhere is refused."""
        corpus.manifest(lambda manifest: manifest["documents"][1].update(id=identifier))
        assert corpus.fault().place == "/documents/1/id"

    def test_long_id(self, corpus: Folder) -> None:
        """An id too long for a file name is refused by its bytes."""
        corpus.manifest(lambda manifest: manifest["documents"][1].update(id="ä" * 101))
        assert "too long" in corpus.fault().text

    def test_foreign_scripts(self, corpus: Folder) -> None:
        """Ids may be of any script."""
        corpus.manifest(lambda manifest: manifest["documents"][1].update(id="報告書-2023"))
        assert load(corpus.path).documents[1].id == "報告書-2023"

    def test_missing_key(self, corpus: Folder) -> None:
        """A missing key is named, at the entry that lacks it."""
        corpus.manifest(lambda manifest: manifest["documents"][1].pop("sha256"))
        fault = corpus.fault()
        assert (fault.place, "'sha256'" in fault.text) == ("/documents/1", True)

    def test_unknown_key(self, corpus: Folder) -> None:
        """A key that is not read is warned of, and the corpus loads."""
        corpus.manifest(lambda manifest: manifest["documents"][1].update(anotations=["qa"]))
        (warning,) = load(corpus.path).warnings
        assert (warning.file, warning.place) == ("documents.json", "/documents/1/anotations")

    @pytest.mark.parametrize("key", ["id", "path"])
    def test_repeated(self, corpus: Folder, key: str) -> None:
        """Two documents of one id, or of one path, are refused at the second."""
        corpus.manifest(lambda manifest: manifest["documents"][1].update({key: manifest["documents"][0][key]}))
        assert f"/documents/1/{key}" in {fault.place for fault in corpus.faults()}


class TestDocumentFiles:
    def test_missing(self, corpus: Folder) -> None:
        """A missing document is a fault of the path that names it."""
        (corpus.path / "documents" / "memo.pdf").unlink()
        fault = corpus.fault()
        assert (fault.file, fault.place) == ("documents.json", "/documents/1/path")
        assert "missing" in fault.text

    def test_changed(self, corpus: Folder) -> None:
        """A document with other bytes is a fault that shows both digests."""
        (corpus.path / "documents" / "memo.pdf").write_bytes(b"")
        fault = corpus.fault()
        assert fault.place == "/documents/1/sha256"
        assert "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" in fault.text

    def test_wrong_size(self, corpus: Folder) -> None:
        """A size that is not the file's is a fault even where the digest fits."""
        corpus.manifest(lambda manifest: manifest["documents"][1].update(bytes=7))
        assert corpus.fault().place == "/documents/1/bytes"

    def test_folder(self, corpus: Folder) -> None:
        """A document that is a folder is refused."""
        corpus.manifest(lambda manifest: manifest["documents"][1].update(path="documents"))
        assert "is a folder" in corpus.fault().text

    def test_pipe(self, corpus: Folder) -> None:
        """A named pipe is refused, not waited for."""
        os.mkfifo(corpus.path / "pipe.pdf")
        corpus.manifest(lambda manifest: manifest["documents"][1].update(path="pipe.pdf"))
        assert "no regular file" in corpus.fault().text

    @pytest.mark.parametrize(
        "path", ["../outside.pdf", "documents/../../outside.pdf", "/etc/hostname", "a\0b", "link.pdf"]
    )
    def test_leaves_the_folder(self, corpus: Folder, path: str) -> None:
        """A path that leaves the folder, by dots, from the root or through a link, is refused."""
        outside = corpus.path.parent / "outside.pdf"
        outside.write_bytes(b"%PDF-")
        (corpus.path / "link.pdf").symlink_to(outside)
        corpus.manifest(lambda manifest: manifest["documents"][1].update(path=path))
        fault = corpus.fault()
        assert (fault.file, fault.place) == ("documents.json", "/documents/1/path")

    def test_link_inside(self, corpus: Folder) -> None:
        """A link to a file inside the folder is followed."""
        (corpus.path / "link.pdf").symlink_to("documents/memo.pdf")
        corpus.manifest(lambda manifest: manifest["documents"][1].update(path="link.pdf"))
        assert load(corpus.path).documents[1].path.name == "memo.pdf"

    def test_link_in_a_circle(self, corpus: Folder) -> None:
        """A link to itself is a fault."""
        (corpus.path / "link.pdf").symlink_to("link.pdf")
        corpus.manifest(lambda manifest: manifest["documents"][1].update(path="link.pdf"))
        assert corpus.fault().place == "/documents/1/path"

    def test_name_too_long(self, corpus: Folder) -> None:
        """A path no file system takes is a fault."""
        corpus.manifest(lambda manifest: manifest["documents"][1].update(path="x" * 5000))
        assert corpus.fault().place == "/documents/1/path"

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_permission(self, corpus: Folder) -> None:
        """A document that may not be read is a fault that says so."""
        (corpus.path / "documents" / "memo.pdf").chmod(0)
        assert "Permission denied" in corpus.fault().text

    def test_unreadable(self, corpus: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
        """A document the system refuses to open is a fault that names it."""
        opened = Path.open

        def refuse(path: Path, *args: Any, **options: Any) -> Any:
            if path.name == "memo.pdf":
                raise PermissionError(13, "Permission denied", str(path))
            return opened(path, *args, **options)

        monkeypatch.setattr(Path, "open", refuse)
        fault = corpus.fault()
        assert (fault.file, "Permission denied" in fault.text) == ("documents/memo.pdf", True)


class TestGold:
    def test_missing(self, corpus: Folder) -> None:
        """A listed annotation that is not there is a fault of its file."""
        (corpus.path / TABLES).unlink()
        assert corpus.fault().file == TABLES

    def test_not_listed(self, corpus: Folder) -> None:
        """Gold the manifest does not list is warned of, and the corpus loads."""
        corpus.manifest(lambda manifest: manifest["documents"][0].update(annotations=["content", "qa", "hierarchy"]))
        (warning,) = load(corpus.path).warnings
        assert (warning.file, warning.warning) == (TABLES, True)

    @pytest.mark.parametrize("name", [HIERARCHY, TABLES, QA])
    def test_other_document(self, corpus: Folder, name: str) -> None:
        """Gold that says it is another document's is refused."""
        corpus.json(name, lambda gold: gold.update(document="memo"))
        fault = corpus.fault()
        assert (fault.file, fault.place) == (name, "/document")

    @pytest.mark.parametrize(("name", "key"), [(HIERARCHY, "headings"), (TABLES, "tables"), (QA, "questions")])
    def test_empty(self, corpus: Folder, name: str, key: str) -> None:
        """Empty gold is refused: it would make every precision 0."""
        corpus.json(name, lambda gold: gold.update({key: []}))
        fault = corpus.fault()
        assert (fault.file, fault.place) == (name, f"/{key}")

    def test_blank_content(self, corpus: Folder) -> None:
        """Content without text is refused, and then no evidence occurs in it."""
        (corpus.path / TEXT).write_text(" \n")
        assert {fault.file for fault in corpus.faults()} == {TEXT, QA}

    def test_blank_heading(self, corpus: Folder) -> None:
        """A blank heading is refused where it stands."""
        corpus.json(HIERARCHY, lambda gold: gold["headings"][0]["children"][0].update(text=" \u00a0"))
        assert corpus.fault().place == "/headings/0/children/0/text"

    @pytest.mark.parametrize("level", [1, 2])
    def test_child_not_below(self, corpus: Folder, level: int) -> None:
        """A child at or above its parent's level is refused."""
        corpus.json(HIERARCHY, lambda gold: gold["headings"][0].update(level=2))
        corpus.json(HIERARCHY, lambda gold: gold["headings"][0]["children"][0].update(level=level))
        assert corpus.fault().place == "/headings/0/children/0/level"

    def test_deep_tree(self, corpus: Folder) -> None:
        """A tree deeper than can be read is a fault."""
        tree = '{"text":"a","level":1,"children":[' * 3000 + "]}" * 3000
        (corpus.path / HIERARCHY).write_text(f'{{"document":"report","headings":[{tree}]}}')
        assert "nested too deeply" in corpus.fault().text

    def test_ragged(self, corpus: Folder) -> None:
        """A table whose rows differ in width is refused at the row that differs from most (of two, from the first)."""
        corpus.json(TABLES, lambda gold: gold["tables"][0]["rows"][1]["cells"].append("x"))
        assert corpus.fault().place == "/tables/0/rows/1/cells"

    def test_blank_table(self, corpus: Folder) -> None:
        """A table of blanks is refused: nothing could find it."""
        corpus.json(TABLES, lambda gold: [row.update(cells=["", " "]) for row in gold["tables"][0]["rows"]])
        assert corpus.fault().place == "/tables/0/rows"

    def test_one_id_for_two(self, corpus: Folder) -> None:
        """Two tables, or two questions, of one id are refused."""
        corpus.json(TABLES, lambda gold: gold["tables"].append(gold["tables"][0]))
        corpus.json(QA, lambda gold: gold["questions"].append(gold["questions"][0]))
        assert [fault.place for fault in corpus.faults()] == ["/tables/1/id", "/questions/1/id"]

    def test_evidence_nowhere(self, corpus: Folder) -> None:
        """Evidence that is not in content.md is refused; its case counts, its white space does not."""
        corpus.json(QA, lambda gold: gold["questions"][0]["evidence"][0].update(text="revenue grew by 12%"))
        assert corpus.fault().place == "/questions/0/evidence/0/text"

    def test_evidence_without_content(self, corpus: Folder) -> None:
        """Without content.md evidence cannot be looked up: a warning."""
        corpus.json(QA, lambda gold: gold["questions"][0]["evidence"][0].update(text="nowhere at all"))
        corpus.manifest(lambda manifest: manifest["documents"][0].update(annotations=["qa"]))
        assert QA in {warning.file for warning in load(corpus.path).warnings}

    def test_nothing_to_decide_by(self, corpus: Folder) -> None:
        """A question whose evidence is blank and whose answer is null is refused."""
        corpus.json(QA, lambda gold: gold["questions"][0].update(evidence=[{"text": " "}]))
        assert corpus.fault().place == "/questions/0"

    def test_lone_surrogate(self, corpus: Folder) -> None:
        """Half of a surrogate pair, which no text file can hold, is refused."""
        path = corpus.path / TABLES
        path.write_text(path.read_text().replace("Costs", "\\ud800"))
        assert corpus.fault().place == "/tables/0/rows/1/cells/0"

    def test_byte_order_mark(self, corpus: Folder) -> None:
        """A byte order mark, which editors leave, is no part of the gold."""
        path = corpus.path / QA
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
        assert check(corpus.path) == []


class TestAllAtOnce:
    def test_every_fault_is_listed(self, corpus: Folder) -> None:
        """Faults in the manifest, a document and three annotations are all said by one call."""
        corpus.manifest(lambda manifest: manifest["documents"][0].update(format="doc"))
        (corpus.path / "documents" / "memo.pdf").unlink()
        (corpus.path / HIERARCHY).write_text("{")
        corpus.json(TABLES, lambda gold: gold["tables"][0]["rows"][1]["cells"].append("x"))
        corpus.json(QA, lambda gold: gold["questions"][0]["evidence"][0].update(text="nowhere"))
        assert [(fault.file, fault.place) for fault in corpus.faults()] == [
            ("documents.json", "/documents/0/format"),
            (HIERARCHY, "line 1, column 2"),
            (TABLES, "/tables/0/rows/1/cells"),
            (QA, "/questions/0/evidence/0/text"),
            ("documents.json", "/documents/1/path"),
        ]

    def test_a_broken_manifest_hides_no_other_fault(self, corpus: Folder) -> None:
        """Where the manifest has faults of its own, what its entries still say is checked: digest, ids, gold."""

        def break_it(manifest: dict[str, Any]) -> None:
            report, memo = manifest["documents"]
            del report["sha256"], report["format"]
            report["bytes"] = 1
            memo["id"] = 7
            memo["sha256"] = "0" * 64
            manifest["documents"].append({"id": "report"})
            manifest["documents"].append("no entry")

        corpus.manifest(break_it)
        corpus.json(HIERARCHY, lambda gold: gold["headings"][0]["children"][0].update(level=1))
        found = {(fault.file, fault.place) for fault in corpus.faults()}
        assert found == {
            ("documents.json", "/documents/0"),  # no sha256, no format
            ("documents.json", "/documents/0/bytes"),
            ("documents.json", "/documents/1/id"),
            ("documents.json", "/documents/1/sha256"),
            ("documents.json", "/documents/2"),
            ("documents.json", "/documents/2/id"),
            ("documents.json", "/documents/3"),
            (HIERARCHY, "/headings/0/children/0/level"),
        }

    def test_a_schema_fault_hides_no_other_in_its_file(self, corpus: Folder) -> None:
        """Gold with schema faults is checked for sense wherever it still has some, in the same file."""

        def break_tables(gold: dict[str, Any]) -> None:
            rows = gold["tables"][0]["rows"]
            rows += [{"header": False, "cells": ["one"]}, {"header": "no", "cells": ["a", 3]}, {"header": False}]
            gold["tables"].append({"id": "t1", "rows": [{"header": True, "cells": [" "]}]})
            gold["tables"].append({"id": ["t1"], "rows": []})

        def break_headings(gold: dict[str, Any]) -> None:
            del gold["document"]
            child = {"text": "x", "level": 2, "children": 0}
            gold["headings"].append({"text": 5, "level": "1", "children": [child]})
            gold["headings"].append({"level": 3, "children": [{**child, "children": []}]})

        def break_questions(gold: dict[str, Any]) -> None:
            gold["document"] = "memo"
            gold["questions"][0]["evidence"] += [{"text": "nowhere"}, {"text": None}]
            gold["questions"].append({"id": "q1", "answer": None, "evidence": []})
            gold["questions"].append({"id": "q3", "question": "\ud800", "answer": "a", "evidence": 0})

        corpus.json(TABLES, break_tables)
        corpus.json(HIERARCHY, break_headings)
        corpus.json(QA, break_questions)
        assert {(fault.file, fault.place) for fault in corpus.faults()} == {
            (TABLES, "/tables/0/rows/2/cells"),  # uneven
            (TABLES, "/tables/0/rows/3/header"),
            (TABLES, "/tables/0/rows/3/cells/1"),
            (TABLES, "/tables/0/rows/4"),  # no cells
            (TABLES, "/tables/1/id"),  # repeated
            (TABLES, "/tables/1/rows"),  # blank
            (TABLES, "/tables/2/id"),
            (TABLES, "/tables/2/rows"),  # empty
            (HIERARCHY, ""),  # no document
            (HIERARCHY, "/headings/1/text"),
            (HIERARCHY, "/headings/1/level"),
            (HIERARCHY, "/headings/1/children/0/children"),
            (HIERARCHY, "/headings/2"),  # no text
            (HIERARCHY, "/headings/2/children/0/level"),  # not below
            (QA, "/document"),  # another's
            (QA, "/questions/0/evidence/2/text"),  # nowhere
            (QA, "/questions/0/evidence/3/text"),
            (QA, "/questions/1"),  # no question; nothing decides it
            (QA, "/questions/1/id"),  # repeated
            (QA, "/questions/2/evidence"),
            (QA, "/questions/2/question"),  # half a pair
        }

    def test_message(self, corpus: Folder) -> None:
        """The error's text has every fault with its file and place on a line of its own."""
        (corpus.path / "documents" / "memo.pdf").unlink()
        (corpus.path / HIERARCHY).write_text("{")
        with pytest.raises(CorpusError, match="2 faults") as caught:
            load(corpus.path)
        assert [line.split(":")[0].strip() for line in str(caught.value).splitlines()[1:]] == [
            f"{HIERARCHY} at line 1, column 2",
            "documents.json at /documents/1/path",
        ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


class TestRandomFaults:
    @settings(max_examples=150)
    @given(data=st.data())
    def test_values(self, data: st.DataObject) -> None:
        """Whatever JSON stands anywhere in manifest or gold, loading ends in a corpus or in faults."""
        with tempfile.TemporaryDirectory() as folder:
            corpus = build(Path(folder) / "corpus")
            name = data.draw(st.sampled_from(["documents.json", HIERARCHY, TABLES, QA]))
            path = corpus.path / name
            value = _replaced(json.loads(path.read_text()), data)
            path.write_text(json.dumps(value))
            self._ends_well(corpus.path)

    @settings(max_examples=100)
    @given(seed=st.integers(0, 2**32), name=st.sampled_from(["documents.json", HIERARCHY, TABLES, QA, TEXT]))
    def test_bytes(self, seed: int, name: str) -> None:
        """Whatever bytes are damaged in any file, loading ends in a corpus or in faults."""
        chance = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            path = build(Path(folder) / "corpus").path / name
            content = bytearray(path.read_bytes())
            for _ in range(chance.randint(1, 4)):
                content[chance.randrange(len(content))] = chance.randrange(256)
            path.write_bytes(content[: chance.choice([len(content), chance.randrange(len(content))])])
            self._ends_well(Path(folder) / "corpus")

    def _ends_well(self, folder: Path) -> None:
        loaded: Corpus | None = None
        with contextlib.suppress(CorpusError):
            loaded = load(folder)
        errors = [fault for fault in check(folder) if not fault.warning]
        assert (loaded is None) == bool(errors)
        assert all(fault.file and fault.text for fault in errors)


def _replaced(value: Any, data: st.DataObject) -> Any:
    """Put any JSON in one random place of a value."""
    if not value or not isinstance(value, dict | list) or data.draw(st.integers(0, 4)) == 0:
        return data.draw(JSON)
    key = data.draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value))))
    value[key] = _replaced(value[key], data)
    return value
