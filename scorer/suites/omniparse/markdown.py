"""Markdown to HTML, for parsers that return markdown: one converter for all, so none is favoured.

CommonMark with tables, strikethrough and raw HTML, with repairs for what a plain conversion loses of a page's
text: list numbers and bullets, addresses in brackets, link definitions, formulas.

Source: OmniParseBench 1.0.0rc1, markdown conversion.
"""

import functools
import itertools
import re
import textwrap
from bisect import bisect_right
from collections.abc import Iterator

from markdown_it import MarkdownIt

from scorer.suites.omniparse.hold import hold, release
from scorer.suites.omniparse.spans import Closing, Span, Spans, elements

_BLANKS = " \t"
_FENCE = "```"
_PAGE_LANGUAGES = ("", "markdown", "md", "html")
_FRONT_MATTER_EDGE = "---"

# Within raw HTML and code markdown-it reads no escapes, so one added there would stay.
_HTML_ELEMENTS = elements(
    *("p", "pre", "blockquote", "center", "div", "details", "figure", "figcaption", "table"),
    *("ul", "ol", "li", "dl", "form", "fieldset"),
    *("article", "aside", "footer", "header", "main", "nav", "section"),
    spaced=True,
)
_INLINE_CODE = re.compile(r"`[^`\n]+`")
_ADDRESS = re.compile(r"<([^<>\s@]+@[^<>\s@]+>)")
_DEEPEST_MARKER, _LONGEST_NUMBER = 3, 9

_TABLES = elements("table")
_DISPLAY_MATH = Spans(r"\$\$|\\\[", lambda opening: Closing(r"\$\$", 1) if opening == "$$" else Closing(r"\\\]", 1))
_LATEX_SIGNS = frozenset("\\^_{")


def _inline_math(*, in_row: bool) -> Spans:
    def accepts(opened: re.Match[str], end: int) -> bool:
        if opened[0] != "$":
            return True
        body, escaped = opened.string[opened.end() : end], opened.string.endswith("\\", 0, opened.start())
        if escaped or "\n" in body or not body or body != body.strip() or body.endswith("\\"):
            return False
        # In a row of a table, dollars enclose a bar only around LaTeX: "$2.5 | ($27.8)" is two cells.
        return not in_row or "|" not in body or not _LATEX_SIGNS.isdisjoint(body)

    closing = {"$": Closing(r"\$"), r"\(": Closing(r"\\\)", 1)}
    return Spans(r"\$|\\\(", closing.__getitem__, accepts=accepts)


_INLINE_MATH = {in_row: _inline_math(in_row=in_row) for in_row in (True, False)}


def to_html(markdown: str) -> str:
    """Return the HTML of a page given as markdown."""
    text = textwrap.dedent(_without_front_matter(unwrapped(markdown)))
    raw: list[str] = []
    text = hold(text, _HTML_ELEMENTS.find(text), raw)
    text = hold(text, _code(text), raw)
    text = "\n".join(map(_escaped_marker, text.split("\n")))
    text = release(_ADDRESS.sub(r"&lt;\1", text), raw)
    held: list[str] = []
    text = hold(text, _TABLES.find(text), held)
    # Display math before rows, so that one of its lines that starts with a bar is no row.
    text = hold(text, _DISPLAY_MATH.find(text), held)
    parts = []
    for in_row, lines in itertools.groupby(text.split("\n"), key=_is_row):
        part = "\n".join(lines)
        parts.append(hold(part, _INLINE_MATH[in_row].find(part), held))
    return release(_renderer().render("\n".join(parts)), held)


def unwrapped(markdown: str) -> str:
    """Return the page without a fence around the whole of it, closed or not; code listings keep theirs."""
    lines = markdown.strip().split("\n")
    language = _fence_language(lines[0])
    if language is None or language.lower() not in _PAGE_LANGUAGES:
        return markdown
    fences = [index for index, line in enumerate(lines) if _fence_language(line) is not None]
    if len(fences) % 2:
        return "\n".join(lines[1:])
    is_listing = not language and fences[-1] < len(lines) - 1
    return markdown if is_listing else "\n".join(lines[1 : fences[-1]])


def _fence_language(line: str) -> str | None:
    """Return the language that a line of a fence names, maybe none (""); None for another line."""
    line = line.strip(_BLANKS)
    language = line.removeprefix(_FENCE)
    is_fence = line.startswith(_FENCE) and (not language or (language.isascii() and language.isalpha()))
    return language if is_fence else None


def _without_front_matter(text: str) -> str:
    first, *lines = text.lstrip().split("\n")
    if first.rstrip(_BLANKS) != _FRONT_MATTER_EDGE:
        return text
    keys = len(list(itertools.takewhile(_is_key, lines)))
    if not keys or keys == len(lines) or lines[keys].rstrip(_BLANKS) != _FRONT_MATTER_EDGE:
        return text
    return "\n".join(lines[keys + 1 :])


def _is_key(line: str) -> bool:
    key, colon, _ = line.lstrip(_BLANKS).partition(":")
    starts = key[:1] == "_" or (key[:1].isascii() and key[:1].isalpha())
    return bool(colon) and starts and all(character.isalnum() or character in "_-" for character in key)


def _code(text: str) -> Iterator[Span]:
    """Yield each fenced listing that is closed, and each code span on a line outside of them."""
    lines = text.split("\n")
    starts = list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
    closings = [index for index, line in enumerate(lines) if line.strip(_BLANKS) == _FENCE]
    following = 0
    for index, line in enumerate(lines):
        if index < following:
            continue
        later = bisect_right(closings, index)
        if line.lstrip(_BLANKS).startswith(_FENCE) and later < len(closings):
            following = closings[later] + 1
            yield Span(starts[index], starts[following] - 1, _FENCE, "")
            continue
        for code in _INLINE_CODE.finditer(line):
            yield Span(starts[index] + code.start(), starts[index] + code.end(), "`", code[0])


def _escaped_marker(line: str) -> str:
    """Escape the mark after a number, or the bullet, that would start a list."""
    content = line.lstrip(_BLANKS)
    indent = len(line) - len(content)
    digits = sum(1 for _ in itertools.takewhile(str.isdecimal, content[: _LONGEST_NUMBER + 1]))
    mark, after = content[digits : digits + 1], content[digits + 1 : digits + 2]
    if digits:
        starts_list = digits <= _LONGEST_NUMBER and mark in (".", ")") and after in ("", *_BLANKS)
    else:
        starts_list = mark in ("-", "+", "*") and after in (*_BLANKS,)
    if indent > _DEEPEST_MARKER or not starts_list:
        return line
    at = indent + digits
    return f"{line[:at]}\\{line[at:]}"


def _is_row(line: str) -> bool:
    return line.lstrip(_BLANKS).startswith("|")


@functools.cache
def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).disable("reference")
