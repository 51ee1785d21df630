"""LaTeX between dollars as the text it renders, the first step of `fold`.

Source: OmniParseBench 1.0.0rc1, comparison form; conversion by pylatexenc's default `latex_to_text`.
"""

import functools
import logging
import re
from collections.abc import Iterator

from pylatexenc.latex2text import LatexNodes2Text

from scorer.suites.omniparse.letters import is_letter
from scorer.suites.omniparse.spans import between

_DISPLAY = between(r"\$\$", r"\$\$", least=1)
_BRACKETS = between(r"\\\[", r"\\\]", least=1)
_PARENTHESES = between(r"\\\(", r"\\\)", least=1)

_MARKUP = frozenset("\\^_{}")
_WITHOUT_MARKUP = str.maketrans("", "", "\\^_{}")
_DEGREE = "°"
# Prose between two amounts ("$5.00 ... on line $1,000") also sits between dollars: only short, dense spans are math.
_MOST_CHARACTERS, _MOST_SPACES = 120, 4
_PROSE_WORDS, _PROSE_WORD_LETTERS = 3, 3
_LONGEST_VARIABLE = 3
_WORD = re.compile(r"\w+")

_FLAT_GROUP = r"\{[^{}]*\}"
_GROUP = rf"\{{(?:[^{{}}]|{_FLAT_GROUP})*\}}"
_ROMAN = re.compile(rf"(\\(?:text\w*|mbox|operatorname)\s*{_GROUP}\s*)")
_SPACES = re.compile(r"(?P<before>\\[A-Za-z]*+)?\s+")


def latex_to_text(text: str) -> str:
    """Return `text` with each LaTeX span that is math, not prose between amounts, as the text it renders."""
    if "\\[" in text:
        text = _BRACKETS.rewrite(text, lambda span: f"$${span.body}$$")
    if "\\(" in text:
        text = _PARENTHESES.rewrite(text, lambda span: f"${span.body}$")
    if "$" not in text:
        return text
    if "$$" in text:
        text = _DISPLAY.rewrite(text, lambda span: _display(span.body))
    return "".join(_inline_rewritten(text.split("$")))


def _inline_rewritten(between_dollars: list[str]) -> Iterator[str]:
    """Yield a text split at its dollars, every pair of them on one line with something between as it renders."""
    first, *rest = between_dollars
    yield first
    open_dollar = True
    for index, piece in enumerate(rest, 1):
        is_pair = open_dollar and index < len(rest) and piece != "" and "\n" not in piece
        if is_pair:
            yield _inline(piece)
        elif open_dollar:
            yield f"${piece}"
        else:
            yield piece
        open_dollar = not is_pair


@functools.lru_cache(maxsize=20_000)
def _display(body: str) -> str:
    rendered = _rendered(body, prose=False)
    return f"$${body}$$" if rendered is None else rendered


@functools.lru_cache(maxsize=100_000)
def _inline(body: str) -> str:
    rendered = _rendered(body, prose=True)
    return f"${body}$" if rendered is None else rendered


def _rendered(body: str, *, prose: bool) -> str | None:
    """Return the text of a formula; None for what is none, such as prose where `prose` may stand."""
    stripped = body.strip()
    if 1 <= len(stripped) <= _LONGEST_VARIABLE and all(map(is_letter, stripped)):
        return stripped
    dense = _dense(body)
    if _is_spaced_number(body):
        return dense
    if dense.count(" ") > _MOST_SPACES or len(body) > _MOST_CHARACTERS or (prose and _is_prose(body)):
        return None
    if _MARKUP.isdisjoint(body):
        return body if body == stripped else None
    try:
        rendered = str(_converter().latex_to_text(dense))
    except Exception:  # pylatexenc raises whatever it likes on broken LaTeX; the span then compares as written
        rendered = body
    return rendered.replace("∘", _DEGREE).replace(r"\circ", _DEGREE).translate(_WITHOUT_MARKUP)


def _is_spaced_number(body: str) -> bool:
    """Tell whether a body is digits with points and commas, set apart by spaces, such as "2 . 5 5"."""
    if not body[:1].isdecimal() or body[-1:].isspace():
        return False
    words = body.split()
    return len(words) > 1 and all(character in ".," or character.isdecimal() for word in words for character in word)


def _is_prose(body: str) -> bool:
    """Tell whether three words or more stand outside braces."""
    bare = _outside_braces(body)
    words = 0
    for word in _WORD.finditer(bare):
        start = word[0][:_PROSE_WORD_LETTERS]
        if len(start) == _PROSE_WORD_LETTERS and all(map(is_letter, start)):
            words += bare[max(0, word.start() - 1) : word.start()] not in ("\\", "&")
    return words >= _PROSE_WORDS


def _outside_braces(body: str) -> str:
    """Return a body with a space for each balanced group."""
    kept: list[str] = []
    openings: list[int] = []
    for character in body:
        if character == "}" and openings:
            kept[openings.pop() :] = " "
            continue
        if character == "{":
            openings.append(len(kept))
        kept.append(character)
    return "".join(kept)


def _dense(body: str) -> str:
    """Drop the spaces that math mode does not render: all but those in text, after a command, and `\\ ` itself."""
    parts = _ROMAN.split(body)  # every second one is text
    return "".join(part if index % 2 else _SPACES.sub(_spaces, part) for index, part in enumerate(parts))


def _spaces(match: re.Match[str]) -> str:
    before = match["before"]
    if before is None:
        return ""
    if before != "\\":
        return f"{before} "
    is_line_break = match.string[max(0, match.start() - 1) : match.start()] == "\\"
    return before if is_line_break else " "


@functools.cache
def _converter() -> LatexNodes2Text:
    # What pylatexenc makes of broken LaTeX is the verdict; its remarks on it belong on no one's terminal.
    logging.getLogger("pylatexenc").addHandler(logging.NullHandler())
    return LatexNodes2Text()
