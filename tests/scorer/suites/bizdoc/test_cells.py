"""Cells as texts and as numbers."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc.cells import agree, contains, prepare


class TestNumbers:
    @pytest.mark.parametrize(
        ("cell", "number"),
        [
            ("$1,234.50", "1234.5"),
            ("(16,741)", "-16741"),
            ("$(1,234)", "-1234"),
            ("(12)%", "-12"),
            ("-$5", "-5"),
            ("$ -5", "-5"),
            ("5 €", "5"),
            ("1.1M", "1100000"),
            ("0.0005k", "0.5"),
            ("3.5bn", "3500000000"),
            ("1 234", "1234"),
            ("007", "7"),
            ("-0.0", "0"),
            (".5", "0.5"),
            ("9" * 5000, "9" * 5000),
        ],
    )
    def test_are_exact(self, cell: str, number: str) -> None:
        """A whole cell that is one number becomes its exact value."""
        assert prepare(cell).number == number

    @pytest.mark.parametrize(
        "cell",
        [
            "1,23",
            "1.234,5",
            "1'234",
            "US$5",
            "5 million",
            "1e5",
            "5-",
            "(-5)",
            "-(5)",
            "- 5",
            "$5$",
            "(1",
            "12%*",
            "5.",
            ".",
        ],
    )
    def test_else_text(self, cell: str) -> None:
        """What can be read in two ways, or is more than a number, stays text."""
        assert prepare(cell).number is None

    @given(st.decimals(allow_nan=False, allow_infinity=False, places=3))
    def test_plain_decimals(self, value: Decimal) -> None:
        """Any plain decimal is read as its value, with or without thousands separators."""
        found = prepare(f"{value:f}").number
        assert found is not None
        assert Decimal(found) == value
        assert prepare(f"{value:,f}").number == found

    @given(st.text())
    def test_normal_form_is_stable(self, cell: str) -> None:
        """The normal form of a cell is its own normal form when it is a number."""
        prepared = prepare(cell)
        if prepared.number is not None:
            assert prepare(prepared.number).number == prepared.number


class TestAgreement:
    def test_numbers_in_another_dress(self) -> None:
        """Equal values agree however they are written."""
        assert agree(prepare("$ 1.2M"), prepare("1,200,000"))

    def test_unequal_numbers_never(self) -> None:
        """Two numbers 0.90 alike as text do not agree."""
        assert not agree(prepare("1234567890"), prepare("1234567891"))

    def test_text_from_nine_tenths(self) -> None:
        """Texts of ten characters agree with one character changed, not with two."""
        assert agree(prepare("abcdefghij"), prepare("abcdefghix"))
        assert not agree(prepare("abcdefghij"), prepare("abcdefghxy"))

    def test_empty_only_with_empty(self) -> None:
        """An empty gold cell agrees with an empty cell alone."""
        assert agree(prepare(""), prepare(" "))
        assert not agree(prepare(""), prepare("x"))
        assert not agree(prepare("x"), prepare(""))

    @given(st.text())
    def test_identity(self, cell: str) -> None:
        """A cell agrees with itself."""
        assert agree(prepare(cell), prepare(cell))


def test_header_part() -> None:
    """A header text may be a part of the tool's cell, never the other way round; a number never is part of one."""
    assert contains(prepare("q1"), prepare("Q10 total"))
    assert not contains(prepare("Fiscal year ended"), prepare("Fiscal"))
    assert not contains(prepare("1"), prepare("2021"))
