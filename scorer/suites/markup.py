"""HTML as Beautiful Soup reads it with Python's parser, and as it writes it, without a tree.

The methods were made with Beautiful Soup, so its reading of damaged markup is part of them. Its tree takes a kilobyte
an element, and each element taken out of it a search through its siblings: what the suites need of a table is what
stands in it, in order.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from bs4 import BeautifulSoup, Tag
from bs4.builder import HTMLTreeBuilder
from bs4.builder._htmlparser import HTMLParserTreeBuilder
from bs4.dammit import EntitySubstitution
from bs4.element import PreformattedString

from scorer.suites.html_parser import Parser

__all__ = ["Closed", "Event", "MarkupError", "Opened", "Text", "closed", "escaped", "opened", "read"]

_VOID = frozenset(HTMLTreeBuilder.DEFAULT_EMPTY_ELEMENT_TAGS or ())
_LISTS = HTMLTreeBuilder.DEFAULT_CDATA_LIST_ATTRIBUTES
_AS_IT_STANDS = HTMLTreeBuilder.DEFAULT_PRESERVE_WHITESPACE_TAGS
_NO_ENTITIES = frozenset({"script", "style"})
_SPECIAL = re.compile("[&<>]")
_PLAIN_NAME = "table|thead|tbody|tfoot|tr|td|th|b|i|sup|sub|span|div|p"
_PLAIN_ATTRIBUTE = r' ([a-z][-a-z0-9]*)="([^"<>&]*)"'
_PLAIN_TAG = re.compile(
    rf"""(?:</({_PLAIN_NAME})>|<({_PLAIN_NAME})((?:{_PLAIN_ATTRIBUTE.replace("(", "(?:")})*)>)([^<&]*)"""
)
"""A tag that can be read in one way only, of an element that is neither empty nor special, and the text behind it."""


class MarkupError(ValueError):
    """A text that cannot be read as HTML; the message says why."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An element begins; its begin tag has the attributes in the order of their names."""

    name: str
    attributes: Mapping[str, str]
    written: str


@dataclass(frozen=True, slots=True)
class Closed:
    """The innermost element that is open ends; nothing is written for one that is always empty."""

    name: str
    written: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text, a comment or a declaration: its content, and how it is written."""

    content: str
    written: str


Event = Opened | Closed | Text


def read(markup: str) -> list[Event]:
    """Read a text: what stands in it, in order; all that opens closes. Raises `MarkupError`."""
    soup = _Soup()
    parser = _Parser(cast(BeautifulSoup, soup), convert_charrefs=False)
    parser.already_closed_empty_element = _Names()
    try:
        parser.feed(markup)
        parser.close()
    except (AssertionError, ValueError) as fault:  # a marked section of no known kind; a number of thousands of digits
        raise MarkupError(f"cannot be read as HTML: {fault}") from fault
    soup.finish()
    return soup.events


def escaped(text: str) -> str:
    """Write a text with its `&`, `<` and `>` as entities."""
    return EntitySubstitution.substitute_xml(text) if _SPECIAL.search(text) else text


def opened(name: str, attributes: Mapping[str, str]) -> Opened:
    """Make the event of an element's beginning."""
    if name == "meta":  # names the encoding that is written, not the one that was read
        return Opened(name, attributes, str(Tag(builder=_BUILDER, name=name, attrs=dict(attributes))))
    lists = _LISTS["*"] | _LISTS.get(name, set())
    written = [f"<{name}"]
    for key in sorted(attributes):
        value = " ".join(re.findall(r"\S+", attributes[key])) if key in lists else attributes[key]
        written.append(f" {key}={EntitySubstitution.quoted_attribute_value(escaped(value))}")
    return Opened(name, attributes, "".join([*written, "/>" if name in _VOID else ">"]))


@lru_cache
def closed(name: str) -> Closed:
    """Make, or find, the event of an element's end."""
    return Closed(name, "" if name in _VOID else f"</{name}>")


class _Parser(Parser):
    """The parser, but that it reads plain tags, which a table has by the million, itself, one behind the other."""

    def parse_starttag(self, i: int) -> int:
        plain = _PLAIN_TAG.match(self.rawdata, i)
        if plain is None:
            return super().parse_starttag(i)
        while plain:
            ended, begun, attributes, text = plain.groups()
            if ended:
                self.soup.handle_endtag(ended)
            else:
                self.soup.handle_starttag(begun, None, None, _attributes(attributes))
            if text:
                self.soup.handle_data(text)
            i = plain.end()
            plain = _PLAIN_TAG.match(self.rawdata, i)
        return i


@lru_cache
def _attributes(written: str) -> dict[str, str]:
    """Read the attributes of a plain tag; of two of one name the later counts."""
    return dict(re.findall(_PLAIN_ATTRIBUTE, written))


class _Names(list[str]):
    """Names of which each can be taken out as often as it was put in, without a search."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def append(self, name: str) -> None:
        self._counts[name] += 1

    def remove(self, name: str) -> None:
        self._counts[name] -= 1

    def __contains__(self, name: object) -> bool:
        return self._counts[cast(str, name)] > 0


@dataclass(frozen=True, slots=True)
class _Element:
    """What the parser wants to know of an element that it has opened."""

    is_empty_element: bool


class _Soup:
    """Stands where the parser expects the tree that it builds, and keeps what it is told."""

    def __init__(self) -> None:
        self.builder = _BUILDER
        self.contains_replacement_characters = False
        self.events: list[Event] = []
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._data: list[str] = []
        self._opened: dict[tuple[str, tuple[tuple[str, str], ...]], Opened] = {}

    def handle_starttag(self, name: str, *arguments: Mapping[str, str] | None, **_position: None) -> _Element:
        self.endData()
        self._open.append(name)
        self._counts[name] += 1
        attributes = arguments[-1] or {}
        key = (name, tuple(attributes.items()))
        if key not in self._opened:  # a table has a million cells with the same few attributes
            self._opened[key] = opened(name, attributes)
        self.events.append(self._opened[key])
        return _VOID_ELEMENT if name in _VOID else _ELEMENT

    def handle_endtag(self, name: str) -> None:
        self.endData()
        if self._counts[name]:
            while self._close() != name:
                pass

    def handle_data(self, data: str) -> None:
        self._data.append(data)

    def endData(self, kind: type[PreformattedString] | None = None) -> None:  # noqa: N802 (the parser's name for it)
        """End a text; one of nothing but blanks shrinks to a line end or a blank where these do not count."""
        if not self._data:
            return
        text = "".join(self._data)
        self._data.clear()
        if not text.strip(BeautifulSoup.ASCII_SPACES) and not any(self._counts[name] for name in _AS_IT_STANDS):
            text = "\n" if "\n" in text else " "
            if kind is None:
                self.events.append(_BLANKS[text])
                return
        if kind is not None:
            written = f"{kind.PREFIX}{text}{kind.SUFFIX}"
        else:
            written = text if self._open and self._open[-1] in _NO_ENTITIES else escaped(text)
        self.events.append(Text(text, written))

    def finish(self) -> None:
        """End the last text and close what is open."""
        self.endData()
        while self._open:
            self._close()

    def _close(self) -> str:
        name = self._open.pop()
        self._counts[name] -= 1
        self.events.append(closed(name))
        return name


_BLANKS = {blank: Text(blank, blank) for blank in "\n "}
_BUILDER = HTMLParserTreeBuilder(store_line_numbers=False)
_ELEMENT, _VOID_ELEMENT = _Element(False), _Element(True)
