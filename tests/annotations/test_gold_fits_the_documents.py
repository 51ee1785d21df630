"""The committed gold against the committed documents, read by code that shares nothing with the generator."""

import re

import pypdf
import pytest

from tests.annotations import readers


class TestPdf:
    @pytest.mark.parametrize(
        ("identity", "header", "footer"),
        [
            ("contract_pdf", "Halden Marine Services AS Agreement HMS-2025-017", "Confidential between the parties"),
            ("deck_pdf", "Tidewater Mutual Bank Board papers, 17 July 2025", "For directors only"),
            ("manual_pdf", "Osterby Water Utility OM-LR-004, issue 7", "Printed copies are not controlled"),
            ("report_pdf", "Aurelio Components Group, Inc. Quarterly report Q3 2025", "Unaudited"),
        ],
    )
    def test_every_page_reads_as_the_gold(self, identity: str, header: str, footer: str) -> None:
        """Header, body, footnotes and footer of every page are the gold's text in the gold's order."""
        words = readers.gold_words(identity, labels=True)
        pages = readers.pdf_pages(identity)
        expected = re.split(r"(?<=Page \d of \d) ", " ".join(words))
        assert len(expected) == len(pages)
        for number, (gold, page) in enumerate(zip(expected, pages, strict=True), start=1):
            # The page's stream begins with header and footer; the gold has the footer last, as a reader does.
            texts = (header, f"{footer} Page {number} of {len(pages)}")
            assert gold.startswith(texts[0])
            assert gold.endswith(texts[1])
            body = gold.removeprefix(texts[0]).removesuffix(texts[1])
            assert readers.squeezed(page) == readers.squeezed(texts[0] + texts[1] + body)

    @pytest.mark.parametrize("identity", readers.of_format("pdf"))
    def test_headings_and_evidence_occur(self, identity: str) -> None:
        """Every heading is in the text, and every span on the page the gold names, as pypdf extracts it."""
        pages = [
            readers.normal(page.extract_text()) for page in pypdf.PdfReader(readers.DOCUMENTS[identity].path).pages
        ]
        assert len(pages) == readers.DOCUMENTS[identity].pages
        for _, heading in readers.gold_headings(identity):
            assert any(heading in page for page in pages)
        for question in readers.gold(identity, "qa"):
            for span in question["evidence"]:
                assert span["text"] in pages[span["page"] - 1]

    @pytest.mark.parametrize("identity", readers.of_format("pdf"))
    def test_tables_start_on_their_page(self, identity: str) -> None:
        """A table's first data row is on the page the gold names, its last on that page or a later one."""
        pages = [readers.squeezed(page) for page in readers.pdf_pages(identity)]
        for table in readers.gold(identity, "tables"):
            data = [readers.squeezed(" ".join(row["cells"])) for row in table["rows"] if not row["header"]]
            assert data[0] in pages[table["page"] - 1]
            assert any(data[-1] in page for page in pages[table["page"] - 1 :])


class TestDocx:
    @pytest.mark.parametrize("identity", readers.of_format("docx"))
    def test_reads_as_the_gold(self, identity: str) -> None:
        """Header, body, each block's footnotes after it and footer are the gold's words in the gold's order."""
        assert readers.docx_words(identity) == readers.gold_words(identity, labels=False)

    @pytest.mark.parametrize("identity", readers.of_format("docx"))
    def test_heading_styles_are_the_gold_tree(self, identity: str) -> None:
        """Title and heading styles give the gold's levels and texts."""
        assert readers.docx_headings(identity) == readers.gold_headings(identity)

    @pytest.mark.parametrize("identity", readers.of_format("docx"))
    def test_tables_are_the_gold(self, identity: str) -> None:
        """Grid spans and vertical merges give the gold's flat rows."""
        assert readers.docx_grids(identity) == readers.gold_grids(identity)


class TestPptx:
    @pytest.mark.parametrize("identity", readers.of_format("pptx"))
    def test_reads_as_the_gold(self, identity: str) -> None:
        """Each slide from top to bottom and left to right gives the gold's words in the gold's order."""
        assert readers.pptx_words(identity) == readers.gold_words(identity, labels=False)

    @pytest.mark.parametrize("identity", readers.of_format("pptx"))
    def test_titles_are_gold_headings(self, identity: str) -> None:
        """The title placeholders are, in order, the gold's headings of the levels that open slides."""
        titles = [slide.shapes.title.text_frame.text for slide in readers.slides(identity)]
        gold = readers.gold_headings(identity)
        deepest = max(level for level, text in gold if text in titles)
        assert titles == [text for level, text in gold if level <= deepest and text in titles]
        assert readers.DOCUMENTS[identity].pages == len(titles)

    @pytest.mark.parametrize("identity", readers.of_format("pptx"))
    def test_tables_are_the_gold(self, identity: str) -> None:
        """Merged cells give the gold's flat rows, on the slide the gold names."""
        assert readers.pptx_grids(identity) == readers.gold_grids(identity)
        with_tables = [
            number
            for number, slide in enumerate(readers.slides(identity), start=1)
            for shape in slide.shapes
            if getattr(shape, "has_table", False)
        ]
        assert with_tables == [table["page"] for table in readers.gold(identity, "tables")]


class TestHtml:
    @pytest.mark.parametrize("identity", readers.of_format("html"))
    def test_reads_as_the_gold(self, identity: str) -> None:
        """The body's text is the gold's words in the gold's order."""
        assert readers.html_words(identity) == readers.gold_words(identity, labels=False)

    @pytest.mark.parametrize("identity", readers.of_format("html"))
    def test_heading_tags_are_the_gold_tree(self, identity: str) -> None:
        """h1 to h4 give the gold's levels and texts."""
        assert readers.html_headings(identity) == readers.gold_headings(identity)

    @pytest.mark.parametrize("identity", readers.of_format("html"))
    def test_tables_are_the_gold(self, identity: str) -> None:
        """Row and column spans give the gold's flat rows."""
        assert readers.html_grids(identity) == readers.gold_grids(identity)


class TestEveryDocument:
    @pytest.mark.parametrize("identity", sorted(readers.DOCUMENTS))
    def test_evidence_is_verbatim_in_the_content(self, identity: str) -> None:
        """Six questions at least, each with an answer and spans that occur in the content, whitespace aside."""
        content = readers.normal(readers.gold(identity, "content"))
        questions = readers.gold(identity, "qa")
        assert len(questions) >= 6
        for question in questions:
            assert question["answer"]
            assert question["evidence"]
            for span in question["evidence"]:
                assert readers.normal(span["text"]) in content

    @pytest.mark.parametrize("identity", sorted(readers.DOCUMENTS))
    def test_pages_are_known_where_the_format_has_them(self, identity: str) -> None:
        """PDF and PPTX gold names pages, DOCX and HTML gold has none."""
        document = readers.DOCUMENTS[identity]
        paged = document.format in ("pdf", "pptx")
        places = [table["page"] for table in readers.gold(identity, "tables")]
        places += [span["page"] for question in readers.gold(identity, "qa") for span in question["evidence"]]
        assert all((place is not None) == paged for place in [*places, document.pages])

    @pytest.mark.parametrize("name", ["contract", "deck", "manual", "report"])
    def test_the_formats_hold_the_same_text(self, name: str) -> None:
        """What is said does not depend on the format: DOCX and HTML differ in furniture and the place of footnotes."""
        furniture = {"Page", "1"}
        as_docx, as_html = (sorted(readers.gold_words(f"{name}_{format}", labels=True)) for format in ("docx", "html"))
        for word in furniture:
            as_docx.remove(word)
        assert as_docx == as_html
