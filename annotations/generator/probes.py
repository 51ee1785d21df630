"""``python -m annotations.generator.probes OUTPUT``: write the probes that every parser's warm-up parses.

A probe is small but whole: a title, headings, a paragraph long enough that no parser takes the PDF for a scan, a list
and a table. It is never scored.
"""
# ruff: noqa: E501  (prose reads better unbroken)

import sys
from pathlib import Path

import pypdfium2
from PIL.Image import Image

from annotations.generator.corpus import RENDERERS
from annotations.generator.model import Furniture, Source, Table
from annotations.generator.notation import bullets, h, p, row

DOTS_PER_INCH = 150

SOURCE = Source(
    name="probe",
    domain="operations",
    title="Probe document",
    lead=("A small document that a parser reads before it is measured",),
    furniture=Furniture("docassay", "Probe", "Never scored"),
    slide_level=2,
    blocks=(
        h(2, "1. Text"),
        p(
            "The quick brown fox jumps over the lazy dog, and a parser that has just been started loads whatever it needs: its models, its fonts, its rules for headings and for tables. This paragraph has some hundred words so that it fills several lines, as paragraphs in business documents do, and so that a parser which counts the characters of a page before it decides between reading and recognising finds enough of them."
        ),
        p("What it costs to read this document is recorded as the cost of a cold start and appears in no score."),
        bullets("a first item, which is short;", "a second item, which is a little longer than the first."),
        h(2, "2. Table"),
        p("The table has one header row and three data rows."),
        Table(
            "probe",
            "Table 1. Parcels by weight",
            (row("Class", "Weight (kg)", "Parcels", "Share"),),
            (
                row("Small", "0.5", "1,204", "60.2%"),
                row("Medium", "2.0", "596", "29.8%"),
                row("Large", "10.0", "200", "10.0%"),
            ),
            (0.4, 0.2, 0.2, 0.2),
        ),
    ),
    questions=(),
)


def write(output: Path) -> None:
    """Write ``probe.<format>`` of every format below ``output``, over those that are there; an image is a PNG."""
    output.mkdir(parents=True, exist_ok=True)
    for format, render in RENDERERS.items():
        (output / f"probe.{format}").write_bytes(render(SOURCE).content)
    _draw(output / "probe.pdf").save(output / "probe.png", optimize=True)


def _draw(path: Path) -> Image:
    """Return the first page of a PDF as a page scanner would, in sixteen greys."""
    with pypdfium2.PdfDocument(path) as document:
        drawn: Image = document[0].render(scale=DOTS_PER_INCH / 72, grayscale=True).to_pil()
    return drawn.quantize(16)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python -m annotations.generator.probes OUTPUT\n")
        sys.exit(2)
    write(Path(sys.argv[1]))
