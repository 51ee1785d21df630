"""A test's own answer: the smallest output that shows what the test looks for. It must pass."""

import html
from typing import Any

from scorer.suites.omniparse.content import Content, Latex, Number, Text
from scorer.suites.omniparse.gold import Test
from scorer.suites.omniparse.layout_kind import LayoutKind
from scorer.suites.omniparse.order import Order
from scorer.suites.omniparse.present import Present
from scorer.suites.omniparse.repeat import Repeat
from scorer.suites.omniparse.table_cell import TableCell


def own_answer(test: Test) -> dict[str, Any]:
    """Return outputs written from the test's own args."""
    match test.params:
        case Present(content):
            return {"html": f"<p>{_written(content)}</p>"}
        case Order(before, after, _):
            return {"html": f"<p>{html.escape(before)}</p><p>{html.escape(after)}</p>"}
        case Repeat(text, count):
            return {"html": f"<p>{html.escape(text)}</p>" * count}
        case LayoutKind(content, kind):
            xs = [x for box in content.place for x in (box[0], box[2])]
            ys = [y for box in content.place for y in (box[1], box[3])]
            return {"blocks": [{"label": kind, "bbox": [min(xs), min(ys), max(xs), max(ys)], "text": content.text}]}
        case TableCell() as cell:
            return {"html": _table(cell)}


def _written(content: Content) -> str:
    match content:
        case Text(text):
            return html.escape(text)
        case Number(number):
            return html.escape(number)
        case Latex(latex):
            return f"$${html.escape(latex)}$$"


def _table(test: TableCell) -> str:
    """A table with the section row on top, then headings, then the rows around the cell.

    Columns: row groups, the left heading, the left neighbour, the cell, the right neighbour or a filler, which keeps
    every other row from reading as a section row.
    """
    around = test.relations
    before = [*test.row_groups]
    if "left_heading" in around:
        before.append(around["left_heading"])
    if "left" in around:
        before.append(around["left"])
    heading_column = len(test.row_groups) if "left_heading" in around else None
    blank = [""] * len(before)

    def row(cell: str, tag: str, right: str = "·") -> str:
        return "".join(f"<td>{text}</td>" for text in blank) + f"<{tag}>{html.escape(cell)}</{tag}><td>{right}</td>"

    rows = []
    if test.section:
        rows.append(f"<td colspan={len(before) + 2}>{html.escape(test.section)}</td>")
    rows += [row(heading, "th") for heading in test.headings]
    if "top_heading" in around:
        rows.append(row(around["top_heading"], "th"))
    if "up" in around:
        rows.append(row(around["up"], "td"))
    cells = [
        f"<th>{html.escape(text)}</th>" if column == heading_column else f"<td>{html.escape(text)}</td>"
        for column, text in enumerate(before)
    ]
    right = html.escape(around["right"]) if "right" in around else "·"
    rows.append("".join(cells) + f"<td>{html.escape(test.cell)}</td><td>{right}</td>")
    if "down" in around:
        rows.append(row(around["down"], "td"))
    return f"<table>{''.join(f'<tr>{cells}</tr>' for cells in rows)}</table>"
