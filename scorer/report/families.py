"""The leaderboard of a run of yes/no tests as data: headline and families, each with its interval and its rank."""

import json
from typing import Any

from scorer.report.plain import interval, plain
from scorer.scoring.verdicts import COMPOSITE, POOLED
from scorer.stats import SMALL_SLICE
from scorer.store.database import Database
from scorer.suites.omniparse.vocabulary import FAMILY_ORDER

MOST_TAGS = 40
"""Slices listed, those with the most tests; all lie in the view ``verdict_tags``."""

_RUN = ("run_id", "started_at", "mode", "machine", "commit", "dirty", "argv", "corpus_name", "corpus_path")


def leaderboard(database: Database, *, run_id: str, suite: str) -> dict[str, Any]:
    """Return the leaderboard of a run that was scored by families of tests, ready for JSON.

    Keys: ``run`` (its record), ``suite``, ``scored_at``, ``partial`` with ``partial_reasons``, ``families`` (those
    the pages have tests of), ``certainty`` (documents, whether they are few, resamples and seed; None when nothing
    is known), ``parsers`` (highest headline first, those without one last: headline, interval, rank to last_rank,
    gap, share of resamples led, pooled pass rate; by family score, interval, rank, tests scored, passed and
    unsupported; pages, and pages failed), ``not_ready``, ``tags`` (family, tag, tests, documents, whether they are
    few, score by parser, who leads, whether it is a tie) and ``tags_total``.
    """
    key = [run_id, suite]
    [scoring] = database.rows("select * from scorings where run_id = ? and suite = ?", key)
    [run] = database.rows("select * from runs where run_id = ?", key[:1])
    families = [family for family in FAMILY_ORDER if family in scoring["axes"]]
    standings = database.rows("select * from standings where run_id = ? and suite = ?", key)
    tags = _tags(database, key)
    board = {
        "run": {name: run[name] for name in _RUN} | {"machine": json.loads(run["machine"])},
        "suite": suite,
        "scored_at": scoring["scored_at"],
        "partial": scoring["partial"],
        "partial_reasons": scoring["partial_reasons"],
        "families": families,
        "certainty": _certainty(standings),
        "parsers": _parsers(database, key, families, standings),
        "not_ready": database.rows("select parser, state, reason from not_ready where run_id = ?", key[:1]),
        "tags": tags[:MOST_TAGS],
        "tags_total": len(tags),
    }
    made: dict[str, Any] = plain(board)
    return made


def _certainty(standings: list[dict[str, Any]]) -> dict[str, Any] | None:
    if not standings:
        return None
    widest = max(standings, key=lambda row: row["documents"])
    return {name: widest[name] for name in ("documents", "few_documents", "resamples", "seed")}


def _parsers(
    database: Database, key: list[str], families: list[str], standings: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    figures: dict[str, dict[str, dict[str, Any]]] = {}
    for row in database.rows(
        "select k.*, s.conditions from kpis k join signatures s on s.signature = k.signature"
        " where k.run_id = ? and k.suite = ? and k.document is null",
        key,
    ):
        figures.setdefault(row["parser"], {})[row["kpi"]] = row
    placed = {(row["parser"], row["headline"]): row for row in standings}
    counts = {
        (row["parser"], row["family"]): row
        for row in database.rows("select * from verdict_families where run_id = ? and suite = ?", key)
    }
    pages = {
        row["parser"]: row
        for row in database.rows(
            "select p.parser, count(*) as pages, count(*) filter (dp.status = 'ok') as answered from documents d"
            " join parsers p on p.run_id = d.run_id left join document_parses dp"
            " on dp.run_id = d.run_id and dp.parser = p.parser and dp.document = d.document"
            " where d.run_id = ? group by all",
            key[:1],
        )
    }
    rows = [
        {
            "parser": parser,
            **_figure(mine[COMPOSITE], placed.get((parser, COMPOSITE)), "headline"),
            "pooled": mine[POOLED]["value"],
            "families": {
                family: _figure(mine[family], placed.get((parser, family)), "score")
                | {name: counts[parser, family][name] for name in ("tests", "passed", "unsupported", "documents")}
                for family in families
                if (parser, family) in counts
            },
            "pages": pages[parser]["pages"],
            "failed": pages[parser]["pages"] - pages[parser]["answered"],
            "conditions": mine[COMPOSITE]["conditions"],
        }
        for parser, mine in figures.items()
    ]
    return sorted(rows, key=lambda row: (row["headline"] is None, -(row["headline"] or 0.0), row["parser"]))


def _figure(figure: dict[str, Any], standing: dict[str, Any] | None, name: str) -> dict[str, Any]:
    placed = standing or dict.fromkeys(("rank", "last_rank", "gap", "gap_lower", "gap_upper", "leads"))
    return {
        name: figure["value"],
        "reason": figure["reason"],
        "interval": interval(figure["lower"], figure["upper"]),
        "small_sample_interval": interval(figure["small_sample_lower"], figure["small_sample_upper"]),
        **{item: placed[item] for item in ("rank", "last_rank", "gap", "leads")},
        "gap_interval": interval(placed["gap_lower"], placed["gap_upper"]),
    }


def _tags(database: Database, key: list[str]) -> list[dict[str, Any]]:
    """Return every slice with each parser's score, the most tests first."""
    slices: dict[tuple[str, str], dict[str, Any]] = {}
    for row in database.rows("select * from verdict_tags where run_id = ? and suite = ? and score is not null", key):
        found = slices.setdefault(
            (row["family"], row["tag"]),
            {"family": row["family"], "tag": row["tag"], "tests": 0, "documents": 0, "scores": {}, "leaders": []},
        )
        # Parsers may be scored on different tests; the widest says how much the slice rests on.
        found["tests"] = max(found["tests"], row["tests"])
        found["documents"] = max(found["documents"], row["documents"])
        found["scores"][row["parser"]] = row["score"]
        if row["place"] == 1:
            found["leaders"].append(row["parser"])
    for found in slices.values():
        found["few_documents"] = found["documents"] <= SMALL_SLICE
        found["tied"] = len(found["leaders"]) > 1
    return sorted(slices.values(), key=lambda found: (-found["tests"], found["family"], found["tag"]))
