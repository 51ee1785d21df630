r"""The last rewrites before colouring: commands with their arguments as one token, ellipses and functions spelled out.

Source: OmniDocBench v1.5, CDM's third step.
"""

from collections.abc import Callable, Iterator

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
    """Rewrite the tokens of a canonical form; an empty one at the end is an argument for a command that lacks it."""
    text = latex.strip()
    for command in WITHOUT_EFFECT:
        text = text.replace(command, "")
    for command in UNDEFINED:
        text = text.replace(command, r"\relax")
    kept = list(_with_groups(text.split(" ")))
    kept = list(_fused(kept, lambda first, second: first == r"\not" and second in {*"<>=+-"}))
    kept = list(_spelled_out(kept))
    kept = list(_fused(kept, lambda first, second: first in SIZES and (second in {*"()[]{}|"} or second[:1] == "\\")))
    kept = list(_without_star(kept))
    kept = list(_fused(kept, lambda first, second: first == r"\'" and len(second) == 1 and second != "{"))
    kept = list(_fused(kept, lambda first, second: first == r"\not" and len(second) > 1 and second[0] in "\\=<>"))
    return [*_without_colours(kept), ""]


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


def _with_groups(tokens: list[str]) -> Iterator[str]:
    """Make one token of lengths, columns, boxes and characters by number, which TeX reads as a whole."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        group = _group(tokens, at + 1) if token in (r"\hspace", r"\vspace", r"\begin{array}", r"\parbox") else []
        written = "".join(group)
        number = _group(tokens, at) if token == "{" and tokens[at + 1 : at + 2] == [r"\char"] else []
        if token == r"\begin{array}" and group and set(written) <= {*"lrc"}:
            yield from (token, f"{{{written}}}")
            at += len(group) + 3
        elif group and (token == r"\parbox" or (token != r"\begin{array}" and set(written) <= _LENGTH)):
            yield f"{token}{{{written}}}"
            at += len(group) + 3
        elif len(number) > 1 and set("".join(number[1:])) <= {*"0123456789'"}:
            yield from ("{", "".join(number), "}")
            at += len(number) + 2
        else:
            yield token
            at += 1


def _fused(tokens: list[str], belong: Callable[[str, str], bool]) -> Iterator[str]:
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
