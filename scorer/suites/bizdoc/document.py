"""One document: its gold, a tool's output of it, and the KPIs of both.

Source: BizDocBench, axes and KPIs; decision R6.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from scorer.suites.bizdoc import faithfulness, hallucination, hierarchy, retrieval, tables, text
from scorer.suites.bizdoc import longest_common_subsequence as lcs
from scorer.suites.bizdoc.headings import GoldHeading, Heading
from scorer.suites.bizdoc.kpis import KPIS, SUPPLEMENTARY, Kpi
from scorer.suites.bizdoc.retrieval import Chunk, Question
from scorer.suites.bizdoc.tables import Table

Scores = Mapping[str, Mapping[str, Kpi]]
"""KPIs by axis and name; an axis the document is not annotated for is absent."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedGold:
    """Gold with everything done that does not depend on a tool.

    Attributes:
        headings: the flattened tree.
        content: the normal form of the text.
        tables: with every cell normalised.
        questions: as they are.
        undefined: by KPI, why the gold does not define it, whatever a tool does.
    """

    headings: hierarchy.PreparedHeadings | None
    content: str | None
    tables: tuple[tables.PreparedTable, ...] | None
    questions: tuple[Question, ...] | None
    undefined: Mapping[str, str]

    @property
    def axes(self) -> tuple[str, ...]:
        """The quality axes the document takes part in."""
        annotated = {
            "hierarchy": self.headings,
            "faithfulness": self.content,
            "tables": self.tables,
            "retrieval": self.questions,
        }
        return tuple(axis for axis, gold in annotated.items() if gold is not None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Gold and output compared: the KPIs of the axes, and by axis the figures that stand beside them."""

    scores: Scores
    supplementary: Scores


def prepare(gold: DocumentGold) -> PreparedGold:
    """Prepare one document's gold once, to compare many tools with it."""
    headings = None if gold.headings is None else hierarchy.prepare(gold.headings)
    prepared = None if gold.tables is None else tables.prepare(gold.tables)
    undefined: dict[str, str] = {}
    if headings is not None and not headings.normalised:
        undefined |= dict.fromkeys(KPIS["hierarchy"], "the gold has no headings")
    elif headings is not None and not headings.edges:
        undefined["parent_chain_accuracy"] = "no heading of the gold has a parent"
    if prepared is not None and not prepared:
        undefined |= dict.fromkeys(KPIS["tables"], "the gold has no tables")
    elif prepared is not None:
        if not any(table.rows for table in prepared):
            undefined["table_record_match"] = "no table of the gold has a row"
        if not any(table.header_columns for table in prepared):
            undefined["table_header_accuracy"] = "no table of the gold has a header row with text"
    if gold.questions is not None and not any(question.defined for question in gold.questions):
        undefined |= dict.fromkeys(KPIS["retrieval"], "no question of the gold has evidence or an answer")
    return PreparedGold(
        headings=headings,
        content=None if gold.content is None else text.normalise(gold.content),
        tables=prepared,
        questions=gold.questions,
        undefined=undefined,
    )


def score(gold: PreparedGold, output: DocumentOutput, *, cells: int = lcs.CELLS) -> Scores:
    """Return the KPIs alone; see ``compare``."""
    return compare(gold, output, cells=cells).scores


def compare(
    gold: PreparedGold, output: DocumentOutput, *, cells: int = lcs.CELLS, longest: int = faithfulness.LONGEST
) -> Comparison:
    """Return the figures of the hierarchy, faithfulness and tables axes the document is annotated for.

    Args:
        gold: prepared by ``prepare``.
        output: of a document the tool parsed; for the others see ``failed`` and ``failed_supplementary``.
        cells: work budget of nid.
        longest: characters read of one text at most.

    Raises:
        ValueError: a heading reports a parent that is itself or is not in the list.
    """
    supplementary: dict[str, Mapping[str, Kpi]] = {}
    scores: dict[str, dict[str, Kpi]] = {}
    if gold.headings is not None:
        found = hierarchy.hierarchy(gold.headings, output.headings)
        scores["hierarchy"] = _kpis(gold, dataclasses.asdict(found))
    if gold.content is not None:
        similarity, rates = _text(gold.content, output.text, cells=cells, longest=longest)
        scores["faithfulness"] = {"nid": similarity}
        supplementary["faithfulness"] = rates
    if gold.tables is not None:
        matched = tables.tables(gold.tables, tables.prepare(output.tables))
        scores["tables"] = _kpis(gold, dataclasses.asdict(matched))
    return Comparison(scores, supplementary)


def score_retrieval(
    gold: PreparedGold, chunks: Sequence[Chunk], chunk_vectors: ArrayLike, question_vectors: ArrayLike
) -> Mapping[str, Kpi]:
    """Return the KPIs of the retrieval axis; see ``retrieval.recall`` for the vectors.

    Raises:
        ValueError: the document has no questions, or the vectors do not fit.
    """
    if gold.questions is None:
        raise ValueError("questions of the gold must be there to score retrieval, got None")
    return _kpis(gold, retrieval.recall(chunks, chunk_vectors, gold.questions, question_vectors))


def failed(gold: PreparedGold) -> Scores:
    """Return the KPIs of a document the tool did not parse: 0 on all that the gold defines, retrieval included."""
    return {axis: _kpis(gold, dict.fromkeys(KPIS[axis], 0.0)) for axis in gold.axes}


def failed_supplementary(gold: PreparedGold, reason: str) -> Scores:
    """Return what stands beside the axes of a document the tool did not parse.

    All of the gold is missing. Nothing was invented, but that is no merit: without a text there is no rate.

    Args:
        gold: prepared by ``prepare``.
        reason: why there is no text.
    """
    if gold.content is None:
        return {}
    return {"faithfulness": _rates(hallucination.rates(gold.content, ""), reason)}


def _text(gold: str, pred: str, *, cells: int, longest: int) -> tuple[Kpi, dict[str, Kpi]]:
    """Return nid and the rates beside it; the tool's text is normalised once for both."""
    if not faithfulness.readable(gold, pred, longest=longest):
        unread = Kpi(value=None, reason=f"a text is longer than {longest} characters: it was not read")
        return _nid(faithfulness.UNKNOWN), dict.fromkeys(SUPPLEMENTARY["faithfulness"], unread)
    normalised = text.normalise(pred)
    similarity = _nid(faithfulness.similarity(gold, normalised, cells=cells))
    return similarity, _rates(hallucination.rates(gold, normalised), "")


def _rates(found: hallucination.Rates, reason: str) -> dict[str, Kpi]:
    return {
        name: Kpi(value=rate, reason=reason or ("" if rate is not None else f"{side} has no letters or digits"))
        for name, rate, side in (
            ("hallucination_rate", found.hallucination_rate, "the tool's text"),
            ("omission_rate", found.omission_rate, "the gold"),
        )
    }


def _kpis(gold: PreparedGold, values: Mapping[str, float | None]) -> dict[str, Kpi]:
    return {
        kpi: Kpi(value=None, reason=gold.undefined[kpi]) if kpi in gold.undefined else Kpi(value=value)
        for kpi, value in values.items()
    }


def _nid(found: faithfulness.Nid) -> Kpi:
    if not found.bounded:
        return Kpi(value=found.lower)
    return Kpi(
        value=found.lower,
        reason="too long to compare within the work budget: the lower bound stands for it",
        lower=found.lower,
        upper=found.upper,
    )
