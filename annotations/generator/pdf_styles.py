"""The look of the PDF renditions."""

from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_RIGHT
from reportlab.lib.styles import ParagraphStyle

ACCENT = colors.HexColor("#1f3a5f")
RULE = colors.HexColor("#8a99ad")
SHADE = colors.HexColor("#e8edf3")


class Styles:
    """The paragraph styles of one document."""

    def __init__(self, *, serif: bool) -> None:
        regular, bold = ("Times-Roman", "Times-Bold") if serif else ("Helvetica", "Helvetica-Bold")
        size = 10.5 if serif else 9.5
        self.body = ParagraphStyle("body", fontName=regular, fontSize=size, leading=size * 1.32)
        self.note = ParagraphStyle("note", parent=self.body, fontSize=8, leading=9.6)
        self.caption = ParagraphStyle("caption", parent=self.body, fontName="Helvetica-Bold", fontSize=9, leading=12)
        self.lead = ParagraphStyle("lead", parent=self.body, fontSize=11.5, leading=15, textColor=ACCENT)
        self.card = ParagraphStyle(
            "card", parent=self.body, borderWidth=0.6, borderColor=RULE, backColor=SHADE, borderPadding=5
        )
        cell = ParagraphStyle("cell", parent=self.body, fontSize=8.6, leading=10.6)
        self.cell = cell
        self.number = ParagraphStyle("number", parent=cell, alignment=TA_RIGHT)
        self.head = ParagraphStyle("head", parent=cell, fontName=bold, alignment=TA_CENTER)
        sizes = {1: 22, 2: 15, 3: 12.5, 4: 10.5}
        self.heading = {
            level: ParagraphStyle(
                f"heading{level}", fontName="Helvetica-Bold", fontSize=points, leading=points * 1.25, textColor=ACCENT
            )
            for level, points in sizes.items()
        }
