"""Two runs of the store compared, as data: what a terminal or a gate in a parser's own tests shows."""

import json
from dataclasses import asdict
from typing import Any

from scorer.report.changes import record
from scorer.report.comparison import Run, compare
from scorer.scoring import inputs, signatures
from scorer.scoring.score import SUITE, VERSION
from scorer.store.database import Database
from scorer.store.errors import Unknown
from scorer.suites.bizdoc.kpis import AXES


def comparison(database: Database, before: str, after: str, *, suite: str = "") -> dict[str, Any]:
    """Return how two scored runs differ, ready for JSON.

    Keys: ``before`` and ``after`` (each run's id, start, commit and corpus), ``suite``, and those of ``Comparison``,
    with ``worse``: what is worse beyond doubt.

    Args:
        database: the store.
        before: id of the earlier run.
        after: id of the later one.
        suite: name@version; empty: the one this docassay scores with.

    Raises:
        Unknown: there is no such run, or it was not scored.
        ValueError: the runs share no document or no parser.
    """
    suite = suite or f"{SUITE}@{VERSION}"
    runs = [read(database, run_id, suite) for run_id in (before, after)]
    found = compare(*runs)
    return {
        "before": record(runs[0].given),
        "after": record(runs[1].given),
        "suite": suite,
        **asdict(found),
        "worse": [{"parser": parser, "headline": headline} for parser, headline in found.worse],
    }


def read(database: Database, run_id: str, suite: str) -> Run:
    """Return a scored run's figures.

    Raises:
        Unknown: there is no such run, or it was not scored.
    """
    given = inputs.read(database, run_id)
    key = [run_id, suite]
    scored = database.rows("select weights from scorings where run_id = ? and suite = ?", key)
    if not scored:
        raise Unknown(f"run {run_id} was not scored with {suite} yet: score it first")
    figures: dict[str, dict[str, dict[str, dict[str, float | None]]]] = {}
    conditions: dict[str, dict[str, dict[str, Any]]] = {}
    for row in database.rows(
        "select k.parser, k.axis, s.content from kpis k join signatures s on s.signature = k.signature"
        " where k.run_id = ? and k.suite = ? and k.document is null and k.kpi = k.axis order by k.parser, k.axis",
        key,
    ):
        figures.setdefault(row["parser"], {})
        if row["axis"] in AXES:
            conditions.setdefault(row["parser"], {})[row["axis"]] = json.loads(row["content"])["conditions"]
    for row in database.rows(
        "select parser, axis, document, kpi, value from kpis"
        " where run_id = ? and suite = ? and document is not null and in_axis",
        key,
    ):
        by_document = figures.setdefault(row["parser"], {}).setdefault(row["axis"], {})
        by_document.setdefault(row["document"], {})[row["kpi"]] = row["value"]
    opened = signatures.digest(sorted([document.id, document.gold_digest] for document in given.documents))
    golds = {axis["gold"] for axes in conditions.values() for axis in axes.values()}
    weights = json.loads(scored[0]["weights"])
    return Run(given=given, figures=figures, conditions=conditions, weights=weights, gold_as_opened=golds == {opened})
