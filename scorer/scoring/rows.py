"""The rows of a scoring: of documents, over the run, and the composite; replaced in one transaction."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pyarrow as pa

from scorer.scoring import certainty, signatures
from scorer.scoring.agreement import Compared, Structure
from scorer.scoring.documents import CHUNKS, OUTPUT, Scored
from scorer.scoring.inputs import ABSENT, Inputs
from scorer.scoring.signatures import Signature
from scorer.scoring.writing import KPI_ROWS, Remark, settle
from scorer.store.database import Database, Writer
from scorer.suites.bizdoc import Kpi, composite
from scorer.suites.bizdoc.kpis import AXES, KPIS, QUALITY_AXES, SUPPLEMENTARY
from scorer.suites.bizdoc.sums import COMPOSITE, Rows

_STRUCTURE = Structure.__dataclass_fields__
_AGREEMENT_ROWS = pa.schema(
    [
        *((name, pa.string()) for name in ("run_id", "suite", "document", "parser_a", "parser_b")),
        ("agreement", pa.float64()),
        ("reason", pa.string()),
        *((f"{name}_{side}", pa.int64()) for name in _STRUCTURE for side in "ab"),
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How a run is scored: suite, axes scored now, composite weights, the embedder's signature, where the gold lay."""

    suite: str
    axes: tuple[str, ...]
    weights: dict[str, float]
    embedder: str | None
    corpus: str
    gold_digest: str
    now: datetime


Sign = Callable[[str, Mapping[str, Any]], Signature]
"""Returns the signature of an axis and a parser's row."""


def write(
    database: Database,
    given: Inputs,
    scoring: Scoring,
    scored: Mapping[tuple[str, str], Scored],
    compared: Sequence[Compared],
    sign: Sign,
    remarks: Sequence[Remark],
) -> int:
    """Replace the run's figures of the axes scored, and its composite; return how many rows were written.

    Figures of the other axes stay, and enter the composite as they are. Standings and pairs are replaced as a whole;
    with faithfulness, so are the agreements of the parsers.

    Raises:
        StorageFailed: they could not be written; the earlier ones are as they were.
    """
    run_id = given.run["run_id"]
    with database.write() as writer:
        kept = _Kept(writer, run_id, scoring)
        sheet = _Sheet(given, scoring, sign, kept)
        for parser in given.parsers:
            sheet.add(parser, scored)
        known = sheet.settled()
        where = "run_id = ? and suite = ? and (axis in (select unnest(?)) or axis = 'composite')"
        writer.execute(f"delete from kpis where {where}", [run_id, scoring.suite, list(scoring.axes)])
        # A parser that was ready when the run was last scored may not be now.
        writer.execute(
            "delete from kpis where run_id = ? and suite = ? and parser not in (select unnest(?::varchar[]))",
            [run_id, scoring.suite, [parser["parser"] for parser in given.parsers]],
        )
        writer.insert_arrow("kpis", pa.Table.from_pylist(sheet.kpis, schema=KPI_ROWS))
        if "faithfulness" in scoring.axes:
            writer.execute("delete from agreements where run_id = ? and suite = ?", [run_id, scoring.suite])
            agreements = [row for found in compared for row in _agreements(run_id, scoring.suite, found)]
            writer.insert_arrow("agreements", pa.Table.from_pylist(agreements, schema=_AGREEMENT_ROWS))
        settle(
            writer,
            {"run_id": run_id, "suite": scoring.suite},
            known=known,
            signatures=sheet.signatures.values(),
            remarks=remarks,
            scoring={
                "scored_at": scoring.now,
                "axes": list(scoring.axes),
                "embedder": scoring.embedder if "retrieval" in scoring.axes else kept.embedder,
                "weights": json.dumps(scoring.weights),
                "partial": bool(sheet.partial),
                "partial_reasons": sorted(sheet.partial),
                "corpus_path": scoring.corpus,
                "gold_digest": scoring.gold_digest,
            },
            looked_at={
                OUTPUT: {document for (_, document), found in scored.items() if set(found.kpis) - {"retrieval"}},
                CHUNKS: {document for (_, document), found in scored.items() if "retrieval" in found.kpis},
            },
        )
    return len(sheet.kpis)


