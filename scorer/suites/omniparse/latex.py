"""An equation on a page, by what it renders or, where plain text writes it without loss, by its text.

Source: OmniParseBench 1.0.0rc1, latex args.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scorer.suites.omniparse.content import Mark
from scorer.suites.omniparse.equations import find_equation
from scorer.suites.omniparse.fold import squeeze
from scorer.suites.omniparse.text import contains

if TYPE_CHECKING:
    from scorer.suites.omniparse.page import Page

_SMALL_GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu"),
    *("nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)
_GREEK_WITH_VARIANT = ("epsilon", "theta", "pi", "rho", "sigma", "phi")
_CAPITAL_GREEK = ("gamma", "delta", "theta", "lambda", "xi", "pi", "sigma", "upsilon", "phi", "psi", "omega")
_OPERATORS = ("ast", "bullet", "cap", "cdot", "circ", "cup", "div", "mp", "nabla", "partial", "pm", "star", "times")
_RELATIONS = (
    *("approx", "equiv", "ge", "geq", "gg", "in", "le", "leq", "ll", "mid", "ne", "neq", "notin", "propto"),
    *("sim", "simeq", "subset", "subseteq", "supset", "supseteq"),
)
_ARROWS = ("to", "leftarrow", "rightarrow", "leftrightarrow", "Leftarrow", "Rightarrow")
_SIGNS = ("cdots", "degree", "dots", "infty", "ldots", "prime")
_SIZES = ("left", "right", *(size + side for size in ("big", "Big") for side in ("", "l", "r")))
_SPACES = ("quad", "qquad")
_UPRIGHT = ("mathrm", "operatorname", "text", "textrm")
# Commands whose rendering plain text writes exactly.
_PLAIN_COMMANDS = frozenset(
    (
        *_SMALL_GREEK,
        *(f"var{letter}" for letter in _GREEK_WITH_VARIANT),
        *(letter.capitalize() for letter in _CAPITAL_GREEK),
        *(*_OPERATORS, *_RELATIONS, *_ARROWS, *_SIGNS, *_SIZES, *_SPACES, *_UPRIGHT),
    )
)
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_SCRIPT_GROUP = re.compile(r"[_^]\{([^}]*)")
_NESTING = frozenset("\\{^_")
_SIGNS_OF_MATH = frozenset("\\^_=<>+±×·−")
_FEWEST_CHARACTERS = 2


def find_latex(latex: str, page: Page) -> Mark:
    """Tell whether a page shows the equation."""
    passed, why = find_equation(latex, page.math)
    if not passed and is_plain(latex) and contains(f"${latex}$", page, max_diffs=0)[0]:
        return True, ""
    return passed, why


def is_plain(latex: str) -> bool:
    """Tell whether plain text writes the equation without loss: symbols and single scripts, more than a word."""
    return (
        not _SIGNS_OF_MATH.isdisjoint(latex)
        and _PLAIN_COMMANDS.issuperset(_COMMAND.findall(latex))
        and all(map(_NESTING.isdisjoint, _SCRIPT_GROUP.findall(latex)))
        and len(squeeze(f"${latex}$")) >= _FEWEST_CHARACTERS
    )
