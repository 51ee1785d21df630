"""Comparing recorded values."""

import pytest

from scorer.conformance import ABSENT, Difference, Words, compare, written


@pytest.mark.parametrize(
    ("expected", "got"),
    [(0.5, 0.5 + 1e-13), (1.0, 1), ({"a": [None, "x"]}, {"a": [None, "x"]}), (True, True), (3, 3)],
)
def test_agree(expected: object, got: object) -> None:
    """Floats agree within the tolerance, everything else when equal."""
    assert compare("c", expected, got).passed


@pytest.mark.parametrize(
    ("expected", "got", "field"),
    [
        (0.5, 0.5 + 1e-11, ""),
        (3, 4, ""),
        (1, True, ""),
        (None, 0.0, ""),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "a.b"),
        ({"a": 1}, {}, "a"),
        ({}, {"a": 1}, "a"),
        ([1, 2], [1], ""),
        ([1, 2], [1, 3], "[1]"),
    ],
)
def test_differ(expected: object, got: object, field: str) -> None:
    """What differs is told with the path to it: a null is no 0, a true no 1, an absent field no null."""
    [difference] = compare("c", expected, got).differences
    assert isinstance(difference, Difference)
    assert (difference.case, difference.field) == ("c", field)


def test_a_difference_is_told_as_json() -> None:
    """Values are told as JSON, and an absent one by a word that no recorded text can be taken for."""
    assert str(Difference("c", "a.b", True, None)) == "c: a.b: expected true, got null"
    assert (
        str(Difference("c", "", {"error": "x"}, Words("not refused"))) == 'c: expected {"error": "x"}, got not refused'
    )
    assert str(Difference("c", "f", "absent", ABSENT)) == 'c: f: expected "absent", got absent'
    [difference] = compare("c", {"a": "absent"}, {"a": ABSENT}).differences
    assert difference.got is ABSENT


def test_half_a_surrogate_pair_can_be_printed() -> None:
    """Whatever a recording holds can be written to a terminal."""
    assert written("\ud800").encode() == b'"\\ud800"'