def _agreements(run_id: str, suite: str, compared: Compared) -> Iterator[dict[str, Any]]:
    for pair in compared.pairs:
        sides = {"a": compared.structures[pair.parser_a], "b": compared.structures[pair.parser_b]}
        yield {
            "run_id": run_id,
            "suite": suite,
            "document": compared.document,
            "parser_a": pair.parser_a,
            "parser_b": pair.parser_b,
            "agreement": pair.agreement,
            "reason": pair.reason or None,
            **{f"{name}_{side}": getattr(found, name) for side, found in sides.items() for name in _STRUCTURE},
        }


class _Kept:
    """What stays in the store of the axes that are not scored now."""

    def __init__(self, writer: Writer, run_id: str, scoring: Scoring) -> None:
        found = writer.execute(
            "select k.parser, k.document, k.axis, k.kpi, k.value, k.bounded, s.signature, s.conditions, s.content"
            " from kpis k join signatures s on s.signature = k.signature where k.run_id = ? and k.suite = ?"
            " and k.axis <> 'composite' and k.in_axis and k.axis not in (select unnest(?))",
            [run_id, scoring.suite, list(scoring.axes)],
        )
        self.kpis: dict[tuple[str, str, str], dict[str, float | None]] = {}
        self.signatures: dict[tuple[str, str], Signature] = {}
        self.bounded: set[tuple[str, str]] = set()
        for parser, document, axis, kpi, value, bounded, *signature in found:
            self.signatures[parser, axis] = Signature(*signature)
            if bounded:
                self.bounded.add((parser, axis))
            if document is not None:
                self.kpis.setdefault((parser, axis, document), {})[kpi] = value
        earlier = writer.execute(
            "select embedder from scorings where run_id = ? and suite = ?", [run_id, scoring.suite]
        )
        self.embedder: str | None = earlier[0][0] if earlier else None


