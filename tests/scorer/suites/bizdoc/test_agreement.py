"""How alike two texts are, without gold."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc.agreement import agreement, fingerprint
from scorer.suites.bizdoc.words import TooManyWords

texts = st.text(alphabet="ab ", max_size=60).map(lambda text: " ".join(text.split()))


def _agree(a: str, b: str) -> float:
    return agreement(fingerprint(a), fingerprint(b))


class TestByHand:
    @pytest.mark.parametrize(
        ("a", "b", "expected"),
        [
            ("a b c d e f", "a b c d e g", 0.5),  # one run of two in common
            ("a a a a a a", "a a a a a", 2 / 3),  # the run occurs twice and once
            ("a b", "a b c", 2 / 3),  # runs of two: one, and one of two
            ("a", "b", 0.0),
            ("", "", 1.0),
            ("a", "", 0.0),
            ("甲乙丙丁戊己", "甲乙丙丁戊庚", 0.5),  # a character is a word
            ("A b c d e", "a b c d e", 0.0),  # case counts, as in nid
        ],
    )
    def test_f1_of_runs_of_five_words(self, a: str, b: str, expected: float) -> None:
        """Runs in common, as often as both have them, over the mean number of runs."""
        assert _agree(a, b) == pytest.approx(expected)

    def test_a_text_of_too_many_words_is_not_compared(self) -> None:
        """It says so."""
        with pytest.raises(TooManyWords, match="more than 3 words"):
            fingerprint("a b c d", most=3)


class TestProperties:
    @given(st.text())
    def test_identity(self, text: str) -> None:
        """A text agrees with itself."""
        text = " ".join(text.split())
        assert _agree(text, text) == 1

    @given(texts, texts)
    def test_is_the_rule(self, a: str, b: str) -> None:
        """The value is that of plain counting, in 0..1, whichever text comes first."""
        one, other = a.split(), b.split()
        length = min(5, len(one), len(other))
        runs = [Counter(tuple(w[i : i + length]) for i in range(len(w) - length + 1)) for w in (one, other)]
        shared = (runs[0] & runs[1]).total()
        expected = 2 * shared / (runs[0].total() + runs[1].total()) if length else float(a == b)
        assert _agree(a, b) == pytest.approx(expected)
        assert _agree(b, a) == _agree(a, b)
