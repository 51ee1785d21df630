"""Readers of the sample's documents that share nothing with the code that wrote them.

Each gives a document's words in reading order, its headings and its tables as flat rows, in the gold's conventions.
"""

import html
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
import lxml.html
import pptx
import pypdfium2
from docx.oxml.ns import qn
from lxml import etree

from orchestrator import corpus

SAMPLE = Path(__file__).parents[2] / "annotations" / "sample"
DOCUMENTS = {document.id: document for document in corpus.load(SAMPLE).documents}

Headings = list[tuple[int, str]]
Grid = list[list[str]]

_LABEL = re.compile(r"^\s*(-|\d+\.|[a-z]{1,4}\.) ", re.MULTILINE)


def of_format(format: str) -> list[str]:
    """The ids of the sample's documents of a format."""
    return sorted(identity for identity, document in DOCUMENTS.items() if document.format == format)


def gold(identity: str, axis: str) -> Any:
    """A document's gold: the text of ``content``, else the list that the axis's file holds."""
    ending, key = {
        "hierarchy": ("headings.json", "headings"),
        "content": ("content.md", ""),
        "tables": ("tables.json", "tables"),
        "qa": ("qa.json", "questions"),
    }[axis]
    text = (SAMPLE / "annotations" / axis / f"{identity}.{ending}").read_text(encoding="utf-8")
    return json.loads(text)[key] if key else text


def normal(text: str) -> str:
    """Whitespace as one space."""
    return " ".join(text.split())


def squeezed(text: str) -> str:
    """No whitespace: PDF has none of its own, and extractors guess it from distances."""
    return "".join(text.split())


def gold_words(identity: str, *, labels: bool) -> list[str]:
    """The words of the gold content without markup; ``labels``: with those of list items, ``•`` for a bullet."""
    text = gold(identity, "content")
    text = re.sub(r"^\s*- ", "• ", text, flags=re.MULTILINE) if labels else _LABEL.sub("", text)
    text = re.sub(r"^#+ ", "", text, flags=re.MULTILINE)
    return html.unescape(re.sub(r"</?(table|tr|th|td)\b[^>]*>", " ", text)).split()


def gold_headings(identity: str) -> Headings:
    """The gold tree in reading order."""

    def walk(nodes: list[Any]) -> Iterator[tuple[int, str]]:
        for node in nodes:
            yield node["level"], node["text"]
            yield from walk(node["children"])

    return list(walk(gold(identity, "hierarchy")))


def gold_grids(identity: str) -> list[Grid]:
    """Every gold table's flat rows."""
    return [[row["cells"] for row in table["rows"]] for table in gold(identity, "tables")]


def pdf_pages(identity: str) -> list[str]:
    """The text of each page as pdfium extracts it."""
    document = pypdfium2.PdfDocument(DOCUMENTS[identity].path)
    try:
        texts = []
        for page in document:
            text_page = page.get_textpage()
            texts.append(text_page.get_text_bounded())
            text_page.close()
            page.close()
        return texts
    finally:
        document.close()


def _docx_text(element: Any) -> str:
    """A paragraph's or cell's text, footnote references as their numbers."""
    parts = []
    for node in element.iter(qn("w:t"), qn("w:br"), qn("w:tab"), qn("w:footnoteReference")):
        if node.tag == qn("w:t"):
            parts.append(node.text or "")
        else:
            parts.append(node.get(qn("w:id")) if node.tag == qn("w:footnoteReference") else " ")
    return "".join(parts)


def docx_footnotes(identity: str) -> dict[str, str]:
    """The texts of the footnotes' part by id, separators left out."""
    document = docx.Document(str(DOCUMENTS[identity].path))
    parts = [part for part in document.part.package.iter_parts() if part.partname == "/word/footnotes.xml"]
    root = etree.fromstring(parts[0].blob)
    return {
        note.get(qn("w:id")): _docx_text(note) for note in root.iter(qn("w:footnote")) if note.get(qn("w:type")) is None
    }


def docx_words(identity: str) -> list[str]:
    """Header, body with each block's footnotes after it, footer; list labels are not text in this format."""
    document = docx.Document(str(DOCUMENTS[identity].path))
    notes = docx_footnotes(identity)
    section = document.sections[0]
    texts = [_docx_text(section.header._element)]
    for block in document.element.body:
        if block.tag == qn("w:tbl"):
            texts += [_docx_text(cell) for cell in block.iter(qn("w:tc"))]
        else:
            texts.append(_docx_text(block))
        for reference in block.iter(qn("w:footnoteReference")):
            number = reference.get(qn("w:id"))
            texts += [number, notes[number]]
    texts.append(_docx_text(section.footer._element))
    return " ".join(texts).split()


