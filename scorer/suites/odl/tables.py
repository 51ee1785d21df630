"""TEDS, and TEDS-S without cell content, of a document's tables: one tree a side, the tables its children in order.

Source: opendataloader-bench, table evaluator. Nested tables are found twice, inside their outer table and after it.
"""

import html
import re
from dataclasses import dataclass

import lxml.html
from bs4 import BeautifulSoup
from lxml.html import HtmlElement

from scorer.suites.teds import BUDGET, Node, edit_distance

__all__ = ["TableScores", "teds"]

_SECTION_TAGS = ("<thead>", "</thead>", "<tbody>", "</tbody>")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TableScores:
    """TEDS and TEDS-S in 0..1, None where the gold has no table.

    `teds_upper` is set when the tables were past the exact work budget: `teds` is then the least the exact score can
    be and `teds_upper` the most. `error` says why tables that could not be compared score 0.
    """

    teds: float | None
    teds_s: float | None
    teds_upper: float | None = None
    error: str | None = None


def teds(gold: str, predicted: str, *, budget: int = BUDGET) -> TableScores:
    """Score the tables of two texts whose pipe tables are HTML already."""
    gold_body = _body_of_tables(gold)
    if gold_body is None:
        return TableScores(None, None)
    predicted_body = _body_of_tables(predicted)
    if predicted_body is None:
        return TableScores(0.0, 0.0)
    nodes = max(_elements(gold_body), _elements(predicted_body))
    try:
        full = edit_distance(_tree(gold_body, content=True), _tree(predicted_body, content=True), budget=budget)
        bare = edit_distance(_tree(gold_body, content=False), _tree(predicted_body, content=False), budget=budget)
    except ValueError as fault:  # a span that is no number
        return TableScores(0.0, 0.0, error=str(fault))
    upper = None if full.exact else 1.0 - full.lower / nodes
    return TableScores(1.0 - full.upper / nodes, 1.0 - bare.upper / nodes, teds_upper=upper)


def _body_of_tables(text: str) -> HtmlElement | None:
    if "<table" not in text.lower():  # what the parser would say, without parsing a page that has none
        return None
    tables = [str(table) for table in BeautifulSoup(text, "html.parser").find_all("table")]
    if not tables:
        return None
    markup = "<html><body>" + "\n".join(tables) + "</body></html>"
    parser = lxml.html.HTMLParser(remove_comments=True, encoding="utf-8")
    for tag in _SECTION_TAGS:
        markup = markup.replace(tag, "")
    root = lxml.html.fromstring(markup.encode("utf-8", "replace"), parser=parser)
    found = root.xpath("body[table]")
    return found[0] if isinstance(found, list) and found else None


def _elements(body: HtmlElement) -> int:
    return sum(1 for _ in body.iterdescendants())


def _tree(element: HtmlElement, *, content: bool) -> Node:
    tag = "td" if element.tag == "th" else str(element.tag)
    if tag == "td":
        kind = (tag, int(element.get("colspan", "1")), int(element.get("rowspan", "1")))
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
