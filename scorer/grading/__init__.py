"""Grading predictions that lie in files: what ``docassay grade`` runs, one module a suite."""

import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from docassay.v1 import scorer_pb2 as pb
from scorer.scoring.steps import Progress, Scored
from scorer.store.artifacts import Artifacts
from scorer.store.database import Database


def grade(
    database: Database,
    artifacts: Artifacts,
    request: pb.GradeRequest,
    *,
    cache: Path,
    now: datetime,
    stop: threading.Event,
) -> Iterator[Progress | Scored]:
    """Grade predictions made elsewhere into a run and yield how far it is; the last item is ``Scored``.

    What is refused leaves no run. What is broken off leaves none, or one that is not finished: the same request goes on
    with it.

    Raises:
        ValueError: the request asks for no suite, or for what its suite does not have; or a file breaks its form.
        GoldError: the gold breaks a rule.
        ScoringFailed: a process ended, or the grading was stopped.
    """
    match request.WhichOneof("suite"):
        case "omniparse":
            from scorer.grading import omniparse  # a suite is imported by who needs it: that takes a second

            return omniparse.grade(database, request.run, request.omniparse, now=now, stop=stop)
        case "omnidoc":
            from scorer.grading import omnidoc_runs
            from scorer.scoring import omnidoc

            renderer = omnidoc.renderer_of(cache / "formulas", request.omnidoc.jobs)
            return omnidoc_runs.grade(
                database, artifacts, request.run, request.omnidoc, renderer=renderer, now=now, stop=stop
            )
        case "omnidoc_task":
            from scorer.grading import omnidoc_tasks

            return omnidoc_tasks.grade(
                database, artifacts, request.run, request.omnidoc_task, cache=cache, now=now, stop=stop
            )
        case "odl":
            from scorer.grading import odl

            return odl.grade(database, request.run, request.odl, now=now, stop=stop)
    raise ValueError("the request names no suite's predictions: nothing can be graded")
