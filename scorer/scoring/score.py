"""Scoring a run: figures of every document, over the run, and the composite; written at once or not at all."""

import json
import math
import os
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scorer import gold
from scorer.counting import counted
from scorer.embedders import open_embedder
from scorer.scoring import agreement, documents, inputs, placing, rows, signatures
from scorer.scoring.pool import Spread, Stopped, WorkerDied
from scorer.scoring.steps import Progress, Scored, ScoringFailed
from scorer.scoring.writing import Remark
from scorer.store import runs
from scorer.store.artifacts import Artifacts
from scorer.store.database import Database
from scorer.store.errors import StorageFailed
from scorer.suites.bizdoc.kpis import AXES

SUITE = "bizdoc"
VERSION = "1"
_SCORED_AGAIN = (SUITE, "omnidoc", "omniparse")
"""Suites that score the outputs in the store; any other grades files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to score.

    Attributes:
        run_id: empty: the newest.
        suite: empty: the run's own; of a suite with several versions, one of them by name@version.
        axes: empty: all.
        embedder: what ranks the chunks for retrieval.
        weights: of the composite, by axis; None: as the run was scored last, else all 1.
        jobs: processes; 0: one a CPU; 1: none but this one.
        corpus: where the gold lies; None: where it lay when the run was opened.
        cache: where embeddings and drawn formulas are kept.
    """

    run_id: str = ""
    suite: str = ""
    axes: tuple[str, ...] = ()
    embedder: str = "embedded"
    weights: Mapping[str, float] | None = None
    jobs: int = 0
    corpus: Path | None = None
    cache: Path


def weights(text: str) -> dict[str, float] | None:
    """Return composite weights from their JSON, None for an empty text; every axis that is not named weighs 1.

    Raises:
        ValueError: they are no object of numbers by axis, negative, or all 0.
    """
    if not text:
        return None
    try:
        given = json.loads(text)
    except ValueError as error:
        raise ValueError(f'the weights are no JSON ({error}); expected {{"axis": weight}}') from error
    if not (isinstance(given, dict) and all(type(value) in (int, float) for value in given.values())):
        raise ValueError(f"the weights are {text}, expected an object of numbers by axis")
    strangers = sorted(given.keys() - set(AXES))
    if strangers:
        raise ValueError(f"the weights name {', '.join(strangers)}, expected axes among {', '.join(AXES)}")
    result = {axis: float(given.get(axis, 1.0)) for axis in AXES}
    if not all(math.isfinite(value) and value >= 0 for value in result.values()) or not any(result.values()):
        raise ValueError(f"the weights are {text}, expected finite numbers, 0 or more, not all 0")
    return result


def score(
    database: Database, artifacts: Artifacts, request: Request, *, now: datetime, stop: threading.Event
) -> Iterator[Progress | Scored]:
    """Score a run and yield how far it is; the last item is ``Scored``.

    Nothing is written before everything is computed: whoever stops this, or stops listening, leaves the earlier figures
    in place.

    Raises:
        Unknown: there is no such run.
        ValueError: the suite or an axis is unknown.
        GoldError: the gold is not where it is looked for, is another run's, or cannot be read.
        EmbedderError: retrieval is to be scored and the embedder cannot be opened.
        ScoringFailed: a process ended, or the scoring was stopped.
        StorageFailed: the figures could not be written.
    """
    given = inputs.read(database, runs.newest(database, request.run_id))
    planned = given.run["suite"]
    if request.suite.partition("@")[0] not in ("", planned.partition("@")[0]):
        raise ValueError(f"the run was made for {planned}, it cannot be scored with {request.suite!r}")
    _check_options(request, planned)
    if planned.partition("@")[0] not in _SCORED_AGAIN:
        raise ValueError(f"run {given.run['run_id']} was graded from files of its own: grade them again")
    corpus = placing.corpus_of(given, request.corpus)
    if planned.startswith("omniparse@"):
        yield from _by_tests(database, artifacts, given, request, now=now, stop=stop)
        return
    if planned.startswith("omnidoc@"):
        yield from _by_elements(database, artifacts, given, request, now=now, stop=stop)
        return
    axes = _axes(request)
    suite = f"{SUITE}@{VERSION}"
    run_id = str(given.run["run_id"])
    warnings: list[Remark] = []

    yield Progress("gold", 0, len(given.documents))
    gold_digest = _gold_digest(given, corpus, warnings)
    embedder = _embedder(request, given) if "retrieval" in axes else None
    jobs = [
        documents.Job(
            parser["parser"],
            document.id,
            needed,
            given.measured.get((parser["parser"], document.id), inputs.ABSENT),
        )
        for document in given.documents
        if (needed := documents.annotations_of(document.annotations, axes))
        for parser in given.parsers
    ]
    # Agreement is a figure of the texts, as faithfulness is: correcting another axis' gold does not compare them again.
    comparisons = agreement.comparisons(given) if "faithfulness" in axes else []
    work: list[documents.Job | agreement.Comparison] = [*jobs, *comparisons]
    preparation = documents.Preparation(corpus, artifacts.folder, request.embedder, request.cache / "embeddings")
    spread = Spread(preparation, work, processes=request.jobs or len(os.sched_getaffinity(0)), stop=stop)
    scored: dict[tuple[str, str], documents.Scored] = {}
    compared: list[agreement.Compared] = []
    yield Progress("documents", 0, len(jobs))
    try:
        for index, result in spread.results():
            if isinstance(result, agreement.Compared):
                compared.append(result)
                if len(scored) == len(jobs):
                    yield Progress("agreement", len(compared), len(comparisons), result.document)
                continue
            job = jobs[index]
            scored[job.parser, job.document] = result
            warnings += [Remark(job.parser, job.document, text, stage) for stage, text in result.warnings]
            yield Progress("documents", len(scored), len(jobs), f"{job.parser}: {job.document}")
    except WorkerDied as error:
        raise ScoringFailed(f"{error}; the run's earlier figures are as they were") from error
    except Stopped:
        raise ScoringFailed("the scoring was stopped; the run's earlier figures are as they were") from None

    def sign(axis: str, parser: Mapping[str, Any]) -> signatures.Signature:
        return signatures.of_axis(
            axis, suite=suite, inputs=given, parser=parser, gold_digest=gold_digest, embedder=embedder
        )

    scoring = rows.Scoring(
        suite=suite,
        axes=axes,
        weights=dict(_weights(database, run_id, suite) if request.weights is None else request.weights),
        embedder=embedder,
        corpus=str(corpus),
        gold_digest=gold_digest,
        now=now.astimezone(UTC).replace(tzinfo=None),
    )
    yield Progress("writing", 0, 1)
    if stop.is_set():
        raise ScoringFailed("the scoring was stopped; the run's earlier figures are as they were")
    try:
        count = rows.write(database, given, scoring, scored, compared, sign, warnings)
    except StorageFailed as error:
        kept = f"no figure of this scoring was stored; every parse of run {run_id} and its earlier figures are kept"
        raise error.because(kept) from error
    yield Scored(run_id, count, _told(warnings, len(given.documents)))


