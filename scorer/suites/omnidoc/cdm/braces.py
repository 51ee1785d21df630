r"""The last rewrites before colouring: commands with their arguments as one token, ellipses and functions spelled out.

Source: OmniDocBench v1.5, CDM's third step.
"""

from collections.abc import Callable, Iterator
from functools import partial

from scorer.suites.omnidoc.cdm.commands import (
    ACCENTS,
    COLOURS,
    FRACTIONS,
    FUNCTIONS,
    LIMITS,
    ROOTS,
    SIZES,
    STACKS,
    STYLES,
    UNDEFINED,
    WITHOUT_EFFECT,
)

__all__ = ["closing", "fill_braces", "join_tokens", "named_operators"]

_TAILED = ACCENTS | STYLES
_NAMED = {name[1:] for name in FUNCTIONS | LIMITS} | {"injlim", "projlim"}
_ELLIPSES = frozenset({r"\cdots", r"\dots", r"\dotsb", r"\ldots"})
_UPRIGHT = frozenset({r"\cos", r"\cosh", r"\exp", r"\log", r"\sin", r"\sinh", r"\tan", r"\tanh"})
_LENGTH = frozenset("0123456789.abcdefghijklmnopqrstuvwxyz")
_MODEL = frozenset("[]RGBrgb")
_COLOUR_NAME = frozenset("0123456789,!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def named_operators(form: str) -> str:
    r"""Write `\operatorname { s i n }` as `\sin`, where LaTeX has a command of the name."""
    tokens = form.split(" ")
    out: list[str] = []
    at = 0
    while at < len(tokens):
        if tokens[at] == r"\operatorname":
            name = _group(tokens, at + 1, most=len(r"\operatorname"))
            if "".join(name) in _NAMED:
                out.append("\\" + "".join(name))
                at += len(name) + 3
                continue
        out.append(tokens[at])
        at += 1
    return " ".join(out)


def join_tokens(latex: str) -> list[str]:
    """Rewrite the tokens of a canonical form; an empty one at the end is an argument for a command that lacks it.

    The rules come in the method's order: what one joins or spells out, those behind it see so.
    """
    text = latex.strip()
    for command in WITHOUT_EFFECT:
        text = text.replace(command, "")
    for command in UNDEFINED:
        text = text.replace(command, r"\relax")
    rules: tuple[Callable[[list[str]], Iterator[str]], ...] = (
        _with_measures,
        _with_numbered_characters,
        partial(_joined, belong=_is_negated_sign),
        _spelled_out,
        partial(_joined, belong=_is_sized),
        _without_star,
        partial(_joined, belong=_is_accented),
        partial(_joined, belong=_is_negated_command),
        _without_colours,
    )
    tokens = text.split(" ")
    for rule in rules:
        tokens = list(rule(tokens))
    return [*tokens, ""]


def _is_negated_sign(first: str, second: str) -> bool:
    r"""Tell `\not =` and its like, whose stroke goes through the sign."""
    return first == r"\not" and second in {*"<>=+-"}


def _is_negated_command(first: str, second: str) -> bool:
    r"""Tell `\not \in` and its like."""
    return first == r"\not" and len(second) > 1 and second[0] in "\\=<>"


def _is_sized(first: str, second: str) -> bool:
    r"""Tell a size and the delimiter it is for: `\big (`, `\Bigl \{`."""
    return first in SIZES and (second in {*"()[]{}|"} or second[:1] == "\\")


def _is_accented(first: str, second: str) -> bool:
    r"""Tell `\'` and the letter under it."""
    return first == r"\'" and len(second) == 1 and second != "{"


def _group(tokens: list[str], start: int, *, most: int | None = None) -> list[str]:
    """Return what stands in the braces that open at `start`, provided it holds no braces; else nothing."""
    if start >= len(tokens) or tokens[start] != "{":
        return []
    for end in range(start + 1, len(tokens) if most is None else min(start + 2 + most, len(tokens))):
        if tokens[end] == "}":
            return tokens[start + 1 : end]
        if tokens[end] == "{":
            break
    return []


def _with_measures(tokens: list[str]) -> Iterator[str]:
    r"""Make one token of what TeX reads as a whole: `\hspace{1em}`, `\parbox{…}`, and the columns of an array."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        group = _group(tokens, at) if token in (r"\hspace", r"\vspace", r"\parbox", r"\begin{array}") else []
        written = "".join(group)
        if token == r"\begin{array}" and group and set(written) <= {*"lrc"}:
            yield from (token, f"{{{written}}}")
        elif group and (token == r"\parbox" or (token != r"\begin{array}" and set(written) <= _LENGTH)):
            yield f"{token}{{{written}}}"
        else:
            yield token
            continue
        at += len(group) + 2


def _with_numbered_characters(tokens: list[str]) -> Iterator[str]:
    r"""Make one token of a character by its number: `{ \char 6 5 }` becomes `{ \char65 }`."""
    at = 0
    while at < len(tokens):
        yield tokens[at]
        at += 1
        group = _group(tokens, at - 1) if tokens[at : at + 1] == [r"\char"] else []
        if len(group) > 1 and set("".join(group[1:])) <= {*"0123456789'"}:
            yield from ("".join(group), "}")
            at += len(group) + 1


def _joined(tokens: list[str], belong: Callable[[str, str], bool]) -> Iterator[str]:
    """Make one token of two neighbours that belong together."""
    at = 0
    while at < len(tokens):
        pair = tokens[at : at + 2]
        if len(pair) == 2 and belong(*pair):
            yield "".join(pair)
            at += 2
        else:
            yield tokens[at]
            at += 1


def _spelled_out(tokens: list[str]) -> Iterator[str]:
    """Spell out ellipses and some functions; of two equal ones in a row the method sees only the first."""
    last = ""
    for token in tokens:
        spelled = token != last and token in _ELLIPSES | _UPRIGHT
        if not spelled:
            yield token
        elif token in _ELLIPSES:
            yield from (".", ".", ".")
        else:
            yield from (r"\mathrm", "{", *token[1:], "}")
        last = token if spelled else ""


def _without_star(tokens: list[str]) -> Iterator[str]:
    """Drop the star of an operator, and make a footnote a superscript."""
    last = ""
    for token in tokens:
        if token != "*" or last != r"\operatorname":
            yield "^" if token == r"\footnote" else token
        last = token


def _without_colours(tokens: list[str]) -> Iterator[str]:
    """Drop commands of colour with a colour's model and name; what they colour stays."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token in COLOURS:
            start = at
            while start < len(tokens) and set(tokens[start]) <= _MODEL:
                start += 1
            name = _group(tokens, start)
            if name and set("".join(name)) <= _COLOUR_NAME:
                at = start + len(name) + 2
                continue
        yield token


def closing(tokens: list[str], start: int, *, opens: str = "{", closes: str = "}") -> int:
    """Return where the first group at or behind `start` ends; raises `ValueError` where none does."""
    depth = 0
    for at in range(start, len(tokens)):
        if tokens[at] == opens:
            depth += 1
        elif tokens[at] == closes:
            depth -= 1
            if depth == 0:
                return at
    raise ValueError(f"no group from {opens} to {closes} behind token {start}")


def fill_braces(tokens: list[str]) -> list[str]:
    """Brace arguments that stand bare; raises `ValueError` or `IndexError` where one is missing."""
    filled = list(tokens)
    at = 0
    while at < len(filled):
        token = filled[at]
        at += 1
        if token in _TAILED:
            at = _nest(filled, at)
        elif token in ROOTS:
            _enclose(filled, closing(filled, at, opens="[", closes="]") + 1 if filled[at] == "[" else at)
        elif token in FRACTIONS or token in STACKS:
            _enclose(filled, at)
            _enclose(filled, closing(filled, at) + 1)
    return filled


def _enclose(tokens: list[str], at: int) -> None:
    """Put braces around a token that is no group."""
    if tokens[at] != "{":
        tokens[at : at + 1] = ["{", tokens[at], "}"]


def _nest(tokens: list[str], start: int) -> int:
    r"""Brace what follows a command or several: `\hat \vec x` as `\hat { \vec { x } }`; return where x's group is."""
    end = start
    while tokens[end] in _TAILED:
        end += 1
    _enclose(tokens, end)
    stop = closing(tokens, end)
    commands = tokens[start:end]
    tokens[end : stop + 1] = [*tokens[end : stop + 1], *["}"] * len(commands)]
    tokens[start:end] = [piece for command in commands for piece in ("{", command)]
    return start + 2 * len(commands)
