"""What makes business documents hard occurs in the sample, one assertion a feature."""

import re
from collections import Counter

import docx
import pypdf
import pypdfium2
import pytest
from docx.oxml.ns import qn
from pptx.oxml.ns import qn as pptx_qn

from tests.annotations import readers


def _docx(identity: str) -> docx.document.Document:
    return docx.Document(str(readers.DOCUMENTS[identity].path))


def _headings() -> dict[str, list[str]]:
    return {identity: [text for _, text in readers.gold_headings(identity)] for identity in readers.DOCUMENTS}


class TestStructure:
    def test_heading_levels(self) -> None:
        """Every document has headings of at least three levels, one has four."""
        depths = {identity: {level for level, _ in readers.gold_headings(identity)} for identity in readers.DOCUMENTS}
        assert all(len(levels) >= 3 for levels in depths.values())
        assert max(len(levels) for levels in depths.values()) == 4

    @pytest.mark.parametrize("numbering", [r"\d+\.\d+\.\d+ ", r"\d+\. ", r"(II|III|IV)\. ", r"[A-E]\. "])
    def test_heading_numbering(self, numbering: str) -> None:
        """Headings are numbered with decimals of several parts, Roman numerals and letters."""
        assert any(re.match(numbering, text) for texts in _headings().values() for text in texts)

    @pytest.mark.parametrize("identity", sorted(readers.DOCUMENTS))
    def test_repeated_headings_and_an_unnumbered_appendix(self, identity: str) -> None:
        """In every document a heading occurs under different parents, and the appendix has no number."""
        texts = [re.sub(r"^[\d.]+ ", "", text) for text in _headings()[identity]]
        assert max(Counter(texts).values()) >= 2
        assert any(text.startswith("Appendix: ") for text in texts)

    def test_nested_lists(self) -> None:
        """Lists nest two levels deep, with bullets, numbers, letters and Roman numerals."""
        contents = [readers.gold(identity, "content") for identity in readers.DOCUMENTS]
        for label in (r"^- ", r"^  - ", r"^    - ", r"^\d\. ", r"^  [a-c]\. ", r"^  i{1,3}\. "):
            assert any(re.search(label, content, re.MULTILINE) for content in contents), label

    def test_evidence_of_two_spans_and_evidence_in_a_cell(self) -> None:
        """Every document has a question proved by two spans, and one proved by a table cell."""
        for identity in readers.DOCUMENTS:
            cells = {cell for grid in readers.gold_grids(identity) for row in grid for cell in row}
            questions = readers.gold(identity, "qa")
            assert any(len(question["evidence"]) == 2 for question in questions)
            assert any(span["text"] in cells for question in questions for span in question["evidence"])


class TestTables:
    @pytest.mark.parametrize("identity", sorted(readers.DOCUMENTS))
    def test_two_row_headers_and_merged_cells(self, identity: str) -> None:
        """Every document has a header of two rows, and cells that span rows and columns."""
        tables = readers.gold(identity, "tables")
        assert any(sum(row["header"] for row in table["rows"]) == 2 for table in tables)
        content = readers.gold(identity, "content")
        assert re.search(r'<th colspan="\d">', content)
        assert re.search(r'<th rowspan="2">', content)
        assert re.search(r'<td rowspan="\d+">', content)

    def test_figures_as_filings_have_them(self) -> None:
        """Brackets for minus, currency signs, thousands separators, percent, k and M."""
        contents = "\n".join(readers.gold(identity, "content") for identity in readers.DOCUMENTS)
        for figure in ("(60,295)", "$94,620", "15.2%", "$94.6M", "38k", "€4,883.5M", "1.04x"):
            assert figure in contents

    @pytest.mark.parametrize("identity", ["contract_pdf", "deck_pdf", "manual_pdf", "report_pdf"])
    def test_tables_over_pages_are_one_in_the_gold(self, identity: str) -> None:
        """In the PDF a table that runs over pages has its header on each; the gold has one table, its header once."""
        content = readers.gold(identity, "content")
        tables = readers.gold(identity, "tables")
        parts = content.count("<table>")
        assert parts >= len(tables)
        if identity != "contract_pdf":
            assert parts > len(tables)
        for table in tables:
            flags = [row["header"] for row in table["rows"]]
            assert flags == sorted(flags, reverse=True)


