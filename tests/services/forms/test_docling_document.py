"""A DoclingDocument, built by hand from the fields of its schema, as it comes in the common form."""

from collections.abc import Iterator
from enum import Enum
from types import SimpleNamespace
from typing import Any

from services.forms import docling_document
from services.runtime.form import Block, Heading


class Layer(Enum):
    BODY = "body"
    FURNITURE = "furniture"


class Box(SimpleNamespace):
    """Points from the bottom left."""

    def to_top_left_origin(self, height: float) -> "Box":
        return Box(l=self.l, r=self.r, t=height - self.t, b=height - self.b)


def item(label: str, *, text: str = "", layer: Layer = Layer.BODY, **more: Any) -> SimpleNamespace:
    place = SimpleNamespace(page_no=1, bbox=Box(l=100, r=300, t=700, b=600))
    return SimpleNamespace(label=SimpleNamespace(value=label), text=text, content_layer=layer, prov=[place], **more)


def cell(text: str, row: int, column: int, *, rows: int = 1, columns: int = 1, header: bool = False) -> SimpleNamespace:
    return SimpleNamespace(
        text=text,
        start_row_offset_idx=row,
        start_col_offset_idx=column,
        row_span=rows,
        col_span=columns,
        column_header=header,
    )


class Document:
    """Its items in reading order; page furniture is no part of it."""

    def __init__(self, *items: SimpleNamespace) -> None:
        self._items = items
        self.body = SimpleNamespace(content_layer=Layer.BODY)
        self.pages = {1: SimpleNamespace(size=SimpleNamespace(width=400, height=800))}

    def iterate_items(self, included_content_layers: frozenset[Layer] = frozenset({Layer.BODY})) -> Iterator[Any]:
        return ((entry, 0) for entry in self._items if entry.content_layer in included_content_layers)


def test_headings_have_the_levels_of_its_markdown() -> None:
    """The title is the outermost, a section of level 1 below it."""
    found = docling_document.collect(
        Document(item("title", text="All"), item("section_header", text="Part", level=1), item("text", text="words"))
    )
    assert found.pages == 1
    assert list(found.headings) == [
        Heading("All", level=1, page=1, source="reported"),
        Heading("Part", level=2, page=1, source="reported"),
    ]


def test_every_table_of_its_list_is_one() -> None:
    """A table of contents is among them; spans, headers and the page are its own."""
    grid = SimpleNamespace(
        num_rows=2,
        table_cells=[
            cell("b", 0, 1, header=True),
            cell("a", 0, 0, rows=2, header=True),
            cell("1", 1, 1, columns=2),
        ],
    )
    contents = SimpleNamespace(num_rows=1, table_cells=[cell("Part", 0, 0), cell("3", 0, 1)])
    found = list(
        docling_document.collect(Document(item("document_index", data=contents), item("table", data=grid))).tables
    )
    assert [[[one.text for one in row.cells] for row in table.rows] for table in found] == [
        [["Part", "3"]],
        [["a", "b"], ["1"]],
    ]
    assert [row.header for row in found[1].rows] == [True, False]
    assert [(one.rowspan, one.colspan) for row in found[1].rows for one in row.cells] == [(2, 1), (1, 1), (1, 2)]
    assert {table.page for table in found} == {1}


def test_a_table_among_the_furniture_is_in_its_list_too() -> None:
    """What stands before a web page's first heading is furniture to it; a heading there is none of its text."""
    grid = SimpleNamespace(num_rows=1, table_cells=[cell("a", 0, 0)])
    first = item("table", data=grid, layer=Layer.FURNITURE)
    menu = item("section_header", text="Menu", level=1, layer=Layer.FURNITURE)
    found = docling_document.collect(Document(first, menu, item("section_header", text="A", level=1)))
    assert [row.cells[0].text for table in found.tables for row in table.rows] == ["a"]
    assert [heading.text for heading in found.headings] == ["A"]


def test_page_furniture_lies_somewhere() -> None:
    """Boxes are shares of the page from its top left; a running header is in no reading order, but it is a block."""
    found = docling_document.collect(Document(item("page_header", layer=Layer.FURNITURE), item("other")))
    box = (0.25, 0.125, 0.75, 0.25)
    assert list(found.blocks) == [Block(1, "page_furniture", box), Block(1, "text", box)]
