"""The rows of a scoring by yes/no tests: every verdict, headline and families with intervals, standings and pairs.

The headline stands in the store as the composite, each family as an axis, so that every suite is asked the same way.
Documents are resampled whole: a page's tests stay together, and so do a document's pages.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from scorer.omniparse import verdict_rows
from scorer.omniparse.items import items_of
from scorer.scoring import certainty
from scorer.scoring.signatures import Signature
from scorer.scoring.writing import Remark, settle
from scorer.stats import DEFAULT_RESAMPLES, DEFAULT_SEED, Sums
from scorer.store.database import Writer

COMPOSITE = "composite"
POOLED = "pooled_pass_rate"

_VERDICT_ROWS = pa.schema(
    [
        *(
            (name, pa.string())
            for name in ("run_id", "suite", "parser", "document", "source", "test", "family", "kind")
        ),
        ("passed", pa.bool_()),
        ("why", pa.string()),
        ("tags", pa.list_(pa.string())),
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One parser's verdicts.

    Attributes:
        parser: name@version:setting.
        lines: its score lines, one a test.
        summary: of those lines, as the suite's version makes it: `headline` and `families`.
        coverage: what the headline is multiplied by: below 1 where a version leaves pages without answer out.
        signatures: by family and for the composite.
    """

    parser: str
    lines: Sequence[Mapping[str, Any]]
    summary: Mapping[str, Any]
    coverage: float = 1.0
    signatures: Mapping[str, Signature]

    def headline(self) -> float | None:
        """Return the headline over all pages."""
        found = self.summary["headline"]
        return None if found is None else found * self.coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """A run scored: where its gold lay, what it is partial for, and remarks."""

    run_id: str
    suite: str
    families: tuple[str, ...]
    dataset: str
    gold_digest: str
    partial: tuple[str, ...] = ()
    remarks: Sequence[Remark] = ()
    now: datetime


def write(writer: Writer, scoring: Scoring, judged: Sequence[Judged]) -> int:
    """Replace the run's verdicts and figures of the suite within a transaction; return how many figures there are."""
    key = {"run_id": scoring.run_id, "suite": scoring.suite}
    for table in ("verdicts", "kpis"):
        writer.execute(f"delete from {table} where run_id = ? and suite = ?", [scoring.run_id, scoring.suite])
    for mine in judged:
        rows = list(verdict_rows(mine.lines, parser=mine.parser, **key))
        writer.insert_arrow("verdicts", pa.Table.from_pylist(rows, schema=_VERDICT_ROWS))
    known = _certainty(judged, scoring.families)
    figures = [key | row for mine in judged for row in _figures(mine, scoring.families, known)]
    writer.insert("kpis", figures)
    settle(
        writer,
        key,
        known=known,
        signatures=[signature for mine in judged for signature in mine.signatures.values()],
        remarks=scoring.remarks,
        scoring={
            "scored_at": scoring.now,
            "axes": list(scoring.families),
            "embedder": None,
            "weights": "{}",
            "partial": bool(scoring.partial),
            "partial_reasons": sorted(scoring.partial),
            "corpus_path": scoring.dataset,
            "gold_digest": scoring.gold_digest,
        },
    )
    return len(figures)


def _certainty(judged: Sequence[Judged], families: Sequence[str]) -> certainty.Certainty:
    known = certainty.Certainty(DEFAULT_SEED, DEFAULT_RESAMPLES)
    if not judged:
        return known
    gathered = items_of({mine.parser: mine.lines for mine in judged}).sums()
    coverage = np.array([mine.coverage for mine in judged])
    conditions = [{name: signature.conditions for name, signature in mine.signatures.items()} for mine in judged]
    for name in (COMPOSITE, *families):
        part = gathered
        if name == COMPOSITE:
            # A factor on every rate is a factor on their mean.
            part = replace(part, total=part.total * coverage[:, None, None])
        else:
            part = part.of_component(name)
        found = [mine.headline() if name == COMPOSITE else _score(mine, name) for mine in judged]
        ranked = np.array([score is not None for score in found]) & np.isfinite(part.headlines())
        for shared in dict.fromkeys(mine[name] for mine in conditions):
            chosen = ranked & np.array([mine[name] == shared for mine in conditions])
            if chosen.any():
                certainty.add_headline(known, _of_systems(part, np.flatnonzero(chosen)).narrowed(), name)
    return known


def _of_systems(sums: Sums, chosen: "np.ndarray[Any, np.dtype[np.intp]]") -> Sums:
    systems = tuple(sums.systems[index] for index in chosen)
    return replace(sums, systems=systems, total=sums.total[chosen], count=sums.count[chosen])


def _figures(mine: Judged, families: Sequence[str], known: certainty.Certainty) -> Iterator[dict[str, Any]]:
    scored = [line for line in mine.lines if line["result"] != "unsupported"]
    pooled = sum(line["result"] == "pass" for line in scored) / len(scored) if scored else None
    missing = [name for name in families if _score(mine, name) is None]
    no_headline = f"no test of {', '.join(missing)} was scored: a mean over fewer families is another number"
    yield _figure(mine, COMPOSITE, COMPOSITE, mine.headline(), no_headline, known)
    yield _figure(mine, COMPOSITE, POOLED, pooled, "no test was scored", known, in_axis=False)
    for name in families:
        yield _figure(mine, name, name, _score(mine, name), "none of its tests was scored", known)


def _score(mine: Judged, family: str) -> float | None:
    found = mine.summary["families"].get(family)
    return None if found is None else found["score"]


def _figure(
    mine: Judged,
    axis: str,
    kpi: str,
    value: float | None,
    why_not: str,
    known: certainty.Certainty,
    *,
    in_axis: bool = True,
) -> dict[str, Any]:
    ends = known.intervals.get((mine.parser, kpi)) if value is not None else None
    percentile = ends.percentile if ends else None
    small = ends.small_sample if ends else None
    return {
        "parser": mine.parser,
        "document": None,
        "axis": axis,
        "kpi": kpi,
        "value": value,
        "reason": why_not if value is None else None,
        "in_axis": in_axis,
        "bounded": False,
        "lower": percentile.lower if percentile else None,
        "upper": percentile.upper if percentile else None,
        "small_sample_lower": small.lower if small else None,
        "small_sample_upper": small.upper if small else None,
        "signature": mine.signatures[axis].signature,
    }
