"""The form in which two texts are compared: `fold`, and `squeeze` without spaces.

Both sides of every comparison go through the same function, so no rule can favour one. Every step is
guarded by the characters it acts on, which changes no result and leaves an ASCII page two short passes.

Source: OmniParseBench 1.0.0rc1, comparison form.
"""

import re
import unicodedata
from collections.abc import Mapping

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

_BRACKETED = re.compile(r"\[([^\[\]]*)\]")
_TICKS, _NO_TICKS = ("x", "✓", "✗", "checked"), ("", " ", "unchecked")
_LONGEST_FOOTNOTE = 3

_LEADER = f"[{re.escape(LEADERS)}]\\s?"
_LEADER_LINE = re.compile(f"(?:{_LEADER}){{3,}}")
_ASCII_LEADER = f"[{re.escape(''.join(filter(str.isascii, LEADERS)))}]"
# What any step but the last acts on in an ASCII text.
_ACTED_ON = re.compile(rf"[$\\\[`]|''|-\s|{_ASCII_LEADER}\s?{_ASCII_LEADER}")


def fold(text: str) -> str:
    """Return the form of `text` in which it is compared: lower case, one space between words."""
    if text.isascii() and not _ACTED_ON.search(text):
        return " ".join(text.split()).lower()
    text = latex_to_text(text)
    hyphen = _ASCII_LINE_HYPHEN if all(mark not in text for mark in _HYPHENS) else _LINE_HYPHEN
    text = hyphen.sub(_joined, text)
    if not text.isascii() and not _SUPERSCRIPTS.isdisjoint(text):
        text = _RAISED.sub(" ", text)
    text = _normalised(text)
    if "[" in text:
        text = _BRACKETED.sub(_marker, text)
    present = _replaceable(text)
    text = _replaced(text, present, BOXES)
    if not present.isdisjoint(_BULLET_SET):
        text = "\n".join(map(_without_bullet, text.split("\n")))
    text = _normalised(_LEADER_LINE.sub(" ", text))
    text = _replaced(text, _replaceable(text), TYPOGRAPHY)
    return " ".join(text.split()).lower()


def squeeze(text: str) -> str:
    """Return `fold(text)` without any space: a text layer glues what a parser sets apart."""
    return without_spaces(fold(text))


def without_spaces(folded: str) -> str:
    """Return a folded text without its spaces."""
    return "".join(folded.split())


def _joined(hyphen: re.Match[str]) -> str:
    """Drop a hyphen before space between a letter and a small letter: the word goes on there."""
    before, after = _neighbours(hyphen)
    return "" if is_letter(before) and is_letter(after) and after.islower() else hyphen[0]


def _neighbours(match: re.Match[str]) -> tuple[str, str]:
    """Return the characters before and after a match, "" at an end of the text."""
    start, end = match.span()
    return match.string[max(0, start - 1) : start], match.string[end : end + 1]


def _normalised(text: str) -> str:
    """Join quotes and accents, apply NFKC, drop what is not printed."""
    for quotes in DOUBLE_QUOTES:
        text = text.replace(quotes, '"')
    if text.isascii():
        return text
    if any(accent in text for accent in COMBINING):
        text = _ACCENT.sub(_combined, text)
    text = unicodedata.normalize("NFKC", text)
    for character in _replaceable(text):
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


def _replaceable(text: str) -> frozenset[str]:
    """Return the characters of a text that a step may replace: of ASCII, the grave accent alone."""
    return frozenset("`") if text.isascii() else frozenset(text)


def _replaced(text: str, present: frozenset[str], targets: Mapping[str, str]) -> str:
    """Replace each character that is present by its target: no target is a source, so the order does not matter."""
    for character in present & targets.keys():
        text = text.replace(character, targets[character])
    return text
