"""Short names to write sources with."""

from collections.abc import Iterable

from annotations.generator.model import Cell, Heading, Item, ItemList, ListKind, Paragraph, Row

Nested = str | tuple[str, ItemList]


def h(level: int, text: str, *, new_page: bool = False) -> Heading:
    """A heading."""
    return Heading(level, text, new_page)


def p(text: str) -> Paragraph:
    """A paragraph."""
    return Paragraph(text)


def _items(kind: ListKind, items: Iterable[Nested]) -> ItemList:
    return ItemList(kind, tuple(Item(item) if isinstance(item, str) else Item(*item) for item in items))


def bullets(*items: Nested) -> ItemList:
    """A bullet list."""
    return _items("bullet", items)


def numbered(*items: Nested) -> ItemList:
    """A list labelled 1., 2., 3."""
    return _items("decimal", items)


def lettered(*items: Nested) -> ItemList:
    """A list labelled a., b., c."""
    return _items("letter", items)


def roman(*items: Nested) -> ItemList:
    """A list labelled i., ii., iii."""
    return _items("roman", items)


def row(*cells: str | Cell) -> Row:
    """A table row; a plain text is a cell of one row and one column."""
    return tuple(Cell(cell) if isinstance(cell, str) else cell for cell in cells)


def amount(value: float, *, digits: int = 0, sign: str = "", unit: str = "") -> str:
    """A figure as filings print it: thousands separated, negative in brackets."""
    text = f"{sign}{abs(value):,.{digits}f}{unit}"
    return f"({text})" if value < 0 else text
