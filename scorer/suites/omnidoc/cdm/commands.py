r"""LaTeX commands by what they do to the formula around them: what CDM's canonical form and its colours go by.

Sources: the commands of LaTeX and amsmath; OmniDocBench v1.5 for which of them CDM treats apart. Where it leaves one
out (`\overbrace` is no accent to it), so does the table.
"""

__all__ = [
    "ACCENTS",
    "COLOURS",
    "FRACTIONS",
    "FUNCTIONS",
    "HIDDEN",
    "LIMITS",
    "NO_GLYPH",
    "ROOTS",
    "SIZES",
    "STACKS",
    "STYLES",
    "UNDEFINED",
    "WITHOUT_EFFECT",
]


def _commands(*names: str) -> frozenset[str]:
    return frozenset(f"\\{name}" for group in names for name in group.split())


SIZES = frozenset(f"\\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "m", "r"))
"""Delimiters of a given size, each before its delimiter."""

_HYPERBOLIC = ("sin", "cos", "tan", "cot")
FUNCTIONS = _commands(
    "exp lg ln log",
    "cos cot csc sec sin tan",
    " ".join(f"arc{name}" for name in ("cos", "sin", "tan")),
    " ".join(f"{name}h" for name in _HYPERBOLIC),
    "arg deg dim hom ker",
)
"""Functions set upright, their scripts beside them."""

LIMITS = _commands("det gcd inf lim liminf limsup max min Pr sup")
"""Functions set upright, their scripts below and above them."""

FRACTIONS = _commands("binom frac")
STACKS = _commands("overset stackrel underset")
ROOTS = _commands("sqrt xleftarrow xrightarrow")
"""What grows with its argument, which an optional one in brackets may precede."""

ACCENTS = _commands(
    "bar breve check ddot dot hat mathring tilde vec",
    "Bar Tilde Vec",
    "overline underbrace underline widehat widetilde",
)
"""What is drawn over or under its argument: a token of its own."""

STYLES = _commands(
    "mathbb mathbf mathcal mathfrak mathrm",
    "boldsymbol pmb",
    "emph text textbf textit textmd textnormal textrm textsc textsf texttt textup",
    "mathbin mathop operatorname smash",
)
"""What changes only how its argument looks: no token, but those inside are."""

COLOURS = _commands("cellcolor color colorbox textcolor")

HIDDEN = _commands("fontfamily phantom ref rowcolor vphantom")
"""Commands of which, with their argument, nothing is drawn in the token's own colour."""

WITHOUT_EFFECT = _commands("arraybackslash lefteqn lowercase raggedright uppercase")
"""Left out of a formula."""

UNDEFINED = _commands("matrix pmatrix")
"""Plain TeX's matrices, which LaTeX has not: only their content is drawn."""

NO_GLYPH = _commands(
    *("left right cr \\", "quad qquad ! ,", "boldmath displaystyle scriptstyle mathchoice"),
    "a def ensuremath index multirow url",
) | {"&", "$", "~", "\\"}
r"""What has no picture of its own: alignment, spacing (a lone backslash is `\ `), switches of style, definitions."""
