"""The Retrieval axis: the share of the evidence among the best-ranked chunks, at three lengths.

Source: BizDocBench, Retrieval; decisions R27 to R33, R46 and R47.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorer.suites.bizdoc.kpis import BUDGETS

_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document for retrieval; ``heading`` is outermost first, empty when the tool gives none apart."""

    text: str
    heading: tuple[str, ...] = ()

    @property
    def passage(self) -> str:
        """What is embedded and retrieved: every heading that is not blank as a line of its own, then the text."""
        return "\n".join((*(heading for heading in self.heading if heading.strip()), self.text))


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the gold.

    Attributes:
        id: unique in its document.
        question: as asked.
        answer: counts as a verbatim substring when no span of the evidence was retrieved; None when there is none.
        evidence: the spans of the document that answer it.
    """

    id: str
    question: str
    answer: str | None = None
    evidence: tuple[str, ...] = ()

    @property
    def defined(self) -> bool:
        """Whether the question can be scored: some span or the answer is not blank."""
        return bool((self.answer or "").strip()) or any(span.strip() for span in self.evidence)


def recall(
    chunks: Sequence[Chunk],
    chunk_vectors: ArrayLike,
    questions: Sequence[Question],
    question_vectors: ArrayLike,
    *,
    budgets: Sequence[int] = BUDGETS,
) -> dict[str, float | None]:
    """Return recall@budget for every budget, in 0..1; None when no question can be scored.

    Args:
        chunks: in the tool's order.
        chunk_vectors: one row a chunk, blank chunks included; what stands there for a blank one does not matter.
        questions: of the document.
        question_vectors: one row a question.
        budgets: characters (code points) of retrieved text.

    Raises:
        ValueError: the numbers of vectors and texts differ, the vectors' widths differ, or one is not finite.
    """
    kept = [index for index, chunk in enumerate(chunks) if chunk.passage.strip()]
    passages = [chunks[index].passage for index in kept]
    vectors = _matrix("chunk_vectors", chunk_vectors, len(chunks))[kept]
    asked = _matrix("question_vectors", question_vectors, len(questions))
    if passages and questions and vectors.shape[1] != asked.shape[1]:
        raise ValueError(
            f"question_vectors must be as wide as chunk_vectors ({vectors.shape[1]}), got {asked.shape[1]}"
        )
    if not (np.isfinite(vectors).all() and np.isfinite(asked).all()):
        raise ValueError("chunk_vectors and question_vectors must be finite, got NaN or infinity")
    scores: list[list[float]] = []
    for question, vector in zip(questions, asked, strict=True):
        if question.defined:
            order = rank(vectors, vector) if passages else []
            context = _joined([passages[index] for index in order], max(budgets, default=0))
            scores.append([_score(question, context[:budget]) for budget in budgets])
    return {
        f"recall@{budget}": math.fsum(score[index] for score in scores) / len(scores) if scores else None
        for index, budget in enumerate(budgets)
    }


def rank(vectors: NDArray[np.float64], question: NDArray[np.float64]) -> list[int]:
    """Return the rows of ``vectors`` from the highest cosine to the question to the lowest, equals in their order."""
    # Row-wise sums and no matrix product: equal rows must give cosines equal to the last bit, or ties would break.
    products = (vectors * question).sum(axis=1)
    lengths = np.sqrt((vectors * vectors).sum(axis=1)) * np.sqrt((question * question).sum())
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return [int(index) for index in np.argsort(-cosines, kind="stable")]


def _matrix(field: str, vectors: ArrayLike, rows: int) -> NDArray[np.float64]:
    matrix = np.asarray(vectors, dtype=np.float64)
    if not rows and not matrix.size:
        return np.zeros((0, 0))
    if matrix.ndim != 2 or len(matrix) != rows:
        raise ValueError(f"{field} must be {rows} vectors of one width, got an array of shape {matrix.shape}")
    return matrix


def _joined(passages: Sequence[str], length: int) -> str:
    """Join passages until ``length`` characters are full."""
    taken: list[str] = []
    total = 0
    for passage in passages:
        if total >= length:
            break
        taken.append(passage)
        total += len(passage) + len(_SEPARATOR)
    return _SEPARATOR.join(taken)


def _score(question: Question, context: str) -> float:
    """Return the evidence found by its share of characters; with none found, whether the answer stands there."""
    context = " ".join(context.split())
    spans = [span for span in (" ".join(span.split()) for span in question.evidence) if span]
    found = sum(len(span) for span in spans if span in context)
    if found:
        return found / sum(len(span) for span in spans)
    answer = " ".join((question.answer or "").split())
    return float(bool(answer) and answer in context)
