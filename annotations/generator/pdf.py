"""A source as a PDF: pages, columns, tables over pages, footnotes, running headers and footers.

The layout is our own and simple, because the gold must know what stands on which page: paragraphs and list items are
never cut, tables are cut between rows with their header rows repeated, footnotes stand at the foot of the page that
refers to them. Fonts are of the standard 14, streams are not compressed, and the canvas is invariant, so the bytes
depend on neither the machine's fonts nor its zlib.
"""

import html
import io
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reportlab.lib import colors, pagesizes
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph as Flow
from reportlab.platypus import Table as FlowTable

from annotations.generator import inline, model
from annotations.generator.model import Source
from annotations.generator.pdf_styles import RULE, SHADE, Styles
from annotations.generator.rendition import HeadingPiece, Piece, Rendition, TablePiece, TextPiece, on_page

_MARGIN = 64.0
_TOP = 78.0
_BOTTOM = 70.0
_GUTTER = 22.0
_FIRST_ROWS = 2


@dataclass(frozen=True, slots=True)
class _Atom:
    """What is set down whole: a flowable with its piece and its footnotes; or, with ``table``, a table to be cut."""

    flowable: Any
    height: float
    piece: Piece
    notes: tuple[str, ...] = ()
    indent: float = 0.0
    after: float = 6.0
    keep_with_next: bool = False
    level: int | None = None
    table: model.Table | None = None


@dataclass(slots=True)
class _Page:
    """A page being filled; ``y`` is the top of what is free, from the page's bottom, in points."""

    size: tuple[float, float]
    y: float
    drawn: list[tuple[Any, float, float, _Atom]] = field(default_factory=list)
    notes: list[_Atom] = field(default_factory=list)

    @property
    def free(self) -> float:
        return self.y - _BOTTOM - _notes_height(self.notes)


def _notes_height(notes: Sequence[_Atom]) -> float:
    return sum(note.height + 2 for note in notes) + 10 if notes else 0.0


