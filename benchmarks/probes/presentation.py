"""PPTX files that hold one thing each."""

import io
from collections.abc import Callable

import pptx
from pptx.slide import Slide
from pptx.util import Inches

from annotations.generator.archive import repacked
from benchmarks.probes.words import PLAIN_TABLE

_TITLE_ONLY = 5


def _made(fill: Callable[[Slide], None], title: str = "A slide") -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[_TITLE_ONLY])
    slide.shapes.title.text = title
    fill(slide)
    buffer = io.BytesIO()
    deck.save(buffer)
    return repacked(buffer.getvalue())


def _table(merge: tuple[tuple[int, int], tuple[int, int]] | None, rows: list[list[str]]) -> bytes:
    def fill(slide: Slide) -> None:
        frame = slide.shapes.add_table(len(rows), len(rows[0]), Inches(1), Inches(2), Inches(6), Inches(2))
        for number, texts in enumerate(rows):
            for column, text in enumerate(texts):
                frame.table.cell(number, column).text = text
        if merge:
            (first, last) = merge
            frame.table.cell(*first).merge(frame.table.cell(*last))

    return _made(fill)


def plain_table() -> bytes:
    """A table with nothing merged."""
    return _table(None, PLAIN_TABLE)


def colspan() -> bytes:
    """A header cell over two columns."""
    rows = [["Region", "Sales", ""], ["", "Spring", "Autumn"], ["North", "11", "12"], ["South", "21", "22"]]
    return _table(((0, 1), (0, 2)), rows)


def rowspan() -> bytes:
    """A cell over two rows."""
    rows = [["Region", "Season", "Sales"], ["North", "Spring", "11"], ["", "Autumn", "12"], ["South", "Spring", "21"]]
    return _table(((1, 0), (2, 0)), rows)


def nested_list() -> bytes:
    """An item below an item."""

    def fill(slide: Slide) -> None:
        frame = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(6), Inches(2)).text_frame
        frame.text = "Outer one"
        for text, level in (("Inner one", 1), ("Outer two", 0)):
            paragraph = frame.add_paragraph()
            paragraph.text, paragraph.level = text, level

    return _made(fill)


def group() -> bytes:
    """A shape in a group in a group."""

    def fill(slide: Slide) -> None:
        inner = slide.shapes.add_group_shape().shapes.add_group_shape()
        inner.shapes.add_textbox(Inches(1), Inches(2), Inches(4), Inches(1)).text_frame.text = "Words in a group"

    return _made(fill)


def notes() -> bytes:
    """Speaker notes."""

    def fill(slide: Slide) -> None:
        frame = slide.notes_slide.notes_text_frame
        assert frame is not None, "a notes page has its text frame"
        frame.text = "Words for the speaker"

    return _made(fill)


def right_to_left() -> bytes:
    """A Hebrew sentence."""

    def fill(slide: Slide) -> None:
        slide.shapes.add_textbox(Inches(1), Inches(2), Inches(4), Inches(1)).text_frame.text = "שלום עולם"

    return _made(fill)


def link() -> bytes:
    """A word that leads somewhere."""

    def fill(slide: Slide) -> None:
        paragraph = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(4), Inches(1)).text_frame.paragraphs[0]
        paragraph.add_run().text = "Read the "
        run = paragraph.add_run()
        run.text = "manual"
        run.hyperlink.address = "https://example.org/manual"

    return _made(fill)
