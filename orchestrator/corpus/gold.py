"""What makes gold unusable beyond its schema.

What a schema finds fault with is passed over here, key by key and item by item, so that one check tells everything.

Source: decisions R6, R7, R7c, R22, R33, R41b and R45 of docs/method/bizdoc.md.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from orchestrator.corpus.layout import Fault
from orchestrator.corpus.reading import pointer, shown
from scorer.counting import counted

_TAG = re.compile(r"<!--[^<>]*-->|</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>")


def hierarchy(value: Any, name: str) -> Iterator[Fault]:
    """Find headings that are not below their parent; levels may skip, the nesting is what counts (R7c)."""
    waiting: list[tuple[Any, str, float, str]] = [(value, "headings", 0, pointer("headings"))]
    while waiting:
        parent, key, above, place = waiting.pop()
        for index, heading in _objects(parent, key):
            here, level = f"{place}/{index}", heading.get("level")
            if not isinstance(level, int | float) or level < 1:
                level = above
            elif level <= above:
                yield Fault(
                    name,
                    f"{here}/level",
                    f"{shown(heading.get('text'))} has level {level} under a heading of level {above}, "
                    f"expected {above + 1} or more; correct the level, or move the heading up in the tree",
                )
            waiting.append((heading, "children", level, f"{here}/children"))


def tables(value: Any, name: str) -> Iterator[Fault]:
    """Find tables without text, of uneven rows, or of one id."""
    yield from _repeated(value, "tables", name)
    for index, table in _objects(value, "tables"):
        rows = [(number, row["cells"]) for number, row in _objects(table, "rows") if _is_filled(row.get("cells"))]
        if not rows:
            continue
        width = Counter(len(cells) for _, cells in rows).most_common(1)[0][0]
        for number, cells in rows:
            if len(cells) != width:
                yield Fault(
                    name,
                    pointer("tables", index, "rows", number, "cells"),
                    f"found {counted(len(cells), 'cell')}, expected {width} as in most rows; "
                    'write "" for empty and covered cells',
                )
        if len(rows) == len(table["rows"]) and all(_is_blank(cell) for _, cells in rows for cell in cells):
            yield Fault(
                name,
                pointer("tables", index, "rows"),
                "all cells are blank, so that nothing could find the table; write its text, or take the table out",
            )


def questions(value: Any, name: str, content: str | None) -> Iterator[Fault]:
    """Find questions nothing can decide, and evidence that does not occur in the document's content (R45)."""
    yield from _repeated(value, "questions", name)
    occurs = None if content is None else _finder(content)
    spans = 0
    for index, question in _objects(value, "questions"):
        if _has_no_answer(question) and _has_no_evidence(question):
            yield Fault(
                name,
                pointer("questions", index),
                "has neither evidence nor an answer, so that nothing could decide it; add one, or take it out",
            )
        for number, span in _objects(question, "evidence"):
            place = pointer("questions", index, "evidence", number, "text")
            if not _is_span(span):
                continue
            if _is_blank(span["text"]):
                yield Fault(name, place, "the span is blank and is dropped; write its text, or take it out", True)
                continue
            spans += 1
            if occurs is not None and not occurs(span["text"]):
                yield Fault(
                    name,
                    place,
                    f"{shown(span['text'])} occurs nowhere in the document's content.md (case and every character "
                    "count, white space does not); copy the evidence from there",
                )
    if occurs is None and spans:
        were = "was" if spans == 1 else "were"
        yield Fault(
            name,
            "",
            f"{counted(spans, 'span')} of evidence {were} not looked up: the document has no content.md; "
            "make sure that each is copied from the document",
            warning=True,
        )


def content(text: str, name: str) -> Iterator[Fault]:
    """Find content without text."""
    if not text.strip():
        yield Fault(name, "", "is blank; write the document's text, or take the annotation out of the manifest")


def _objects(value: Any, key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield what of a list under a key are objects, each with its index."""
    items = value.get(key) if isinstance(value, dict) else None
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield index, item


def _has_no_answer(question: dict[str, Any]) -> bool:
    return "answer" in question and (question["answer"] is None or _is_blank(question["answer"]))


def _has_no_evidence(question: dict[str, Any]) -> bool:
    evidence = question.get("evidence")
    return isinstance(evidence, list) and all(_is_span(span) and _is_blank(span["text"]) for span in evidence)


def _is_filled(cells: object) -> bool:
    return isinstance(cells, list) and bool(cells)


def _is_span(span: object) -> bool:
    return isinstance(span, dict) and isinstance(span.get("text"), str)


def _is_blank(text: object) -> bool:
    return isinstance(text, str) and not text.strip()


def _repeated(value: Any, key: str, name: str) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for index, item in _objects(value, key):
        identifier = item.get("id")
        if not isinstance(identifier, str):
            continue
        if identifier in first:
            yield Fault(
                name,
                pointer(key, index, "id"),
                f"the id {shown(identifier)} is already that of {pointer(key, first[identifier])}; give each its own",
            )
        first.setdefault(identifier, index)


def _finder(content: str) -> Callable[[str], bool]:
    """Look in the text as written, and as read: evidence is visible text, which tags may part."""
    written = " ".join(content.split())
    read = " ".join(html.unescape(_TAG.sub(" ", content)).split())
    return lambda span: (wanted := " ".join(span.split())) in written or wanted in read
