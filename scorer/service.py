"""The scorer over gRPC: the only writer of the store.

The contract is proto/docassay/v1/scorer.proto.
"""

import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NoReturn, TypeVar

import grpc
import pyarrow as pa

from docassay.v1 import scorer_pb2 as pb
from docassay.v1 import scorer_pb2_grpc
from scorer import grading
from scorer.embedders import EmbedderError
from scorer.gold import GoldError
from scorer.report import boards
from scorer.scoring import score
from scorer.scoring.steps import Progress, Scored, ScoringFailed
from scorer.store import address, export, query, runs, submissions
from scorer.store.artifacts import Artifacts
from scorer.store.database import FILE, Database
from scorer.store.errors import (
    QueryRefused,
    QueryTimeout,
    RunMismatch,
    StorageFailed,
    StoreBusy,
    StoreError,
    Unknown,
)

SLICE = 1 << 20
"""Bytes of an answer in one message."""

QUERIES = 8
"""Queries answered at once; the other threads are there for the run."""

_PATIENCE_SECONDS = 5.0
_OPENING_SECONDS = 5.0
_OPENING_TRIES = 50
_MOST_WORDS = 4000
_Begin = Callable[[threading.Event], Iterator[Progress | Scored]]
_FORMATS: tuple[export.Format, ...] = ("parquet", "csv")
_T = TypeVar("_T")


class ScorerService(scorer_pb2_grpc.ScorerServicer):
    """Answers calls on one results folder.

    Args:
        results: the folder; the store, its artifacts and exports lie in it.
        cache: where embeddings and drawn formulas are kept.
        clock: the time, for the starts and ends of runs.
        stop: called when the service is to end.
        query_seconds: after which a query is interrupted.
        read_only: nothing in the folder is touched; calls that store fail.
    """

    def __init__(
        self,
        results: Path,
        *,
        cache: Path,
        clock: Callable[[], datetime],
        stop: Callable[[], None],
        query_seconds: float = query.SECONDS,
        read_only: bool = False,
    ) -> None:
        self._results = results
        self._artifacts = Artifacts(results / "artifacts", read_only=read_only)
        self._database = _opened(results / FILE, read_only=read_only)
        if not read_only:
            self._artifacts.clear()
        self._cache = cache
        self._clock = clock
        self._stop = stop
        self._query_seconds = query_seconds
        self._scoring = threading.Lock()
        self._parsing: set[str] = set()
        self._queries = threading.Semaphore(QUERIES)

    def close(self) -> None:
        """Let go of the store."""
        self._database.close()

    def OpenRun(self, request: pb.OpenRunRequest, context: grpc.ServicerContext) -> pb.OpenRunResponse:
        """Open a run, or resume one."""
        opened = _answer(context, lambda: runs.open_run(self._database, request, now=self._clock()))
        if request.run.exclusive:
            self._parsing.add(opened.run_id)
        return opened

    def Submit(self, requests: Iterator[pb.SubmitRequest], context: grpc.ServicerContext) -> pb.SubmitResponse:
        """Store one parse."""
        return _answer(context, lambda: submissions.submit(self._database, self._artifacts, requests))

    def CloseRun(self, request: pb.CloseRunRequest, context: grpc.ServicerContext) -> pb.CloseRunResponse:
        """End the parsing part of a run."""
        _answer(context, lambda: runs.close_run(self._database, request, now=self._clock()))
        self._parsing.discard(request.run_id)
        return pb.CloseRunResponse()

    def CheckScoring(self, request: pb.ScoreRequest, context: grpc.ServicerContext) -> pb.CheckScoringResponse:
        """Refuse what Score would refuse of the options, before hours of parsing."""
        _answer(context, lambda: score.check(self._asked(request)))
        return pb.CheckScoringResponse()

    def Score(self, request: pb.ScoreRequest, context: grpc.ServicerContext) -> Iterator[pb.ScoreResponse]:
        """Score a run from its artifacts; a call that is given up leaves the scores as they were."""
        yield from self._scored(
            context,
            lambda stop: score.score(
                self._database, self._artifacts, self._asked(request), now=self._clock(), stop=stop
            ),
        )

    def _asked(self, request: pb.ScoreRequest) -> score.Request:
        return score.Request(
            run_id=request.run_id,
            suite=request.suite,
            axes=tuple(request.axes),
            embedder=request.embedder or "embedded",
            weights=score.weights(request.weights_json),
            jobs=request.jobs,
            corpus=Path(request.corpus_path) if request.corpus_path else None,
            cache=self._cache,
        )

    def Grade(self, request: pb.GradeRequest, context: grpc.ServicerContext) -> Iterator[pb.ScoreResponse]:
        """Grade predictions made elsewhere into a run; one that a call given up left unfinished is gone on with."""
        yield from self._scored(
            context,
            lambda stop: grading.grade(
                self._database, self._artifacts, request, cache=self._cache, now=self._clock(), stop=stop
            ),
        )

    def _scored(self, context: grpc.ServicerContext, begin: _Begin) -> Iterator[pb.ScoreResponse]:
        """Tell how far a scoring is; one at a time, and none that nobody listens to."""
        gone = threading.Event()
        if not context.add_callback(gone.set):
            return
        if self._parsing and address.parsing(self._results):
            going = ", ".join(sorted(self._parsing))
            context.abort(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"run {going} is being parsed here and timed: scoring would disturb its clocks. Score when it is done",
            )
        if not self._scoring.acquire(blocking=False):
            context.abort(grpc.StatusCode.ABORTED, str(StoreBusy(self._results)))
        try:
            for step in begin(gone):
                match step:
                    case Progress():
                        progress = pb.ScoreProgress(
                            stage=step.stage, completed=step.completed, total=step.total, current=step.current
                        )
                        yield pb.ScoreResponse(progress=progress)
                    case Scored(run_id, count, warnings):
                        yield pb.ScoreResponse(done=pb.ScoreDone(run_id=run_id, kpis=count, warnings=warnings))
        except _REFUSALS as error:
            _refuse(context, error)
        finally:
            self._scoring.release()

    def Query(self, request: pb.QueryRequest, context: grpc.ServicerContext) -> Iterator[pb.QueryResponse]:
        """Run one SELECT or EXPLAIN and stream its rows as one Arrow IPC stream."""
        gone = threading.Event()
        if not context.add_callback(gone.set):
            return
        if not self._queries.acquire(blocking=False):
            context.abort(
                grpc.StatusCode.RESOURCE_EXHAUSTED, f"{QUERIES} queries are being answered; ask again in a moment"
            )
        # A caller who stops reading without leaving would hold the store's old state for ever.
        patience = threading.Timer(self._query_seconds + _PATIENCE_SECONDS, context.cancel)
        patience.daemon = True
        patience.start()
        try:
            batches = query.stream(self._database, request.sql, seconds=self._query_seconds, stop=gone)
            for part in ipc_parts(batches):
                yield pb.QueryResponse(arrow_ipc=part)
        except _REFUSALS as error:
            _refuse(context, error)
        finally:
            patience.cancel()
            self._queries.release()

    def Leaderboard(self, request: pb.LeaderboardRequest, context: grpc.ServicerContext) -> pb.LeaderboardResponse:
        """Return the leaderboard of a run as data."""
        board = _answer(context, lambda: boards.board(self._database, run_id=request.run_id, suite=request.suite))
        return pb.LeaderboardResponse(run_id=board["run"]["run_id"], leaderboard_json=json.dumps(board))

    def Compare(self, request: pb.CompareRequest, context: grpc.ServicerContext) -> pb.CompareResponse:
        """Return how two scored runs differ, as data."""
        found = _answer(
            context,
            lambda: boards.comparison(self._database, request.before, request.after, suite=request.suite),
        )
        return pb.CompareResponse(comparison_json=json.dumps(found))

    def Export(self, request: pb.ExportRequest, context: grpc.ServicerContext) -> pb.ExportResponse:
        """Write every table and view as files; a relative folder is taken from the results folder."""

        def run() -> list[Path]:
            format = request.format or "parquet"
            if format not in _FORMATS:
                raise ValueError(f"the format is {format!r}, expected one of {', '.join(_FORMATS)}")
            if request.run_id:
                runs.newest(self._database, request.run_id)
            folder = self._results / (request.folder or f"export/{request.run_id or 'all'}")
            return export.export(self._database, folder, format=format, run_id=request.run_id)

        return pb.ExportResponse(files=[str(path) for path in _answer(context, run)])

    def Shutdown(self, request: pb.ScorerShutdownRequest, context: grpc.ServicerContext) -> pb.ScorerShutdownResponse:
        """End the service."""
        self._stop()
        return pb.ScorerShutdownResponse()