@dataclass(slots=True)
class _Sheet:
    """Collects the rows, parser by parser."""

    given: Inputs
    scoring: Scoring
    sign: Sign
    kept: _Kept
    kpis: list[dict[str, Any]] = field(default_factory=list)
    signatures: dict[str, Signature] = field(default_factory=dict)
    partial: set[str] = field(default_factory=set)
    rows: dict[str, Rows] = field(default_factory=dict)
    conditions: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.given.whole:
            self.partial.add("not every document of the manifest was in scope")
        if not self.given.parsed:
            self.partial.add("the run is not finished")

    def add(self, parser: Mapping[str, Any], scored: Mapping[tuple[str, str], Scored]) -> None:
        """Add one parser's rows."""
        name = parser["parser"]
        signed = {axis: self.sign(axis, parser) for axis in self.scoring.axes}
        signed |= {axis: s for (owner, axis), s in self.kept.signatures.items() if owner == name}
        self.signatures |= {signature.signature: signature for signature in signed.values()}
        bounded = {axis for owner, axis in self.kept.bounded if owner == name}
        values: dict[str, dict[str, Mapping[str, float | None]]] = {axis: {} for axis in QUALITY_AXES}
        beside: dict[str, list[float]] = {}
        for document in self.given.documents:
            result = scored.get((name, document.id))
            for axis in QUALITY_AXES:
                found: Mapping[str, float | None] | None
                if axis in self.scoring.axes:
                    kpis = result.kpis.get(axis) if result else None
                    for kpi, value in (kpis or {}).items():
                        cut = value.bounded or (result is not None and result.bounded)
                        if cut:
                            bounded.add(axis)
                        self._row(name, document.id, axis, kpi, value, signed[axis], bounded=cut)
                    found = None if kpis is None else {kpi: value.value for kpi, value in kpis.items()}
                else:
                    found = self.kept.kpis.get((name, axis, document.id))
                if found is not None:
                    values[axis][document.id] = found
            for axis, figures in (result.supplementary if result else {}).items():
                for kpi, value in figures.items():
                    cut = result is not None and result.bounded
                    self._row(name, document.id, axis, kpi, value, signed[axis], in_axis=False, bounded=cut)
                    if value.value is not None:
                        beside.setdefault(kpi, []).append(value.value)
            if "coverage" in self.scoring.axes:
                measured = self.given.measured.get((name, document.id), ABSENT)
                figure = Kpi(value=float(measured.parsed), reason=measured.failure)
                self._row(name, document.id, "coverage", "coverage", figure, signed["coverage"])
        averaged = self.rows[name] = certainty.rows(self.given, name, values)
        self.conditions[name] = {axis: signature.conditions for axis, signature in signed.items()}
        over_run = composite.composite(
            averaged.documents,
            averaged.parses,
            averaged.axes,
            weights=self.scoring.weights,
            axes=[axis for axis in AXES if axis in signed],
        )
        self._over_run(name, signed, bounded, over_run)
        self._supplementary_over_run(name, signed, beside)

    def settled(self) -> certainty.Certainty:
        """Return what is known of all parsers together, their figures over the run completed by their intervals."""
        known = certainty.certainty(self.rows, self.conditions, weights=self.scoring.weights)
        for row in self.kpis:
            ends = known.intervals.get((row["parser"], row["kpi"])) if row["document"] is None else None
            if ends and ends.percentile:
                row["lower"], row["upper"] = ends.percentile.lower, ends.percentile.upper
            if ends and ends.small_sample:
                row["small_sample_lower"], row["small_sample_upper"] = ends.small_sample.lower, ends.small_sample.upper
        return known

    def _over_run(
        self, name: str, signed: Mapping[str, Signature], bounded: set[str], result: composite.Composite
    ) -> None:
        for axis in self.scoring.axes:
            missing = "the gold of no document in scope defines it" if axis in QUALITY_AXES else ""
            figures = {kpi: result.kpis.get(kpi) for kpi in KPIS[axis]} | {axis: result.axes[axis]}
            for kpi, value in figures.items():
                reason = "" if value is not None else missing or "no document is in scope"
                self._row(name, None, axis, kpi, Kpi(value=value, reason=reason), signed[axis], bounded=axis in bounded)
        if "speed" in self.scoring.axes:
            for kpi in ("aggregate", "mean", "aggregate_pdf", "mean_pdf"):
                value = getattr(result.speed, f"pages_per_sec_{kpi}")
                reason = "" if value is not None else "no document with known pages was parsed"
                figure = Kpi(value=value, reason=reason)
                self._row(name, None, "speed", f"pages_per_sec_{kpi}", figure, signed["speed"], in_axis=False)
        if "coverage" in self.scoring.axes:
            rates = {"assisted_rate": result.coverage.assisted_rate} | {
                f"coverage_{format}": rate for format, rate in result.coverage.by_format.items()
            }
            for kpi, value in rates.items():
                reason = "" if value is not None else "no document is in scope"
                figure = Kpi(value=value, reason=reason)
                self._row(name, None, "coverage", kpi, figure, signed["coverage"], in_axis=False)
        for axis in AXES:
            if axis not in signed:
                self.partial.add(f"{axis} was not scored")
            elif result.axes[axis] is None:
                self.partial.add(f"no document in scope has gold for {axis}")
        signature = signatures.of_composite(signed, suite=self.scoring.suite, weights=self.scoring.weights, parser=name)
        self.signatures[signature.signature] = signature
        self.conditions[name][COMPOSITE] = signature.conditions
        reason = "" if result.composite is not None else "no axis with a weight is defined"
        figure = Kpi(value=result.composite, reason=reason)
        self._row(name, None, COMPOSITE, COMPOSITE, figure, signature, bounded=bool(bounded))

    def _supplementary_over_run(
        self, name: str, signed: Mapping[str, Signature], values: Mapping[str, Sequence[float]]
    ) -> None:
        """Add the means over the documents that have a value: a parser's own, since a failure has no text to judge."""
        for axis, kpis in SUPPLEMENTARY.items():
            if axis in self.scoring.axes:
                for kpi in kpis:
                    found = values.get(kpi)
                    mean = math.fsum(found) / len(found) if found else None
                    reason = "" if found else "no document in scope has gold and a text to compare"
                    self._row(name, None, axis, kpi, Kpi(value=mean, reason=reason), signed[axis], in_axis=False)

    def _row(
        self,
        parser: str,
        document: str | None,
        axis: str,
        kpi: str,
        figure: Kpi,
        signature: Signature,
        *,
        in_axis: bool = True,
        bounded: bool = False,
    ) -> None:
        self.kpis.append(
            {
                "run_id": self.given.run["run_id"],
                "suite": self.scoring.suite,
                "parser": parser,
                "document": document,
                "axis": axis,
                "kpi": kpi,
                "value": figure.value,
                "reason": figure.reason or None,
                "in_axis": in_axis,
                "bounded": bounded,
                "lower": figure.lower,
                "upper": figure.upper,
                "signature": signature.signature,
            }
        )
