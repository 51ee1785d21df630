"""Which suite scores a run: the one it was made for."""

import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from docassay.v1 import scorer_pb2 as pb
from scorer.scoring import score as bizdoc
from scorer.scoring.steps import Progress, Scored
from scorer.store import runs
from scorer.store.artifacts import Artifacts
from scorer.store.database import Database

__all__ = ["score"]


def score(
    database: Database,
    artifacts: Artifacts,
    request: pb.ScoreRequest,
    *,
    cache: Path,
    now: datetime,
    stop: threading.Event,
) -> Iterator[Progress | Scored]:
    """Score a run from its artifacts and yield how far it is; the last item is ``Scored``.

    Args:
        database: the store.
        artifacts: the outputs.
        request: the run, and what to score.
        cache: where embeddings and drawn formulas are kept.
        now: what is written as the time of scoring.
        stop: gives up; the run's earlier figures stay.

    Raises:
        Unknown: there is no such run.
        ValueError: the run was made for another suite than is asked for, or something is asked that the suite has not.
        GoldError: the gold cannot be read.
        EmbedderError: retrieval is to be scored and the embedder cannot be opened.
        ScoringFailed: a process ended, or the scoring was stopped.
    """
    run_id = runs.newest(database, request.run_id)
    [run] = database.rows("select suite from runs where run_id = ?", [run_id])
    made_for, asked = run["suite"].partition("@")[0], request.suite.partition("@")[0]
    if asked not in ("", made_for):
        raise ValueError(f"run {run_id} was made for {made_for}, whose gold it has; it cannot be scored by {asked}")
    if request.jobs < 0:
        raise ValueError(f"the number of processes is {request.jobs}, expected 0 or more")
    gold = Path(request.corpus_path) if request.corpus_path else None
    if made_for == "omnidoc":
        from scorer.scoring import omnidoc  # a suite is imported by who needs it: that takes a second

        if request.axes or request.weights_json:
            raise ValueError("omnidoc scores all its elements, weighed as published: leave axes and weights out")
        wanted = omnidoc.Request(run_id=run_id, jobs=request.jobs, gold=gold, formulas=cache / "formulas")
        return omnidoc.score(database, artifacts, wanted, now=now, stop=stop)
    return bizdoc.score(
        database,
        artifacts,
        bizdoc.Request(
            run_id=run_id,
            suite=request.suite,
            axes=tuple(request.axes),
            embedder=request.embedder or "embedded",
            weights=bizdoc.weights(request.weights_json),
            jobs=request.jobs,
            corpus=gold,
            cache=cache / "embeddings",
        ),
        now=now,
        stop=stop,
    )
