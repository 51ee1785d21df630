"""The leaderboard of a scored run, and two runs compared, whichever suite scored them."""

from typing import Any

from scorer.report import compare, element_comparison, elements, families, figures, leaderboard, verdict_comparison
from scorer.store import runs
from scorer.store.database import Database
from scorer.store.errors import Unknown

_BOARDS = {
    "omnidoc": elements.leaderboard,
    "omnidoc-md2md": elements.leaderboard,
    "omnidoc-recognition-text": figures.leaderboard,
    "omnidoc-recognition-formula": figures.leaderboard,
    "omnidoc-recognition-table": figures.leaderboard,
    "omnidoc-detection": figures.leaderboard,
    "odl": figures.leaderboard,
    "omniparse": families.leaderboard,
}
_COMPARISONS = {
    "": compare.comparison,
    "bizdoc": compare.comparison,
    "omniparse": verdict_comparison.comparison,
}
"""Of any other suite pages are compared; of no suite, since neither run was scored, nothing is."""


def board(database: Database, *, run_id: str = "", suite: str = "") -> dict[str, Any]:
    """Return the leaderboard of a run as data; its form is the suite's, which the key ``suite`` names.

    Every suite's has ``nothing_parsed``: the parsers that parsed none of the documents, with how many these are, how
    they ended (``statuses``), and one of them (``document``, ``reason``).

    Args:
        database: the store.
        run_id: empty: the newest that was scored.
        suite: name@version; empty: the one the run was scored with.

    Raises:
        Unknown: there is no such run, or it was not scored.
    """
    if run_id:
        runs.newest(database, run_id)
    found = database.rows(
        "select run_id, suite from scorings where (run_id = ? or ? = '') and (suite = ? or ? = '')"
        " order by run_id desc, scored_at desc limit 1",
        [run_id, run_id, suite, suite],
    )
    if not found:
        which = f"run {run_id} was not scored" if run_id else "no run was scored"
        raise Unknown(f"{which}{f' with {suite}' if suite else ''} yet: score it first")
    [newest] = found
    of_suite = _BOARDS.get(newest["suite"].partition("@")[0], leaderboard.leaderboard)
    made = of_suite(database, run_id=newest["run_id"], suite=newest["suite"])
    return made | {"nothing_parsed": _nothing_parsed(database, newest["run_id"])}


def _nothing_parsed(database: Database, run_id: str) -> list[dict[str, Any]]:
    return database.rows(
        "select parser, count(*) as documents, list_sort(list(distinct status)) as statuses,"
        " min(document) as document, arg_min(reason, document) as reason from failures where run_id = ?"
        " group by parser having count(*) = (select count(*) from documents where run_id = ?) order by parser",
        [run_id, run_id],
    )


def comparison(database: Database, before: str, after: str, *, suite: str = "") -> dict[str, Any]:
    """Return how two scored runs differ as data.

    Args:
        database: the store.
        before: id of the earlier run.
        after: id of the later one.
        suite: name@version; empty: the one the later run was scored with.

    Raises:
        Unknown: there is no such run, or it was not scored.
        ValueError: the runs share no document or no parser.
    """
    if not suite:
        runs.newest(database, after)
        found = database.rows(
            "select suite from scorings where run_id = ? order by scored_at desc, suite limit 1", [after]
        )
        suite = found[0]["suite"] if found else ""
    of_suite = _COMPARISONS.get(suite.partition("@")[0], element_comparison.comparison)
    return of_suite(database, before, after, suite=suite)
