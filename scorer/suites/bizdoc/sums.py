"""Parsers' rows as the statistics take them: what each document adds to each KPI.

The components are the KPIs of the axes, weighted as the composite forms its mean: an axis' weight is divided equally
over its KPIs that some document defines. So the headline of these sums is the composite, and of one axis' components
that axis.
Source: BizDocBench, Composite and Speed; the same decisions as composite.py.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from scorer.stats import Scale, Sums
from scorer.stats.items import Floats
from scorer.suites.bizdoc.composite import AxisRow, Document, ParseRow, composite
from scorer.suites.bizdoc.coverage import PARSED
from scorer.suites.bizdoc.kpis import ANNOTATION, AXES, KPIS, QUALITY_AXES
from scorer.suites.bizdoc.speed import FULL_SCORE_PAGES_PER_SECOND

COMPOSITE = "composite"

_FULL = math.log(1 + FULL_SCORE_PAGES_PER_SECOND)


def _speed(pages_per_second: Floats) -> Floats:
    return np.clip(np.log1p(pages_per_second) / _FULL, 0.0, 1.0)


def _speed_slope(pages_per_second: Floats) -> Floats:
    slope = 1 / ((1 + pages_per_second) * _FULL)
    return np.where(pages_per_second < FULL_SCORE_PAGES_PER_SECOND, slope, 0.0)


SPEED = Scale(value=_speed, slope=_speed_slope, empty=0.0, lowest=0.0, highest=1.0)
"""Pages over seconds, not a mean over documents; flat beyond the full score; 0 for a parser that parsed nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """One parser's rows, as ``composite`` takes them; the documents are those in scope."""

    documents: tuple[Document, ...]
    parses: tuple[ParseRow, ...]
    axes: Mapping[str, tuple[AxisRow, ...]]


def sums(
    parsers: Mapping[str, Rows], *, weights: Mapping[str, float] | None = None, axes: Collection[str] = AXES
) -> Sums:
    """Gather the rows of several parsers; the headline is the composite.

    A document that a parser failed on counts 0 for every KPI its gold defines; one whose gold does not define a KPI
    counts nowhere. Speed counts the documents a parser parsed and whose pages are known.

    Args:
        parsers: rows by parser.
        weights: by axis, any sum; an axis not named weighs 1.
        axes: those that were measured.

    Raises:
        ValueError: rows that ``composite`` refuses.
    """
    documents = tuple(dict.fromkeys(document.id for rows in parsers.values() for document in rows.documents))
    place = {document: index for index, document in enumerate(documents)}
    components = tuple(kpi for axis in AXES if axis in axes for kpi in KPIS[axis])
    column = {kpi: index for index, kpi in enumerate(components)}
    total = np.zeros((len(parsers), len(documents), len(components)))
    count = np.zeros_like(total)
    for parser, rows in enumerate(parsers.values()):
        composite(rows.documents, rows.parses, rows.axes, weights=weights, axes=axes)  # refuses what cannot be averaged
        parses = {row.document: row for row in rows.parses}
        scored = {axis: {row.document: row.kpis for row in rows.axes.get(axis, ())} for axis in QUALITY_AXES}
        for document in rows.documents:
            here = place[document.id]
            parse = parses.get(document.id)
            parsed = parse is not None and parse.status == PARSED
            if "coverage" in axes:
                total[parser, here, column["coverage"]] = float(parsed)
                count[parser, here, column["coverage"]] = 1.0
            if "speed" in axes and parse is not None and parsed:
                pages = parse.pages if document.pages is None else document.pages
                if pages is not None:
                    total[parser, here, column["speed"]] = pages
                    count[parser, here, column["speed"]] = parse.seconds or 0.0
            for axis in QUALITY_AXES:
                if axis in axes and ANNOTATION[axis] in document.annotations:
                    found = scored[axis].get(document.id) if parsed else None
                    for kpi in KPIS[axis]:
                        if kpi not in document.undefined:
                            total[parser, here, column[kpi]] = (found or {}).get(kpi) or 0.0
                            count[parser, here, column[kpi]] = 1.0
    scales = {"speed": SPEED} if "speed" in axes and documents else {}
    gathered = Sums(tuple(parsers), documents, components, total, count, np.ones(len(components)), scales)
    defined = dict(zip(components, gathered.used_weights() > 0, strict=True))
    share = np.zeros(len(components))
    for axis in AXES:
        kpis = [kpi for kpi in KPIS[axis] if defined.get(kpi)]
        for kpi in kpis:
            share[column[kpi]] = (weights or {}).get(axis, 1.0) / len(kpis)
    return gathered.reweighted(share)


def headline(gathered: Sums, name: str) -> Sums:
    """Return the sums whose headline is the composite, an axis or a KPI, over the documents that count for it."""
    if name == COMPOSITE:
        return gathered.narrowed()
    kpis = KPIS.get(name, (name,))
    return gathered.reweighted(np.array([float(kpi in kpis) for kpi in gathered.components])).narrowed()
