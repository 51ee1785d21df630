"""A fast reading of tables in plain markup: the same rows as bs4's `html.parser` tree, or a refusal.

bs4 takes more time than all else in grading a page. Markup in which every "<" opens an ordinary tag or nothing,
every "&" a known character or nothing, and no element changes how its content is read, needs none of its care:
tags push, end tags pop to the nearest open tag of their name. Anything else is refused and read by bs4. That both
read the same is checked by `benchmarks.omniparse.reader`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from bs4.dammit import EntitySubstitution

from scorer.suites.omniparse.grid import CellSpec, span
from scorer.suites.omniparse.view import text_view

_ATTRIBUTES = r"(?:[ \t\n]+[A-Za-z][A-Za-z-]*(?:=(?:\"[^\"'&<>\r\0]*\"|'[^'\"&<>\r\0]*'|[A-Za-z0-9%._#-]+))?)*"
_TOKEN = re.compile(
    r"<(?:"
    rf"(t[dh])({_ATTRIBUTES})>([^<\0\r]*)</\1>"  # a cell of nothing but text, most of a table
    r"|/([A-Za-z][A-Za-z0-9]*)[ \t\n]*>"
    rf"|([A-Za-z][A-Za-z0-9]*)({_ATTRIBUTES})"
    r"(?:[ \t\n]*|((?:(?<=[\"'])|[ \t\n]+|(?<=<[A-Za-z][A-Za-z]))/))>"  # "a=b/" is a value
    r")"
    r"|((?:[^<\0\r]++|<(?=[ \t\n0-9=<]))++)"
)
# The group that a token ends with, by which it is told.
_CELL, _END, _START, _CLOSED, _TEXT = 3, 4, 6, 7, 8
_ATTRIBUTE = re.compile(r"([A-Za-z][A-Za-z-]*)(?:=(?:\"([^\"]*)\"|'([^']*)'|([^ \t\n]+)))?")
_REFERENCE = re.compile(r"&(?:([A-Za-z][A-Za-z0-9]*);|#([0-9]{1,6});|#[xX]([0-9A-Fa-f]{1,5});|(?=[ \t\n])|)")
_SPACES = " \t\n\f"
_DEEPEST = 100

_WORD = re.compile(r"[^ ]+")
_VOID = frozenset(
    _WORD.findall(
        "area base basefont bgsound br col command embed frame hr image img input isindex keygen link menuitem "
        "meta nextid param source spacer track wbr"
    )
)
# Elements whose content, or whose attributes, are not read like others'; or are in another version of Python.
_SPECIAL = frozenset(
    _WORD.findall(
        "iframe meta noembed noframes noscript plaintext pre rp rt script style svg template textarea title xmp"
    )
)
_LISTED = frozenset(_WORD.findall("accept-charset accesskey archive class dropzone for headers rel rev sandbox sizes"))


_NO_ATTRIBUTES: dict[str, str] = {}


class _Element:
    """An element: a table knows its rows, a row whether it is in a table's head."""

    __slots__ = ("attributes", "children", "in_head", "name", "rows")

    def __init__(self, name: str) -> None:
        self.name = name
        self.attributes = _NO_ATTRIBUTES
        self.children: list[_Element | str] = []
        self.in_head = False
        self.rows: list[_Element] = []


class _RefusedError(Exception):
    """The markup is not plain."""


def plain_tables(markup: str) -> list[list[list[CellSpec]]] | None:
    """Return the rows of cells of every `<table>`, nested ones included; None for markup that is not plain."""
    try:
        return [_table_rows(table) for table in _tables(markup)]
    except _RefusedError:
        return None


