"""The form in which two texts are compared: `fold`, and `squeeze` without spaces.

Both sides of every comparison go through the same function, so no rule can favour one. Every step is
guarded by the characters it acts on, which changes no result and leaves an ASCII page two short passes.

Source: OmniParseBench 1.0.0rc1, comparison form.
"""

import functools
import re
import unicodedata
from collections.abc import Callable

from scorer.suites.omniparse.latex_text import latex_to_text
from scorer.suites.omniparse.letters import is_letter
from scorer.suites.omniparse.typography import (
    ACUTE,
    BOXES,
    BULLETS,
    COMBINING,
    DOUBLE_QUOTES,
    LEADERS,
    SUPERSCRIPT_DIGITS,
    TYPOGRAPHY,
    UNCHANGED,
    is_hidden,
)
from scorer.suites.omniparse.view import CHECKED, UNCHECKED

# Patterns that begin with one literal are looked for much faster, and most pages have no hyphen but the ASCII one.
_HYPHENS = "\u2010\u2011"
_ASCII_LINE_HYPHEN = re.compile(r"-\s+")
_LINE_HYPHEN = re.compile(rf"[{_HYPHENS}-]\s+")

_SUPERSCRIPTS = frozenset(SUPERSCRIPT_DIGITS)
_RAISED = re.compile(rf"(?<=\d)(?=[{SUPERSCRIPT_DIGITS}])")
_ACCENT = re.compile(f"[{''.join(COMBINING)}]")
_BULLET_SET = frozenset(BULLETS)

_RUN = re.compile(r"[^\x00-\x7f]+")
_CHANGING_RUN = re.compile(f"[^\\x00-\\x7f{UNCHANGED}]+")
_UNIFIED = {**BOXES, **{character: meant for character, meant in TYPOGRAPHY.items() if not character.isascii()}}
_UNIFIED_CHARACTER = re.compile(f"[{''.join(_UNIFIED)}]")
_TYPOGRAPHY_OF_GRAVE = TYPOGRAPHY["`"]

_BRACKETED = re.compile(r"\[([^\[\]]*)\]")
_TICKS, _NO_TICKS = ("x", "✓", "✗", "checked"), ("", " ", "unchecked")
_LONGEST_FOOTNOTE = 3

_LEADER = f"[{re.escape(LEADERS)}]\\s?"
# The first leader stands by itself: a pattern that begins with a set of characters is looked for faster.
_LEADER_LINE = re.compile(f"{_LEADER}(?:{_LEADER}){{2,}}")
_ASCII_LEADER = f"[{re.escape(''.join(filter(str.isascii, LEADERS)))}]"
# What any step but the last acts on in an ASCII text: a sign, or one of these pairs.
_ACTED_ON_SIGNS = ("$", "\\", "[", "`", "''")
_ACTED_ON_PAIR = re.compile(rf"{_ASCII_LEADER}(?:\s?{_ASCII_LEADER}|(?<=-)\s)")
_ASCII_SPACES_BUT_PLAIN = "\t\n\v\f\r\x1c\x1d\x1e\x1f"


def fold(text: str) -> str:
    """Return the form of `text` in which it is compared: lower case, one space between words."""
    if text.isascii() and not any(sign in text for sign in _ACTED_ON_SIGNS) and not _ACTED_ON_PAIR.search(text):
        text = text.strip()
        if "  " in text or any(space in text for space in _ASCII_SPACES_BUT_PLAIN):
            text = " ".join(text.split())
        return text.lower()
    text = latex_to_text(text)
    hyphen = _ASCII_LINE_HYPHEN if all(mark not in text for mark in _HYPHENS) else _LINE_HYPHEN
    text = _first_normalised(hyphen.sub(_joined, text))
    if "[" in text:
        text = _BRACKETED.sub(_marker, text)
    if any(bullet in text for bullet in BULLETS):
        text = "\n".join(map(_without_bullet, text.split("\n")))
    text = _second_normalised(_LEADER_LINE.sub(" ", text))
    return " ".join(text.replace("`", _TYPOGRAPHY_OF_GRAVE).split()).lower()


def squeeze(text: str) -> str:
    """Return `fold(text)` without any space: a text layer glues what a parser sets apart."""
    return without_spaces(fold(text))


def without_spaces(folded: str) -> str:
    """Return a folded text without its spaces: it has no other kind than the plain one."""
    return folded.replace(" ", "")


