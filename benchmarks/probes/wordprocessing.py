"""DOCX files that hold one thing each."""

import io
from collections.abc import Callable
from datetime import UTC, datetime

import docx
from docx.document import Document
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from annotations.generator.archive import repacked
from benchmarks.probes.words import AFTER, BEFORE, PLAIN_TABLE

_W = nsdecls("w")
_DAY = datetime(1980, 1, 1, tzinfo=UTC)
_HYPERLINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"


def _made(fill: Callable[[Document], None]) -> bytes:
    document = docx.Document()
    document.add_paragraph(BEFORE)
    fill(document)
    document.add_paragraph(AFTER)
    buffer = io.BytesIO()
    document.save(buffer)
    return repacked(buffer.getvalue())


def _body(document: Document, xml: str) -> None:
    """Put an element where the next paragraph would stand."""
    document.element.body.insert(len(document.element.body) - 1, parse_xml(xml))


def _run(text: str, kind: str = "t") -> str:
    return f'<w:r><w:{kind} xml:space="preserve">{text}</w:{kind}></w:r>'


def headings() -> bytes:
    """Three levels by the built-in styles."""

    def fill(document: Document) -> None:
        for level, text in enumerate(("Alpha chapter", "Beta section", "Gamma part"), start=1):
            document.add_heading(text, level)
            document.add_paragraph(f"Words below {text.lower()} that make a paragraph of their own.")

    return _made(fill)


def _table(merge: Callable[[docx.table.Table], None], rows: list[list[str]]) -> bytes:
    def fill(document: Document) -> None:
        table = document.add_table(len(rows), len(rows[0]), style="Table Grid")
        for row, texts in zip(table.rows, rows, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
        merge(table)

    return _made(fill)


def plain_table() -> bytes:
    """A table with nothing merged."""
    return _table(lambda _: None, PLAIN_TABLE)


def colspan() -> bytes:
    """A header cell over two columns."""
    rows = [["Region", "Sales", ""], ["", "Spring", "Autumn"], ["North", "11", "12"], ["South", "21", "22"]]

    def merge(table: docx.table.Table) -> None:
        table.cell(0, 1).merge(table.cell(0, 2)).text = "Sales"

    return _table(merge, rows)


def rowspan() -> bytes:
    """A cell over two rows."""
    rows = [["Region", "Season", "Sales"], ["North", "Spring", "11"], ["", "Autumn", "12"], ["South", "Spring", "21"]]

    def merge(table: docx.table.Table) -> None:
        table.cell(1, 0).merge(table.cell(2, 0)).text = "North"

    return _table(merge, rows)


def nested_list() -> bytes:
    """An item below an item, by the built-in list styles."""

    def fill(document: Document) -> None:
        for text, style in (
            ("Outer one", "List Bullet"),
            ("Inner one", "List Bullet 2"),
            ("Outer two", "List Bullet"),
        ):
            document.add_paragraph(text, style=style)

    return _made(fill)


def footnote() -> bytes:
    """A raised number, and its note in the part that holds them."""
    separators = "".join(
        f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{mark}/></w:r></w:p></w:footnote>'
        for number, (kind, mark) in enumerate(
            (("separator", "separator"), ("continuationSeparator", "continuationSeparator")), start=-1
        )
    )
    notes = (
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:footnotes {_W}>{separators}<w:footnote w:id="1">'
        f"<w:p><w:r><w:footnoteRef/></w:r>{_run(' Words of the note at the foot.')}</w:p></w:footnote></w:footnotes>"
    )

    def fill(document: Document) -> None:
        part = Part(PackURI("/word/footnotes.xml"), CONTENT_TYPE.WML_FOOTNOTES, notes.encode(), document.part.package)
        document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
        reference = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="1"/></w:r>'
        _body(document, f"<w:p {_W}>{_run('A claim that needs a note.')}{reference}</w:p>")

    return _made(fill)


def tracked() -> bytes:
    """An insertion and a deletion that nobody has accepted."""
    mark = 'w:id="{0}" w:author="A" w:date="2025-01-01T00:00:00Z"'

    def fill(document: Document) -> None:
        _body(
            document,
            f"<w:p {_W}>{_run('The price is ')}<w:del {mark.format(1)}>{_run('forty', 'delText')}</w:del>"
            f"<w:ins {mark.format(2)}>{_run('fifty')}</w:ins>{_run(' crowns.')}</w:p>",
        )

    return _made(fill)


def comment() -> bytes:
    """A comment on a word."""

    def fill(document: Document) -> None:
        paragraph = document.add_paragraph("A sentence that somebody ")
        run = paragraph.add_run("commented")
        paragraph.add_run(" upon.")
        comment = document.add_comment(run, text="Remark in the margin", author="A", initials="A")
        comment._comment_elm.date = _DAY

    return _made(fill)


def control() -> bytes:
    """A paragraph inside a content control."""

    def fill(document: Document) -> None:
        _body(
            document,
            f"<w:sdt {_W}><w:sdtPr><w:text/></w:sdtPr><w:sdtContent><w:p>{_run('Words in a control')}</w:p>"
            "</w:sdtContent></w:sdt>",
        )

    return _made(fill)


def box() -> bytes:
    """A text box, as a drawing with no fallback."""
    shape = (
        '<wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/>'
        '<a:ext cx="2000000" cy="500000"/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent>'
        f"<w:p>{_run('Words in a box')}</w:p></w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp>"
    )
    xml = (
        f'<w:p {_W} xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><w:r><w:drawing>'
        '<wp:inline><wp:extent cx="2000000" cy="500000"/><wp:docPr id="1" name="Box"/><a:graphic>'
        '<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">'
        f"{shape}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )

    def fill(document: Document) -> None:
        _body(document, xml)

    return _made(fill)


def right_to_left() -> bytes:
    """A Hebrew sentence."""

    def fill(document: Document) -> None:
        _body(document, f"<w:p {_W}><w:pPr><w:bidi/></w:pPr>{_run('שלום עולם')}</w:p>")

    return _made(fill)


def link() -> bytes:
    """A word that leads somewhere."""

    def fill(document: Document) -> None:
        paragraph = document.add_paragraph("Read the ")
        identifier = document.part.relate_to("https://example.org/manual", _HYPERLINK, is_external=True)
        paragraph._p.append(
            parse_xml(f'<w:hyperlink {nsdecls("w", "r")} r:id="{identifier}">{_run("manual")}</w:hyperlink>')
        )
        paragraph.add_run(" first.")

    return _made(fill)


def running() -> bytes:
    """A running header."""

    def fill(document: Document) -> None:
        document.sections[0].header.paragraphs[0].text = "Words on every page"

    return _made(fill)
