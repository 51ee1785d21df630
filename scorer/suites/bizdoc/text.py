"""The normal form of whole texts, in which nid compares them.

Every step takes time linear in the text: a parser's output may be tens of megabytes, and it is not to be trusted.

Source: BizDocBench, Faithfulness; decisions R1, R11 to R17 and R51.
"""

import html
import itertools
import re
import unicodedata
from collections.abc import Iterator

from scorer.suites.bizdoc.inline_marks import without_inline_marks

_SEPARATOR = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
_UNESCAPED_PIPE = re.compile(r"(?<!\\)\|")
_CONTAINERS = re.compile(r"\s*(?:(?:>|[-*+]\s+(?=\S))\s*)*")
_HEADING = re.compile(r"#{1,6}\s+(?=\S)")
_FENCE = re.compile(r"\s*(?:`{3,}[^`]*|~{3,}.*)")
_RULE_MARKS = frozenset("-=*_")
_MARKED = re.compile(r"\s*[-+*>#=_`~]")
# No "<" inside a tag: in "x <y and <b>z</b>" only the second one opens any.
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>")
_ENCLOSED = ((re.compile("<!--"), "-->"), (re.compile("<![A-Za-z]"), ">"), (re.compile(r"<\?"), "?>"))
_LONG_REFERENCE = re.compile(r"&#([0-9]{1000,});?")
_LONG_MARKS = re.compile(r"[^\x00-\x7f\w\s]{64,}")


def normalise(text: str) -> str:
    """Return the text as nid compares it: without marks, tags and entities, NFKC, whitespace as single spaces."""
    text = text.replace("\r\n", "\n")
    lines = _without_line_marks(_pipe_tables_to_html(text.split("\n")))
    text = _tags_to_spaces("\n".join(lines))
    text = "\n".join(without_inline_marks(line) for line in text.split("\n"))
    return " ".join(_compatible(_unescape(text)).split())


def _pipe_tables_to_html(lines: list[str]) -> Iterator[str]:
    """Turn a line with a pipe directly above a separator, and every following line with a pipe, into table rows."""
    at = 0
    while at < len(lines):
        if not ("|" in lines[at] and at + 1 < len(lines) and _is_separator(lines[at + 1])):
            yield lines[at]
            at += 1
            continue
        yield _table_row(lines[at])
        at += 2
        while at < len(lines) and "|" in lines[at]:
            yield _table_row(lines[at])
            at += 1


def _is_separator(line: str) -> bool:
    return "|" in line and "-" in line and _SEPARATOR.fullmatch(line.strip()) is not None


def _table_row(line: str) -> str:
    line = line.strip()
    line = line.removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    cells = (cell.replace("\\|", "|") for cell in _UNESCAPED_PIPE.split(line))
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _without_line_marks(lines: Iterator[str]) -> Iterator[str]:
    """Drop rules and fence lines, and the quote, bullet and heading marks at the start of a line."""
    for line in lines:
        if not _MARKED.match(line):
            yield line
            continue
        if _is_rule(line):
            continue
        start = _CONTAINERS.match(line)
        assert start
        rest = line[start.end() :]
        if _is_rule(rest) or _FENCE.fullmatch(rest):
            continue
        heading = _HEADING.match(rest)
        if heading:
            rest = _without_closing_marks(rest[heading.end() :])
        yield rest


def _is_rule(line: str) -> bool:
    marks = "".join(line.split())
    return len(marks) >= 3 and marks[0] in _RULE_MARKS and marks.count(marks[0]) == len(marks)


def _without_closing_marks(heading: str) -> str:
    heading = heading.rstrip()
    bare = heading.rstrip("#")
    return bare if bare != heading and bare[-1:].isspace() else heading


def _tags_to_spaces(text: str) -> str:
    """Replace comments, tags, declarations and processing instructions by a space."""
    pieces: list[str] = []
    # A closer that is nowhere ahead is not looked for again: text of nothing but openers must not cost a scan for each.
    absent: set[str] = set()
    done, at = 0, text.find("<")
    while at >= 0:
        end = _tag_end(text, at, absent)
        if end is None:
            at = text.find("<", at + 1)
            continue
        pieces.append(text[done:at])
        done, at = end, text.find("<", end)
    pieces.append(text[done:])
    return " ".join(pieces)


def _tag_end(text: str, at: int, absent: set[str]) -> int | None:
    """Return where the tag that starts at ``at`` ends, or None when none does."""
    tag = _TAG.match(text, at)
    if tag:
        return tag.end()
    for opener, closer in _ENCLOSED:
        opened = opener.match(text, at)
        if opened and closer not in absent:
            end = text.find(closer, opened.end())
            if end >= 0:
                return end + len(closer)
            absent.add(closer)
    return None


def _unescape(text: str) -> str:
    """Replace entities once, as HTML 5 has them."""
    # Python refuses to read a number of some thousand digits; what such a reference stands for is known without.
    return html.unescape(_LONG_REFERENCE.sub(lambda found: f"&#{found[1].lstrip('0')[:8] or 0};", text))


def _compatible(text: str) -> str:
    """Return the text in NFKC."""
    # Python orders combining marks in time quadratic in their run; the order is a stable sort by combining class.
    return unicodedata.normalize("NFKC", _LONG_MARKS.sub(lambda found: _ordered(found[0]), text))


def _ordered(marks: str) -> str:
    decomposed = "".join(unicodedata.normalize("NFKD", mark) for mark in marks)
    groups = itertools.groupby(decomposed, key=lambda mark: unicodedata.combining(mark) > 0)
    return "".join(
        "".join(sorted(group, key=unicodedata.combining)) if combining else "".join(group)
        for combining, group in groups
    )
