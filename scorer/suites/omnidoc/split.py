"""A page of predicted markdown, cut into tables, formulas, code and text (v1.5).

Source: OmniDocBench v1.5, the markdown extraction. The order of the steps is the method: each one blanks what it takes.
Named quirks (see `quirks`): CLOSING_FENCES, TABULAR_SLICE, DOLLAR_AMOUNTS, POSITIONS_WITHOUT_SEPARATORS.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import partial

from scorer.suites.omnidoc.pieces import Kind, Piece
from scorer.suites.omnidoc.pipe_tables import is_pipe_table_page, pipe_tables_to_html
from scorer.suites.omnidoc.stretches import stretches

__all__ = ["split"]

_IMAGE = re.compile(r"!\[.*?\]\(.*?\)")
_OPENING_FENCE = re.compile(r"^```(?:markdown|html|latex)\n?", re.MULTILINE)
_CLOSING_FENCE = re.compile(r"```\n?$", re.MULTILINE)
_CODE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
_TABULAR = (re.compile(re.escape(r"\begin{tabular}")), re.compile(re.escape(r"\end{tabular}")))
_HTML_TABLE = (re.compile(r"<table[^>]*>"), re.compile(r"</table>"))


def _either(**delimiters: str) -> re.Pattern[str]:
    """Match any of some delimited stretches, given as opening and closing mark; its group has the content."""
    marks = {name: map(re.escape, pair.split()) for name, pair in delimiters.items()}
    return re.compile("|".join(f"{begin}(?P<{name}>.*?){end}" for name, (begin, end) in marks.items()), re.DOTALL)


_FORMULA = _either(dollars="$$ $$", brackets=r"\[ \]", dollar="$ $", parentheses=r"\( \)")
_WITHIN_FORMULA = _either(dollars="$$ $$", dollar="$ $", parentheses=r"\( \)")


class _Page:
    """The text still to be read: taking a stretch keeps it as a piece and leaves blanks in its place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[Piece] = []

    def take(self, kind: Kind, stretches: list[tuple[int, int, str]], *, fine: str | None = None) -> None:
        """Keep stretches, given in order as start, end and content, and blank them."""
        self.pieces.extend(Piece(kind, start, end, content, fine) for start, end, content in stretches)
        self.blank([(start, end) for start, end, _ in stretches])

    def blank(self, spans: list[tuple[int, int]]) -> None:
        """Blank spans given in order."""
        parts: list[str] = []
        done = 0
        for start, end in spans:
            parts += [self.text[done:start], " " * (end - max(start, done))]
            done = max(end, done)
        self.text = "".join([*parts, self.text[done:]])


def split(markdown: str) -> list[Piece]:
    """Cut a page into pieces, sorted by where they start."""
    text = _CLOSING_FENCE.sub("", _OPENING_FENCE.sub("", _IMAGE.sub("", markdown)))
    text = re.sub(r" {4,}", "    ", re.sub(r"_{4,}", "____", text))
    for tag in ("<html>", "</html>", "<body>", "</body>"):
        text = text.replace(tag, "")
    page = _Page(text)
    page.take("latex_table", _latex_tables(page.text))
    page.take("html_table", list(_balanced(page.text, *_HTML_TABLE, skip=16, tail=8)))
    _take_formulas(page)
    if is_pipe_table_page(page.text):
        page.text = pipe_tables_to_html(page.text)
        page.take("html_table", _between(page.text, "<table", "</table>"), fine="md2html_table")
    _take_code(page)
    page.text = _unwrap(page.text, r"\title")
    page.text = _unwrap(page.text, r"\text", trim=True)
    page.text = _unwrap(page.text, r"\section", star=True)
    _take_paragraphs(page)
    return sorted(page.pieces, key=lambda piece: piece.start)


def _latex_tables(text: str) -> list[tuple[int, int, str]]:
    """Find the table environments, and the tabulars outside of them."""
    page = _Page(text)
    page.take("latex_table", _between(text, r"\begin{table}", r"\end{table}"))
    tables = [(piece.start, piece.end, piece.content) for piece in page.pieces]
    tables += _balanced(page.text, *_TABULAR, skip=16, tail=14)
    return sorted(tables, key=lambda table: table[0])


