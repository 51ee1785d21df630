"""Reading the gold, and scoring real outputs against real gold through the files."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from scorer import gold
from scorer.output import read_output
from scorer.suites.bizdoc import DocumentGold, GoldHeading, Question, Row, Table, document
from services.runtime import form
from tests.scorer import small

_ORACLES, _CORPUS = os.environ.get("DOCASSAY_ORACLES"), os.environ.get("DOCASSAY_CORPUS")


class TestLoad:
    def test_the_annotations_listed_are_read_and_the_others_are_none(self, tmp_path: Path) -> None:
        """What nobody annotated is not empty gold."""
        corpus = small.corpus(tmp_path)
        assert gold.load(corpus, "a", ("hierarchy", "content", "tables", "qa")) == DocumentGold(
            headings=(GoldHeading("Annual report", 1, (GoldHeading("Outlook", 2),)),),
            content=small.TEXT["a"],
            tables=(Table((Row(True, ("Item", "2025")), Row(False, ("Revenue", "12")))),),
            questions=(Question("q1", "How high was the revenue?", "12 million", ("Revenue rose to 12 million.",)),),
        )
        assert gold.load(corpus, "a", ("tables",)).headings is None
        assert gold.load(corpus, "d", ()) == DocumentGold()

    @pytest.mark.parametrize(
        "text", ["{", "[]", "{}", '{"headings": [{}]}', '{"headings": [{"text": "", "level": 1}]}']
    )
    def test_gold_out_of_its_layout_is_named(self, tmp_path: Path, text: str) -> None:
        """With the file and the command that says more."""
        corpus = small.corpus(tmp_path)
        (corpus / "annotations/hierarchy/a.headings.json").write_text(text)
        with pytest.raises(gold.GoldError, match=r"a\.headings\.json.*corpus check"):
            gold.load(corpus, "a", ("hierarchy",))

    def test_a_document_id_never_leads_out_of_the_corpus(self, tmp_path: Path) -> None:
        """An id is a name, not a path."""
        with pytest.raises(gold.GoldError, match="leads out"):
            gold.load(tmp_path, "../../../../etc/passwd", ("content",))

    def test_the_digest_is_that_of_a_loaded_corpus(self) -> None:
        """A run's record and a scoring name the same gold alike."""
        if not _CORPUS:
            pytest.skip("DOCASSAY_CORPUS is not set")
        from orchestrator import corpus

        loaded = corpus.load(Path(_CORPUS) / "real")
        assert len(loaded.documents) > 100
        for entry in loaded.documents:
            assert gold.digest(loaded.folder, entry.id, entry.annotations) == entry.gold_digest


def _artifact(found: dict[str, Any]) -> io.BytesIO:
    headings = [form.Heading(h["text"], h["level"], h.get("parent")) for h in found["headings"]]
    tables = [
        form.Table(
            tuple(
                form.Row(row["header"], tuple(form.Cell(text, at, column) for column, text in enumerate(row["cells"])))
                for at, row in enumerate(table["rows"])
            )
        )
        for table in found["tables"]
    ]
    collected = form.Collected(headings=headings, tables=tables)
    return io.BytesIO(b"".join(form.output_lines(form.Parsed(found["markdown"], "markdown"), collected, form.Repair())))


def _cases() -> list[Any]:
    if not (_ORACLES and _CORPUS):
        return [pytest.param(None, marks=pytest.mark.skip("DOCASSAY_ORACLES and DOCASSAY_CORPUS are not set"))]
    paths = sorted((Path(_ORACLES) / "bizdocbench" / "real").glob("*/*.json"))
    # The largest books are scored by the suite's own conformance; here the way through the files is at stake.
    return [pytest.param(path, id=f"{path.parent.name}-{path.stem}") for path in paths if path.stat().st_size < 400_000]


@pytest.mark.parametrize("path", _cases())
def test_a_real_output_through_artifact_and_gold_files_scores_as_recorded(path: Path) -> None:
    """The common form and the corpus layout lose nothing."""
    assert _CORPUS
    case = json.loads(path.read_text())
    prepared = document.prepare(gold.load(Path(_CORPUS) / "real", case["document"], case["annotations"]))
    if case["output"] is None:
        scores = document.failed(prepared)
    else:
        read = read_output(_artifact(case["output"]))
        assert read.warnings == ()
        scores = document.score(prepared, read.document)
    for axis, expected in case["expected"].items():
        if axis in scores:
            assert {name: kpi.value for name, kpi in scores[axis].items()} == pytest.approx(expected, abs=1e-12), axis
