r"""A formula with a colour of its own on every token that shows.

Source: OmniDocBench v1.5, CDM's fourth step. The tokens of a fraction, an accent or a root colour the whole, and what
is inside them their own part over it; wrappers of style colour only their content.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from scorer.suites.omnidoc.cdm.braces import closing, fill_braces, join_tokens, named_operators
from scorer.suites.omnidoc.cdm.canonical import LatexError, canonical
from scorer.suites.omnidoc.cdm.commands import ACCENTS, FRACTIONS, HIDDEN, NO_GLYPH, ROOTS, STACKS, STYLES

__all__ = ["Coloured", "colour", "colour_of"]

_DIGITS = 18
_STEP = 15
_MOST_CHARACTERS = 50_000
"""Of a formula that is coloured, whose time grows with the square of its length: none as long fits on a page."""


@dataclass(frozen=True, slots=True)
class Coloured:
    """LaTeX with colours, and the tokens: token i has `colour_of(i)`."""

    latex: str
    tokens: tuple[str, ...]


def colour_of(index: int) -> tuple[int, int, int]:
    """Return the red, green and blue of a token: its number, from 1, in base 18, a digit a channel in steps of 15."""
    rest, blue = divmod(index + 1, _DIGITS)
    red, green = divmod(rest, _DIGITS)
    return red * _STEP, green * _STEP, blue * _STEP


def colour(latex: str) -> Coloured:
    """Colour a formula; one that does not parse is coloured as it stands.

    Raises `LatexError` where that fails too, and for a formula of more than `_MOST_CHARACTERS`.
    """
    if len(latex) > _MOST_CHARACTERS:
        raise LatexError(
            f"a formula of {len(latex)} characters is not drawn: one of more than {_MOST_CHARACTERS} fits on no page"
        )
    text = latex.replace("\n", " ")
    try:
        form = named_operators(canonical(text))
    except LatexError:
        form = ""
    try:
        painter = _Painter(fill_braces(join_tokens(form or text)))
        painter.paint()
    except (ValueError, IndexError, RecursionError) as fault:
        raise LatexError(f"tokens cannot be coloured: {fault}") from fault
    return Coloured(" ".join(painter.pieces), tuple(painter.tokens))


def _shows(token: str) -> bool:
    """Tell whether a token has a picture that is its own."""
    if token in NO_GLYPH or token in STACKS or token[0] in "{}[]^_":
        return False
    if token.startswith((r"\begin{", r"\end{")) and "}" in token:
        return False
    return not (token[0] == "\\" and ("rule" in token or "line" in token))


class _Painter:
    """Walks over the pieces of a formula and puts colours around those that show.

    Where a wrapper ends is looked up before its content is painted, and not moved when painting adds braces there: the
    piece that has come to stand at that place stays without a colour (UNCOLOURED_TAIL).
    """

    def __init__(self, tokens: list[str]) -> None:
        self.pieces = " ".join(tokens).strip().split(" ")
        self.tokens: list[str] = []
        self._at = 0
        self._painters: dict[str, Callable[[], None]] = {
            **dict.fromkeys(HIDDEN, self._hidden),
            **dict.fromkeys(FRACTIONS, partial(self._whole, groups=2)),
            **dict.fromkeys(ACCENTS, self._accent),
            **dict.fromkeys(STYLES, self._style),
            **dict.fromkeys(ROOTS, self._root),
            **dict.fromkeys((r"\multicolumn", r"\multirow"), self._cell),
        }

    def paint(self) -> None:
        """Paint all pieces, once."""
        while self._at < len(self.pieces):
            self._paint_one()

    def _paint_to(self, end: int, *, boxed: bool = False) -> None:
        while self._at < end:
            self._paint_one(boxed=boxed)

    def _paint_one(self, *, boxed: bool = False) -> None:
        """Paint what stands here, and go on behind it; `boxed` puts braces around a coloured token."""
        token = self.pieces[self._at]
        if painter := self._painters.get(token):
            painter()
            return
        if token in ("[", "]"):
            if token == "[" or self._at > 2:  # a closing one among a formula's first three pieces stays black
                self.pieces[self._at] = self._begin(token) + token + "}"
        elif token and _shows(token):
            painted = self._begin(token) + token + "}"
            script = self._at > 1 and self.pieces[self._at - 1] == "_"
            self.pieces[self._at] = f"{{{painted}}}" if script or boxed else painted
        self._at += 1

    def _begin(self, token: str) -> str:
        """Count a token, and open its colour."""
        channels = ",".join(map(str, colour_of(len(self.tokens))))
        self.tokens.append(token)
        return rf"\mathcolor[RGB]{{{channels}}}{{"

    def _whole(self, *, groups: int) -> None:
        """Colour a command with its arguments, which are painted next."""
        end = self._at
        for _ in range(groups):
            end = closing(self.pieces, end + 1)
        token = self.pieces[self._at]
        self.pieces[self._at] = self._begin(token) + token
        self.pieces.insert(end + 1, "}")
        self._at += 1

    def _accent(self) -> None:
        """Colour an accent; a subscript behind it would stretch it, so braces keep the two apart."""
        start = self._at
        end = closing(self.pieces, start + 1) + 1
        apart = self.pieces[start] != r"\underbrace" and self.pieces[end : end + 1] == ["_"]
        self._whole(groups=1)
        if apart:
            self.pieces[start] = "{" + self.pieces[start]
            self.pieces[end] += "}"

    def _style(self) -> None:
        """Paint what is inside a wrapper; a single piece in any case."""
        start = self._at + 2
        end = closing(self.pieces, self._at + 1)
        self._at = start
        if end - start == 1:
            token = self.pieces[start]
            self.pieces[start] = self._begin(token) + token + "}"
        else:
            self._paint_to(end)
        self._at = end + 1

    def _root(self) -> None:
        """Colour a root or a labelled arrow, and paint its optional argument and its argument."""
        start = self._at
        bracket = closing(self.pieces, start + 1, opens="[", closes="]") if self.pieces[start + 1] == "[" else start
        end = closing(self.pieces, bracket + 1)
        token = self.pieces[start]
        self.pieces[start] = self._begin(token) + token
        self.pieces.insert(end + 1, "}")
        self._at = start + 2
        self._paint_to(bracket, boxed=True)
        self._at = bracket + 2
        self._paint_to(end)
        self._at = end + 1

    def _cell(self) -> None:
        """Paint the content of a cell that spans others: the third argument."""
        opening = self._at
        for _ in range(2):
            opening = closing(self.pieces, opening + 1)
        end = closing(self.pieces, opening + 1)
        self._at = opening + 2
        self._paint_to(end)
        self._at = end + 1

    def _hidden(self) -> None:
        """Pass over a command and its argument."""
        start = self._at + 1
        self._at = closing(self.pieces, start) + 1 if self.pieces[start] == "{" else start + 1