def _opened(path: Path, *, read_only: bool) -> Database:
    """Open the store; somebody may be reading the file itself, which takes a moment."""
    for _ in range(_OPENING_TRIES - 1):
        try:
            return Database(path, read_only=read_only)
        except StoreBusy:
            time.sleep(_OPENING_SECONDS / _OPENING_TRIES)
    return Database(path, read_only=read_only)


def ipc_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[bytes]:
    """Yield one Arrow IPC stream of record batches (the first one gives the columns) in parts of at most ``SLICE``."""
    sink = io.BytesIO()
    first = next(batches)
    writer = pa.ipc.new_stream(sink, first.schema)
    for batch in batches:
        writer.write_batch(batch)
        yield from _drained(sink)
    writer.close()
    yield from _drained(sink)


def _drained(sink: io.BytesIO) -> Iterator[bytes]:
    data = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    for start in range(0, len(data), SLICE):
        yield data[start : start + SLICE]


_REFUSALS = (StoreError, ValueError, GoldError, EmbedderError, ScoringFailed)


def _answer(context: grpc.ServicerContext, call: Callable[[], _T]) -> _T:
    try:
        return call()
    except _REFUSALS as error:
        _refuse(context, error)


def _refuse(context: grpc.ServicerContext, error: Exception) -> NoReturn:
    match error:
        case QueryRefused() | ValueError():
            code = grpc.StatusCode.INVALID_ARGUMENT
        case QueryTimeout():
            code = grpc.StatusCode.DEADLINE_EXCEEDED
        case Unknown():
            code = grpc.StatusCode.NOT_FOUND
        case submissions.SubmissionDamaged():
            code = grpc.StatusCode.DATA_LOSS
        case StorageFailed(full=True):
            code = grpc.StatusCode.RESOURCE_EXHAUSTED
        case RunMismatch() | GoldError() | EmbedderError() | StorageFailed():
            code = grpc.StatusCode.FAILED_PRECONDITION
        case _:
            code = grpc.StatusCode.INTERNAL
    context.abort(code, str(error)[:_MOST_WORDS])
    raise AssertionError("abort raises")
