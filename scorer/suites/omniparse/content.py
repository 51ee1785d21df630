"""What a test looks for (text, a number, an equation), and what a test answers.

Source: OmniParseBench 1.0.0rc1, test args.
"""

from dataclasses import dataclass

from scorer.suites.omniparse.blocks import Box

Mark = tuple[bool, str]
"""Whether a test passed and, when it did not, why."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text, the edits allowed after folding, and the boxes where it is printed (one a line, maybe none)."""

    text: str
    max_diffs: int
    place: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Number:
    """A number as printed, such as "1,240.00" or "-4.8%"."""

    number: str


@dataclass(frozen=True, slots=True)
class Latex:
    """An equation, as LaTeX."""

    latex: str


Content = Text | Number | Latex


def mark(passed: bool, why: str) -> Mark:
    """Return a test's answer; `why` is kept only when it failed."""
    return passed, "" if passed else why
