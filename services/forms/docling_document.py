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


def collect(document: Any) -> Collected:
    """Return headings, tables, blocks and pages of a DoclingDocument, in its own reading order."""
    labelled = [(item.label.value, item) for item, _ in document.iterate_items()]
    layers: Any = type(document.body.content_layer)
    # Page headers and footers are in no reading order, but they lie somewhere.
    everything = [item for item, _ in document.iterate_items(included_content_layers=set(layers))]
    return Collected(
        pages=len(document.pages) or None,
        headings=[_heading(label, item) for label, item in labelled if label in ("title", "section_header")],
        # As in its list of them: a table of contents is one too, and one that stands before a web page's first heading,
        # which it takes for furniture.
        tables=[_table(item) for item in everything if item.label.value in ("table", "document_index")],
        blocks=[block for item in everything for block in _blocks(item, document.pages)],
    )


def _heading(label: str, item: Any) -> Heading:
    # Its markdown gives the title one hash and a section of level n n + 1 of them.
    level = 1 if label == "title" else item.level + 1
    return Heading(item.text, level=level, page=_page(item), source="reported")


def _table(item: Any) -> Table:
    rows: list[list[Any]] = [[] for _ in range(item.data.num_rows)]
    for cell in item.data.table_cells:
        rows[cell.start_row_offset_idx].append(cell)
    return Table(
        tuple(
            Row(
                header=bool(cells) and all(cell.column_header for cell in cells),
                cells=tuple(
                    Cell(cell.text, index, cell.start_col_offset_idx, max(cell.row_span, 1), max(cell.col_span, 1))
                    for cell in sorted(cells, key=lambda cell: cell.start_col_offset_idx)
                ),
            )
            for index, cells in enumerate(rows)
        ),
        page=_page(item),
        source="reported",
    )


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
