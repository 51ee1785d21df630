r"""A formula in canonical form: tokens apart, every script and argument braced, subscripts before superscripts.

Source: OmniDocBench v1.5, whose CDM brings formulas to one form before it draws them. This is a parser of our own to
the same form: groups keep their braces, cells of a matrix become groups, `\max` and its kin are spelled out, line
breaks outside of an environment become thin spaces. An unknown command is a symbol.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from scorer.suites.omnidoc.cdm.commands import LIMITS, SIZES

__all__ = ["LatexError", "canonical"]

_WORD, _SYMBOL, _SPACE = r"\\[A-Za-z]+", r"\\.", r"\s+"
_TOKEN = re.compile(f"{_WORD}|{_SYMBOL}|{_SPACE}|.", re.DOTALL)

_AS_ALIGNED = ("align", "alignat", "alignedat", "eqnarray", "split")
_AS_MATRIX = ("smallmatrix",)
_MANY_LINES = ("begin", "array", "cases", "matrix")
_BLANK = frozenset({"$", r"\>", r"\~"})

_DEEPEST = 150
_ACCENTS = frozenset(f"\\{name}" for name in "acute bar breve check ddot dot grave hat tilde vec".split())
_LINES = frozenset({r"\overline", r"\underline"})
_BOXES = frozenset({r"\hbox", r"\mbox"})
_FRACTIONS = {f"\\{size}{name}": f"\\{name}" for name in ("frac", "binom") for size in ("", "d", "t")}
_INFIX = {r"\over": r"\frac", r"\atop": r"\binom", r"\choose": r"\binom"}
_DELIMITED = {
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "Bmatrix": (r"\{", r"\}"),
    "vmatrix": ("|", "|"),
    "Vmatrix": (r"\|", r"\|"),
}
_ENDS = frozenset({"}", r"\end", r"\right", "&", r"\\", r"\cr", ""})


class LatexError(ValueError):
    """A formula that does not parse."""


def canonical(latex: str) -> str:
    """Return the canonical form, tokens separated by spaces; raises `LatexError`."""
    text = _renamed(latex, _AS_ALIGNED, "aligned")
    text = _renamed(text, _AS_MATRIX, "matrix")
    one_line = not any(word in text for word in _MANY_LINES)
    parser = _Parser(list(_read(_TOKEN.findall(text), one_line=one_line)))
    tokens = parser.expression()
    if parser.peek():
        raise LatexError(f"found {parser.peek()!r} where the formula should end")
    return " ".join(" ".join(tokens).split()).replace(r"\\ \end{array}", r"\end{array}")


def _renamed(text: str, names: Sequence[str], new: str) -> str:
    """Give environments of some names, starred or not, another: from each begin to the nearest end of its name."""
    edges = list(re.finditer(rf"\\(?P<edge>begin|end)\{{(?P<name>{'|'.join(names)})\*?\}}", text))
    last_end = {edge["name"]: edge.start() for edge in edges if edge["edge"] == "end"}
    parts: list[str] = []
    done = 0
    begun: re.Match[str] | None = None
    for edge in edges:
        if edge["edge"] == "begin":
            if begun is None and last_end.get(edge["name"], 0) > edge.end():
                begun = edge
        elif begun is not None and begun["name"] == edge["name"] and begun.end() < edge.start():
            body = text[begun.end() : edge.start()]
            parts += [text[done : begun.start()], rf"\begin{{{new}}}", body, rf"\end{{{new}}}"]
            done, begun = edge.end(), None
    return "".join([*parts, text[done:]])


def _read(tokens: list[str], *, one_line: bool) -> Iterator[str]:
    r"""Yield the tokens that count: no comment, label or dollar, and `{\rm x}` as `\mathrm{x}`.

    A percent sign that opens the formula begins no comment. In a formula of `one_line` a line break is a thin space.
    """
    at = 1 if tokens[:1] == ["%"] else 0
    stop = tokens.index("%", at) if "%" in tokens[at:] else len(tokens)
    blank = False
    while at < stop:
        token = tokens[at]
        following = tokens[at + 1 : min(at + 3, stop)]
        at += 1
        if token in _BLANK or token.isspace():
            if not blank:
                yield " "
            blank = True
            continue
        blank = False
        if token == r"\label" and following[:1] == ["{"]:
            if "}" not in tokens[at:stop]:
                raise LatexError("a label that does not end")
            at = tokens.index("}", at, stop) + 1
        elif token == r"\rm" and following[:1] == ["{"]:
            yield r"\mathrm"
        elif token == "{" and (following[:1] == [r"\rm"] or following == [" ", r"\rm"]):
            yield from (r"\mathrm", "{")
            at += following.index(r"\rm") + 1
        elif token == r"\\" and one_line:
            yield r"\,"
        elif token == r"\$":  # the sign goes even when it is escaped: what is left is an escaped blank
            yield "\\ "
        else:
            yield token


class _Parser:
    """A recursive descent over the tokens; every method returns the canonical tokens of what it read."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def peek(self) -> str:
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self.peek()
        self._at += 1
        return token

    def _expect(self, token: str) -> None:
        if self._next() != token:
            raise LatexError(f"expected {token!r}")

    def expression(self, stop: str | None = None) -> list[str]:
        """Read atoms until something that ends a group."""
        self._go_deeper()
        out: list[str] = []
        while (token := self.peek()) not in _ENDS and token != stop:
            if token in _INFIX:
                self._next()
                out = [_INFIX[token], "{", *out, "}", "{", *self.expression(stop), "}"]
                break
            out += self._atom()
        self._depth -= 1
        return out

    def _go_deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise LatexError("groups and arguments are nested too deep")

    def _atom(self) -> list[str]:
        base = [] if self.peek() in ("^", "_", "'") else self._item()
        scripts: dict[str, list[str]] = {}
        while True:
            token = self.peek()
            if token in (r"\limits", r"\nolimits"):
                self._next()
            elif token in ("^", "_"):
                self._next()
                self._script(scripts, token, self._braced(self._argument))
            elif token == "'":
                primes: list[str] = []
                while self.peek() == "'":
                    self._next()
                    primes.append(r"\prime")
                self._script(scripts, "^", ["{", *primes, "}"])
            else:
                break
        if scripts and not base:
            raise LatexError("a script without a base")
        for mark in ("_", "^"):
            if mark in scripts:
                base += [mark, *scripts[mark]]
        return base

    def _script(self, scripts: dict[str, list[str]], mark: str, tokens: list[str]) -> None:
        if mark in scripts:
            raise LatexError(f"double {mark}")
        scripts[mark] = tokens

    def _braced(self, read: Callable[[], list[str]]) -> list[str]:
        grouped = self.peek() == "{"
        tokens = read()
        return tokens if grouped else ["{", *tokens, "}"]

    def _argument(self) -> list[str]:
        """Read a group or a single item."""
        if self.peek() in _ENDS or self.peek() in ("^", "_"):
            raise LatexError(f"expected an argument, found {self.peek()!r}")
        self._go_deeper()
        item = self._item()
        self._depth -= 1
        return item

    def _item(self) -> list[str]:
        token = self._next()
        if token == "{":
            inner = self.expression()
            self._expect("}")
            return ["{", *inner, "}"]
        if token == r"\left":
            left = self._delimiter()
            inner = self.expression()
            self._expect(r"\right")
            return [rf"\left{left}", *inner, rf"\right{self._delimiter()}"]
        if token == r"\begin":
            return self._environment()
        return self._command(token)

    def _command(self, token: str) -> list[str]:
        if token in _FRACTIONS:
            return [_FRACTIONS[token], *self._argument(), *self._argument()]
        if token == r"\sqrt":
            index: list[str] = []
            if self.peek() == "[":
                self._next()
                index = ["[", *self.expression("]"), "]"]
                self._expect("]")
            return [token, *index, *self._argument()]
        if token in _ACCENTS:
            return [token, *self._braced(self._argument)]
        if token in _LINES:
            return [token, "{", *self._argument(), "}"]
        if token == r"\phantom":
            return [token, *self._braced(self._argument)]
        if token == r"\text" and self.peek() == "{":
            return [r"\mathrm", "{", *self._text(), "}"]
        if token in _BOXES:
            return [r"\mathrm", *self._argument()]
        if token in LIMITS:
            return [r"\operatorname*", "{", *token[1:], "}"]
        if token in SIZES:
            return [token, self._delimiter()]
        if token == r"\color":
            raise LatexError(r"\color is not read")
        return [token]

    def _delimiter(self) -> str:
        token = self._next()
        if not token or token in ("{", "}"):
            raise LatexError(f"expected a delimiter, found {token!r}")
        return token

    def _text(self) -> list[str]:
        """Read the words of a text group: characters apart, spaces kept."""
        self._expect("{")
        out: list[str] = []
        depth = 0
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token == "}" and depth == 0:
                return out
            depth += (token == "{") - (token == "}")
            out.append("~" if token.isspace() else token)
        raise LatexError("a text group that does not end")

    def _name(self) -> str:
        self._expect("{")
        name = ""
        while (token := self._next()) not in ("}", ""):
            name += token
        return name

    def _environment(self) -> list[str]:
        name = self._name()
        columns: list[str] = []
        if name == "array":
            columns = ["{", *self._columns(), "}"]
        elif name == "cases":
            columns = ["{", "l", "l", "}"]
        elif name not in ("matrix", "aligned", *_DELIMITED):
            raise LatexError(f"unknown environment {name!r}")
        cells = self._rows()
        if self._name() != name:
            raise LatexError(f"environment {name!r} does not end")
        if name == "aligned":
            columns = ["{", *("rl"[number % 2] for number in range(max(map(len, cells), default=1))), "}"]
            cells = [[["{", "}", *cell] if at % 2 else cell for at, cell in enumerate(row)] for row in cells]
            name = "array"
        rows = _print_rows(cells)
        if name == "cases":
            return [r"\left\{", r"\begin{array}", *columns, *rows, r"\end{array}", r"\right."]
        if name in _DELIMITED:
            left, right = _DELIMITED[name]
            return [rf"\left{left}", r"\begin{matrix}", *rows, r"\end{matrix}", rf"\right{right}"]
        return [rf"\begin{{{name}}}", *columns, *rows, rf"\end{{{name}}}"]

    def _columns(self) -> list[str]:
        spec = self._name()
        if set(spec) - set("lcr|"):
            raise LatexError(f"unknown columns {spec!r}")
        return list(spec)

    def _rows(self) -> list[list[list[str]]]:
        """Read the rows of cells up to the end of the environment."""
        rows: list[list[list[str]]] = []
        row = [self.expression()]
        while True:
            token = self._next()
            if token == "&":
                row.append(self.expression())
                continue
            if token not in (r"\\", r"\cr", r"\end"):
                raise LatexError(f"found {token!r} in an environment")
            rows.append(row)
            if token == r"\end":
                return rows
            if self.peek() == "[":
                while self._next() not in ("]", ""):
                    pass
            row = [self.expression()]


def _print_rows(rows: list[list[list[str]]]) -> list[str]:
    """Write each cell as a group; rows without anything are dropped."""
    out: list[str] = []
    for row in rows:
        if len(row) == 1 and not row[0]:
            continue
        first = row[0]
        if first[:1] == [r"\hline"]:
            out.append(r"\hline")
            first = first[1:]
        for number, cell in enumerate([first, *row[1:]]):
            out += [*(["&"] if number else []), "{", *cell, "}"]
        out.append(r"\\")
    return out