class TestPdf:
    def test_columns(self) -> None:
        """In every PDF some page has lines that start in its right half beside lines that end in its left."""
        for identity in readers.of_format("pdf"):
            assert any(_has_columns(page) for page in _boxes(identity)), identity

    def test_landscape(self) -> None:
        """The wide table stands on a landscape page."""
        boxes = [page.mediabox for page in pypdf.PdfReader(readers.DOCUMENTS["report_pdf"].path).pages]
        assert [number for number, box in enumerate(boxes, start=1) if box.width > box.height] == [
            readers.gold("report_pdf", "tables")[1]["page"]
        ]

    def test_bookmarks(self) -> None:
        """Some PDFs have bookmarks, one has none."""
        with_outline = {
            identity: bool(pypdf.PdfReader(readers.DOCUMENTS[identity].path).outline)
            for identity in readers.of_format("pdf")
        }
        assert with_outline == {"contract_pdf": False, "deck_pdf": True, "manual_pdf": True, "report_pdf": True}


def _boxes(identity: str) -> list[tuple[float, list[tuple[float, float, float]]]]:
    """For each page its width and the left, bottom and right of its text rectangles."""
    document = pypdfium2.PdfDocument(readers.DOCUMENTS[identity].path)
    try:
        pages = []
        for page in document:
            text = page.get_textpage()
            rectangles = [text.get_rect(at) for at in range(text.count_rects())]
            pages.append((page.get_width(), [(left, bottom, right) for left, bottom, right, _ in rectangles]))
            text.close()
            page.close()
        return pages
    finally:
        document.close()


def _has_columns(page: tuple[float, list[tuple[float, float, float]]]) -> bool:
    """Whether at least three wide lines of the right half stand beside wide lines that end in the left half."""
    width, lines = page
    left = [bottom for start, bottom, end in lines if end < width / 2 and end - start > width / 4]
    right = [bottom for start, bottom, end in lines if start > width / 2 and end - start > width / 4]
    return sum(any(abs(bottom - other) < 8 for other in left) for bottom in right) >= 3


class TestDocx:
    @pytest.mark.parametrize("identity", readers.of_format("docx"))
    def test_footnotes(self, identity: str) -> None:
        """The footnotes' part exists, and the body refers to each of its notes."""
        references = [node.get(qn("w:id")) for node in _docx(identity).element.body.iter(qn("w:footnoteReference"))]
        assert references
        assert references == list(readers.docx_footnotes(identity))

    @pytest.mark.parametrize("identity", readers.of_format("docx"))
    def test_columns_header_and_page_field(self, identity: str) -> None:
        """A section has two columns; header and footer are parts, the footer with a page field."""
        document = _docx(identity)
        assert [node.get(qn("w:num")) for node in document.element.body.iter(qn("w:cols"))].count("2") == 1
        section = document.sections[0]
        assert section.header.paragraphs[0].text
        fields = [node.get(qn("w:instr")) for node in section.footer._element.iter(qn("w:fldSimple"))]
        assert fields == [" PAGE "]

    def test_landscape(self) -> None:
        """The wide table stands in a landscape section."""
        assert any(section.page_width > section.page_height for section in _docx("report_docx").sections)

    @pytest.mark.parametrize("identity", readers.of_format("docx"))
    def test_lists_are_lists(self, identity: str) -> None:
        """Items of lists have numbering properties on several levels, not typed labels."""
        items = [
            paragraph
            for paragraph in _docx(identity).paragraphs
            if paragraph._p.find(f".//{qn('w:numPr')}") is not None
        ]
        levels = {item._p.find(f".//{qn('w:ilvl')}").get(qn("w:val")) for item in items}
        assert levels >= {"0", "1"}
        assert not any(re.match(r"([-•]|\d\.|[a-z]\.) ", item.text) for item in items)

    @pytest.mark.parametrize("identity", readers.of_format("docx"))
    def test_merged_cells_and_repeated_header_rows(self, identity: str) -> None:
        """Tables have grid spans, vertical merges and rows marked as headers."""
        body = _docx(identity).element.body
        assert list(body.iter(qn("w:gridSpan")))
        assert list(body.iter(qn("w:vMerge")))
        assert list(body.iter(qn("w:tblHeader")))


