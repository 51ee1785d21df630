"""Comparing recorded values."""

import pytest

from scorer.conformance import Difference, compare


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
