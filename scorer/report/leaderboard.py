"""The leaderboard of a run as data: what a terminal, a page or a script shows.

Ranks are among parsers whose composites were made under the same conditions, and claim only what is beyond doubt.
Parsers that were not ready are apart, with their reason and without figures.
"""

import json
from typing import Any

from scorer.report.plain import interval, plain
from scorer.scoring.score import SUITE, VERSION
from scorer.store import runs
from scorer.store.database import Database
from scorer.store.errors import Unknown
from scorer.suites.bizdoc.kpis import AXES, KPIS, SUPPLEMENTARY

MOST_FAILURES = 200
"""Failures listed one by one; the rest is counted, and lies in the view ``failures``."""

ANNOTATE_FIRST = 5
"""Documents without gold listed by how much the parsers disagree; all lie in the view ``annotate_first``."""

_RUN = (
    *("run_id", "started_at", "finished_at", "mode", "exclusive", "machine", "commit", "dirty", "argv", "repeats"),
    *("timeout_seconds", "timeout_seconds_per_page", "memory_bytes", "cpus", "corpus_name", "corpus_version"),
)
_OF_PARSER = "where run_id = ? and parser = ?"


def leaderboard(database: Database, *, run_id: str = "", suite: str = "") -> dict[str, Any]:
    """Return the leaderboard of a scored run, ready for JSON.

    Keys: ``run`` (its record), ``suite``, ``scored_at``, ``partial`` with ``partial_reasons``, ``embedder``,
    ``weights``, ``comparable`` (false: not all parsers were measured under the same conditions, and those are ranked
    apart), ``certainty`` (documents in scope, whether they are few, resamples and seed; None when nothing is known),
    ``parsers`` (highest composite first: ``rank`` to ``last_rank``, the places the documents leave it; ``place``, by
    composite, sure or not; composite, axes and kpis, each with intervals; gap to the leader; share of resamples led;
    standings by axis; the supplementary figures that are in no axis, pages per second, coverage by format, failures by
    status, flags), ``not_ready``, ``by_format``, ``by_domain``, ``failures`` (at most ``MOST_FAILURES``),
    ``failures_total``, ``agreement`` (every pair of parsers, least alike first) and ``annotate_first`` (at most
    ``ANNOTATE_FIRST`` documents without gold, most disagreement first).

    Args:
        database: the store.
        run_id: empty: the newest that was scored.
        suite: name@version; empty: the one this docassay scores with.

    Raises:
        Unknown: there is no such run, or it was not scored.
    """
    suite = suite or f"{SUITE}@{VERSION}"
    if run_id:
        runs.newest(database, run_id)
    found = database.rows(
        "select * from scorings where suite = ? and (run_id = ? or ? = '') order by run_id desc limit 1",
        [suite, run_id, run_id],
    )
    if not found:
        which = f"run {run_id} was not scored" if run_id else "no run was scored"
        raise Unknown(f"{which} with {suite} yet: score it first")
    scoring = found[0]
    key = [scoring["run_id"], suite]
    [run] = database.rows("select * from runs where run_id = ?", key[:1])
    rows = database.rows(
        "select * from leaderboard where run_id = ? and suite = ? order by conditions, place nulls last, parser", key
    )
    # The conditions that most parsers share come first; within them, the best.
    shared = [row["conditions"] for row in rows]
    rows.sort(key=lambda row: -shared.count(row["conditions"]))
    standings = database.rows(
        "select * from standings where run_id = ? and suite = ? order by headline, rank, parser", key
    )
    total = database.rows("select count(*) as n from failures where run_id = ?", key[:1])[0]["n"]
    board = {
        "run": {name: run[name] for name in _RUN} | {"machine": json.loads(run["machine"])},
        "suite": suite,
        "scored_at": scoring["scored_at"],
        "partial": scoring["partial"],
        "partial_reasons": scoring["partial_reasons"],
        "embedder": json.loads(scoring["embedder"]) if scoring["embedder"] else None,
        "weights": json.loads(scoring["weights"]),
        "comparable": len(set(shared)) <= 1,
        "certainty": _certainty(rows, standings),
        "parsers": [
            _parser(database, row, [found for found in standings if found["parser"] == row["parser"]]) for row in rows
        ],
        "not_ready": database.rows("select parser, state, reason from not_ready where run_id = ?", key[:1]),
        "by_format": _slices(database, "leaderboard_by_format", key),
        "by_domain": _slices(database, "leaderboard_by_domain", key),
        "failures": database.rows(
            "select parser, document, format, status, reason from failures where run_id = ?"
            f" order by parser, document limit {MOST_FAILURES}",
            key[:1],
        ),
        "failures_total": total,
        "agreement": _slices(database, "agreement", key),
        "annotate_first": _slices(
            database,
            "annotate_first",
            key,
            f"and not has_gold and agreement is not null order by agreement, document limit {ANNOTATE_FIRST}",
        ),
    }
    made: dict[str, Any] = plain(board)
    return made


