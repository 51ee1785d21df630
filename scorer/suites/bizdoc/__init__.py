"""BizDocBench: six axes over whole documents. The types of gold and output are exported here."""

from scorer.suites.bizdoc.document import DocumentGold, DocumentOutput
from scorer.suites.bizdoc.headings import GoldHeading, Heading
from scorer.suites.bizdoc.kpis import Kpi
from scorer.suites.bizdoc.retrieval import Chunk, Question
from scorer.suites.bizdoc.tables import Row, Table

__all__ = [
    "Chunk",
    "DocumentGold",
    "DocumentOutput",
    "GoldHeading",
    "Heading",
    "Kpi",
    "Question",
    "Row",
    "Table",
]
