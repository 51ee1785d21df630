"""The examples on the pages about corpora and gold are a corpus without a fault."""

import re
from pathlib import Path

import pytest

from orchestrator.corpus import check, load
from scorer.gold import load as load_gold

DOCS = Path(__file__).parents[2] / "docs"
_EXAMPLE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PDF = b"%PDF-1.7\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Every example written to the file it names, and the shortest PDF as the document."""
    for page in ("corpus.md", "annotating.md"):
        for name, text in _EXAMPLE.findall((DOCS / page).read_text(encoding="utf-8")):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "report.pdf").write_bytes(PDF)
    return tmp_path


class TestExamples:
    def test_no_fault(self, folder: Path) -> None:
        """The manifest and the gold of every axis pass the check without a warning."""
        assert check(folder) == []
        assert load(folder).documents[0].annotations == ("hierarchy", "content", "tables", "qa")

    def test_scorer_reads_them(self, folder: Path) -> None:
        """The scorer reads the gold of every axis."""
        gold = load_gold(folder, "report", ("hierarchy", "content", "tables", "qa"))
        assert gold.headings
        assert gold.headings[0].children[1].children[0].text == "Risks"
        assert gold.tables
        assert len(gold.tables[0].rows) == 4
        assert gold.questions
        assert [question.answer for question in gold.questions] == ["12%", None]
        assert gold.content
        assert gold.content.startswith("# Annual Report 2023")

    @pytest.mark.parametrize(
        ("file", "right", "wrong", "place"),
        [
            (
                "annotations/hierarchy/report.headings.json",
                '"level": 4',
                '"level": 2',
                "/headings/0/children/1/children/0/level",
            ),
            ("annotations/hierarchy/report.headings.json", '"Risks"', '" "', "/headings/0/children/1/children/0/text"),
            ("annotations/tables/report.tables.json", '"EUR thousand", ""', '"EUR thousand"', "/tables/0/rows/0/cells"),
            ("annotations/qa/report.qa.json", "Revenue grew", "Revenues grew", "/questions/0/evidence/0/text"),
        ],
    )
    def test_faults_the_page_names(self, folder: Path, file: str, right: str, wrong: str, place: str) -> None:
        """The faults the page lists are found where they are made."""
        path = folder / file
        text = path.read_text()
        assert right in text
        path.write_text(text.replace(right, wrong))
        assert (file, place) in {(fault.file, fault.place) for fault in check(folder)}
