"""The Retrieval axis, worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc import Chunk, Question
from scorer.suites.bizdoc.retrieval import rank, recall


def one(evidence: tuple[str, ...] = (), answer: str | None = None) -> list[Question]:
    """Build one question."""
    return [Question("q", "?", answer, evidence)]


def at(budget: int, chunks: list[Chunk], questions: list[Question], vectors: list[list[float]] | None = None) -> object:
    """Return recall at one budget; every vector points where the questions do unless given."""
    vectors = vectors or [[1.0, 0.0]] * len(chunks)
    return recall(chunks, vectors, questions, [[1.0, 0.0]] * len(questions), budgets=[budget])[f"recall@{budget}"]


class TestContext:
    def test_cut_in_a_span(self) -> None:
        """A span cut by the budget counts nothing, one that ends with it counts whole."""
        chunks = [Chunk("the evidence")]
        assert at(11, chunks, one(("evidence",))) == 0.0
        assert at(12, chunks, one(("evidence",))) == 1.0

    def test_separator_counts(self) -> None:
        """Chunks are joined by two characters, which count."""
        chunks = [Chunk("abcd"), Chunk("efgh")]
        assert at(9, chunks, one(("efgh",))) == 0.0
        assert at(10, chunks, one(("efgh",))) == 1.0

    def test_span_across_chunks(self) -> None:
        """A span may run over from one chunk into the next."""
        assert at(99, [Chunk("first half"), Chunk("second half")], one(("half second",))) == 1.0

    def test_heading_is_a_line(self) -> None:
        """Headings come first, outermost first, a line each, blank ones skipped."""
        assert Chunk("text", ("Part I", " ", "Sales")).passage == "Part I\nSales\ntext"

    def test_blank_chunks_are_dropped(self) -> None:
        """A chunk of nothing takes no place in the context."""
        assert at(4, [Chunk("  "), Chunk("abcd")], one(("abcd",))) == 1.0

    def test_no_chunks(self) -> None:
        """A tool without chunks retrieves nothing."""
        assert at(10, [], one(("a",))) == 0.0


class TestScore:
    def test_spans_weigh_their_length(self) -> None:
        """Three of twelve characters found: a quarter."""
        assert at(99, [Chunk("abc")], one(("abc", "not there"))) == 3 / 12

    def test_answer_only_without_spans(self) -> None:
        """The answer counts when no span was found, and not when one was."""
        assert at(99, [Chunk("42 units")], one(("absent",), "42")) == 1.0
        assert at(99, [Chunk("42 units abc")], one(("abc", "absent by far"), "42")) == 3 / 16

    def test_undefined_questions_leave_the_mean(self) -> None:
        """A question without evidence and answer is not counted; with no other the KPI is undefined."""
        questions = [*one((" ",), " "), *one(("abc",))]
        assert at(99, [Chunk("abc")], questions) == 1.0
        assert at(99, [Chunk("abc")], one()) is None


class TestRank:
    def test_ties_keep_the_order(self) -> None:
        """Equal directions tie whatever their length; the zero vector is 0."""
        vectors = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
        assert rank(vectors, np.array([2.0, 0.0])) == [1, 2, 0, 4, 3]

    @given(st.integers(2, 40), st.integers(1, 60), st.integers(0, 2**32 - 1))
    def test_equal_vectors_tie_to_the_last_bit(self, rows: int, width: int, seed: int) -> None:
        """A vector repeated keeps the order of its rows, at any width."""
        vector = np.random.default_rng(seed).normal(size=width)
        question = np.random.default_rng(seed + 1).normal(size=width)
        assert rank(np.tile(vector, (rows, 1)), question) == list(range(rows))


class TestRefusals:
    def test_vectors_and_chunks(self) -> None:
        """A vector too few is refused, saying how many were wanted."""
        with pytest.raises(ValueError, match="chunk_vectors must be 2 vectors"):
            recall([Chunk("a"), Chunk("b")], [[1.0]], one(("a",)), [[1.0]])

    def test_widths(self) -> None:
        """Vectors of two embedders are refused."""
        with pytest.raises(ValueError, match="as wide as chunk_vectors"):
            recall([Chunk("a")], [[1.0]], one(("a",)), [[1.0, 2.0]])

    def test_not_finite(self) -> None:
        """A vector with NaN is refused."""
        with pytest.raises(ValueError, match="finite"):
            recall([Chunk("a")], [[math.nan]], one(("a",)), [[1.0]])


@given(st.lists(st.text(alphabet="ab \n", max_size=12), max_size=6), st.text(alphabet="ab ", max_size=6))
def test_more_context_never_loses_a_span(texts: list[str], span: str) -> None:
    """With spans alone to find, recall does not fall as the budget grows, and stays in 0..1."""
    chunks = [Chunk(text) for text in texts]
    budgets = [1, 4, 16, 64]
    found = recall(chunks, [[1.0]] * len(chunks), one((span,)), [[1.0]], budgets=budgets)
    values = [found[f"recall@{budget}"] for budget in budgets]
    if span.strip():
        numbers = [value for value in values if value is not None]
        assert len(numbers) == len(values)
        assert numbers == sorted(numbers)
        assert all(0 <= value <= 1 for value in numbers)
    else:
        assert values == [None] * len(budgets)
