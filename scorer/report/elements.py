"""The leaderboard of a run scored by OmniDocBench as data: the published table, and what it does not show."""

import json
from typing import Any

from scorer.report.plain import interval, plain
from scorer.store.database import Database
from scorer.suites.omnidoc.figures import OVERALL

_RUN = ("run_id", "started_at", "mode", "machine", "commit", "dirty", "argv", "corpus_name", "corpus_path")
_FIGURES = (
    *("overall", "reason", "rank", "last_rank", "text_edit", "formula_cdm", "table_teds", "table_teds_structure_only"),
    *("reading_order_edit", "overall_rounded", "overall_pooled", "homeless", "pages", "unpredicted", "errors"),
    *("bounded", "conditions"),
)


def leaderboard(database: Database, *, run_id: str, suite: str) -> dict[str, Any]:
    """Return the leaderboard of a run that was scored by elements of pages, ready for JSON.

    Keys: ``run`` (its record), ``suite``, ``scored_at``, ``partial`` with ``partial_reasons``, ``elements`` (true: this
    form), ``certainty`` (pages, whether they are few, resamples and seed; None when nothing is known), ``parsers``
    (highest Overall first, those without one last: the columns of the view ``omnidoc_leaderboard``, the interval of
    Overall, gap and share of resamples led, and by element and metric the three averages with their names) and
    ``not_ready``.
    """
    key = [run_id, suite]
    [scoring] = database.rows("select * from scorings where run_id = ? and suite = ?", key)
    [run] = database.rows("select * from runs where run_id = ?", key[:1])
    standings = database.rows("select * from standings where run_id = ? and suite = ?", key)
    placed = {row["parser"]: row for row in standings if row["headline"] == OVERALL}
    averages: dict[str, dict[str, dict[str, Any]]] = {}
    for row in database.rows("select * from omnidoc_averages where run_id = ? and suite = ?", key):
        names = ("page_average", "pooled", "sample_average", "pages", "samples", "bounded")
        found = averages.setdefault(row["parser"], {}).setdefault(row["element"], {})
        found[row["metric"]] = {name: row[name] for name in names} | {
            "page_average_interval": interval(row["page_average_lower"], row["page_average_upper"])
        }
    rows = database.rows("select * from omnidoc_leaderboard where run_id = ? and suite = ?", key)
    board = {
        "run": {name: run[name] for name in _RUN} | {"machine": json.loads(run["machine"])},
        "suite": suite,
        "scored_at": scoring["scored_at"],
        "partial": scoring["partial"],
        "partial_reasons": scoring["partial_reasons"],
        "elements": True,
        "certainty": _certainty(standings),
        "parsers": [
            {
                "parser": row["parser"],
                **{name: row[name] for name in _FIGURES},
                "overall_interval": interval(row["overall_lower"], row["overall_upper"]),
                "gap": placed[row["parser"]]["gap"] if row["parser"] in placed else None,
                "leads": placed[row["parser"]]["leads"] if row["parser"] in placed else None,
                "averages": averages.get(row["parser"], {}),
            }
            for row in rows
        ],
        "not_ready": database.rows("select parser, state, reason from not_ready where run_id = ?", key[:1]),
    }
    made: dict[str, Any] = plain(board)
    return made


def _certainty(standings: list[dict[str, Any]]) -> dict[str, Any] | None:
    if not standings:
        return None
    widest = max(standings, key=lambda row: row["documents"])
    return {name: widest[name] for name in ("documents", "few_documents", "resamples", "seed")}
