"""The DoclingDocument, a form of documents that several tools give: read into the common form.

Source: the schema of docling-core (``docling_core.types.doc``), which docling and docling.rs both give. Works on the
object, so nothing is imported here.
"""

from collections.abc import Iterator
from typing import Any

from services.runtime.form import Block, Cell, Collected, Heading, Label, Row, Table

_LABELS: dict[str, Label] = {
    "title": "heading",
    "section_header": "heading",
    "page_header": "page_furniture",
    "page_footer": "page_furniture",
    "list_item": "list",
    "caption": "caption",
    "footnote": "footnote",
    "formula": "equation",
    "code": "code",
    "table": "table",
    "document_index": "table",
    "form": "form",
    "key_value_region": "form",
    "picture": "figure",
    "chart": "figure",
}
"""Everything else is text."""

_HEADINGS = ("title", "section_header")
_TABLES = ("table", "document_index")


def collect(document: Any) -> Collected:
    """Return headings, tables, blocks and pages of a DoclingDocument, in its own reading order."""
    body = document.body.content_layer
    placed = list(_placed(document))
    return Collected(
        pages=len(document.pages) or None,
        # In a cell a heading is that cell's text: its markdown shows it as that alone.
        headings=[
            _heading(item.label.value, item)
            for item, in_cell in placed
            if item.label.value in _HEADINGS and item.content_layer == body and not in_cell
        ],
        # As in its list of them: a table of contents is one too, one inside a cell, and one that stands before a web
        # page's first heading, which it takes for furniture.
        tables=[_table(item, document) for item, _ in placed if item.label.value in _TABLES],
        blocks=[
            block
            for item, in_cell in placed
            # The text of a cell is no region beside its table; what has a region of its own there keeps it.
            if not in_cell or _LABELS.get(item.label.value) in ("table", "figure")
            for block in _blocks(item, document.pages)
        ],
    )


def _placed(document: Any) -> Iterator[tuple[Any, bool]]:
    """Yield every item, page furniture included, and whether it is inside a table's cell.

    What is in a cell hangs in a group below the table, to which the cell refers. One walk for all of them: where cells
    hold tables, walking each cell's group would go over the innermost items once for every table around them.
    """
    groups: set[str] = set()
    outermost: int | None = None
    """How deep the group lies of the outermost cell that the walk is in."""
    layers: Any = type(document.body.content_layer)
    for item, depth in document.iterate_items(with_groups=True, included_content_layers=set(layers)):
        if outermost is not None and depth <= outermost:
            outermost = None
        if outermost is None and item.self_ref in groups:
            outermost = depth
        if item.label.value in _TABLES:
            groups.update(ref.cref for cell in item.data.table_cells if (ref := _contents(cell)) is not None)
        if hasattr(item, "prov"):  # a group is no item
            yield item, outermost is not None


def _contents(cell: Any) -> Any:
    """Return the reference to the items in a cell; None for one that holds nothing but its text."""
    return getattr(cell, "ref", None)


def _heading(label: str, item: Any) -> Heading:
    # Its markdown gives the title one hash and a section of level n n + 1 of them.
    level = 1 if label == "title" else item.level + 1
    return Heading(item.text, level=level, page=_page(item), source="reported")


def _table(item: Any, document: Any) -> Table:
    rows: list[list[Any]] = [[] for _ in range(item.data.num_rows)]
    for cell in item.data.table_cells:
        rows[cell.start_row_offset_idx].append(cell)
    return Table(
        tuple(
            Row(
                header=bool(cells) and all(cell.column_header for cell in cells),
                cells=tuple(
                    Cell(
                        _text(cell, item, document),
                        index,
                        cell.start_col_offset_idx,
                        max(cell.row_span, 1),
                        max(cell.col_span, 1),
                    )
                    for cell in sorted(cells, key=lambda cell: cell.start_col_offset_idx)
                ),
            )
            for index, cells in enumerate(rows)
        ),
        page=_page(item),
        source="reported",
    )


def _text(cell: Any, table: Any, document: Any) -> str:
    """Return the text of a cell: that of the items in it, where it has any, or else its own.

    Its own may join the items' texts without a space; the tool's markdown and its data frames take the items'. What the
    tool keeps out of sight there, in another layer than the table's, is no part of it.
    """
    texts: list[str] = []
    pending: list[Any] = [_contents(cell)]
    """Texts and references to items, the next one last."""
    while pending:
        entry = pending.pop()
        if isinstance(entry, str):
            texts.append(entry)
        elif entry is not None and (item := entry.resolve(document)).content_layer == table.content_layer:
            if item.label.value in _TABLES:
                below = [_contents(inner) or inner.text for inner in item.data.table_cells]
            else:
                below = [getattr(item, "text", None) or None, *item.children]
            pending += reversed(below)
    return " ".join(filter(None, texts)) or str(cell.text)


def _blocks(item: Any, pages: dict[int, Any]) -> Iterator[Block]:
    """Yield where an item lies, once a page it is on; items of formats without pages lie nowhere."""
    for place in item.prov:
        size = pages[place.page_no].size
        box = place.bbox.to_top_left_origin(size.height)
        left, right = sorted(min(max(value / size.width, 0.0), 1.0) for value in (box.l, box.r))
        top, bottom = sorted(min(max(value / size.height, 0.0), 1.0) for value in (box.t, box.b))
        yield Block(place.page_no, _LABELS.get(item.label.value, "text"), (left, top, right, bottom))


def _page(item: Any) -> int | None:
    return item.prov[0].page_no if item.prov else None
