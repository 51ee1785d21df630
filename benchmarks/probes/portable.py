"""PDF files that hold one thing each."""

import io
import textwrap
from collections.abc import Callable
from typing import Any

from reportlab.lib import pdfencrypt
from reportlab.lib.colors import black
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
    Table,
)

from benchmarks.probes.words import AFTER, BEFORE, PLAIN_TABLE

_STYLES = getSampleStyleSheet()
_GRID = ("GRID", (0, 0), (-1, -1), 0.5, black)
_PASSWORD = "open"


def _flowing(*parts: Flowable) -> bytes:
    buffer = io.BytesIO()
    around = _paragraph(BEFORE), _paragraph(AFTER)
    SimpleDocTemplate(buffer, pagesize=A4, invariant=1).build([around[0], *parts, around[1]])
    return buffer.getvalue()


def _drawn(draw: Callable[[Canvas], None], **options: Any) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1, **options)
    draw(canvas)
    canvas.save()
    return buffer.getvalue()


def _around(canvas: Canvas) -> None:
    """Draw body text above and below the middle of the page."""
    canvas.setFont("Helvetica", 11)
    for text, top in ((BEFORE, 770), (AFTER, 600)):
        for number, line in enumerate(textwrap.wrap(text, 85)):
            canvas.drawString(72, top - 14 * number, line)


def _paragraph(text: str, style: str = "BodyText") -> Paragraph:
    return Paragraph(text, _STYLES[style])


def headings() -> bytes:
    """Three levels by size alone: the file has no tags and no outline."""
    parts = []
    for style, text in (("Heading1", "Alpha chapter"), ("Heading2", "Beta section"), ("Heading3", "Gamma part")):
        words = f"Words below {text.lower()} that make a paragraph of their own, long enough to be body text. " * 4
        parts += [_paragraph(text, style), _paragraph(words)]
    return _flowing(*parts)


def plain_table() -> bytes:
    """A table with nothing merged, ruled."""
    return _flowing(Table(PLAIN_TABLE, style=[_GRID]))


def colspan() -> bytes:
    """A header cell over two columns, ruled."""
    rows = [["Region", "Sales", ""], ["", "Spring", "Autumn"], ["North", "11", "12"], ["South", "21", "22"]]
    style = [_GRID, ("SPAN", (1, 0), (2, 0)), ("SPAN", (0, 0), (0, 1))]
    return _flowing(Table(rows, style=style))


def rowspan() -> bytes:
    """A cell over two rows, ruled."""
    rows = [["Region", "Season", "Sales"], ["North", "Spring", "11"], ["", "Autumn", "12"], ["South", "Spring", "21"]]
    style = [_GRID, ("SPAN", (0, 1), (0, 2))]
    return _flowing(Table(rows, style=style))


def long_table() -> bytes:
    """A ruled table over two pages, its header repeated."""
    rows = [["Number", "Square"], *([str(number), str(number * number)] for number in range(100, 155))]
    return _flowing(Table(rows, style=[_GRID], repeatRows=1))


def columns() -> bytes:
    """Two columns of body text on one page."""
    buffer = io.BytesIO()
    frames = [Frame(left, 400, 220, 380, id=str(left)) for left in (60, 315)]
    document = BaseDocTemplate(buffer, pagesize=A4, invariant=1)
    document.addPageTemplates(PageTemplate(frames=frames))
    left = f"{BEFORE} {AFTER} {BEFORE} The left column ends here."
    right = f"The right column begins here. {AFTER} {BEFORE}"
    document.build([_paragraph(left), FrameBreak(), _paragraph(right)])
    return buffer.getvalue()


def nested_list() -> bytes:
    """An item below an item, by bullets and indentation."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        for number, (left, text) in enumerate(((72, "Outer one"), (96, "Inner one"), (72, "Outer two"))):
            canvas.drawString(left, 700 - 16 * number, f"\u2022 {text}")
        _around(canvas)

    return _drawn(draw)


def footnote() -> bytes:
    """A raised number, and its note in small print at the foot of the page."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        canvas.drawString(72, 700, "A claim that needs a note.")
        canvas.setFont("Helvetica", 7)
        canvas.drawString(205, 704, "1")
        _around(canvas)
        canvas.line(72, 90, 200, 90)
        canvas.drawString(72, 78, "1 Words of the note at the foot.")

    return _drawn(draw)


def link() -> bytes:
    """A word that leads somewhere."""
    return _flowing(_paragraph('Read the <a href="https://example.org/manual">manual</a> first.'))


def running() -> bytes:
    """A running header on two pages."""

    def draw(canvas: Canvas) -> None:
        for number in (1, 2):
            canvas.setFont("Helvetica", 8)
            canvas.drawString(72, 815, "Words on every page")
            canvas.setFont("Helvetica", 11)
            canvas.drawString(72, 700, f"The own words of page {number}.")
            _around(canvas)
            canvas.showPage()

    return _drawn(draw)


def password() -> bytes:
    """A file that opens with a password alone."""
    encryption = pdfencrypt.StandardEncryption(_PASSWORD, strength=128)
    return _drawn(lambda canvas: canvas.drawString(72, 760, "Words under lock."), encrypt=encryption)
