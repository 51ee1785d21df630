"""The quick match: what is paired, and that its shortcuts change nothing."""

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from scorer.suites.omnidoc.match import quick_match
from scorer.suites.omnidoc.window import WORD, fits, least_anywhere, most_edits
from scorer.suites.omnidoc.work import CELLS, Work

_texts = st.text("abcd", min_size=1, max_size=12)


class TestWindow:
    @given(_texts, st.text("abcd", max_size=40), st.sampled_from((0.25, 0.4, 0.6)), st.booleans())
    def test_fits(self, text: str, within: str, threshold: float, strict: bool) -> None:
        """Leaping finds a window exactly when looking at every window does."""
        ratios = [
            Levenshtein.distance(text, within[at : at + len(text)]) / len(text)
            for at in range(len(within) - len(text) + 1)
        ]
        expected = any(ratio < threshold if strict else ratio <= threshold for ratio in ratios)
        assert fits(text, within, threshold, strict=strict, work=Work(CELLS)) == expected

    @given(st.integers(1, 400), st.sampled_from((0.25, 0.4, 0.6)))
    def test_most_edits(self, length: int, threshold: float) -> None:
        """The limits are those of comparing the ratios themselves, down to the last bit."""
        loose, strict = (most_edits(length, threshold, strict=flag) for flag in (False, True))
        assert loose / length <= threshold < (loose + 1) / length
        assert strict / length < threshold <= (strict + 1) / length

    @given(st.lists(_texts, min_size=1, max_size=4), st.lists(st.text("abcd", max_size=20), min_size=1, max_size=3))
    def test_least_anywhere(self, texts: list[str], withins: list[str]) -> None:
        """The bound is the least distance to any stretch at all."""
        expected = [
            [
                min(
                    Levenshtein.distance(text, within[a:b])
                    for a in range(len(within) + 1)
                    for b in range(a, len(within) + 1)
                )
                for text in texts
            ]
            for within in withins
        ]
        assert least_anywhere(texts, withins, Work(CELLS)).tolist() == expected

    def test_full_word(self) -> None:
        """A text that fills the word is found in itself."""
        text = "ab" * (WORD // 2)
        assert np.array_equal(least_anywhere([text], [f"x{text}y", ""], Work(CELLS)), [[0], [WORD]])


class TestQuickMatch:
    def test_broken_lines(self) -> None:
        """Every line of a paragraph that was broken up joins the paragraph's row."""
        source = random.Random(5)
        words = ["".join(source.choices("etaoinshrdlu", k=6)) for _ in range(400)]
        gold = ["".join(words[start : start + 40]) for start in range(0, 400, 40)]
        pieces = ["".join(words[start : start + 8]) for start in range(0, 400, 8)]
        found = quick_match(gold, [False] * 10, pieces)
        assert [pair.pieces for pair in found.pairs] == [tuple(range(5 * row, 5 * row + 5)) for row in range(10)]

    def test_nothing_predicted(self) -> None:
        """Every gold block is kept, with nothing."""
        assert [pair.pieces for pair in quick_match(["a", "b"], [False, False], []).pairs] == [(), ()]

    def test_ignored_gold_takes_pieces(self) -> None:
        """A piece near ignored gold leaves the pool, whatever else it might match."""
        found = quick_match(["page header", "body text here"], [True, False], ["page header", "body text here"])
        assert found.ignored_pieces == {0}
        assert [(pair.gold, pair.pieces) for pair in found.pairs] == [((1,), (1,))]


class TestBudget:
    @given(st.lists(_texts, max_size=6), st.lists(_texts, max_size=6), st.integers(0, 3_000_000))
    def test_any(self, gold: list[str], pieces: list[str], budget: int) -> None:
        """Whatever the budget, every block is in one row; unless it was met, it changes nothing."""
        found = quick_match(gold, [False] * len(gold), pieces, budget=budget)
        assert sorted(index for pair in found.pairs for index in pair.gold) == list(range(len(gold)))
        if not found.bounded:
            assert found == quick_match(gold, [False] * len(gold), pieces)

    def test_equal_texts(self) -> None:
        """Where not even the matrix is within the budget, what is the same is matched; ignored gold takes its own."""
        gold, pieces = ["one", "two", "one", "head"], ["head", "one", "x", "head", "two", "one", "one"]
        found = quick_match(gold, [False, False, False, True], pieces, budget=0)
        assert found.bounded
        assert found.ignored_pieces == {0, 3}
        assert [(pair.gold, pair.pieces) for pair in found.pairs] == [
            ((0,), (1,)),
            ((1,), (4,)),
            ((2,), (5,)),
            ((), (2, 6)),
        ]

    def test_the_same(self) -> None:
        """Of the same texts on both sides the rows are known, without the matrix."""
        gold, pieces = ["one", "two", "three"], ["three", "one", "two"]
        found = quick_match(gold, [False] * 3, pieces, budget=0)
        assert not found.bounded
        assert found == quick_match(gold, [False] * 3, pieces)
        assert quick_match(gold, [False] * 3, [*pieces, "four"], budget=0).bounded

    def test_unmatched(self) -> None:
        """A block that is nowhere the same has nothing."""
        found = quick_match(["one", "two"], [False, False], ["two", "three"], budget=0)
        assert [(pair.gold, pair.pieces) for pair in found.pairs] == [((0,), ()), ((1,), (0,)), ((), (1,))]

    def test_within(self) -> None:
        """A page of ordinary size is far from the budget."""
        gold = [f"paragraph {number} of the page " * 10 for number in range(40)]
        pieces = [text[at : at + 30] for text in gold for at in range(0, len(text), 30)]
        assert not quick_match(gold, [False] * len(gold), pieces).bounded
