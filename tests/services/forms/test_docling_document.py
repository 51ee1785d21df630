"""A DoclingDocument, built by hand from the fields of its schema, as it comes in the common form."""

from collections.abc import Iterator
from enum import Enum
from types import SimpleNamespace
from typing import Any

from services.forms import docling_document
from services.runtime.form import Block, Collected, Heading


class Layer(Enum):
    BODY = "body"
    FURNITURE = "furniture"


class Box(SimpleNamespace):
    """Points from the bottom left."""

    def to_top_left_origin(self, height: float) -> "Box":
        return Box(l=self.l, r=self.r, t=height - self.t, b=height - self.b)


def node(label: str, *children: SimpleNamespace, layer: Layer = Layer.BODY, **more: Any) -> SimpleNamespace:
    """A node of the tree; items have text and a place besides, groups have neither."""
    below = [reference(child) for child in children]
    made = SimpleNamespace(label=SimpleNamespace(value=label), content_layer=layer, children=below, **more)
    made.self_ref = f"#/{id(made)}"
    return made


def reference(to: SimpleNamespace) -> SimpleNamespace:
    return SimpleNamespace(cref=to.self_ref, resolve=lambda _: to)


def item(label: str, *children: SimpleNamespace, text: str = "", **more: Any) -> SimpleNamespace:
    place = SimpleNamespace(page_no=1, bbox=Box(l=100, r=300, t=700, b=600))
    return node(label, *children, text=text, prov=[place], **more)


def cell(
    text: str,
    row: int,
    column: int,
    *,
    rows: int = 1,
    columns: int = 1,
    header: bool = False,
    group: SimpleNamespace | None = None,
) -> SimpleNamespace:
    """A cell; one that is more than its text refers to a group of items."""
    made = SimpleNamespace(
        text=text,
        start_row_offset_idx=row,
        start_col_offset_idx=column,
        row_span=rows,
        col_span=columns,
        column_header=header,
    )
    if group is not None:
        made.ref = reference(group)
    return made


def table(*cells: SimpleNamespace) -> SimpleNamespace:
    """A table of one row, the groups of its cells below it as its children."""
    groups = [found.ref.resolve(None) for found in cells if hasattr(found, "ref")]
    return item("table", *groups, data=SimpleNamespace(num_rows=1, table_cells=list(cells)))


def texts(collected: Collected) -> list[list[str]]:
    """The cells of every table."""
    return [[found.text for row in one.rows for found in row.cells] for one in collected.tables]


class Document:
    """A tree of items in reading order; page furniture is no part of it."""

    def __init__(self, *items: SimpleNamespace) -> None:
        self.body = node("unspecified", *items)
        self.pages = {1: SimpleNamespace(size=SimpleNamespace(width=400, height=800))}

    def iterate_items(self, *, with_groups: bool, included_content_layers: set[Layer]) -> Iterator[Any]:
        """Every node of the layers, and how deep it lies; what is below one of another layer comes all the same."""
        pending = [(self.body, 0)]
        while pending:
            entry, depth = pending.pop()
            if entry.content_layer in included_content_layers and (with_groups or hasattr(entry, "prov")):
                yield entry, depth
            pending += [(child.resolve(self), depth + 1) for child in reversed(entry.children)]


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


class TestCells:
    """What is in a cell hangs in a group below the table; the tool's markdown shows it as that cell's text."""

    def test_a_heading_in_a_cell_is_its_text(self) -> None:
        """``<td><h2>In a cell</h2></td>`` begins no section; the heading after the table does."""
        inside = node("unspecified", item("section_header", text="In a cell", level=1))
        found = docling_document.collect(
            Document(
                item("title", text="All", level=1),
                table(cell("In a cell", 0, 0, group=inside), cell("x", 0, 1)),
                item("section_header", text="After", level=1),
            )
        )
        assert [heading.text for heading in found.headings] == ["All", "After"]
        assert texts(found) == [["In a cell", "x"]]

    def test_a_caption_is_in_no_cell(self) -> None:
        """It hangs below the table as the groups do; a heading there is one to the markdown, too."""
        inside = node("unspecified", item("text", text="a"))
        grid = table(cell("a", 0, 0, group=inside))
        grid.children += [reference(item("section_header", text="Below", level=1)), reference(item("caption"))]
        found = docling_document.collect(Document(grid))
        assert [heading.text for heading in found.headings] == ["Below"]
        assert [block.label for block in found.blocks] == ["table", "heading", "caption"]

    def test_a_table_in_a_cell_is_one_too(self) -> None:
        """It is in the tool's list of tables; its text belongs to the cell around it as well."""
        deep = node("unspecified", item("section_header", text="Deep", level=2))
        nested = node("unspecified", table(cell("n", 0, 0), cell("Deep", 0, 1, group=deep)))
        after = node("unspecified", item("section_header", text="Beside", level=2))
        found = docling_document.collect(
            Document(table(cell("n Deep", 0, 0, group=nested), cell("Beside", 0, 1, group=after)))
        )
        assert texts(found) == [["n Deep", "Beside"], ["n", "Deep"]]
        assert list(found.headings) == []

    def test_the_items_of_a_cell_are_words_apart(self) -> None:
        """The cell's own text may join them; the tool's markdown and its data frames do not."""
        inside = node("unspecified", item("text", text="Number of"), item("text", text="RSUs"))
        found = docling_document.collect(Document(table(cell("Number ofRSUs", 0, 0, group=inside), cell("x", 0, 1))))
        assert texts(found) == [["Number of RSUs", "x"]]

    def test_a_cell_without_text_of_its_own_has_that_of_its_items(self) -> None:
        """Those of a table in it too, each once; what the tool hides there stays hidden."""
        nested = table(
            cell("two", 0, 0), cell("", 0, 1, group=node("unspecified", item("text", text="three"))), cell("", 0, 2)
        )
        hidden = item("text", text="hidden", layer=Layer.FURNITURE)
        inside = node("unspecified", node("list", item("list_item", text="one")), nested, hidden, item("picture"))
        found = docling_document.collect(Document(table(cell("", 0, 0, group=inside), cell("", 0, 1))))
        assert texts(found) == [["one two three", ""], ["two", "three", ""]]

    def test_the_text_of_a_cell_is_no_region_beside_its_table(self) -> None:
        """A list there is none either; a picture was found on the page in its own right."""
        inside = node("unspecified", item("text"), node("list", item("list_item")), item("picture"))
        found = docling_document.collect(Document(table(cell("a", 0, 0, group=inside)), item("text")))
        assert [block.label for block in found.blocks] == ["table", "figure", "text"]

    def test_tables_deep_in_tables(self) -> None:
        """However deep they lie, each is one and holds what is in it."""
        grid, levels = table(cell("innermost", 0, 0)), 400
        for _ in range(levels - 1):
            grid = table(cell("", 0, 0, group=node("unspecified", grid)))
        found = docling_document.collect(Document(grid))
        assert texts(found) == [["innermost"]] * levels


def test_page_furniture_lies_somewhere() -> None:
    """Boxes are shares of the page from its top left; a running header is in no reading order, but it is a block."""
    found = docling_document.collect(Document(item("page_header", layer=Layer.FURNITURE), item("other")))
    box = (0.25, 0.125, 0.75, 0.25)
    assert list(found.blocks) == [Block(1, "page_furniture", box), Block(1, "text", box)]
