"""DocSlicer's adapter: two parts that give what undivided calls give, tables, and what is left of a document."""

from pathlib import Path

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from orchestrator import local
from services.runtime import descriptor
from tests.services.collecting import answer, collect

MEMORY = Path(__file__).with_name("docslicer_memory.py")
SCRIPT = Path(__file__).with_name("docslicer_undivided.py")
DOCUMENTS = sorted((local.ROOT / "annotations" / "sample" / "documents").glob("report_*.*"))


@pytest.mark.parametrize("version", descriptor.read(local.SERVICES / "docslicer").versions)
def test_text_structure_and_chunks_are_those_of_undivided_calls(version: str) -> None:
    """One document in every format; two of its chunks or more."""
    expected, adapted = answer("docslicer", version, SCRIPT, *DOCUMENTS)
    assert len(expected) == 4
    assert all(len(found["chunks"]) > 2 for found in expected)
    assert adapted == expected


@pytest.mark.parametrize("version", descriptor.read(local.SERVICES / "docslicer").versions)
class TestMergedCells:
    def test_hidden_text(self, version: str, tmp_path: Path) -> None:
        """What is hidden under a merged cell in the file is not shown: the text stands once, at the top left (R41)."""
        document = docx.Document()
        document.add_paragraph("Words before the table.")
        table = document.add_table(3, 3)
        for row in range(3):
            for column in range(3):
                table.cell(row, column).text = f"r{row}c{column}"
        # By hand: python-docx would move the text of the cells it merges.
        for row, continued in ((0, "restart"), (1, "continue")):
            merge = OxmlElement("w:vMerge")
            merge.set(qn("w:val"), continued)
            table.cell(row, 0)._tc.get_or_add_tcPr().append(merge)
        document.save(str(tmp_path / "merged.docx"))
        [found] = collect("docslicer", version, tmp_path / "merged.docx")
        assert found["tables"] == [[["r0c0", "r0c1", "r0c2"], ["", "r1c1", "r1c2"], ["r2c0", "r2c1", "r2c2"]]]


@pytest.mark.parametrize("version", descriptor.read(local.SERVICES / "docslicer").versions)
def test_nothing_of_a_document_is_left_after_it(version: str) -> None:
    """What its chunks would be built of goes with it, also when its parse fails: the next one's memory is its own."""
    held, after, failed = answer("docslicer", version, MEMORY, DOCUMENTS[0])
    assert held > 0
    assert (after, failed) == (0, 0)