def _joined(hyphen: re.Match[str]) -> str:
    """Drop a hyphen before space between a letter and a small letter: the word goes on there."""
    before, after = _neighbours(hyphen)
    return "" if is_letter(before) and is_letter(after) and after.islower() else hyphen[0]


def _neighbours(match: re.Match[str]) -> tuple[str, str]:
    """Return the characters before and after a match, "" at an end of the text."""
    start, end = match.span()
    return match.string[max(0, start - 1) : start], match.string[end : end + 1]


def _rewritten(text: str, runs: re.Pattern[str], form: Callable[[str], str]) -> str:
    """Give each run of characters that a normalising may change the form it has where it stands.

    Its rules look no farther than the next character, and no character outside the runs is changed by what follows
    it but by a mark put on it. So a run is rewritten with the character before it, in sight of the one after it: the
    same as rewriting the whole text, and most runs of a page are known.
    """
    parts = []
    done = 0
    for run in runs.finditer(text):
        start, end = run.span()
        start -= start > done
        parts += [text[done:start], form(text[start : end + 1])]
        done = end
    return "".join([*parts, text[done:]])


def _first_normalised(text: str) -> str:
    """Set digits that are raised apart from a number; join quotes and accents, apply NFKC, drop what is not printed."""
    text = _quotes_joined(text)
    return text if text.isascii() else _rewritten(text, _CHANGING_RUN, _first_form)


def _second_normalised(text: str) -> str:
    """Join quotes and accents and apply NFKC once more, for what has come together since; unify what looks alike."""
    text = _quotes_joined(text)
    if text.isascii():
        return text
    if not unicodedata.is_normalized("NFKC", text) or any(accent in text for accent in COMBINING):
        return _rewritten(text, _RUN, _second_form)
    return _unified(text)


def _quotes_joined(text: str) -> str:
    for quotes in DOUBLE_QUOTES:
        text = text.replace(quotes, '"')
    return text


@functools.lru_cache(maxsize=50_000)
def _first_form(run: str) -> str:
    """Return a run with the character before it as the first normalising leaves them, the one after it left out."""
    text = run if _SUPERSCRIPTS.isdisjoint(run) else _RAISED.sub(" ", run)
    return _without_next(_normalised(text), run, _CHANGING_RUN)


@functools.lru_cache(maxsize=50_000)
def _second_form(run: str) -> str:
    """Return a run with the character before it as the second normalising leaves them, the one after it left out."""
    return _without_next(_unified(_normalised(run)), run, _RUN)


def _unified(text: str) -> str:
    for character in frozenset(_UNIFIED_CHARACTER.findall(text)):
        text = text.replace(character, _UNIFIED[character])
    return text


def _without_next(text: str, run: str, runs: re.Pattern[str]) -> str:
    """Leave out the character after a run: it is none of a run's, and stays as it is."""
    return text if runs.match(run[-1]) else text[:-1]


def _normalised(text: str) -> str:
    """Join accents, apply NFKC, drop what is not printed."""
    if any(accent in text for accent in COMBINING):
        text = _ACCENT.sub(_combined, text)
    text = unicodedata.normalize("NFKC", text)
    for character in frozenset(text):
        if is_hidden(character):
            text = text.replace(character, "")
    return text


def _combined(accent: re.Match[str]) -> str:
    """Put an accent on the letter before it; an acute between two letters is an apostrophe."""
    before, after = _neighbours(accent)
    if not is_letter(before):
        return accent[0]
    return "'" if accent[0] == ACUTE and is_letter(after) else COMBINING[accent[0]]


def _marker(bracketed: re.Match[str]) -> str:
    """Return the box that a bracket draws, or the footnote it refers to as a word, else the bracket."""
    inside = bracketed[1]
    if inside.lower() in _TICKS:
        return CHECKED
    if inside.lower() in _NO_TICKS:
        return UNCHECKED
    note = inside.removeprefix("^").strip()
    if not 1 <= len(note) <= _LONGEST_FOOTNOTE:
        return bracketed[0]
    is_footnote = all(c.isalnum() or c == "_" for c in note) if inside.startswith("^") else note.isdecimal()
    return f" {note}" if is_footnote else bracketed[0]


def _without_bullet(line: str) -> str:
    content = line.lstrip(" \t")
    if content[:1] not in _BULLET_SET or not (content[1:2].isspace() or len(content) == 1):
        return line
    return f"{line[: len(line) - len(content)]} {content[1:]}"
