"""The leaderboard of a run that is a list of figures: single blocks recognised, boxes detected, measures of a page."""

import json
from typing import Any

from scorer.report.plain import interval, plain
from scorer.store.database import Database
from scorer.suites.omnidoc.detection import AXIS as DETECTION
from scorer.suites.omnidoc.detection import FIGURE

_RUN = ("run_id", "started_at", "mode", "machine", "commit", "dirty", "argv", "corpus_name", "corpus_path")


def leaderboard(database: Database, *, run_id: str, suite: str) -> dict[str, Any]:
    """Return the leaderboard of a run, ready for JSON.

    Keys: ``run`` (its record), ``suite``, ``scored_at``, ``partial`` with ``partial_reasons``, ``certainty`` (pages,
    whether they are few, resamples and seed; None when nobody is ranked), ``errors`` (by parser, how many samples
    scored 0 because a metric could not be computed) and ``figures``, headlines first: by
    ``figure`` its axis, whether it is a ``headline``, and ``parsers``, each with value, interval, reason, rank to
    last_rank, conditions, and for a metric of samples the averages over all pages together and over samples.
    """
    key = [run_id, suite]
    [scoring] = database.rows("select * from scorings where run_id = ? and suite = ?", key)
    [run] = database.rows("select * from runs where run_id = ?", key[:1])
    standings = database.rows("select * from standings where run_id = ? and suite = ?", key)
    board = {
        "run": {name: run[name] for name in _RUN} | {"machine": json.loads(run["machine"])},
        "suite": suite,
        "scored_at": scoring["scored_at"],
        "partial": scoring["partial"],
        "partial_reasons": scoring["partial_reasons"],
        "certainty": _certainty(standings),
        "errors": {
            row["parser"]: row["errors"]
            for row in database.rows(
                "select parser, count(error) as errors from omnidoc_samples where run_id = ? and suite = ?"
                " group by parser having errors > 0 order by parser",
                key,
            )
        },
        "figures": _figures(database, key, standings),
    }
    made: dict[str, Any] = plain(board)
    return made


def _figures(database: Database, key: list[str], standings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    placed = {(row["parser"], row["headline"]): row for row in standings}
    averages = {
        (row["parser"], f"{row['element']}.{row['metric']}"): row
        for row in database.rows("select * from omnidoc_averages where run_id = ? and suite = ?", key)
    }
    found: dict[str, dict[str, Any]] = {}
    for row in database.rows(
        "select k.*, s.conditions from kpis k join signatures s on s.signature = k.signature"
        " where k.run_id = ? and k.suite = ? and k.document is null"
        " order by k.kpi <> k.axis, k.axis <> 'composite', k.axis, ends_with(k.kpi, '_precision'), k.kpi, k.parser",
        key,
    ):
        name = FIGURE if row["kpi"] == DETECTION else row["kpi"]
        figure = found.setdefault(
            row["kpi"],
            {"figure": name, "axis": row["axis"], "headline": row["kpi"] == row["axis"], "parsers": []},
        )
        standing = placed.get((row["parser"], row["kpi"]), {})
        average = averages.get((row["parser"], row["kpi"]), {})
        figure["parsers"].append(
            {
                "parser": row["parser"],
                "value": row["value"],
                "interval": interval(row["lower"], row["upper"]),
                "reason": row["reason"],
                "bounded": row["bounded"],
                "rank": standing.get("rank"),
                "last_rank": standing.get("last_rank"),
                "pooled": average.get("pooled"),
                "sample_average": average.get("sample_average"),
                "conditions": row["conditions"],
            }
        )
    return list(found.values())


def _certainty(standings: list[dict[str, Any]]) -> dict[str, Any] | None:
    if not standings:
        return None
    widest = max(standings, key=lambda row: row["documents"])
    return {name: widest[name] for name in ("documents", "few_documents", "resamples", "seed")}
