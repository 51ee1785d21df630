"""The Levenshtein distance within a budget of work."""

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from scorer.suites.levenshtein import Edits, levenshtein

_texts = st.text("abc", max_size=60)


class TestLevenshtein:
    @given(_texts, _texts, st.integers(0, 4000))
    def test_bounds(self, a: str, b: str, cells: int) -> None:
        """Whatever the budget, the distance is within the bounds; with enough, it is both of them."""
        exact = Levenshtein.distance(a, b)
        found = levenshtein(a, b, cells=cells)
        assert found.lower <= exact <= found.upper
        assert levenshtein(a, b) == Edits(exact, exact)

    def test_near(self) -> None:
        """Long texts that are nearly the same are within a budget that is far below their product."""
        text = "abcdefghij" * 1000
        assert levenshtein(text, "x" + text[:5000] + text[5001:], cells=10_000_000) == Edits(2, 2)
