"""One document: its gold, a tool's output of it, and the KPIs of both.

Source: BizDocBench, axes and KPIs; decision R6.
"""

from dataclasses import dataclass

from scorer.suites.bizdoc.headings import GoldHeading, Heading
from scorer.suites.bizdoc.retrieval import Question
from scorer.suites.bizdoc.tables import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentGold:
    """What people annotated of one document; None where they did not.

    Attributes:
        headings: the roots of the heading tree, in reading order.
        content: the text in reading order, tables as HTML, page furniture inline.
        tables: in reading order.
        questions: with their evidence.
    """

    headings: tuple[GoldHeading, ...] | None = None
    content: str | None = None
    tables: tuple[Table, ...] | None = None
    questions: tuple[Question, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOutput:
    """What a tool made of one document: its text as it gave it, and the headings and tables it found."""

    text: str
    headings: tuple[Heading, ...] = ()
    tables: tuple[Table, ...] = ()
