"""The normal form of whole texts."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc.text import normalise

MARKED = st.text(alphabet="ab |-:\n<>/t#*_`&;!?\\~=\r\u0301\u00a0", max_size=80)


class TestSteps:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("| a | b |\r\n|---|---|\r\n| 1 | 2 |", "a b 1 2"),
            ("| a\\|b | c |\n|-|-|", "a|b c"),
            ("| a | b |\n| 1 | 2 |", "| a | b | | 1 | 2 |"),
            ("| |\n" + " " * 50 + "x|-", "| | x|-"),
            ("## Title ##", "Title"),
            ("# About C#", "About C#"),
            ("> - ## nested", "nested"),
            ("1. one", "1. one"),
            ("a\n= = =\nb", "a b"),
            ("~~~python\nx\n~~~", "x"),
            ("a<br/>b", "a b"),
            ("a <!-- gone\nagain --> b", "a b"),
            ("a <!-- never closed", "a <!-- never closed"),
            ("x <y and <b>z</b>", "x <y and z"),
            ("<https://example.org>", "<https://example.org>"),
            ("<td>-</td>", "-"),
            ("<td># of shares</td>", "# of shares"),
            ("a &amp;lt; b", "a &lt; b"),
            ("[t](u) ![i](j) \\* ~~s~~", "[t](u) ![i](j) \\* ~~s~~"),
        ],
    )
    def test_one_by_one(self, text: str, expected: str) -> None:
        """Each step of the method, and what it leaves alone."""
        assert normalise(text) == expected

    def test_cells_are_spaces_before_stars_pair(self) -> None:
        """Stars in two cells of a table do not make emphasis of what is between them."""
        assert normalise("<td>Revenue*</td><td>Costs*</td>") == "Revenue* Costs*"


class TestHostileText:
    """Text that would take a regular expression hours. These tests end at all because the work is linear."""

    @pytest.mark.parametrize(
        "piece",
        [
            "*a ",
            "**a ",
            "_a ",
            "` ",
            "<a ",
            "<!--",
            "<!a",
            "<?",
            "|-",
            "- ",
            ">",
            "&",
            "# ",
            "\u0301\u0327",
            "< >",
            "[a](",
        ],
    )
    def test_openers_without_closers(self, piece: str) -> None:
        """Half a million openers are read through once."""
        assert normalise("x" + piece * 500_000)

    def test_long_character_references(self) -> None:
        """A reference of more digits than Python reads as a number stands for what HTML says."""
        assert normalise(f"a&#{'9' * 6000};b &#{'0' * 6000}65;") == "a\ufffdb A"

    @given(st.text(alphabet="e\u0301\u0327\u0323\u0344\u0f73", min_size=64, max_size=200))
    def test_long_runs_of_combining_marks(self, marks: str) -> None:
        """Ordering combining marks by ourselves gives Unicode's own composed form."""
        assert normalise(marks) == unicodedata.normalize("NFKC", marks)


class TestProperties:
    @given(MARKED | st.text())
    def test_whitespace_is_single_spaces(self, text: str) -> None:
        """Nothing but single spaces is left of whitespace."""
        assert normalise(text) == " ".join(normalise(text).split())

    @given(st.text(alphabet=st.characters(categories=["L", "Nd"]) | st.just(" ")))
    def test_plain_text_is_idempotent(self, text: str) -> None:
        """Text without marks is in its normal form after one pass."""
        assert normalise(normalise(text)) == normalise(text)

    @given(MARKED)
    def test_line_ends(self, text: str) -> None:
        """Windows line ends make no difference."""
        text = text.replace("\r", "")
        assert normalise(text.replace("\n", "\r\n")) == normalise(text)