def check(request: Request) -> None:
    """Refuse what scoring a run of ``request.suite`` would refuse of the options, without a run.

    Raises:
        ValueError: an axis is unknown, or the suite has no axes or weights.
        EmbedderError: retrieval is asked for and the embedder cannot be opened.
    """
    _check_options(request, request.suite or SUITE)
    if request.suite.partition("@")[0] in ("", SUITE) and "retrieval" in _axes(request):
        open_embedder(request.embedder, request.cache / "embeddings").close()


def _check_options(request: Request, suite: str) -> None:
    if request.jobs < 0:
        raise ValueError(f"the number of processes is {request.jobs}, expected 0 or more")
    if suite.partition("@")[0] == SUITE:
        _axes(request)
    elif request.axes or request.weights:
        raise ValueError(f"{suite} weighs its parts as published: leave --axis and --weights out")


def _by_tests(
    database: Database,
    artifacts: Artifacts,
    given: inputs.Inputs,
    request: Request,
    *,
    now: datetime,
    stop: threading.Event,
) -> Iterator[Progress | Scored]:
    """Score a run of pages with yes/no tests."""
    from scorer.scoring import omniparse  # a suite is imported by who needs it: that takes a second

    suite = request.suite if "@" in request.suite else given.run["suite"]
    yield from omniparse.score(
        database, artifacts, given, suite=suite, folder=request.corpus, jobs=request.jobs, now=now, stop=stop
    )


def _by_elements(
    database: Database,
    artifacts: Artifacts,
    given: inputs.Inputs,
    request: Request,
    *,
    now: datetime,
    stop: threading.Event,
) -> Iterator[Progress | Scored]:
    """Score a run of pages with annotated blocks."""
    from scorer.scoring import omnidoc

    renderer = omnidoc.renderer_of(request.cache / "formulas", request.jobs)
    how = omnidoc.Request(jobs=request.jobs, gold=request.corpus, renderer=renderer)
    yield from omnidoc.score(database, artifacts, given, how, now=now, stop=stop)


def _told(warnings: Sequence[Remark], total: int) -> tuple[str, ...]:
    """Return what to tell of the remarks: each, but those on cut chunks once a parser."""
    cut = Counter(remark.parser for remark in warnings if remark.text.endswith(documents.TRUNCATED))
    told = [str(remark) for remark in warnings if not remark.text.endswith(documents.TRUNCATED)]
    return (
        *told,
        *(f"{parser}: in {n} of {counted(total, 'document')}, some {documents.TRUNCATED}" for parser, n in cut.items()),
    )


def _weights(database: Database, run_id: str, suite: str) -> dict[str, float]:
    """Return the weights a run was scored with last: correcting one axis must not change what the composite means."""
    found = database.rows("select weights from scorings where run_id = ? and suite = ?", [run_id, suite])
    return json.loads(found[0]["weights"]) if found else dict.fromkeys(AXES, 1.0)


def _axes(request: Request) -> tuple[str, ...]:
    strangers = sorted(set(request.axes) - set(AXES))
    if strangers:
        raise ValueError(f"the axes are {', '.join(strangers)}, expected some of {', '.join(AXES)}")
    return tuple(axis for axis in AXES if axis in (request.axes or AXES))


def _gold_digest(given: inputs.Inputs, corpus: Path, warnings: list[Remark]) -> str:
    """Return the digest of the gold as it is now; say where it is not what it was when the run was opened."""
    digests = []
    for document in given.documents:
        found = gold.digest(corpus, document.id, document.annotations)
        digests.append([document.id, found])
        if document.gold_digest and found != document.gold_digest:
            warnings.append(Remark(None, document.id, "its gold is not what it was when the run was opened"))
    return signatures.digest(sorted(digests))


def _embedder(request: Request, given: inputs.Inputs) -> str | None:
    """Return the embedder's own signature; None when no document has questions."""
    if not any("qa" in document.annotations for document in given.documents):
        return None
    embedder = open_embedder(request.embedder, request.cache / "embeddings")
    try:
        return embedder.identity.signature()
    finally:
        embedder.close()
