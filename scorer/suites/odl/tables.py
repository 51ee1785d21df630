"""TEDS, and TEDS-S without cell content, of a document's tables: one tree a side, the tables its children in order.

Source: opendataloader-bench, table evaluator. Nested tables are found twice, inside their outer table and after it.
Every tag inside a cell counts as an element, by whose number the distance is divided, though a cell costs 1 at most.
"""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

import lxml.html
from lxml.html import HtmlElement

from scorer.suites.markup import Closed, Event, Opened, read
from scorer.suites.odl.similarity import NONE, UNKNOWN, Similarity, of_trees
from scorer.suites.teds import BUDGET, Node, cell_kind

__all__ = ["TableScores", "teds"]

_SECTION_TAGS = ("<thead>", "</thead>", "<tbody>", "</tbody>")
_CHARACTERS = 20_000_000
"""Of all tables as they are written, up to which they are compared: a thousand in one another would be gigabytes."""
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


class _TooLongError(Exception):
    """The tables of a document are past `_CHARACTERS`."""


@dataclass(frozen=True, slots=True)
class TableScores:
    """TEDS and TEDS-S, None where the gold has no table, or none that can be read.

    `error` says why tables that could not be compared score 0, or nothing.
    """

    teds: Similarity | None
    teds_s: Similarity | None
    error: str | None = None


def teds(gold: str, predicted: str, *, budget: int = BUDGET) -> TableScores:
    """Score the tables of two texts whose pipe tables are HTML already."""
    try:
        gold_trees = _trees(gold)
    except _TooLongError:
        return TableScores(UNKNOWN, UNKNOWN)
    except ValueError as fault:
        return TableScores(None, None, error=f"gold: {fault}")
    if gold_trees is None:
        return TableScores(None, None)
    try:
        predicted_trees = _trees(predicted)
    except _TooLongError:
        return TableScores(UNKNOWN, UNKNOWN)
    except ValueError as fault:
        return TableScores(NONE, NONE, error=str(fault))
    if predicted_trees is None:
        return TableScores(NONE, NONE)
    nodes = max(gold_trees.elements, predicted_trees.elements)
    return TableScores(
        of_trees(gold_trees.full, predicted_trees.full, nodes, budget=budget),
        of_trees(gold_trees.bare, predicted_trees.bare, nodes, budget=budget),
    )


@dataclass(frozen=True, slots=True)
class _Trees:
    """The tables of a text as a tree, with the contents of cells and without, and how many elements they have."""

    full: Node
    bare: Node
    elements: int


def _trees(text: str) -> _Trees | None:
    """Read the tables of a text; None without one.

    Raises:
        _TooLongError: they are too long to be compared.
        ValueError: the text cannot be read as HTML, or a span is no number.
    """
    body = _body_of_tables(text)
    if body is None:
        return None
    elements = sum(1 for _ in body.iterdescendants())
    return _Trees(_tree(body, content=True), _tree(body, content=False), elements)


def _body_of_tables(text: str) -> HtmlElement | None:
    if "<table" not in text.lower():  # what the parser would say, without parsing a page that has none
        return None
    tables = _tables(read(text))
    if not tables:
        return None
    markup = "<html><body>" + "\n".join(tables) + "</body></html>"
    parser = lxml.html.HTMLParser(remove_comments=True, encoding="utf-8")
    for tag in _SECTION_TAGS:
        markup = markup.replace(tag, "")
    root = lxml.html.fromstring(markup.encode("utf-8", "replace"), parser=parser)
    found = root.xpath("body[table]")
    return found[0] if isinstance(found, list) and found else None


def _tables(events: Iterable[Event]) -> list[str]:
    """Write the tables anew, in the order in which they begin; raises `_TooLongError`."""
    written: list[str] = []
    spans: list[tuple[int, int]] = []
    open_tables: list[int] = []
    for event in events:
        if isinstance(event, Opened) and event.name == "table":
            open_tables.append(len(spans))
            spans.append((len(written), 0))
        if open_tables:
            written.append(event.written)
        if isinstance(event, Closed) and event.name == "table":
            number = open_tables.pop()
            spans[number] = (spans[number][0], len(written))
    length_before = [0, *accumulate(map(len, written))]
    if sum(length_before[end] - length_before[start] for start, end in spans) > _CHARACTERS:
        raise _TooLongError
    return ["".join(written[start:end]) for start, end in spans]


def _tree(element: HtmlElement, *, content: bool) -> Node:
    tag = "td" if element.tag == "th" else str(element.tag)
    if tag == "td":
        kind = cell_kind(element.get("colspan", "1"), element.get("rowspan", "1"))
        return Node(kind, _cell_text(element) if content else "")
    return Node((tag, None, None), "", tuple(_tree(child, content=content) for child in element))


def _cell_text(cell: HtmlElement) -> str:
    pieces: list[str] = []
    _write(cell, pieces)
    text = html.unescape("".join(pieces[1:-1]))
    return " ".join(_BREAK.sub(" ", text).split())


def _write(element: HtmlElement, pieces: list[str]) -> None:
    """Write an element's text and its inner tags, attributes left out."""
    pieces.append(f"<{element.tag}>")
    pieces.append(element.text or "")
    for child in element:
        _write(child, pieces)
        pieces.append(child.tail or "")
    pieces.append(f"</{element.tag}>")
