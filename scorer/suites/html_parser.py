"""Python's parser of HTML as Beautiful Soup uses it, in time that grows with the length of the text.

The methods were made with Beautiful Soup on Python's parser, so their reading of damaged markup is part of them.
"""

import html.parser
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial

from bs4 import BeautifulSoup
from bs4.builder._htmlparser import BeautifulSoupHTMLParser, HTMLParserTreeBuilder

__all__ = ["Parser", "tree"]

_NAME = re.compile("[a-zA-Z][-_.a-zA-Z0-9]*")
_NAME_END = re.compile(r"[\t\n\r\f />\x00]")
_TO_ATTRIBUTE = re.compile(r"[\s/]*")
_ONE_ATTRIBUTE = re.compile(
    r"""(?<=['"\s/])[^\s/>][^\s/=>]*(?:\s*=+\s*(?:'[^']*'|"[^"]*"|(?!['"])[^>\s]*)\s*)?(?:\s|/(?!>))*"""
)
_STOPS = re.compile("[a-zA-Z=/]")
_ENDS_ALL_AT_ONCE = hasattr(html.parser, "locatetagend")
"""Newer Pythons take all that is left for one thing that does not end."""


def tree(markup: str) -> BeautifulSoup:
    """Read a text as a tree. Raises `bs4.exceptions.ParserRejectedMarkup`."""
    return BeautifulSoup(markup, builder=_Builder())


class Parser(BeautifulSoupHTMLParser):
    """Beautiful Soup's own parser, but that it looks for the end of what has none once.

    Python's takes what begins and does not end for text up to the next `>` or `<`, and searches the whole rest anew for
    each.
    """

    _all_read = False
    """Whether nothing comes any more; until then the parser waits for an end."""

    _unended: Mapping[str, int] = {}
    """By kind, how many characters from the end on no comment or section has an end."""

    _ends_here = True
    """Whether a `>` may come yet."""

    _name_end = sys.maxsize
    """How many characters from the end the name of the last tag that was read by parts ended."""

    _hopeless = bytearray()
    """By the number of characters from the end: 1 where what is left of a begin tag was found to have no end."""

    def close(self) -> None:
        """Read what is left."""
        self._all_read = True
        super().close()

    def parse_starttag(self, i: int) -> int:
        """Read a begin tag; return where it ends."""
        return self._text_unless_ended(i, super().parse_starttag(i))

    def check_for_whole_start_tag(self, i: int) -> int:
        """Return where a begin tag ends; -1 if it does not."""
        if self._hopeless:
            return self._end_by_parts(i)
        end = super().check_for_whole_start_tag(i)
        if end < 0 and not _ENDS_ALL_AT_ONCE:
            self._hopeless = bytearray(len(self.rawdata) - i + 1)
        return end

    def _end_by_parts(self, i: int) -> int:
        """Find the end of a begin tag as Python's parser does, but each part once where there is no end."""
        text, size = self.rawdata, len(self.rawdata)
        if size - i <= self._name_end:
            found = _NAME_END.search(text, i + 2)
            self._name_end = size - found.start() if found else 0
        at = size - self._name_end
        passed = []
        part = _TO_ATTRIBUTE
        while not self._hopeless[size - at]:
            passed.append(size - at)
            found = part.match(text, at)
            if found is None:
                after = text[at : at + 1]
                if after == ">":
                    return at + 1
                if text.startswith("/>", at):
                    return at + 2
                if after and not _STOPS.match(after):
                    return at
                break
            at, part = found.end(), _ONE_ATTRIBUTE
        for left in passed:
            self._hopeless[left] = 1
        return -1

    def parse_endtag(self, i: int) -> int:
        """Read an end tag; return where it ends."""
        return self._text_unless_ended(i, super().parse_endtag(i) if self._ends_here else -1)

    def parse_pi(self, i: int) -> int:
        """Read a processing instruction; return where it ends."""
        return self._text_unless_ended(i, super().parse_pi(i) if self._ends_here else -1)

    def parse_bogus_comment(self, i: int, report: bool = True) -> int:
        """Read what is no tag and counts as a comment; return where it ends, -1 if it does not."""
        return super().parse_bogus_comment(i, report) if self._ends_here else -1

    def parse_html_declaration(self, i: int) -> int:
        """Read a declaration; return where it ends."""
        may_end = self._ends_here or self.rawdata.startswith("<![", i)  # which may be of no known kind
        return self._text_unless_ended(i, super().parse_html_declaration(i) if may_end else -1)

    def parse_comment(self, i: int, report: bool = True) -> int:
        """Read a comment; return where it ends."""
        return self._text_unless_ended(i, self._ended("<!--", i, partial(super().parse_comment, i, report)))

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Read a marked section; return where it ends, -1 if it does not."""
        name = _NAME.match(self.rawdata, i + len("<!["))
        return self._ended(name[0].lower() if name else "", i, partial(super().parse_marked_section, i, report))

    def _ended(self, kind: str, i: int, parse: Callable[[], int]) -> int:
        """Parse what begins at `i`, and return where it ends; below 0 if it does not."""
        left = len(self.rawdata) - i
        if left <= self._unended.get(kind, 0):
            return -1
        end = parse()
        if end < 0:
            self._unended = {**self._unended, kind: left}
        return end

    def _text_unless_ended(self, i: int, end: int) -> int:
        """Return where what begins at `i` ends; if it does not, it is text, and where that ends."""
        if end >= 0 or _ENDS_ALL_AT_ONCE or not self._all_read:
            return end
        end = self.rawdata.find(">", i + 1) + 1 if self._ends_here else 0
        if not end:
            self._ends_here = False
            end = self.rawdata.find("<", i + 1)
            end = end if end > 0 else i + 1
        self.handle_data(self.rawdata[i:end])
        return end


class _Builder(HTMLParserTreeBuilder):
    """Builds the tree by this parser."""

    def feed(self, markup: str | bytes, _parser_class: type[BeautifulSoupHTMLParser] = Parser) -> None:
        super().feed(markup, _parser_class)
