import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.omniparse.fold import fold, squeeze

TEXTS = st.text(st.sampled_from("aZé ﬁ$\\{}^_-‐\n\t’“`'´″[]x1¹⁄…·.—→⇒☑□•\u200b\u0301α漢％ſK"), max_size=40)


class TestSteps:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("PAGE  1 —\tcafé", "page 1 - café"),
            ("develop-\ners", "developers"),
            ("co-\nOp", "co- op"),
            ("1,240¹", "1,240 1"),
            ("ﬁ", "fi"),
            ("A\u200bB\u00adC\ue001", "abc"),
            ("[x] [ ] ☑ □", "☒ ☐ ☒ ☐"),
            ("12.3%[1] [^ab]", "12.3% 1 ab"),
            ("• one\n  ▪ two", "one two"),
            ("total ........ 5", "total 5"),
            ("it´s ‘q’ “d” ‘‘t’’", 'it\'s \'q\' "d" "t"'),
            ("Cuo´", "cuó"),
            ("⇒ ⟵ ⇑ ⇓ ↔ ⇔", "→ ← ↑ ↓ ↔ ⇔"),
            ("。，％（", ".,%("),
            ("$c_{\\text{MC}}$ and $U$", "cmc and u"),
            ("$$2 . 5 5$$", "2.55"),
            ("$5.00 for lunch and $7.00", "$5.00 for lunch and $7.00"),
            ("\\(x^2\\)", "x2"),
            ("İ", "i̇"),
        ],
    )
    def test_by_hand(self, text: str, expected: str) -> None:
        """Each step of the comparison form, worked by hand."""
        assert fold(text) == expected


class TestProperties:
    @given(TEXTS)
    def test_no_double_or_outer_space_and_no_upper_case(self, text: str) -> None:
        """A folded text is lower case with single inner spaces."""
        folded = fold(text)
        assert folded == " ".join(folded.split()) == folded.lower()

    @given(TEXTS)
    def test_squeeze_is_fold_without_spaces(self, text: str) -> None:
        """Squeezing removes spaces and nothing else."""
        assert squeeze(text) == fold(text).replace(" ", "")