def _tables(markup: str) -> list[_Element]:
    root = _Element("")
    stack = [root]
    tables: list[_Element] = []
    position = 0
    for match in _TOKEN.finditer(markup):
        start, end = match.span()
        if start != position:
            raise _RefusedError
        position = end
        match match.lastindex:
            case 8:  # _TEXT
                text = match[_TEXT]
                if position == len(markup) and text.endswith("&"):
                    raise _RefusedError
                stack[-1].children.append(text)
            case 3:  # _CELL
                cell = _open(stack, match[1], match[2])
                if len(stack) >= _DEEPEST:
                    raise _RefusedError
                if text := match[_CELL]:
                    cell.children.append(text)
            case 4:  # _END
                _close(stack, match[_END].lower())
            case _:
                element = _open(stack, match[5].lower(), match[6])
                if element.name == "table":
                    tables.append(element)
                if match[_CLOSED] is None and element.name not in _VOID:
                    stack.append(element)
                    if len(stack) > _DEEPEST:
                        raise _RefusedError
    if position != len(markup):
        raise _RefusedError
    return tables


def _text(text: str) -> str:
    """Return a text as bs4 writes it out again: a blank one shrunk, references in their shortest form."""
    if not text.strip(_SPACES):
        return "\n" if "\n" in text else " "
    if "&" in text:
        text = _REFERENCE.sub(_character, text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _character(reference: re.Match[str]) -> str:
    name, decimal, hexadecimal = reference.groups()
    if name is not None:
        character = EntitySubstitution.HTML_ENTITY_TO_CHARACTER.get(name)
        if character is None:
            raise _RefusedError
        return character
    if decimal is None and hexadecimal is None:
        if reference.string[reference.end() : reference.end() + 1] not in ("", " ", "\t", "\n"):
            raise _RefusedError
        return "&"
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    # Between these bs4 reads windows-1252; beyond, no character.
    if not (0x20 <= code < 0x7F or 0x100 <= code < 0xD800 or 0xE000 <= code <= sys.maxunicode):
        raise _RefusedError
    return chr(code)


def _close(stack: list[_Element], name: str) -> None:
    if name in _VOID or name in _SPECIAL:
        raise _RefusedError
    for index in range(len(stack) - 1, 0, -1):
        if stack[index].name == name:
            del stack[index:]
            return


def _open(stack: list[_Element], name: str, written: str) -> _Element:
    if name in _SPECIAL:
        raise _RefusedError
    element = _Element(name)
    if written:
        element.attributes = _attributes(written)
    stack[-1].children.append(element)
    if name == "tr":
        element.in_head = any(ancestor.name == "thead" for ancestor in stack)
        for ancestor in stack:
            if ancestor.name == "table":
                ancestor.rows.append(element)
    return element


def _attributes(written: str) -> dict[str, str]:
    attributes = {}
    for key, double, single, bare in _ATTRIBUTE.findall(written):
        value = double or single or bare
        if key.lower() in _LISTED and (not value or " ".join(value.split()) != value):
            raise _RefusedError
        attributes[key.lower()] = value
    return attributes


def _table_rows(table: _Element) -> list[list[CellSpec]]:
    count = len(table.rows)
    return [
        [_cell(child, row.in_head, count - index) for child in row.children if _is_cell(child)]
        for index, row in enumerate(table.rows)
    ]


def _is_cell(child: _Element | str) -> bool:
    return not isinstance(child, str) and child.name in ("td", "th")


def _cell(cell: _Element | str, in_head: bool, rows_left: int) -> CellSpec:
    if isinstance(cell, str):
        raise TypeError("a cell is an element")
    attributes = cell.attributes
    return CellSpec(
        text=text_view("".join(_written(cell))).strip(),
        rowspan=span(attributes["rowspan"], rows_left=rows_left) if "rowspan" in attributes else 1,
        colspan=span(attributes["colspan"]) if "colspan" in attributes else 1,
        heading=cell.name == "th" or in_head,
    )


def _written(element: _Element) -> Iterator[str]:
    """Yield an element's content as bs4 writes it, line breaks as newlines."""
    for child in element.children:
        if isinstance(child, str):
            yield _text(child)
        elif child.name == "br":
            yield "\n"
        else:
            attributes = "".join(f' {key}="{child.attributes[key]}"' for key in sorted(child.attributes))
            if child.name in _VOID:
                yield f"<{child.name}{attributes}/>"
            else:
                yield f"<{child.name}{attributes}>"
                yield from _written(child)
                yield f"</{child.name}>"