class _Layout:
    """Fills pages with a source's blocks."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.numbers = model.note_numbers(source)
        self.styles = Styles(serif=source.serif)
        self.size = pagesizes.A4 if source.paper == "A4" else pagesizes.LETTER
        self.pages: list[_Page] = []
        self.new_page()

    @property
    def page(self) -> _Page:
        return self.pages[-1]

    @property
    def width(self) -> float:
        return self.page.size[0] - 2 * _MARGIN

    def new_page(self, *, landscape: bool = False) -> None:
        size = pagesizes.landscape(self.size) if landscape else self.size
        self.pages.append(_Page(size, size[1] - _TOP))

    def markup(self, text: str) -> str:
        parts = []
        for run in inline.runs(text):
            if run.note:
                parts.append(f"<super>{self.numbers[run.note]}</super>")
            else:
                escaped = html.escape(run.text, quote=False)
                parts.append(f"<b>{escaped}</b>" if run.bold else escaped)
        return "".join(parts)

    def plain(self, text: str) -> str:
        return inline.plain(text, self.numbers)

    def text_atom(
        self, text: str, style: ParagraphStyle, width: float, *, label: str = "", indent: float = 0.0, **more: Any
    ) -> _Atom:
        """A paragraph; the label hangs to its left."""
        hanging = 16.0 if label else 0.0
        drawn = "•" if label == "-" else label
        if label:
            style = ParagraphStyle("item", parent=style, leftIndent=hanging, bulletIndent=0)
        flowable = Flow(self.markup(text), style, bulletText=drawn or None)
        _, height = flowable.wrap(width - indent, 10_000)
        piece = TextPiece(f"{label} {self.plain(text)}" if label else self.plain(text))
        return _Atom(flowable, height, more.pop("piece", piece), tuple(inline.notes(text)), indent, **more)

    def atoms(self, block: model.Block, width: float) -> list[_Atom]:
        styles = self.styles
        match block:
            case model.Heading():
                return [self.heading_atom(block, width)]
            case model.Paragraph():
                return [self.text_atom(block.text, styles.body, width)]
            case model.ItemList():
                return self.list_atoms(block, width, 12.0, "")
            case model.Definitions():
                hanging = ParagraphStyle("entry", parent=styles.body, leftIndent=16, firstLineIndent=-16)
                return [
                    self.text_atom(f"**{term}** {text}", hanging, width, piece=TextPiece(f"{term} {self.plain(text)}"))
                    for term, text in block.entries
                ]
            case model.Cards():
                return [self.card_atom(label, text, width) for label, text in block.entries]
            case model.Table():
                caption = self.text_atom(block.caption, styles.caption, width, after=3.0, keep_with_next=True)
                return [caption, self.table_atom(block, width)]
            case _:
                raise TypeError(f"{type(block).__name__} cannot stand inside another block")

    def heading_atom(self, heading: model.Heading, width: float) -> _Atom:
        piece = HeadingPiece(heading.text, heading.level)
        style = self.styles.heading[heading.level]
        return self.text_atom(
            heading.text,
            style,
            width,
            piece=piece,
            keep_with_next=True,
            level=heading.level,
            after=style.fontSize / 2.4,
        )

    def list_atoms(self, items: model.ItemList, width: float, indent: float, nesting: str) -> list[_Atom]:
        atoms = []
        for at, item in enumerate(items.items):
            label = model.label(items.kind, at)
            piece = TextPiece(f"{nesting}{label} {self.plain(item.text)}")
            atoms.append(
                self.text_atom(item.text, self.styles.body, width, label=label, indent=indent, piece=piece, after=3.0)
            )
            if item.nested:
                atoms += self.list_atoms(item.nested, width, indent + 18.0, nesting + "  ")
        return atoms

    def card_atom(self, label: str, text: str, width: float) -> _Atom:
        markup = f"<b>{html.escape(label, quote=False)}</b><br/>{self.markup(text)}"
        flowable = Flow(markup, self.styles.card)
        _, height = flowable.wrap(width - 12, 10_000)
        piece = TextPiece(f"{label}\n{self.plain(text)}")
        return _Atom(flowable, height + 5, piece, tuple(inline.notes(text)), indent=6.0, after=11.0)

    def table_flow(self, table: model.Table, body: Sequence[model.Row], width: float) -> tuple[Any, float]:
        rows = (*table.header, *body)
        heads = len(table.header)
        columns = len(table.widths)
        data: list[list[Any]] = [[""] * columns for _ in rows]
        style: list[tuple[Any, ...]] = [
            ("GRID", (0, 0), (-1, -1), 0.5, RULE),
            ("BACKGROUND", (0, 0), (-1, heads - 1), SHADE),
            ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
            ("TOPPADDING", (0, 0), (-1, -1), 2.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 3.5),
            ("LEFTPADDING", (0, 0), (-1, -1), 4),
            ("RIGHTPADDING", (0, 0), (-1, -1), 4),
        ]
        for at, column, cell in model.placed(rows):
            number = at >= heads and model.is_figure(cell.text)
            look = self.styles.head if at < heads else self.styles.number if number else self.styles.cell
            data[at][column] = Flow(self.markup(cell.text), look) if cell.text else ""
            if cell.rows > 1 or cell.cols > 1:
                style.append(("SPAN", (column, at), (column + cell.cols - 1, at + cell.rows - 1)))
        flowable = FlowTable(data, colWidths=[share * width for share in table.widths], style=style)
        _, height = flowable.wrap(width, 10_000)
        return flowable, height

    def table_atom(self, table: model.Table, width: float) -> _Atom:
        """A table; its height is that of the least that may stand at a page's foot."""
        first = next((cut for cut in model.breaks(table.body) if cut >= _FIRST_ROWS), len(table.body))
        _, height = self.table_flow(table, table.body[:first], width)
        return _Atom(None, height, TablePiece(table.id, (), ()), after=12.0, table=table)

    def note_atoms(self, atoms: Sequence[_Atom]) -> list[_Atom]:
        width = self.width
        return [
            self.text_atom(self.source.notes[note], self.styles.note, width, label=str(self.numbers[note]))
            for atom in atoms
            for note in atom.notes
        ]

    def put(self, atom: _Atom, x: float, *, space: bool) -> None:
        """Set an atom down at the page's ``y``."""
        page = self.page
        if atom.level and space:
            page.y -= 8.0
        page.drawn.append((atom.flowable, x + atom.indent, page.y - atom.height, atom))
        page.y -= atom.height + atom.after

    def flow(self, atoms: Sequence[_Atom]) -> None:
        """Set atoms down one under the other, on new pages as needed."""
        for group in _groups(atoms):
            notes = self.note_atoms(group)
            if _height(group) + 8 + _notes_height([*self.page.notes, *notes]) - _notes_height(self.page.notes) > (
                self.page.free
            ):
                self.new_page(landscape=self.page.size[0] > self.page.size[1])
            self.page.notes += notes
            for atom in group:
                if atom.table:
                    self.put_table(atom, atom.table)
                else:
                    self.put(atom, _MARGIN, space=bool(self.page.drawn))

    def put_table(self, atom: _Atom, table: model.Table) -> None:
        """Set a table down, cut where a page ends."""
        start = 0
        cuts = model.breaks(table.body)
        while start < len(table.body):
            for cut in reversed([cut for cut in cuts if cut > start]):
                body = table.body[start:cut]
                flowable, height = self.table_flow(table, body, self.width)
                # Repeated header rows refer to their footnotes once.
                rows = (*table.header, *body) if start == 0 else body
                referring = tuple(note for row in rows for cell in row for note in inline.notes(cell.text))
                part = _Atom(
                    flowable,
                    height,
                    TablePiece(table.id, table.header, body, continues=start > 0),
                    referring,
                    after=atom.after,
                )
                notes = self.note_atoms([part])
                if height + _notes_height(notes) <= self.page.free:
                    break
            else:
                raise ValueError(f"{self.source.name}, table {table.id}: rows from {start} do not fit a page")
            self.page.notes += notes
            self.put(part, _MARGIN, space=False)
            start = cut
            if start < len(table.body):
                self.new_page(landscape=self.page.size[0] > self.page.size[1])

    def columns(self, block: model.Columns) -> None:
        """Set blocks in two columns: balanced where they fit, else each page's columns filled in turn."""
        width = (self.width - _GUTTER) / 2
        groups = _groups([atom for part in block.blocks for atom in self.atoms(part, width)])
        while groups:
            page = self.page
            notes = self.note_atoms([atom for group in groups for atom in group])
            free = page.free - _notes_height(notes)
            heights = list(itertools.accumulate(_height(group) + 8 for group in groups))
            left = next(at for at, height in enumerate(heights, start=1) if height >= heights[-1] / 2)
            if max(heights[left - 1], heights[-1] - heights[left - 1]) <= free:
                right = len(groups)
            elif free < 200:
                self.new_page()
                continue
            else:
                left = sum(height <= free for height in heights)
                right = sum(height <= free + heights[left - 1] for height in heights)
            placed = groups[:right]
            page.notes += self.note_atoms([atom for group in placed for atom in group])
            top = page.y
            lowest = top
            for part, x in ((groups[:left], _MARGIN), (groups[left:right], _MARGIN + width + _GUTTER)):
                page.y = top
                for at, group in enumerate(part):
                    for atom in group:
                        self.put(atom, x, space=at > 0)
                lowest = min(lowest, page.y)
            page.y = lowest - 4
            groups = groups[right:]
            if groups:
                self.new_page()

    def fill(self) -> None:
        """Lay out the whole source."""
        source = self.source
        self.flow([self.heading_atom(model.Heading(1, source.title), self.width)])
        self.flow([self.text_atom(line, self.styles.lead, self.width, after=2.0) for line in source.lead])
        self.page.y -= 10
        flowing: list[_Atom] = []
        for block in source.blocks:
            if isinstance(block, model.Columns | model.Landscape):
                # A heading right before columns must not stay behind alone; sources put a paragraph between.
                self.flow(flowing)
                flowing = []
            match block:
                case model.Columns():
                    self.columns(block)
                case model.Landscape():
                    self.new_page(landscape=True)
                    self.flow([atom for part in block.blocks for atom in self.atoms(part, self.width)])
                    self.new_page()
                case model.Heading(new_page=True):
                    self.flow(flowing)
                    flowing = self.atoms(block, self.width)
                    self.new_page()
                case _:
                    flowing += self.atoms(block, self.width)
        self.flow(flowing)
        self.pages = [page for page in self.pages if page.drawn]


