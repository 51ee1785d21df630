"""The tables of a model's page in the page's order: it is asked for HTML, and now and then draws one with pipes."""

import re
from collections.abc import Iterator
from dataclasses import replace

from services.runtime import html_tables, markdown
from services.runtime.form import Table

_TAG = re.compile(
    r"<!--.{0,2000}?-->|(?<!`)<(?P<end>/)table(?=[\s>])"
    r"|(?<!`)<table(?:\s[^<>]*)?>(?=\s*<(?:t[rdh]|thead|tbody|tfoot|caption|col|!--))",
    re.IGNORECASE | re.DOTALL,
)
"""A comment, or the tag with which a table ends or begins; one without anything in it is only spoken of, as code is."""


def tables(text: str, *, page: int) -> Iterator[Table]:
    """Yield the tables of one page's markdown, those in HTML and those drawn with pipes.

    Args:
        text: the markdown.
        page: the page's number, counted from 1.
    """
    for is_html, piece in _pieces(text):
        found = html_tables.tables(piece) if is_html else markdown.tables(piece)
        for table in found:
            yield replace(table, page=page, source="derived")


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Divide a text into outermost HTML tables (True) and what lies between them; one left open ends with the text."""
    start = depth = 0
    for tag in _TAG.finditer(text):
        if tag[0].startswith("<!--"):
            continue
        if tag["end"] is None:
            if depth == 0:
                yield False, text[start : tag.start()]
                start = tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                yield True, text[start : tag.end()] + ">"
                start = tag.end() + 1
    yield depth > 0, text[start:]
