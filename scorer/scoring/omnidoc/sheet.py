"""Figures of pages and over a run, with their intervals, standings and signatures."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pyarrow as pa

from scorer.scoring import certainty, signatures
from scorer.scoring.certainty import Certainty, Ends
from scorer.scoring.inputs import Inputs
from scorer.scoring.signatures import Signature
from scorer.scoring.writing import KPI_ROWS, Remark, settle
from scorer.stats import DEFAULT_RESAMPLES, DEFAULT_SEED
from scorer.store.database import Writer
from scorer.suites.omnidoc.evaluation import ElementScores
from scorer.suites.omnidoc.figures import ELEMENTS, OVERALL, PARTS, PageFigures, headline, page_figures, sums

__all__ = ["Scoring", "Sheet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How a run is scored.

    Attributes:
        key: run and suite.
        gold_path: where the gold lay.
        gold_digest: of the gold that was read.
        renderer: what drew the formulas; None: nothing did.
        no_renderer: why.
        now: the time, UTC.
        elements: what is scored, and the metric each is ranked by.
        task: what else a configuration says that figures depend on.
    """

    key: Mapping[str, str]
    gold_path: str
    gold_digest: str
    renderer: str | None
    no_renderer: str
    now: datetime
    elements: Mapping[str, str] = field(default_factory=lambda: ELEMENTS)
    task: Mapping[str, Any] = field(default_factory=dict)


