"""A source as slides: titles in placeholders, text boxes, tables, grouped shapes, footers in placeholders.

Headings down to the source's ``slide_level`` open a slide; what does not fit goes on to a slide whose title says so.
Heights are estimated with Helvetica's metrics, which are wider than the theme's font, so that text stays inside its
box. On slides with cards or columns the shapes are stored in another order than they are read.
"""

import io
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pptx
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls
from pptx.util import Pt
from reportlab.lib.utils import simpleSplit

from annotations.generator import inline, model
from annotations.generator.archive import CREATED, repacked
from annotations.generator.model import Source
from annotations.generator.pptx_shapes import (
    ACCENT,
    GREY,
    HEIGHT,
    LEFT,
    SHADE,
    WHITE,
    WIDTH,
    add_footer,
    dress,
    dress_master,
    place,
    reverse,
)
from annotations.generator.rendition import HeadingPiece, Piece, Rendition, TablePiece, TextPiece, on_page

_TOP, _BOTTOM = 96.0, 500.0
_INNER = WIDTH - 2 * LEFT
_NOTE, _TABLE = 10.0, 12.0
_INSET = 7.2
_AUTONUMBER = {"decimal": "arabicPeriod", "letter": "alphaLcPeriod", "roman": "romanLcPeriod"}
_CONTINUED = " (continued)"


@dataclass(frozen=True, slots=True)
class _Line:
    """One paragraph of a text box."""

    text: str
    piece: Piece
    depth: int = 0
    kind: model.ListKind | None = None
    start: int = 1
    heading: int | None = None

    def size(self, points: float) -> float:
        """The size of its text where the body's is ``points``."""
        return points + 3 if self.heading == 3 else points

    def height(self, width: float, points: float) -> float:
        points = self.size(points)
        indent = 18.0 * (self.depth + 1) if self.kind else 0.0
        return _lines(self.text, width - indent - 2 * _INSET, points) * points * 1.2 + 5


def _lines(text: str, width: float, size: float) -> int:
    plain = inline.plain(text, dict.fromkeys(inline.notes(text), 1))
    return max(1, len(simpleSplit(plain, "Helvetica", size, width)))


