"""From one parser's rows over a corpus to its KPIs, axes and composite.

Source: BizDocBench, Composite; decisions R6 and R37 to R40.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from scorer.suites.bizdoc.coverage import PARSED, Coverage, coverage
from scorer.suites.bizdoc.kpis import ANNOTATION, AXES, KPIS, QUALITY_AXES
from scorer.suites.bizdoc.speed import Speed, TimedParse, speed

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document of the manifest.

    Attributes:
        id: unique in the manifest.
        format: pdf, docx, pptx or html.
        pages: None when the manifest does not know.
        annotations: which gold there is: hierarchy, content, tables, qa.
        undefined: the KPIs its gold does not define, whatever a tool does.
    """

    id: str
    format: str
    pages: int | None
    annotations: frozenset[str]
    undefined: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseRow:
    """What became of one document: its status, parse seconds, and pages where the manifest has none."""

    document: str
    status: str
    seconds: float | None = None
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class AxisRow:
    """The KPIs of one document on one quality axis."""

    document: str
    kpis: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite:
    """One parser's result.

    Attributes:
        composite: weighted mean of the axes, in 0..1; None when no axis is defined.
        axes: every axis's score, None where no document in scope defines it.
        kpis: every quality KPI's mean over the documents that define it.
        coverage: in total and by format.
        speed: with the pages per second behind it.
        partial: not the whole manifest, or an axis is missing: never comparable with a published run.
    """

    composite: float | None
    axes: dict[str, float | None]
    kpis: dict[str, float | None]
    coverage: Coverage
    speed: Speed
    partial: bool


def composite(
    documents: Sequence[Document],
    parses: Iterable[ParseRow],
    rows: Mapping[str, Iterable[AxisRow]],
    *,
    ids: Collection[str] | None = None,
    weights: Mapping[str, float] | None = None,
    axes: Collection[str] = AXES,
) -> Composite:
    """Average one parser's rows.

    The documents come from the manifest, never from the rows: a document without a row, or that was not parsed, scores
    0 on every KPI its gold defines.

    Args:
        documents: the whole manifest.
        parses: one row a document at most; rows of other documents are ignored.
        rows: by quality axis, one row a document at most; rows of other documents are ignored.
        ids: the documents in scope; None for all.
        weights: by axis, any sum; an axis not named weighs 1.
        axes: those that were measured; the others are left undefined and make the run partial.

    Raises:
        ValueError: two rows or manifest entries for one document, an id or axis that does not exist, a KPI
            that is missing or not in 0..1 though the gold defines it, weights that are negative, not finite or all 0.
    """
    weight = _weights(weights or {})
    unknown = set(axes) - set(AXES)
    if unknown:
        raise ValueError(f"axes must be among {', '.join(AXES)}, got {', '.join(sorted(unknown))}")
    manifest = _unique("documents", ((document.id, document) for document in documents))
    strangers = sorted(set(ids or ()) - manifest.keys())
    if strangers:
        raise ValueError(f"ids must be documents of the manifest, got {', '.join(strangers)}")
    scope = [document for document in documents if ids is None or document.id in ids]
    parsed = _unique("parse rows", ((row.document, row) for row in parses if row.document in manifest))
    status = {name: row.status for name, row in parsed.items()}
    scored = {
        axis: _unique(
            f"{axis} rows", ((row.document, row.kpis) for row in rows.get(axis, ()) if row.document in manifest)
        )
        for axis in QUALITY_AXES
    }

    covered = coverage({document.id: document.format for document in scope}, status)
    timed = speed(
        TimedParse(
            status=row.status,
            format=document.format,
            pages=row.pages if document.pages is None else document.pages,
            seconds=row.seconds,
        )
        for document in scope
        if (row := parsed.get(document.id))
    )
    means: dict[str, float | None] = {}
    scores: dict[str, float | None] = {
        "coverage": covered.coverage if "coverage" in axes else None,
        "speed": timed.speed if "speed" in axes and scope else None,
    }
    for axis in QUALITY_AXES:
        annotated = [document for document in scope if ANNOTATION[axis] in document.annotations]
        for kpi in KPIS[axis]:
            values = [
                _value(scored[axis].get(document.id), kpi, document.id, status.get(document.id))
                for document in annotated
                if kpi not in document.undefined
            ]
            means[kpi] = _mean(values) if axis in axes else None
        scores[axis] = _mean([mean for kpi in KPIS[axis] if (mean := means[kpi]) is not None])
    defined = {axis: score for axis, score in scores.items() if score is not None}
    total = math.fsum(weight[axis] for axis in defined)
    return Composite(
        composite=math.fsum(weight[axis] * score for axis, score in defined.items()) / total if total else None,
        axes=scores,
        kpis=means,
        coverage=covered,
        speed=timed,
        partial=len(scope) < len(documents) or len(defined) < len(AXES),
    )


def _value(kpis: Mapping[str, float | None] | None, kpi: str, document: str, status: str | None) -> float:
    """Return 0 for what the parser failed on or has no row for."""
    if kpis is None or status != PARSED:
        return 0.0
    value = kpis.get(kpi)
    # The gold alone says what is undefined, or parsers would be averaged over different documents.
    if value is None or not 0 <= value <= 1:
        raise ValueError(f"{kpi} of {document} must be in 0..1 since its gold defines it, got {value}")
    return value


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _weights(weights: Mapping[str, float]) -> dict[str, float]:
    unknown = sorted(set(weights) - set(AXES))
    if unknown:
        raise ValueError(f"weights must name axes among {', '.join(AXES)}, got {', '.join(unknown)}")
    result = {axis: float(weights.get(axis, 1.0)) for axis in AXES}
    for axis, value in result.items():
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"weights must be finite and at least 0, got {value} for {axis}")
    if not any(result.values()):
        raise ValueError("weights must not all be 0")
    return result


def _unique(field: str, items: Iterable[tuple[str, _Item]]) -> dict[str, _Item]:
    found: dict[str, _Item] = {}
    for name, item in items:
        if name in found:
            raise ValueError(f"{field} must have one entry a document, got two for {name}")
        found[name] = item
    return found
