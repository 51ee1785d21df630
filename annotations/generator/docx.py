"""A source as a Word document: heading styles, real lists, footnotes, sections, header and footer parts."""

import io
import itertools
from collections.abc import Sequence
from typing import Any

import docx
from docx.enum.section import WD_ORIENT, WD_SECTION
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_BREAK, WD_TAB_ALIGNMENT
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Mm, Pt, RGBColor
from lxml import etree

from annotations.generator import inline, model
from annotations.generator.archive import CREATED, repacked
from annotations.generator.model import Source
from annotations.generator.rendition import HeadingPiece, Piece, Rendition, TablePiece, TextPiece

_FORMATS = {"bullet": "bullet", "decimal": "decimal", "letter": "lowerLetter", "roman": "lowerRoman"}
_ABSTRACT = {"bullet": 901, "decimal": 902, "letter": 903, "roman": 904}
_DEEPEST = 3
_MARGIN = Mm(23)


class _Writer:
    """A Word document being written, and its pieces."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.numbers = model.note_numbers(source)
        self.document = docx.Document()
        self.pieces: list[Piece] = []
        self.lists = 0
        self._drop_unused()
        self._set_styles()
        self._set_page()
        self._define_lists()

    def _drop_unused(self) -> None:
        """Leave out what the template brings for other documents: most of its bytes."""
        part = self.document.part
        for relations in (part.rels, part.package.rels):
            for identity, relation in list(relations.items()):
                if relation.reltype.endswith(("/stylesWithEffects", "/thumbnail")):
                    del relations[identity]
        styles = self.document.styles.element
        for style in styles.findall(qn("w:style")):
            if style.get(qn("w:type")) == "table" and style.get(qn("w:styleId")) not in ("TableNormal", "TableGrid"):
                styles.remove(style)

    def _set_styles(self) -> None:
        styles = self.document.styles
        styles["Normal"].font.name = "Times New Roman" if self.source.serif else "Calibri"
        styles["Normal"].font.size = Pt(10.5)
        styles["Normal"].paragraph_format.space_after = Pt(6)
        reference = styles.add_style("footnote reference", WD_STYLE_TYPE.CHARACTER, builtin=True)
        reference.font.superscript = True
        note = styles.add_style("footnote text", WD_STYLE_TYPE.PARAGRAPH, builtin=True)
        note.base_style = styles["Normal"]
        note.font.size = Pt(8.5)
        self.reference_style, self.note_style = reference.style_id, note.style_id

    def _set_page(self) -> None:
        section = self.document.sections[0]
        size = (Mm(210), Mm(297)) if self.source.paper == "A4" else (Mm(215.9), Mm(279.4))
        section.page_width, section.page_height = size
        section.left_margin = section.right_margin = _MARGIN
        self.width = size[0] - 2 * _MARGIN
        furniture = self.source.furniture
        for part, left in ((section.header, furniture.left), (section.footer, furniture.footer)):
            paragraph = part.paragraphs[0]
            # The style's own stops stand at other widths.
            for stop in list(paragraph.style.paragraph_format.tab_stops):
                stop._tab.getparent().remove(stop._tab)
            paragraph.paragraph_format.tab_stops.add_tab_stop(self.width, WD_TAB_ALIGNMENT.RIGHT)
            paragraph.add_run(f"{left}\t").font.size = Pt(8.5)
        section.header.paragraphs[0].add_run(furniture.right).font.size = Pt(8.5)
        footer = section.footer.paragraphs[0]
        footer.add_run("Page ").font.size = Pt(8.5)
        field = parse_xml(
            f'<w:fldSimple {nsdecls("w")} w:instr=" PAGE ">'
            f'<w:r><w:rPr><w:sz w:val="17"/></w:rPr><w:t>1</w:t></w:r></w:fldSimple>'
        )
        footer._p.append(field)

    def _define_lists(self) -> None:
        """One abstract list a kind; each list then is a number of its own that starts anew."""
        self.numbering = self.document.part.numbering_part.element
        first = self.numbering.find(qn("w:num"))
        for kind, number in _ABSTRACT.items():
            levels = []
            for depth in range(_DEEPEST):
                text = "•" if kind == "bullet" else f"%{depth + 1}."
                levels.append(
                    f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{_FORMATS[kind]}"/>'
                    f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/>'
                    f'<w:pPr><w:ind w:left="{360 * (depth + 1)}" w:hanging="360"/></w:pPr></w:lvl>'
                )
            first.addprevious(
                parse_xml(
                    f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{number}">'
                    f'<w:multiLevelType w:val="multilevel"/>{"".join(levels)}</w:abstractNum>'
                )
            )

    def write(self, paragraph: Any, text: str) -> None:
        """Fill a paragraph with a text's runs."""
        for run in inline.runs(text):
            if run.note:
                mark = paragraph.add_run()
                mark._r.get_or_add_rPr().append(_element("w:rStyle", self.reference_style))
                mark._r.append(_element("w:footnoteReference", str(self.numbers[run.note]), name="w:id"))
            else:
                paragraph.add_run(run.text).bold = run.bold or None

    def record(self, text: str, prefix: str = "") -> None:
        """A text's piece; its footnotes follow it, as a file without pages has no page's foot."""
        self.pieces.append(TextPiece(prefix + inline.plain(text, self.numbers)))
        self.record_notes([text])

    def record_notes(self, texts: Sequence[str]) -> None:
        for note in (note for text in texts for note in inline.notes(text)):
            self.pieces.append(TextPiece(f"{self.numbers[note]} {inline.plain(self.source.notes[note], self.numbers)}"))

    def paragraph(self, text: str, style: str | None = None) -> Any:
        paragraph = self.document.add_paragraph(style=style)
        self.write(paragraph, text)
        self.record(text)
        return paragraph

    def heading(self, heading: model.Heading) -> None:
        paragraph = self.document.add_heading(heading.text, heading.level - 1)
        paragraph.paragraph_format.page_break_before = heading.new_page or None
        self.pieces.append(HeadingPiece(heading.text, heading.level))

    def item_list(self, items: model.ItemList, depth: int = 0) -> None:
        self.lists += 1
        number = 900 + self.lists
        restart = (
            ""
            if items.kind == "bullet"
            else (f'<w:lvlOverride w:ilvl="{depth}"><w:startOverride w:val="1"/></w:lvlOverride>')
        )
        self.numbering.append(
            parse_xml(
                f'<w:num {nsdecls("w")} w:numId="{number}">'
                f'<w:abstractNumId w:val="{_ABSTRACT[items.kind]}"/>{restart}</w:num>'
            )
        )
        style = ("List Bullet" if items.kind == "bullet" else "List Number") + (f" {depth + 1}" if depth else "")
        for at, item in enumerate(items.items):
            paragraph = self.document.add_paragraph(style=style)
            properties: Any = paragraph._p.get_or_add_pPr()
            properties = properties.get_or_add_numPr()
            properties.get_or_add_ilvl().val = depth
            properties.get_or_add_numId().val = number
            paragraph.paragraph_format.left_indent = Pt(18 * (depth + 1))
            paragraph.paragraph_format.first_line_indent = Pt(-18)
            paragraph.paragraph_format.space_after = Pt(3)
            self.write(paragraph, item.text)
            self.record(item.text, "  " * depth + model.label(items.kind, at) + " ")
            if item.nested:
                self.item_list(item.nested, depth + 1)

    def card(self, label: str, text: str) -> None:
        paragraph = self.document.add_paragraph()
        paragraph.add_run(label).bold = True
        paragraph.add_run().add_break()
        self.write(paragraph, text)
        sides = "".join(
            f'<w:{side} w:val="single" w:sz="4" w:space="4" w:color="8A99AD"/>'
            for side in ("top", "left", "bottom", "right")
        )
        properties = paragraph._p.get_or_add_pPr()
        properties.append(parse_xml(f"<w:pBdr {nsdecls('w')}>{sides}</w:pBdr>"))
        properties.append(parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:color="auto" w:fill="E8EDF3"/>'))
        paragraph.paragraph_format.space_after = Pt(10)
        self.pieces.append(TextPiece(f"{label}\n{inline.plain(text, self.numbers)}"))
        self.record_notes([text])

    def table(self, block: model.Table, width: int) -> None:
        caption = self.paragraph(block.caption, "Caption")
        caption.paragraph_format.keep_with_next = True
        rows = (*block.header, *block.body)
        heads = len(block.header)
        table = self.document.add_table(len(rows), len(block.widths), style="Table Grid")
        table.autofit = False
        cells = [list(row.cells) for row in table.rows]
        for column, share in enumerate(block.widths):
            table.columns[column].width = round(width * share)
            for row in cells:
                row[column].width = round(width * share)
        for at, row in enumerate(table.rows):
            properties = row._tr.get_or_add_trPr()
            properties.append(_element("w:cantSplit"))
            if at < heads:
                properties.append(_element("w:tblHeader"))
        for at, column, cell in model.placed(rows):
            target = cells[at][column]
            if cell.rows > 1 or cell.cols > 1:
                target = target.merge(cells[at + cell.rows - 1][column + cell.cols - 1])
            paragraph = target.paragraphs[0]
            self.write(paragraph, cell.text)
            paragraph.paragraph_format.space_after = Pt(1)
            for run in paragraph.runs:
                run.font.size = Pt(9)
                run.bold = True if at < heads else run.bold
            if at < heads:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
                shade = parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:color="auto" w:fill="E8EDF3"/>')
                target._tc.get_or_add_tcPr().append(shade)
            elif model.is_figure(cell.text):
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        self.pieces.append(TablePiece(block.id, block.header, block.body))
        self.record_notes([cell.text for row in rows for cell in row])
        self.document.add_paragraph().paragraph_format.space_after = Pt(4)

    def block(self, block: model.Block, width: int) -> None:
        match block:
            case model.Heading():
                self.heading(block)
            case model.Paragraph():
                self.paragraph(block.text)
            case model.ItemList():
                self.item_list(block)
            case model.Definitions():
                for term, text in block.entries:
                    self.paragraph(f"**{term}** {text}").paragraph_format.left_indent = Pt(14)
            case model.Cards():
                for label, text in block.entries:
                    self.card(label, text)
            case model.Table():
                self.table(block, width)
            case model.Columns():
                self._columns(2)
                self._two_columns(block.blocks, width // 2)
                self._columns(1)
            case model.Landscape():
                section = self._turned(WD_ORIENT.LANDSCAPE)
                self.blocks(block.blocks, section.page_width - 2 * _MARGIN)
                self._turned(WD_ORIENT.PORTRAIT)

    def blocks(self, blocks: Sequence[model.Block], width: int) -> None:
        for block in blocks:
            self.block(block, width)

    def _two_columns(self, blocks: Sequence[model.Block], width: int) -> None:
        """Break the column before the heading nearest to the middle: programs differ in how they balance columns."""
        lengths = list(itertools.accumulate(sum(map(len, model.texts([block]))) for block in blocks))
        starts = [at for at, block in enumerate(blocks) if at and isinstance(block, model.Heading)]
        middle = min(starts, key=lambda at: abs(lengths[at - 1] - lengths[-1] / 2))
        self.blocks(blocks[:middle], width)
        first = len(self.document.paragraphs)
        self.blocks(blocks[middle:], width)
        self.document.paragraphs[first].runs[0].add_break(WD_BREAK.COLUMN)
        run = self.document.paragraphs[first].runs[0]._r
        run.insert(0, run[-1])

    def _columns(self, count: int) -> None:
        section = self.document.add_section(WD_SECTION.CONTINUOUS)
        columns = section._sectPr.find(qn("w:cols"))
        columns.set(qn("w:num"), str(count))
        columns.set(qn("w:space"), "440")

    def _turned(self, orientation: WD_ORIENT) -> Any:
        section = self.document.add_section(WD_SECTION.NEW_PAGE)
        section.orientation = orientation
        section.page_width, section.page_height = section.page_height, section.page_width
        return section

    def add_footnotes(self) -> None:
        """The footnotes' part, which python-docx does not know."""
        root = parse_xml(f"<w:footnotes {nsdecls('w')}/>")
        for identity, kind in ((-1, "separator"), (0, "continuationSeparator")):
            root.append(
                parse_xml(
                    f'<w:footnote {nsdecls("w")} w:type="{kind}" w:id="{identity}">'
                    f"<w:p><w:r><w:{kind}/></w:r></w:p></w:footnote>"
                )
            )
        for note, number in self.numbers.items():
            element = parse_xml(
                f'<w:footnote {nsdecls("w")} w:id="{number}"><w:p><w:pPr><w:pStyle w:val="{self.note_style}"/></w:pPr>'
                f'<w:r><w:rPr><w:rStyle w:val="{self.reference_style}"/></w:rPr><w:footnoteRef/></w:r>'
                f'<w:r><w:t xml:space="preserve"></w:t></w:r></w:p></w:footnote>'
            )
            text = element.findall(f".//{qn('w:t')}")[-1]
            text.text = " " + inline.plain(self.source.notes[note], self.numbers)
            root.append(element)
        blob = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
        package = self.document.part.package
        part = Part(PackURI("/word/footnotes.xml"), CONTENT_TYPE.WML_FOOTNOTES, blob, package)
        self.document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)


def _element(tag: str, value: str | None = None, *, name: str = "w:val") -> Any:
    element = OxmlElement(tag)
    if value is not None:
        element.set(qn(name), value)
    return element


def render(source: Source) -> Rendition:
    """The document, and its pieces in order; a file has no pages until a program lays it out."""
    writer = _Writer(source)
    furniture = source.furniture
    writer.pieces.append(TextPiece(f"{furniture.left} {furniture.right}"))
    writer.heading(model.Heading(1, source.title))
    for line in source.lead:
        writer.paragraph(line).runs[0].font.color.rgb = RGBColor(0x1F, 0x3A, 0x5F)
    writer.blocks(source.blocks, writer.width)
    if writer.numbers:
        writer.add_footnotes()
    writer.pieces.append(TextPiece(f"{furniture.footer} Page 1"))
    properties = writer.document.core_properties
    properties.title = source.title
    properties.author = properties.last_modified_by = furniture.left
    properties.subject = source.domain
    properties.comments = ""
    properties.created = properties.modified = CREATED
    buffer = io.BytesIO()
    writer.document.save(buffer)
    return Rendition("docx", repacked(buffer.getvalue()), tuple(writer.pieces), None)
