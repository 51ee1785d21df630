"""TEDS and TEDS-S of two normalised tables.

Source: OmniDocBench v1.5, table metric. Nodes: td are leaves; their content is a list of characters and inner tags.
Named quirk: MALFORMED_TABLE.
"""

from dataclasses import dataclass
from functools import lru_cache

import lxml.html
from lxml.etree import ParserError
from lxml.html import HtmlElement

from scorer.suites.teds import BUDGET, Node, edit_distance

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
    parser = lxml.html.HTMLParser(remove_comments=True, encoding="utf-8")
    root = lxml.html.fromstring(markup.encode("utf-8", "replace"), parser=parser)
    found = root.xpath("body/table")
    if not isinstance(found, list) or not found:
        return None
    table: HtmlElement = found[0]
    return _Trees(_tree(table, tags), _tree(table, None), sum(1 for _ in table.iterdescendants()))


def _tree(element: HtmlElement, tags: dict[str, str] | None) -> Node:
    """Build the tree; `tags` gives every inner tag one character of its own, None leaves contents out."""
    if element.tag == "td":
        kind = _cell(element.get("colspan", "1"), element.get("rowspan", "1"))
        return Node(kind, "" if tags is None else _content(element, tags))
    return Node((str(element.tag), None, None), "", tuple(_tree(child, tags) for child in element))


@lru_cache
def _cell(colspan: str, rowspan: str) -> tuple[str, int, int]:
    """Return the kind of a cell with these spans: one object for a million cells."""
    return "td", int(colspan), int(rowspan)


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
