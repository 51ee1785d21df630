"""nid: rapidfuzz's ratio of the normal forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from scorer.suites.bizdoc.faithfulness import Nid, nid, similarity
from scorer.suites.bizdoc.text import normalise


class TestNid:
    @given(st.text())
    def test_identity(self, text: str) -> None:
        """A text is exactly 1 like itself."""
        assert nid(text, text) == Nid(1.0, 1.0)

    def test_both_empty(self) -> None:
        """Two empty texts are alike, a text and an empty one are not at all."""
        assert nid("", "") == Nid(1.0, 1.0)
        assert nid("a", "") == Nid(0.0, 0.0)

    @given(st.text(), st.text())
    def test_is_the_ratio_of_the_normal_forms(self, gold: str, pred: str) -> None:
        """The value is rapidfuzz's, and symmetric as rapidfuzz's is."""
        found = nid(gold, pred)
        expected = fuzz.ratio(normalise(gold), normalise(pred)) / 100
        assert found.lower == found.upper == pytest.approx(expected, abs=1e-12)
        assert nid(pred, gold) == found
        assert 0 <= found.lower <= 1

    def test_case_counts(self) -> None:
        """Case is kept: 'ab' and 'AB' share nothing."""
        assert nid("ab", "AB").lower == 0.0


class TestBounded:
    def test_beyond_the_longest_text(self) -> None:
        """Of a text longer than is read, nothing is claimed."""
        found = nid("gold", "x" * 101, longest=100)
        assert found == Nid(0.0, 1.0)
        assert found.bounded

    @given(st.text(alphabet="ab ", max_size=300), st.text(alphabet="ab ", max_size=300), st.integers(0, 2000))
    def test_certified(self, a: str, b: str, cells: int) -> None:
        """Under any budget the exact value lies within the bounds."""
        found = similarity(a, b, cells=cells)
        exact = fuzz.ratio(a, b) / 100
        assert found.lower - 1e-12 <= exact <= found.upper + 1e-12