class Sheet:
    """Collects the evaluations of a run's parsers and writes what follows from them.

    Args:
        given: the run.
        scoring: how it is scored.
        pages: the images, in the order of the annotations.
    """

    def __init__(self, given: Inputs, scoring: Scoring, pages: Sequence[str]) -> None:
        self._given = given
        self._scoring = scoring
        self._pages = pages
        self._figures: dict[str, PageFigures] = {}
        self._over_run: dict[str, Mapping[str, float | None]] = {}
        self._bounded: dict[str, set[str]] = {}

    def add(self, parser: str, elements: Mapping[str, ElementScores], over_run: Mapping[str, float | None]) -> None:
        """Add a parser's elements, and figures that stand for the whole run alone; nothing is kept but figures."""
        self._figures[parser] = page_figures(elements, self._scoring.elements)
        self._over_run[parser] = over_run
        self._bounded[parser] = {
            element
            for element, scores in elements.items()
            if any(getattr(sample, "bounds", None) for sample in scores.samples)
        }

    def write(self, writer: Writer, remarks: Sequence[Remark]) -> int:
        """Replace the run's figures, and return how many rows were written."""
        signed = {parser["parser"]: self._signatures(parser) for parser in self._given.parsers}
        known = self._certainty(signed)
        kpis = [row for parser in sorted(self._figures) for row in self._rows(parser, signed[parser], known)]
        partial = self._partial()
        where = [self._scoring.key["run_id"], self._scoring.key["suite"]]
        writer.execute("delete from kpis where run_id = ? and suite = ?", where)
        writer.insert_arrow("kpis", pa.Table.from_pylist(kpis, schema=KPI_ROWS))
        settle(
            writer,
            self._scoring.key,
            known=known,
            signatures=[signature for found in signed.values() for signature in found.values()],
            remarks=remarks,
            scoring={
                "scored_at": self._scoring.now,
                "axes": [*self._scoring.elements, *([OVERALL] if self._has_overall() else [])],
                "embedder": None,
                "weights": json.dumps({}),
                "partial": bool(partial),
                "partial_reasons": partial,
                "corpus_path": self._scoring.gold_path,
                "gold_digest": self._scoring.gold_digest,
            },
        )
        return len(kpis)

    def _has_overall(self) -> bool:
        return self._scoring.elements.keys() >= set(PARTS)

    def _partial(self) -> list[str]:
        reasons = []
        if not self._given.whole:
            reasons.append("not every page of the annotations was in scope")
        if not self._given.parsed:
            reasons.append("the run is not finished")
        if self._scoring.renderer is None and self._scoring.elements.get("display_formula") == "CDM":
            reasons.append("display_formula has no CDM")
        return reasons

    def _signatures(self, parser: Mapping[str, Any]) -> dict[str, Signature]:
        found = {
            element: signatures.of_axis(
                element,
                suite=self._scoring.key["suite"],
                inputs=self._given,
                parser=parser,
                gold_digest=self._scoring.gold_digest,
                renderer=self._scoring.renderer if element == "display_formula" else None,
                task=self._scoring.task,
            )
            for element in self._scoring.elements
        }
        if self._has_overall():
            parts = {element: found[element] for element in PARTS}
            found[OVERALL] = signatures.of_composite(
                parts, suite=self._scoring.key["suite"], weights={}, parser=parser["parser"], name=OVERALL
            )
        return found

    def _certainty(self, signed: Mapping[str, Mapping[str, Signature]]) -> Certainty:
        """Rank parsers by Overall and every element, each among those under the same conditions."""
        known = Certainty(DEFAULT_SEED, DEFAULT_RESAMPLES)
        groups: dict[tuple[str, ...], list[str]] = {}
        for parser in sorted(self._figures):
            groups.setdefault(tuple(one.conditions for one in signed[parser].values()), []).append(parser)
        for members in groups.values():
            gathered = sums({parser: self._figures[parser] for parser in members}, self._pages)
            if any(self._over_run[parser].get(OVERALL) is not None for parser in members):
                certainty.add_headline(known, headline(gathered, OVERALL), OVERALL)
            for name in gathered.components:
                add = certainty.add_headline if name in self._scoring.elements else certainty.add_intervals
                add(known, headline(gathered, name), name)
        return known

    def _rows(self, parser: str, signed: Mapping[str, Signature], known: Certainty) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        figures = self._figures[parser]
        elements = self._scoring.elements
        for name in sorted({*figures, *elements}):
            element = name.partition(".")[0]
            pages = figures.get(name, {})
            common = {
                **self._scoring.key,
                "parser": parser,
                "axis": element,
                "kpi": name,
                "in_axis": name in elements,
                "bounded": element in self._bounded[parser],
                "signature": signed[element].signature,
            }
            if name in elements:
                rows += [{**common, "document": page, "value": value} for page, value in pages.items()]
            mean = math.fsum(pages.values()) / len(pages) if pages else None
            reason = None if pages else self._why_none(element)
            rows.append({**common, "value": mean, "reason": reason, **_ends(known.intervals.get((parser, name)))})
        for name, value in self._over_run[parser].items():
            element = name.partition(".")[0]
            axis = element if element in elements else OVERALL
            rows.append(
                {
                    **self._scoring.key,
                    "parser": parser,
                    "axis": axis,
                    "kpi": name,
                    "value": value,
                    "reason": self._why_no_overall(parser, name) if value is None else None,
                    "in_axis": name == OVERALL,
                    "bounded": axis == OVERALL and bool(self._bounded[parser] - {"reading_order"}),
                    "signature": signed[axis].signature,
                    **_ends(known.intervals.get((parser, name))),
                }
            )
        return rows

    def _why_none(self, element: str) -> str:
        if self._scoring.elements[element] == "CDM" and self._scoring.no_renderer:
            return self._scoring.no_renderer
        return f"no page that was predicted has a {element} in its gold"

    def _why_no_overall(self, parser: str, name: str) -> str:
        if name == "homeless":
            return "nothing was predicted"
        lacking = [name for name in PARTS if name not in self._figures[parser]]
        return f"{lacking[0]}: {self._why_none(lacking[0])}"


def _ends(ends: Ends | None) -> dict[str, float | None]:
    """Return the columns of a figure's interval: the percentile one, and the studentised one over few pages."""
    columns: dict[str, float | None] = {}
    if ends and ends.percentile:
        columns |= {"lower": ends.percentile.lower, "upper": ends.percentile.upper}
    if ends and ends.small_sample:
        columns |= {"small_sample_lower": ends.small_sample.lower, "small_sample_upper": ends.small_sample.upper}
    return columns
