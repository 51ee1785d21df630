"""Paired inline marks, against plain regular expressions that state the rule on short lines."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.suites.bizdoc.inline_marks import without_inline_marks

# The rule as it is written down. Quadratic on unpaired marks, so only fit for short lines.
RULES = (
    r"(?<!\\)\*\*(?=\S)(.+?)(?<=[^\s\\])\*\*",
    r"(?<![\w\\])__(?=\S)(.+?)(?<=[^\s\\])__(?!\w)",
    r"(?<![\\*])\*(?=[^\s*])(.+?)(?<=[^\s\\*])\*(?!\*)",
    r"(?<![\w\\])_(?=\S)(.+?)(?<=[^\s\\])_(?!\w)",
)


@settings(max_examples=500)
@given(st.text(alphabet="ab *_\\1", max_size=40))
def test_emphasis_as_the_rules_have_it(line: str) -> None:
    """The scanner takes off exactly what the rules do."""
    expected = line
    for rule in RULES:
        expected = re.sub(rule, r"\1", expected)
    assert without_inline_marks(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("`code` and ``co`de``", "code and co`de"),
        ("a ` b", "a ` b"),
        ("``a`", "``a`"),
        ("`*a*`", "a"),
        ("\\`a`", "\\`a`"),
        ("***both***", "both"),
        ("*p<0.05 **p<0.01", "*p<0.05 **p<0.01"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_name", "snake_case_name"),
        ("_a_b_", "a_b"),
        ("\\*not\\*", "\\*not\\*"),
    ],
)
def test_by_hand(line: str, expected: str) -> None:
    """Marks worked out by hand: runs of backticks, escapes, words, leftovers."""
    assert without_inline_marks(line) == expected
