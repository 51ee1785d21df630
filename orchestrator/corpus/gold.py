"""What makes gold unusable beyond its schema.

Source: decisions R6, R7, R7c, R22, R33, R41b and R45 of docs/method/bizdoc.md.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from orchestrator.corpus.layout import Fault
from orchestrator.corpus.reading import pointer, shown

_TAG = re.compile(r"<!--[^<>]*-->|</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>")


def hierarchy(value: Any, name: str) -> Iterator[Fault]:
    """Find headings that are not below their parent; levels may skip, the nesting is what counts (R7c)."""
    waiting: list[tuple[Any, int, str]] = [(value["headings"], 0, pointer("headings"))]
    while waiting:
        headings, above, place = waiting.pop()
        for index, heading in enumerate(headings):
            here = f"{place}/{index}"
            if heading["level"] <= above:
                yield Fault(
                    name,
                    f"{here}/level",
                    f"{shown(heading['text'])} has level {heading['level']} under a heading of level {above}, "
                    f"expected {above + 1} or more; correct the level, or move the heading up in the tree",
                )
            waiting.append((heading["children"], heading["level"], f"{here}/children"))


def tables(value: Any, name: str) -> Iterator[Fault]:
    """Find tables without text, of uneven rows, or of one id."""
    yield from _repeated(value["tables"], "tables", name)
    for index, table in enumerate(value["tables"]):
        width = Counter(len(row["cells"]) for row in table["rows"]).most_common(1)[0][0]
        for number, row in enumerate(table["rows"]):
            if len(row["cells"]) != width:
                yield Fault(
                    name,
                    pointer("tables", index, "rows", number, "cells"),
                    f"found {len(row['cells'])} cells, expected {width} as in most rows; "
                    'write "" for empty and covered cells',
                )
        if not any(cell.strip() for row in table["rows"] for cell in row["cells"]):
            yield Fault(
                name,
                pointer("tables", index, "rows"),
                "all cells are blank, so that nothing could find the table; write its text, or take the table out",
            )


def questions(value: Any, name: str, content: str | None) -> Iterator[Fault]:
    """Find questions nothing can decide, and evidence that does not occur in the document's content (R45)."""
    yield from _repeated(value["questions"], "questions", name)
    occurs = None if content is None else _finder(content)
    spans = 0
    for index, question in enumerate(value["questions"]):
        written = [span["text"] for span in question["evidence"] if span["text"].strip()]
        spans += len(written)
        if not written and not (question["answer"] or "").strip():
            yield Fault(
                name,
                pointer("questions", index),
                "has neither evidence nor an answer, so that nothing could decide it; add one, or take it out",
            )
        for number, span in enumerate(question["evidence"]):
            place = pointer("questions", index, "evidence", number, "text")
            if not span["text"].strip():
                yield Fault(name, place, "the span is blank and is dropped; write its text, or take it out", True)
            elif occurs is not None and not occurs(span["text"]):
                yield Fault(
                    name,
                    place,
                    f"{shown(span['text'])} occurs nowhere in the document's content.md (case and every character "
                    "count, white space does not); copy the evidence from there",
                )
    if occurs is None and spans:
        yield Fault(
            name,
            "",
            f"{spans} spans of evidence were not looked up: the document has no content.md; "
            "make sure that each is copied from the document",
            warning=True,
        )


def content(text: str, name: str) -> Iterator[Fault]:
    """Find content without text."""
    if not text.strip():
        yield Fault(name, "", "is blank; write the document's text, or take the annotation out of the manifest")


def _repeated(items: list[Any], key: str, name: str) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for index, item in enumerate(items):
        if item["id"] in first:
            yield Fault(
                name,
                pointer(key, index, "id"),
                f"the id {shown(item['id'])} is already that of {pointer(key, first[item['id']])}; give each its own",
            )
        first.setdefault(item["id"], index)


def _finder(content: str) -> Callable[[str], bool]:
    """Look in the text as written, and as read: evidence is visible text, which tags may part."""
    written = " ".join(content.split())
    read = " ".join(html.unescape(_TAG.sub(" ", content)).split())
    return lambda span: (wanted := " ".join(span.split())) in written or wanted in read