def _groups(atoms: Sequence[_Atom]) -> list[list[_Atom]]:
    """Atoms that must stand on one page together: what keeps with the next, and the next."""
    groups: list[list[_Atom]] = []
    kept = False
    for atom in atoms:
        if kept:
            groups[-1].append(atom)
        else:
            groups.append([atom])
        kept = atom.keep_with_next
    return groups


def _height(group: Sequence[_Atom]) -> float:
    return sum(atom.height + atom.after for atom in group)


def render(source: Source) -> Rendition:
    """The PDF, and what stands where in it."""
    layout = _Layout(source)
    layout.fill()
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=layout.size, invariant=1, pageCompression=0)
    canvas.setTitle(source.title)
    canvas.setAuthor(source.furniture.left)
    canvas.setSubject(source.domain)
    pieces: list[Piece] = []
    for number, page in enumerate(layout.pages, start=1):
        canvas.setPageSize(page.size)
        footer = f"Page {number} of {len(layout.pages)}"
        _draw_furniture(canvas, source, page.size, footer)
        found: list[Piece] = [TextPiece(f"{source.furniture.left} {source.furniture.right}")]
        for flowable, x, y, atom in page.drawn:
            flowable.drawOn(canvas, x, y)
            found.append(atom.piece)
            if atom.level and source.outline:
                key = f"heading-{len(pieces) + len(found)}"
                canvas.bookmarkHorizontal(key, 0, y + atom.height)
                canvas.addOutlineEntry(inline.plain(atom.flowable.getPlainText(), {}), key, level=atom.level - 1)
        found += _draw_notes(canvas, page)
        found.append(TextPiece(f"{source.furniture.footer} {footer}"))
        pieces += [on_page(piece, number) for piece in found]
        canvas.showPage()
    canvas.save()
    return Rendition("pdf", buffer.getvalue(), tuple(pieces), len(layout.pages))


def _draw_furniture(canvas: Any, source: Source, size: tuple[float, float], footer: str) -> None:
    width, height = size
    canvas.setFont("Helvetica", 8)
    canvas.setFillColor(colors.HexColor("#4a5568"))
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.5)
    canvas.drawString(_MARGIN, height - 46, source.furniture.left)
    canvas.drawRightString(width - _MARGIN, height - 46, source.furniture.right)
    canvas.line(_MARGIN, height - 52, width - _MARGIN, height - 52)
    canvas.line(_MARGIN, 46, width - _MARGIN, 46)
    canvas.drawString(_MARGIN, 34, source.furniture.footer)
    canvas.drawRightString(width - _MARGIN, 34, footer)


def _draw_notes(canvas: Any, page: _Page) -> list[Piece]:
    if not page.notes:
        return []
    y = _BOTTOM + _notes_height(page.notes) - 6
    canvas.line(_MARGIN, y, _MARGIN + 120, y)
    y -= 2
    for note in page.notes:
        y -= note.height + 2
        note.flowable.drawOn(canvas, _MARGIN, y)
    return [note.piece for note in page.notes]