def _certainty(rows: list[dict[str, Any]], standings: list[dict[str, Any]]) -> dict[str, Any] | None:
    if not standings:
        return None
    return {
        "documents": rows[0]["documents"],
        "few_documents": any(row["few_documents"] for row in rows),
        "resamples": standings[0]["resamples"],
        "seed": standings[0]["seed"],
    }


def _parser(database: Database, row: dict[str, Any], standings: list[dict[str, Any]]) -> dict[str, Any]:
    key = [row["run_id"], row["parser"]]
    figures = {
        figure["kpi"]: figure
        for figure in database.rows(
            "select kpi, value, reason, bounded, lower, upper, small_sample_lower, small_sample_upper from kpis"
            " where run_id = ? and parser = ? and suite = ?"
            " and document is null",
            [*key, row["suite"]],
        )
    }
    [record] = database.rows(
        f"select chunker, native_chunker, licence, transport, replicas, load_seconds, flags from parsers {_OF_PARSER}",
        key,
    )
    failures = database.rows(f"select status, count(*) as n from failures {_OF_PARSER} group by all order by all", key)
    flags = database.rows(
        f"select flag, count(*) as n from (select unnest(flags) as flag from document_parses {_OF_PARSER})"
        " group by all order by all",
        key,
    )
    [taken] = database.rows(f"select count(*) as n from document_parses {_OF_PARSER} and taken_over", key)
    kpis = [kpi for axis in AXES for kpi in KPIS[axis] if kpi in figures]
    return {
        "rank": row["rank"],
        "last_rank": row["last_rank"],
        "place": row["place"],
        "parser": row["parser"],
        "composite": row["composite"],
        "composite_interval": interval(row["composite_lower"], row["composite_upper"]),
        "composite_small_sample_interval": interval(row["small_sample_lower"], row["small_sample_upper"]),
        "gap": row["gap"],
        "gap_interval": interval(row["gap_lower"], row["gap_upper"]),
        "leads": row["leads"],
        "axes": {axis: row[axis] for axis in AXES},
        "axes_intervals": {axis: _ends(figures.get(axis)) for axis in AXES},
        "axes_small_sample_intervals": {axis: _ends(figures.get(axis), "small_sample_") for axis in AXES},
        "axes_standings": {
            found["headline"]: {
                **{name: found[name] for name in ("rank", "last_rank", "gap", "leads", "documents", "few_documents")},
                "gap_interval": interval(found["gap_lower"], found["gap_upper"]),
            }
            for found in standings
            if found["headline"] in AXES
        },
        "kpis": {kpi: figures[kpi]["value"] for kpi in kpis},
        "kpis_intervals": {kpi: _ends(figures[kpi]) for kpi in kpis},
        "kpis_small_sample_intervals": {kpi: _ends(figures[kpi], "small_sample_") for kpi in kpis},
        "supplementary": {
            kpi: figures[kpi]["value"] for kpis in SUPPLEMENTARY.values() for kpi in kpis if kpi in figures
        },
        "undefined": {kpi: figure["reason"] for kpi, figure in sorted(figures.items()) if figure["value"] is None},
        "pages_per_second": row["pages_per_second"],
        "documents": row["documents"],
        "parsed": row["parsed"],
        "failed": row["failed"],
        "assisted_rate": figures["assisted_rate"]["value"] if "assisted_rate" in figures else None,
        "coverage_by_format": {
            kpi.removeprefix("coverage_"): figure["value"]
            for kpi, figure in sorted(figures.items())
            if kpi.startswith("coverage_")
        },
        "failures": {failure["status"]: failure["n"] for failure in failures},
        "flags": {flag["flag"]: flag["n"] for flag in flags},
        "parser_flags": record["flags"],
        "nondeterministic": row["nondeterministic"],
        "taken_over": taken["n"],
        "bounded": row["bounded"],
        "chunker": record["chunker"],
        "native_chunker": record["native_chunker"],
        "licence": record["licence"],
        "transport": record["transport"],
        "replicas": record["replicas"],
        "load_seconds": record["load_seconds"],
        "conditions": row["conditions"],
        "signature": row["signature"],
    }


def _slices(database: Database, view: str, key: list[str], further: str = "") -> list[dict[str, Any]]:
    sql = f"select * exclude (run_id, suite) from {view} where run_id = ? and suite = ? {further}"
    return database.rows(sql, key)


def _ends(figure: dict[str, Any] | None, prefix: str = "") -> list[float] | None:
    return interval(figure[f"{prefix}lower"], figure[f"{prefix}upper"]) if figure else None
