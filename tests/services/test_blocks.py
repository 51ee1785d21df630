"""Where the tools' blocks lie, on pages whose words lie at known places."""

import io
from dataclasses import dataclass
from pathlib import Path

import pptx
import pytest
from pptx.util import Pt
from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.generic import RectangleObject
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from orchestrator import local
from services.runtime import descriptor
from tests.services.collecting import collect

PROBES = local.SERVICES / "runtime" / "probes"
PARSERS = [
    pytest.param(name, version, id=f"{name}@{version}")
    for name in ("docslicer", "opendataloader")
    for version in descriptor.read(local.SERVICES / name).versions
]
SIZE = 12
LINES = (
    "The harbour office keeps a record of every ship that ties up",
    "between dawn and dusk, and of the cargo that it carries, and",
    "a second clerk copies each line before the evening bell.",
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page with one paragraph, its first baseline beginning at ``left``, ``base``.

    Attributes:
        size: width and height as drawn, before any cropping and turning.
        shown: the paragraph as the page is shown: left, top, right, bottom in points from the top left.
        shown_size: the page as it is shown.
    """

    size: tuple[float, float]
    left: float
    base: float
    shown: tuple[float, float, float, float]
    shown_size: tuple[float, float]
    crop: tuple[float, float, float, float] | None = None
    turned: int = 0

    def drawn(self) -> PageObject:
        buffer = io.BytesIO()
        canvas = Canvas(buffer, pagesize=self.size, invariant=1)
        text = canvas.beginText(self.left, self.base)
        text.setFont("Helvetica", SIZE, leading=SIZE)
        for line in LINES:
            text.textLine(line)
        canvas.drawText(text)
        canvas.save()
        page = PdfReader(buffer).pages[0]
        if self.crop:
            page.cropbox = RectangleObject(self.crop)
        return page.rotate(self.turned)


WIDE = max(stringWidth(line, "Helvetica", SIZE) for line in LINES)
CAPITAL = 0.718 * SIZE  # Helvetica's CapHeight
TALL = CAPITAL + (len(LINES) - 1) * SIZE
BELOW = TALL - CAPITAL

PAGES = (
    Page((595, 842), 100, 700, (100, 142 - CAPITAL, 100 + WIDE, 142 + BELOW), (595, 842)),
    Page((1000, 500), 600, 300, (600, 200 - CAPITAL, 600 + WIDE, 200 + BELOW), (1000, 500)),
    # What lies 200 below the top and 100 from the left of what is seen lies there wherever that begins.
    Page((800, 900), 150, 500, (100, 200 - CAPITAL, 100 + WIDE, 200 + BELOW), (550, 640), crop=(50, 60, 600, 700)),
    # Turned clockwise, what was left is at the top, and what was at the bottom is left.
    Page(
        (612, 792),
        100,
        500,
        (500 - BELOW, 100, 500 + CAPITAL, 100 + WIDE),
        (792, 612),
        crop=(0, 0, 612, 792),
        turned=90,
    ),
    Page(
        (612, 792),
        100,
        500,
        (292 - CAPITAL, 512 - WIDE, 292 + BELOW, 512),
        (792, 612),
        crop=(0, 0, 612, 792),
        turned=270,
    ),
)


def write(path: Path) -> Path:
    writer = PdfWriter()
    for page in PAGES:
        writer.add_page(page.drawn())
    writer.write(path)
    return path


@pytest.mark.parametrize(("name", "version"), PARSERS)
def test_boxes_hold_the_words(name: str, version: str, tmp_path: Path) -> None:
    """On every page of a size of its own, cropped, and turned, as it is shown; and they hold little else."""
    probe = tmp_path / "probe.pdf"
    probe.write_bytes((PROBES / "probe.pdf").read_bytes())
    found, probed, spoilt = collect(
        name, version, write(tmp_path / "pages.pdf"), probe, write(tmp_path / "unreadable.pdf")
    )
    for number, page in enumerate(PAGES, 1):
        boxes = [box for on, _, *box in found["blocks"] if on == number]
        assert boxes, f"no block on page {number}"
        width, height = page.shown_size
        for side, (end, reach) in enumerate(((min, 1), (min, 1), (max, -1), (max, -1))):
            length = (width, height)[side % 2]
            inward = reach * (page.shown[side] - length * end(box[side] for box in boxes))
            # Boxes reach from a font's highest to its lowest point, which is less than a size from capitals and lines.
            assert -0.5 <= inward <= SIZE, (number, side, inward)
    labels = [label for _, label, *_ in probed["blocks"]]
    assert labels.count("table") == 1
    assert labels.count("heading") == len(probed["headings"])
    assert "text" in labels
    assert spoilt["text"] == found["text"]
    # DocSlicer says how large pages are; without that, parts of a page cannot be told.
    assert spoilt["blocks"] == (found["blocks"] if name == "docslicer" else [])


@pytest.mark.parametrize("version", descriptor.read(local.SERVICES / "docslicer").versions)
class TestDocSlicer:
    def test_slides(self, version: str, tmp_path: Path) -> None:
        """A box is a part of the slide; speaker notes lie on none."""
        deck = pptx.Presentation()
        deck.slide_width, deck.slide_height = Pt(1000), Pt(400)
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        slide.shapes.add_textbox(Pt(100), Pt(50), Pt(300), Pt(40)).text_frame.text = LINES[0]
        slide.notes_slide.notes_text_frame.text = LINES[1]
        deck.save(str(tmp_path / "slides.pptx"))
        [found] = collect("docslicer", version, tmp_path / "slides.pptx")
        assert LINES[1] in found["text"]
        [[page, label, *box]] = found["blocks"]
        assert (page, label) == (1, "text")
        assert box == pytest.approx([0.1, 0.125, 0.4, 0.225])

    def test_formats_without_pages_have_no_blocks(self, version: str, tmp_path: Path) -> None:
        """Nothing lies anywhere on them."""
        copies = [tmp_path / "probe.docx", tmp_path / "probe.html"]
        for copy in copies:
            copy.write_bytes((PROBES / copy.name).read_bytes())
        assert [found["blocks"] for found in collect("docslicer", version, *copies)] == [[], []]
