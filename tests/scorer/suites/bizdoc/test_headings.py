"""When headings match."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc import GoldHeading, headings


class TestNormalise:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("2.1 Risk Factors", "risk factors"),
            ("IV. Results", "results"),
            ("A. Scope", "scope"),
            ("(a) Scope", "(a) scope"),
            ("II Method", "method"),
            ("V Method", "v method"),
            ("MIX. Results", "results"),
            ("IIX. Results", "iix. results"),
            ("1.\tScope", "scope"),
            ("Item 1A. Risk Factors", "item 1a. risk factors"),
            ("1.1Scope", "1.1scope"),
            ("IV", "iv"),
        ],
    )
    def test_numbering(self, text: str, expected: str) -> None:
        """One leading decimal, Roman or letter numbering goes, when a space and text follow it."""
        assert headings.normalise(text) == expected

    @given(st.text(alphabet=string.ascii_letters + " ", min_size=3))
    def test_without_numbering_it_is_idempotent(self, text: str) -> None:
        """Normalising again changes nothing where no numbering is left to take off."""
        once = headings.normalise("Heading " + text)
        assert headings.normalise(once) == once

    @given(st.text())
    def test_never_blank_from_text(self, text: str) -> None:
        """A heading that is not blank keeps text: the numbering only goes when something follows."""
        assert bool(headings.normalise(text)) == bool(text.strip())


class TestMatch:
    @given(st.text(), st.text())
    def test_symmetric(self, a: str, b: str) -> None:
        """Whether two headings match does not depend on which is the gold's."""
        assert headings.match(a, b) == headings.match(b, a)

    def test_threshold(self) -> None:
        """Two edits match, three do not."""
        assert headings.match("Results", "Result!?"[:6])
        assert headings.match("TOC", "FAC")
        assert not headings.match("TOC", "FAQ")


def test_blank_gold_heading_is_refused() -> None:
    """Gold without text is refused with the field's name."""
    with pytest.raises(ValueError, match="text of a gold heading"):
        GoldHeading("  ", 1)