class TestPptx:
    def test_groups_and_storage_order(self) -> None:
        """Cards are grouped shapes; slides with cards or columns store shapes in another order than is read."""
        for identity in ("deck_pptx", "report_pptx"):
            slides = readers.slides(identity)
            assert any(
                shape.shape_type is not None and shape.shape_type.name == "GROUP"
                for slide in slides
                for shape in slide.shapes
            )
        for identity in readers.of_format("pptx"):
            assert any(_tops(slide) != sorted(_tops(slide)) for slide in readers.slides(identity)), identity

    @pytest.mark.parametrize("identity", readers.of_format("pptx"))
    def test_titles_and_furniture_are_placeholders(self, identity: str) -> None:
        """Every slide has a title, a footer and a slide number as placeholders."""
        for slide in readers.slides(identity):
            kinds = {placeholder.element.ph.get("type") for placeholder in slide.placeholders}
            assert {"ftr", "sldNum"} < kinds
            assert slide.shapes.title.text_frame.text

    @pytest.mark.parametrize("identity", readers.of_format("pptx"))
    def test_lists_and_merged_cells(self, identity: str) -> None:
        """Lists have bullets or automatic numbers on several levels; tables have merged cells."""
        trees = [slide.shapes._spTree for slide in readers.slides(identity)]
        levels = {
            paragraph.get("lvl", "0")
            for tree in trees
            for paragraph in tree.iter(pptx_qn("a:pPr"))
            if paragraph.find(pptx_qn("a:buAutoNum")) is not None or paragraph.find(pptx_qn("a:buChar")) is not None
        }
        assert levels >= {"0", "1"}
        cells = [cell for tree in trees for cell in tree.iter(pptx_qn("a:tc"))]
        assert any(cell.get("gridSpan") for cell in cells)
        assert any(cell.get("rowSpan") for cell in cells)


def _tops(slide: object) -> list[int]:
    return [shape.top for shape in slide.shapes]  # type: ignore[attr-defined]


class TestHtml:
    @pytest.mark.parametrize("identity", readers.of_format("html"))
    def test_semantic_tags(self, identity: str) -> None:
        """Furniture, lists, header cells with scope, spans and footnotes have their own tags."""
        root = readers.html_tree(identity).getroot()
        for path in (
            "body/header",
            "body/main",
            "body/footer",
            ".//ul",
            ".//ol",
            ".//thead//th[@scope='colgroup'][@colspan]",
            ".//th[@rowspan]",
            ".//table/caption",
            ".//a[@role='doc-noteref']",
            ".//section[@role='doc-endnotes']",
        ):
            assert root.find(path) is not None, path

    def test_definition_lists(self) -> None:
        """Definitions are definition lists."""
        for identity in ("contract_html", "manual_html"):
            assert readers.html_tree(identity).getroot().find(".//dl/dd") is not None

    @pytest.mark.parametrize("identity", readers.of_format("html"))
    def test_no_page_numbers(self, identity: str) -> None:
        """A page without pages numbers none."""
        assert not re.search(r"\bPage \d", readers.gold(identity, "content"))