def _between(text: str, opening: str, closing: str) -> list[tuple[int, int, str]]:
    return [(start, end, text[start:end]) for start, end in stretches(text, opening, closing)]


def _balanced(
    text: str, begin: re.Pattern[str], end: re.Pattern[str], *, skip: int, tail: int
) -> Iterator[tuple[int, int, str]]:
    """Find outermost begin…end stretches; after one that never closes, look again `skip` characters behind its begin.

    `tail` is how far past the start of an end token a stretch runs: one character too many for tabulars, whose
    pattern the reference measures with its escape.
    """
    tokens = sorted(
        [(m.start(), True) for m in begin.finditer(text)] + [(m.start(), False) for m in end.finditer(text)]
    )
    last_end = max((index for index, (_, opens) in enumerate(tokens) if not opens), default=-1)
    first = 0
    while True:
        stack: list[int] = []
        for start, opens in tokens[first:]:
            if opens:
                stack.append(start)
            elif stack:
                outer = stack.pop()
                if not stack:
                    stop = min(start + tail, len(text))
                    yield outer, stop, text[outer:stop]
        if not stack:
            return
        first = bisect_left(tokens, (stack[0] + skip, False))
        if first > last_end:
            return


def _take_formulas(page: _Page) -> None:
    """Take display formulas; inline ones become pieces too, but stay in the text."""
    taken: list[tuple[int, int]] = []
    for match in _FORMULA.finditer(page.text):
        line = match[0].strip().replace("\n", " ")
        within = _WITHIN_FORMULA.search(line)
        names = ("dollars",) if within is not None and within["dollars"] else ("dollar", "parentheses")
        inline = within is not None and names[0] == "dollar"
        if within is not None:
            line = _WITHIN_FORMULA.sub(partial(_bracketed, names=names), line)
        if not inline:
            taken.append(match.span())
        fine = "equation_inline" if inline else None
        page.pieces.append(Piece("equation_isolated", match.start(), match.end(), line, fine))
    page.blank(taken)


def _bracketed(match: re.Match[str], *, names: tuple[str, ...]) -> str:
    return rf"\[{''.join(match[name] or '' for name in names)}\]"


def _take_code(page: _Page) -> None:
    blocks = list(_CODE.finditer(page.text))
    for match in blocks:
        page.pieces.append(Piece("text_all", match.start(), match.end(), match[2].strip(), "code", match[1]))
    page.blank([match.span() for match in blocks])


def _unwrap(text: str, command: str, *, star: bool = False, trim: bool = False) -> str:
    """Replace a command, which may have a star, and its argument by the argument.

    White space around the argument goes, unless (without `trim`) it stands right behind the command on one line.
    """
    parts: list[str] = []
    done = 0
    at = text.find(command)
    while at >= 0:
        brace = at + len(command)
        brace += star and text.startswith("*", brace)
        close_by = text.startswith("{", brace)
        while text[brace : brace + 1].isspace():
            brace += 1
        if text.startswith("{", brace):
            end = text.find("}", brace)
            if end < 0:
                break
            argument = text[brace + 1 : end]
            if trim or not close_by or "\n" in argument:
                argument = argument.strip()
            parts += [text[done:at], argument]
            done = brace = end + 1
        at = text.find(command, brace)
    return "".join([*parts, text[done:]])


def _take_paragraphs(page: _Page) -> None:
    """Cut the rest at blank lines, or at line ends when there is none; separators do not count in positions."""
    paragraphs = page.text.split("\n\n")
    if len(paragraphs) == 1:
        paragraphs = page.text.split("\n")
    start = 0
    for paragraph in paragraphs:
        end = start + len(paragraph)
        text = "\n".join(line for raw in paragraph.strip().split("\n") if (line := raw.strip()))
        if text.startswith("<table") and text.endswith("</table>"):
            page.pieces.append(Piece("html_table", start, end, text))
        elif text.startswith("$") and text.endswith("$"):
            if text.replace("$", "").strip():
                page.pieces.append(Piece("equation_isolated", start, end, text))
        elif text:
            page.pieces.append(Piece("text_all", start, end, text, "text_block"))
        start = end