class _Deck:
    """The slides being filled."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.numbers = model.note_numbers(source)
        self.presentation = pptx.Presentation()
        self.presentation.slide_width, self.presentation.slide_height = Pt(WIDTH), Pt(HEIGHT)
        dress_master(self.presentation)
        self.pieces: list[Piece] = []
        self.slide: Any = None
        self.title = model.Heading(1, source.title)
        self.found: list[Piece] = []
        self.notes: list[str] = []
        self.lines: list[_Line] = []
        self.y = _TOP
        self.shuffled = False

    # The slide at hand

    def open(self, heading: model.Heading, layout: str = "Title Only") -> None:
        """Begin a slide; those of other layouts than ``Title Only`` hold little but their title."""
        self.close()
        layouts = {found.name: found for found in self.presentation.slide_layouts}
        self.slide = self.presentation.slides.add_slide(layouts[layout])
        self.title = heading
        shape = self.slide.shapes.title
        shape.text_frame.text = heading.text
        shape.text_frame.word_wrap = True
        shape.text_frame.vertical_anchor = MSO_ANCHOR.MIDDLE
        paragraph = shape.text_frame.paragraphs[0]
        paragraph.alignment = PP_ALIGN.LEFT
        if layout == "Title Only":
            place(shape, LEFT, 22, _INNER, 56)
            dress(paragraph.runs[0].font, 26, bold=True, color=ACCENT)
        else:
            place(shape, LEFT, 180, _INNER, 90)
            dress(paragraph.runs[0].font, 38, bold=True, color=WHITE)
            # The template's section headers are in capitals, which the gold's text is not.
            paragraph.runs[0]._r.get_or_add_rPr().set("cap", "none")
            self.slide.background.fill.solid()
            self.slide.background.fill.fore_color.rgb = ACCENT
        self.found = [HeadingPiece(heading.text, heading.level)]
        self.y = _TOP

    def open_title(self) -> None:
        """The first slide: the document's title, and the lines under it as its subtitle."""
        self.open(model.Heading(1, self.source.title), "Title Slide")
        subtitle = self.slide.placeholders[1]
        place(subtitle, LEFT, 280, _INNER, 90)
        for at, line in enumerate(self.source.lead):
            paragraph = subtitle.text_frame.paragraphs[0] if at == 0 else subtitle.text_frame.add_paragraph()
            paragraph.alignment = PP_ALIGN.LEFT
            self.write(paragraph, line, 20, color=SHADE)
            self.found.append(TextPiece(line))

    def open_section(self, heading: model.Heading) -> None:
        """A slide that holds a section's title alone, because a subsection's follows at once."""
        self.open(heading, "Section Header")
        for shape in list(self.slide.placeholders):
            if shape.placeholder_format.idx != 0:
                shape.element.getparent().remove(shape.element)

    def go_on(self) -> None:
        """Begin the slide that carries on the present one."""
        text = self.title.text.removesuffix(_CONTINUED) + _CONTINUED
        self.open(model.Heading(self.title.level, text))

    def close(self) -> None:
        """End the slide: its footnotes, its footer, its number."""
        if self.slide is None:
            return
        self.flush()
        if self.notes:
            height = self.notes_height(())
            box = self.slide.shapes.add_textbox(Pt(LEFT), Pt(_BOTTOM - height), Pt(_INNER), Pt(height))
            box.name = "Footnotes"
            box.text_frame.word_wrap = True
            for at, note in enumerate(self.notes):
                paragraph = box.text_frame.paragraphs[0] if at == 0 else box.text_frame.add_paragraph()
                text = f"{self.numbers[note]} {inline.plain(self.source.notes[note], self.numbers)}"
                run = paragraph.add_run()
                run.text = text
                dress(run.font, _NOTE, color=GREY)
                self.found.append(TextPiece(text))
        number = len(self.presentation.slides)
        if self.shuffled:
            reverse(self.slide.shapes._spTree)
        add_footer(self.slide, "ftr", "Footer Placeholder", 11, self.source.furniture.footer, None)
        add_footer(self.slide, "sldNum", "Slide Number Placeholder", 12, str(number), "slidenum")
        self.found += [TextPiece(self.source.furniture.footer), TextPiece(str(number))]
        self.pieces += [on_page(piece, number) for piece in self.found]
        self.slide, self.notes, self.shuffled = None, [], False

    def notes_height(self, more: Sequence[str]) -> float:
        notes = [*self.notes, *more]
        texts = [self.source.notes[note] for note in notes]
        return sum(_lines(text, _INNER - 20, _NOTE) for text in texts) * _NOTE * 1.25 + 8 if notes else 0.0

    def height(self, line: _Line, width: float) -> float:
        return line.height(width, self.source.slide_points)

    def fits(self, height: float, notes: Sequence[str] = ()) -> bool:
        pending = sum(self.height(line, _INNER) for line in self.lines)
        return self.y + pending + height <= _BOTTOM - self.notes_height(notes)

    # Text

    def write(self, paragraph: Any, text: str, size: float, *, bold: bool = False, color: Any = None) -> None:
        for run in inline.runs(text):
            written = paragraph.add_run()
            written.text = str(self.numbers[run.note]) if run.note else run.text
            dress(written.font, size, bold=bold or run.bold, color=color)
            if run.note:
                written._r.get_or_add_rPr().set("baseline", "30000")

    def flush(self) -> None:
        """Set the pending lines down as one text box."""
        if self.lines:
            height = self.text_box(self.lines, LEFT, self.y, _INNER)
            self.found += [line.piece for line in self.lines]
            self.y += height + 4
            self.lines = []

    def text_box(self, lines: Sequence[_Line], left: float, top: float, width: float) -> float:
        height = sum(self.height(line, width) for line in lines) + 8
        box = self.slide.shapes.add_textbox(Pt(left), Pt(top), Pt(width), Pt(height))
        frame = box.text_frame
        frame.word_wrap = True
        for at, line in enumerate(lines):
            paragraph = frame.paragraphs[0] if at == 0 else frame.add_paragraph()
            paragraph.space_after = Pt(5)
            color = ACCENT if line.heading else None
            self.write(paragraph, line.text, line.size(self.source.slide_points), bold=bool(line.heading), color=color)
            if line.kind:
                paragraph.level = line.depth
                properties = paragraph._p.get_or_add_pPr()
                properties.set("marL", str(Pt(18 * (line.depth + 1))))
                properties.set("indent", str(-Pt(18)))
                mark = (
                    f'<a:buChar {nsdecls("a")} char="•"/>'
                    if line.kind == "bullet"
                    else f'<a:buAutoNum {nsdecls("a")} type="{_AUTONUMBER[line.kind]}" startAt="{line.start}"/>'
                )
                properties.append(parse_xml(mark))
        return height

    def text_lines(self, block: model.Block) -> list[_Line]:
        match block:
            case model.Heading():
                return [_Line(block.text, HeadingPiece(block.text, block.level), heading=block.level)]
            case model.Paragraph():
                return [_Line(block.text, TextPiece(inline.plain(block.text, self.numbers)))]
            case model.ItemList():
                return self.item_lines(block, 0)
            case model.Definitions():
                texts = [
                    (f"**{term}** {text}", f"{term} {inline.plain(text, self.numbers)}") for term, text in block.entries
                ]
                return [_Line(text, TextPiece(plain)) for text, plain in texts]
            case _:
                raise TypeError(f"{type(block).__name__} is not text")

    def item_lines(self, items: model.ItemList, depth: int) -> list[_Line]:
        lines = []
        for at, item in enumerate(items.items):
            plain = inline.plain(item.text, self.numbers)
            piece = TextPiece(f"{'  ' * depth}{model.label(items.kind, at)} {plain}")
            lines.append(_Line(item.text, piece, depth, items.kind, at + 1))
            if item.nested:
                lines += self.item_lines(item.nested, depth + 1)
        return lines

    def text(self, block: model.Block) -> None:
        for line in self.text_lines(block):
            notes = inline.notes(line.text)
            # A heading inside a slide does not stay behind at its foot.
            room = 60.0 if line.heading else 0.0
            if line.heading:
                self.flush()
            if not self.fits(self.height(line, _INNER) + room + 8, notes):
                self.go_on()
            self.lines.append(line)
            self.notes += notes

    # Other blocks

    def columns(self, block: model.Columns) -> None:
        """Two text boxes side by side, the left one read first."""
        width = (_INNER - 20) / 2
        lines = [line for part in block.blocks for line in self.text_lines(part)]
        while lines:
            self.flush()
            free = (
                _BOTTOM - self.y - self.notes_height([note for line in lines for note in inline.notes(line.text)]) - 8
            )
            total = sum(self.height(line, width) for line in lines)
            if total > 2 * free - 40 and self.y > _TOP:
                self.go_on()
                continue
            left = self.fitting(lines, width, min(free, max(total / 2 + 30, 60.0)))
            rest = lines[len(left) :]
            right = self.fitting(rest, width, free)
            if left[-1].heading:
                left, right = left[:-1], [left[-1], *right]
            top = self.y
            heights = [
                self.text_box(part, x, top, width) for part, x in ((left, LEFT), (right, LEFT + width + 20)) if part
            ]
            placed = [*left, *right]
            self.found += [line.piece for line in placed]
            self.notes += [note for line in placed for note in inline.notes(line.text)]
            self.y = top + max(heights) + 4
            self.shuffled = True
            lines = lines[len(placed) :]
            if lines:
                self.go_on()

    def fitting(self, lines: Sequence[_Line], width: float, height: float) -> list[_Line]:
        """The lines from the first that fit the height, at least one."""
        taken: list[_Line] = []
        used = 0.0
        for line in lines:
            used += self.height(line, width)
            if taken and used > height:
                break
            taken.append(line)
        return taken

    def cards(self, block: model.Cards) -> None:
        """A grid of groups, each a panel with a label and a text box on it."""
        self.flush()
        across = 3
        width = (_INNER - 16 * (across - 1)) / across
        height = max(_lines(text, width - 24, 13) * 16 + 48 for _, text in block.entries)
        rows = -(-len(block.entries) // across)
        notes = [note for _, text in block.entries for note in inline.notes(text)]
        if not self.fits(rows * (height + 14), notes):
            self.go_on()
        for at, (label, text) in enumerate(block.entries):
            left = LEFT + (at % across) * (width + 16)
            top = self.y + (at // across) * (height + 14)
            group = self.slide.shapes.add_group_shape()
            group.name = f"Card {at + 1}"
            panel = group.shapes.add_shape(MSO_SHAPE.RECTANGLE, Pt(left), Pt(top), Pt(width), Pt(height))
            panel.fill.solid()
            panel.fill.fore_color.rgb = SHADE
            panel.line.color.rgb = GREY
            panel.shadow.inherit = False
            for content, offset, tall, bold in ((label, 4.0, 28.0, True), (text, 34.0, height - 38, False)):
                box = group.shapes.add_textbox(Pt(left + 4), Pt(top + offset), Pt(width - 8), Pt(tall))
                box.text_frame.word_wrap = True
                self.write(box.text_frame.paragraphs[0], content, 13, bold=bold, color=ACCENT if bold else None)
            self.found.append(TextPiece(f"{label}\n{inline.plain(text, self.numbers)}"))
        self.notes += notes
        self.y += rows * (height + 14)
        self.shuffled = True

    def table(self, table: model.Table) -> None:
        """A table; what does not fit becomes another table, with the header rows, on the next slide."""
        self.flush()
        widths = [share * _INNER for share in table.widths]
        start = 0
        while start < len(table.body):
            cut = self.rows_that_fit(table, start, widths)
            if cut is None:
                if self.y == _TOP:
                    raise ValueError(f"{self.source.name}, table {table.id}: rows from {start} do not fit a slide")
                self.go_on()
                continue
            if start == 0:
                self.lines = [_Line(f"**{table.caption}**", TextPiece(table.caption))]
                self.flush()
            body = table.body[start:cut]
            rows = (*table.header, *body)
            heights = _row_heights(rows, widths)
            self.frame(rows, len(table.header), widths, heights)
            identity = table.id if start == 0 else f"{table.id}-{len(self.presentation.slides)}"
            self.found.append(TablePiece(identity, table.header, body))
            self.notes += [
                note for row in (rows if start == 0 else body) for cell in row for note in inline.notes(cell.text)
            ]
            self.y += sum(heights) + 10
            start = cut
            if start < len(table.body):
                self.go_on()

    def rows_that_fit(self, table: model.Table, start: int, widths: Sequence[float]) -> int | None:
        """The end of the longest stretch of rows from ``start`` that fits; None when fewer than two do."""
        caption = 34.0 if start == 0 else 0.0
        for cut in reversed([cut for cut in model.breaks(table.body) if cut > start]):
            rows = (*table.header, *table.body[start:cut])
            notes = [note for row in rows for cell in row for note in inline.notes(cell.text)]
            if self.fits(caption + sum(_row_heights(rows, widths)), [note for note in notes if note not in self.notes]):
                return cut if cut - start > 1 or cut == len(table.body) else None
        return None

    def frame(self, rows: Sequence[model.Row], heads: int, widths: Sequence[float], heights: Sequence[float]) -> None:
        shape = self.slide.shapes.add_table(len(rows), len(widths), Pt(LEFT), Pt(self.y), Pt(_INNER), Pt(sum(heights)))
        table = shape.table
        for at, width in enumerate(widths):
            table.columns[at].width = Pt(width)
        for at, height in enumerate(heights):
            table.rows[at].height = Pt(height)
        for at, column, cell in model.placed(rows):
            target = table.cell(at, column)
            if cell.rows > 1 or cell.cols > 1:
                target.merge(table.cell(at + cell.rows - 1, column + cell.cols - 1))
            target.vertical_anchor = MSO_ANCHOR.MIDDLE
            target.margin_top = target.margin_bottom = Pt(2)
            target.margin_left = target.margin_right = Pt(5)
            target.fill.solid()
            target.fill.fore_color.rgb = ACCENT if at < heads else WHITE if at % 2 else SHADE
            head = at < heads
            color = WHITE if head else None
            paragraph = target.text_frame.paragraphs[0]
            paragraph.alignment = (
                PP_ALIGN.CENTER if head else PP_ALIGN.RIGHT if model.is_figure(cell.text) else PP_ALIGN.LEFT
            )
            self.write(paragraph, cell.text, _TABLE, bold=head, color=color)

    def block(self, block: model.Block, following: model.Block | None = None) -> None:
        match block:
            case model.Heading() if block.level <= self.source.slide_level:
                if isinstance(following, model.Heading) and following.level <= self.source.slide_level:
                    self.open_section(block)
                else:
                    self.open(block)
            case model.Cards():
                self.cards(block)
            case model.Table():
                self.table(block)
            case model.Columns():
                self.columns(block)
            case model.Landscape():
                for part in block.blocks:
                    self.block(part)
            case _:
                self.text(block)


def _row_heights(rows: Sequence[model.Row], widths: Sequence[float]) -> list[float]:
    """Each row's height: its tallest one-row cell's."""
    heights = [_TABLE * 1.2 + 5] * len(rows)
    for at, column, cell in model.placed(rows):
        width = sum(widths[column : column + cell.cols]) - 11
        need = _lines(cell.text, width, _TABLE) * _TABLE * 1.2 + 5
        heights[at] = max(heights[at], need / cell.rows)
    return heights


def render(source: Source) -> Rendition:
    """The slides, and what stands on which."""
    deck = _Deck(source)
    deck.open_title()
    for block, following in itertools.zip_longest(source.blocks, source.blocks[1:]):
        deck.block(block, following)
    deck.close()
    properties = deck.presentation.core_properties
    properties.title = source.title
    properties.author = properties.last_modified_by = source.furniture.left
    properties.subject = source.domain
    properties.created = properties.modified = CREATED
    buffer = io.BytesIO()
    deck.presentation.save(buffer)
    return Rendition("pptx", repacked(buffer.getvalue()), tuple(deck.pieces), len(deck.presentation.slides))
