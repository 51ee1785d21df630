"""The longest common subsequence within a budget, against the plain computation."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from scorer.suites.bizdoc import longest_common_subsequence as lcs

ALPHABETS = st.sampled_from(["ab", "abcdefghij ", "etaoinshrdlu ,.", "aé漢😀\ud800"])


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Texts and edited copies: characters changed, stretches dropped, doubled and moved."""
    alphabet = draw(ALPHABETS)
    chance = random.Random(draw(st.integers(0, 2**32)))
    a = "".join(chance.choices(alphabet, k=draw(st.integers(0, 1500))))
    b = a
    for _ in range(draw(st.integers(0, 12))):
        at, size = chance.randrange(len(b) + 1), chance.randrange(1, 120)
        piece = b[at : at + size]
        b = chance.choice(
            [b[:at] + b[at + size :], b[:at] + piece + b[at:], b[:at] + "xyz" + b[at:], b[:at] + b[at + size :] + piece]
        )
    return a, b


def searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make short texts take the way of long ones."""
    monkeypatch.setattr(lcs, "_DIRECT_CELLS", 0)
    monkeypatch.setattr(lcs, "_GAP", 64)


class TestBounds:
    @settings(max_examples=300)
    @given(pairs(), st.integers(0, 3_000_000))
    def test_the_truth_lies_between(self, pair: tuple[str, str], cells: int) -> None:
        """Whatever the budget, the exact length is within the bounds."""
        exact = LCSseq.similarity(*pair)
        with pytest.MonkeyPatch.context() as monkeypatch:
            searched(monkeypatch)
            found = lcs.length(*pair, cells=cells)
        assert found.lower <= exact <= found.upper

    @settings(max_examples=300)
    @given(pairs())
    def test_exact_within_the_budget(self, pair: tuple[str, str]) -> None:
        """With enough work the way of long texts gives the exact length."""
        with pytest.MonkeyPatch.context() as monkeypatch:
            searched(monkeypatch)
            found = lcs.length(*pair)
        assert found.lower == found.upper == LCSseq.similarity(*pair)

    @given(pairs())
    def test_the_budget_only_narrows(self, pair: tuple[str, str]) -> None:
        """More work never gives wider bounds."""
        with pytest.MonkeyPatch.context() as monkeypatch:
            searched(monkeypatch)
            little, much = (lcs.length(*pair, cells=cells) for cells in (10_000, 400_000))
        assert little.lower <= much.lower <= much.upper <= little.upper

    def test_no_budget_at_all(self) -> None:
        """Without any work the bounds of edited text still say something."""
        a = "".join(random.Random(1).choices("etaoinshrdlu ", k=40_000))
        b = a[:20_000] + "a new sentence" + a[20_500:]
        found = lcs.length(a, b, cells=0)
        assert 39_500 <= found.lower <= LCSseq.similarity(a, b) <= found.upper <= 40_000

    def test_identical(self) -> None:
        """A text shares all of itself, at no cost."""
        assert lcs.length("same", "same", cells=0) == lcs.Length(4, 4)

    def test_negative_budget_is_refused(self) -> None:
        """A budget below nothing is refused by name."""
        with pytest.raises(ValueError, match="cells must be at least 0, got -1"):
            lcs.length("a", "b", cells=-1)


class TestLongTexts:
    def test_edited_text_beyond_the_direct_way(self) -> None:
        """Texts large enough for the search get the plain computation's length."""
        chance = random.Random(7)
        a = "".join(chance.choices("etaoinshrdlu ,.", k=60_000))
        b = "".join(chance.choice("xyz") if chance.random() < 0.02 else character for character in a)
        b = b[:30_000] + b[33_000:] + "Ω" * 500
        exact = LCSseq.similarity(a, b)
        assert lcs.length(a, b) == lcs.Length(exact, exact)

    def test_more_than_a_byte_of_alphabet(self) -> None:
        """Texts of more than 256 different characters are compared as they are."""
        chance = random.Random(8)
        a = "".join(chr(0x4E00 + chance.randrange(900)) for _ in range(40_000))
        b = a[:9_000] + a[9_400:30_000] + "漢" + a[30_000:]
        exact = LCSseq.similarity(a, b)
        assert lcs.length(a, b) == lcs.Length(exact, exact)

    def test_nothing_shared(self) -> None:
        """Texts without a common character share nothing, whatever their length."""
        assert lcs.length("a" * 60_000, "b" * 60_000, cells=0) == lcs.Length(0, 0)
