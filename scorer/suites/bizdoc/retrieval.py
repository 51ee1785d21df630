"""The Retrieval axis.

Source: BizDocBench, Retrieval; decisions R27 to R33, R46 and R47.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document for retrieval; ``heading`` is outermost first, empty when the tool gives none apart."""

    text: str
    heading: tuple[str, ...] = ()


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
