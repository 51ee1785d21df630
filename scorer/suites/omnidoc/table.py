"""TEDS and TEDS-S of two normalised tables.

Source: OmniDocBench v1.5, table metric. Nodes: td are leaves; their content is a list of characters and inner tags.
Named quirks: MALFORMED_TABLE, TAGS_IN_CELLS.
"""

import re
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

import lxml.html
from lxml.etree import ParserError
from lxml.html import HtmlElement

from scorer.suites.teds import BUDGET, Node, cell_kind, edit_distance

__all__ = ["TableScore", "teds"]


@dataclass(frozen=True, slots=True)
class TableScore:
    """TEDS and TEDS-S in 0..1; `upper` their most where the work budget was met (the scores are then the least).

    `error` says why a table that could not be compared scores 0.
    """

    teds: float
    teds_structure_only: float
    upper: tuple[float, float] | None = None
    error: str | None = None


def teds(gold: str, predicted: str, *, budget: int = BUDGET) -> TableScore:
    """Compare the first table of each side; 0 without one on either side."""
    if not gold or not predicted:
        return TableScore(0.0, 0.0)
    try:
        tags: dict[str, str] = {}
        first, second = _trees(gold, tags), _trees(predicted, tags)
        if first is None or second is None:
            return TableScore(0.0, 0.0)
        nodes = max(first.elements, second.elements)
        if nodes == 0:
            return TableScore(0.0, 0.0, error="neither table has a row or a cell")
        full = edit_distance(first.full, second.full, budget=budget)
        bare = edit_distance(first.bare, second.bare, budget=budget)
    except (ValueError, ParserError) as fault:
        return TableScore(0.0, 0.0, error=str(fault))
    upper = None if full.exact else (1.0 - full.lower / nodes, 1.0 - bare.lower / nodes)
    return TableScore(1.0 - full.upper / nodes, 1.0 - bare.upper / nodes, upper)


@dataclass(frozen=True, slots=True)
class _Trees:
    """A table's tree, with the contents of its cells and without, and how many elements are in the table."""

    full: Node
    bare: Node
    elements: int


def _trees(markup: str, tags: dict[str, str]) -> _Trees | None:
    """Read the first table of a page; its markup's own tree, which is larger, does not outlive this."""
    if not _AS_IT_STANDS.search(markup):
        markup = markup.replace('<td colspan="1" rowspan="1">', "<td>")  # as good as said, and much smaller
    parser = lxml.html.HTMLParser(remove_comments=True, encoding="utf-8")
    root = lxml.html.fromstring(markup.encode("utf-8", "replace"), parser=parser)
    found = root.xpath("body/table")
    if not isinstance(found, list) or not found:
        return None
    table: HtmlElement = found[0]
    return _Trees(*_Builder(tags).trees(table), sum(1 for _ in table.iterdescendants()))


_AS_IT_STANDS = re.compile("<(?:script|style)", re.IGNORECASE)
"""Elements whose text may hold what is no tag there."""


class _Builder:
    """Builds the tree with contents and the one without, where equal cells, and equal rows without contents, are one.

    `tags` gives every inner tag one character of its own.
    """

    def __init__(self, tags: dict[str, str]) -> None:
        self._tags = tags
        self._cells: dict[tuple[Hashable, str], Node] = {}
        self._bare: dict[tuple[object, ...], Node] = {}

    def trees(self, element: HtmlElement) -> tuple[Node, Node]:
        """Build both trees of an element."""
        if element.tag == "td":
            kind = cell_kind(element.get("colspan", "1"), element.get("rowspan", "1"))
            text = _content(element, self._tags)
            return self._cells.setdefault((kind, text), Node(kind, text)), self._without_content(kind, ())
        pairs = [self.trees(child) for child in element]
        inner = _inner(str(element.tag))
        bare = self._without_content(inner, tuple(child for _, child in pairs))
        return Node(inner, "", tuple(child for child, _ in pairs)), bare

    def _without_content(self, kind: Hashable, children: tuple[Node, ...]) -> Node:
        key = (kind, *map(id, children))  # the children are kept here: no id is used twice
        if key not in self._bare:
            self._bare[key] = Node(kind, "", children)
        return self._bare[key]


@lru_cache
def _inner(tag: str) -> tuple[str, None, None]:
    """Return the kind of an element that is no cell."""
    return tag, None, None


def _content(cell: HtmlElement, tags: dict[str, str]) -> str:
    pieces = [cell.text or ""]
    for child in cell:
        _write(child, pieces, tags)
    return "".join(pieces)


def _write(element: HtmlElement, pieces: list[str], tags: dict[str, str]) -> None:
    """Write an inner element: a token for its tag, its text, a token for its end; what follows a td is dropped."""
    pieces += [_token(f"<{element.tag}>", tags), element.text or ""]
    for child in element:
        _write(child, pieces, tags)
    pieces.append(_token(f"</{element.tag}>", tags))
    if element.tag != "td":
        pieces.append(element.tail or "")


def _token(tag: str, tags: dict[str, str]) -> str:
    """Return the character that stands for a tag: from a plane that Unicode leaves to private use."""
    return tags.setdefault(tag, chr(0x10FFFD - len(tags)))
