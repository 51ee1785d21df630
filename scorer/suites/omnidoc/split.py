"""A page of predicted markdown, cut into tables, formulas, code and text (v1.5).

Source: OmniDocBench v1.5, the markdown extraction. The order of the steps is the method: each one blanks what it takes.
Named quirks (see `quirks`): CLOSING_FENCES, TABULAR_SLICE, DOLLAR_AMOUNTS, POSITIONS_WITHOUT_SEPARATORS.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from scorer.suites.omnidoc.pieces import Kind, Piece
from scorer.suites.omnidoc.pipe_tables import is_pipe_table_page, pipe_tables_to_html
from scorer.suites.omnidoc.stretches import Marks, delimited, stretches

__all__ = ["split"]

_OPENING_FENCE = re.compile(r"^```(?:markdown|html|latex)\n?", re.MULTILINE)
_CLOSING_FENCE = re.compile(r"```\n?$", re.MULTILINE)
_CODE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)

_DOLLARS, _BRACKETS, _DOLLAR, _PARENTHESES = ("$$", "$$"), (r"\[", r"\]"), ("$", "$"), (r"\(", r"\)")
_FORMULA = (_DOLLARS, _BRACKETS, _DOLLAR, _PARENTHESES)
_WITHIN_FORMULA = (_DOLLARS, _DOLLAR, _PARENTHESES)


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
    text = _CLOSING_FENCE.sub("", _OPENING_FENCE.sub("", _without_images(markdown)))
    text = re.sub(r" {4,}", "    ", re.sub(r"_{4,}", "____", text))
    for tag in ("<html>", "</html>", "<body>", "</body>"):
        text = text.replace(tag, "")
    page = _Page(text)
    page.take("latex_table", _latex_tables(page.text))
    page.take("html_table", list(_html_tables(page.text)))
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


def _without_images(text: str) -> str:
    """Delete `![…](…)`, each on one line."""
    return "\n".join(_without_images_of(line) if "![" in line else line for line in text.split("\n"))


def _without_images_of(line: str) -> str:
    parts: list[str] = []
    done = 0
    while (start := line.find("![", done)) >= 0:
        middle = line.find("](", start + 2)
        end = line.find(")", middle + 2)
        if min(middle, end) < 0:  # nor does any image behind this one end
            break
        parts.append(line[done:start])
        done = end + 1
    return "".join([*parts, line[done:]])


def _latex_tables(text: str) -> list[tuple[int, int, str]]:
    """Find the table environments, and the tabulars outside of them."""
    page = _Page(text)
    page.take("latex_table", _between(text, r"\begin{table}", r"\end{table}"))
    tables = [(piece.start, piece.end, piece.content) for piece in page.pieces]
    begins, ends = (list(_places(page.text, mark)) for mark in (r"\begin{tabular}", r"\end{tabular}"))
    tables += _balanced(page.text, begins, ends, skip=16, tail=14)
    return sorted(tables, key=lambda table: table[0])


def _html_tables(text: str) -> Iterator[tuple[int, int, str]]:
    begins: list[int] = []
    closed = 0
    for start in _places(text, "<table"):
        if start < closed:  # within the begin tag before
            continue
        closed = text.find(">", start)
        if closed < 0:
            break
        begins.append(start)
    return _balanced(text, begins, list(_places(text, "</table>")), skip=16, tail=8)


def _places(text: str, mark: str) -> Iterator[int]:
    """Yield where a mark stands."""
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + len(mark))


def _between(text: str, opening: str, closing: str) -> list[tuple[int, int, str]]:
    return [(start, end, text[start:end]) for start, end in stretches(text, opening, closing)]


def _balanced(
    text: str, begins: Sequence[int], ends: Sequence[int], *, skip: int, tail: int
) -> Iterator[tuple[int, int, str]]:
    """Find outermost begin…end stretches; after one that never closes, look again `skip` characters behind its begin.

    `tail` is how far past the start of an end token a stretch runs: one character too many for tabulars, whose
    pattern the reference measures with its escape.
    """
    tokens = sorted([*((start, True) for start in begins), *((start, False) for start in ends)])
    closed_by = _pairs(tokens)
    at = 0
    while at < len(tokens):
        start, opens = tokens[at]
        closing = closed_by.get(at)
        if closing is not None:
            stop = min(tokens[closing][0] + tail, len(text))
            yield start, stop, text[start:stop]
            at = closing + 1
        elif opens:
            at = bisect_left(tokens, (start + skip, False))
        else:  # the end of a table whose begin was skipped, or of none
            at += 1


def _pairs(tokens: Sequence[tuple[int, bool]]) -> dict[int, int]:
    """Return the number of the token that closes each opening one, of those that are closed."""
    closed_by: dict[int, int] = {}
    stack: list[int] = []
    for number, (_, opens) in enumerate(tokens):
        if opens:
            stack.append(number)
        elif stack:
            closed_by[stack.pop()] = number
    return closed_by


def _take_formulas(page: _Page) -> None:
    """Take display formulas; inline ones become pieces too, but stay in the text."""
    taken: list[tuple[int, int]] = []
    for _, start, end in delimited(page.text, _FORMULA):
        line = page.text[start:end].strip().replace("\n", " ")
        within = list(delimited(line, _WITHIN_FORMULA))
        shown = bool(within) and within[0][0] == _DOLLARS and within[0][2] - within[0][1] > len("$$$$")
        inline = bool(within) and not shown
        line = _bracketed(line, within, (_DOLLARS,) if shown else (_DOLLAR, _PARENTHESES))
        if not inline:
            taken.append((start, end))
        page.pieces.append(Piece("equation_isolated", start, end, line, "equation_inline" if inline else None))
    page.blank(taken)


def _bracketed(line: str, within: Sequence[tuple[Marks, int, int]], kept: Sequence[Marks]) -> str:
    r"""Write the formulas within a formula as `\[…\]`, empty unless of a kind that is kept."""
    parts: list[str] = []
    done = 0
    for marks, start, end in within:
        content = line[start + len(marks[0]) : end - len(marks[1])] if marks in kept else ""
        parts += [line[done:start], rf"\[{content}\]"]
        done = end
    return "".join([*parts, line[done:]])


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