def docx_headings(identity: str) -> Headings:
    """Headings by their style: Title is level 1, Heading n is level n + 1."""
    found = []
    for paragraph in docx.Document(str(DOCUMENTS[identity].path)).paragraphs:
        name = paragraph.style.name
        if name == "Title":
            found.append((1, paragraph.text))
        elif name.startswith("Heading "):
            found.append((int(name.removeprefix("Heading ")) + 1, paragraph.text))
    return found


def docx_grids(identity: str) -> list[Grid]:
    """Tables by ``gridSpan`` and ``vMerge``."""
    grids = []
    for table in docx.Document(str(DOCUMENTS[identity].path)).element.body.iter(qn("w:tbl")):
        grid = []
        for row in table.iter(qn("w:tr")):
            cells: list[str] = []
            for cell in row.iter(qn("w:tc")):
                merge = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
                span = cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}")
                covered = merge is not None and merge.get(qn("w:val")) != "restart"
                width = int(span.get(qn("w:val"))) if span is not None else 1
                cells += ["" if covered else _docx_text(cell), *[""] * (width - 1)]
            grid.append(cells)
        grids.append(grid)
    return grids


def _shapes(shapes: Any) -> list[Any]:
    """Shapes as a person reads them: the title, then from top to bottom and left to right."""
    return sorted(shapes, key=lambda shape: (shape.top, shape.left))


def _shape_texts(shape: Any) -> Iterator[str]:
    if shape.shape_type is not None and shape.shape_type.name == "GROUP":
        for inner in _shapes(shape.shapes):
            yield from _shape_texts(inner)
    elif getattr(shape, "has_table", False):
        for row in shape.table.rows:
            yield from (cell.text for cell in row.cells)
    elif shape.has_text_frame:
        yield shape.text_frame.text


def slides(identity: str) -> list[Any]:
    """The slides as python-pptx reads them."""
    return list(pptx.Presentation(str(DOCUMENTS[identity].path)).slides)


def pptx_words(identity: str) -> list[str]:
    """Slide by slide in reading order; list labels are not text in this format."""
    texts = [text for slide in slides(identity) for shape in _shapes(slide.shapes) for text in _shape_texts(shape)]
    return " ".join(texts).split()


def pptx_grids(identity: str) -> list[Grid]:
    """Tables by their merged cells."""
    return [
        [["" if cell.is_spanned else cell.text for cell in row.cells] for row in shape.table.rows]
        for slide in slides(identity)
        for shape in _shapes(slide.shapes)
        if getattr(shape, "has_table", False)
    ]


def html_tree(identity: str) -> Any:
    """The page as lxml reads it."""
    return lxml.html.parse(
        io.BytesIO(DOCUMENTS[identity].path.read_bytes()), parser=lxml.html.HTMLParser(encoding="utf-8")
    )


def html_words(identity: str) -> list[str]:
    """The body's text; list labels are not text in this format."""
    body = html_tree(identity).getroot().find("body")
    for node in body.iter("p", "td", "th", "li", "dt", "dd", "br", "caption", "h1", "h2", "h3", "h4"):
        node.tail = f" {node.tail or ''}"
    return "".join(body.itertext()).split()


def html_headings(identity: str) -> Headings:
    """Headings by their tags."""
    return [
        (int(node.tag[1]), node.text_content()) for node in html_tree(identity).getroot().iter("h1", "h2", "h3", "h4")
    ]


def html_grids(identity: str) -> list[Grid]:
    """Tables by ``rowspan`` and ``colspan``, as HTML lays them out."""
    grids = []
    for table in html_tree(identity).getroot().iter("table"):
        texts: dict[tuple[int, int], str] = {}
        rows = table.findall(".//tr")
        for at, row in enumerate(rows):
            column = 0
            for cell in row:
                while (at, column) in texts:
                    column += 1
                height, width = int(cell.get("rowspan", "1")), int(cell.get("colspan", "1"))
                covered = {(at + r, column + c): "" for r in range(height) for c in range(width)}
                texts |= covered | {(at, column): cell.text_content()}
                column += width
        width = 1 + max(column for _, column in texts)
        grids.append([[texts[at, column] for column in range(width)] for at in range(len(rows))])
    return grids
