"""`present`: a text, a number or an equation is on the page.

Source: OmniParseBench 1.0.0rc1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer.suites.omniparse.content import Content, Mark, Number, Text
from scorer.suites.omniparse.latex import find_latex
from scorer.suites.omniparse.number import find_number
from scorer.suites.omniparse.text import find_text

if TYPE_CHECKING:
    from scorer.suites.omniparse.page import Page


@dataclass(frozen=True, slots=True)
class Present:
    """What must be on the page."""

    content: Content


def present(test: Present, page: Page) -> Mark:
    """Tell whether the content is on the page, compared as its kind says."""
    match test.content:
        case Text() as text:
            return find_text(text, page)
        case Number(number):
            return find_number(number, page)
        case latex:
            return find_latex(latex.latex, page)
