"""Calls to the scorer, and the local scorer as a child process."""

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import grpc

from docassay.v1 import scorer_pb2 as pb
from docassay.v1 import scorer_pb2_grpc
from orchestrator import local
from orchestrator.containers import composed
from orchestrator.interruption import Interruption
from scorer.store import address
from services.runtime import ownership

SLICE = 1 << 20
_CHANNEL_OPTIONS = (("grpc.max_receive_message_length", 64 << 20),)


_BAD_INPUT = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.FAILED_PRECONDITION)


class ScorerRefusedError(Exception):
    """The scorer refused a call; the message is the scorer's own.

    Attributes:
        bad_input: the call asked for something that cannot be; else the scorer failed.
    """

    def __init__(self, text: str, *, bad_input: bool) -> None:
        super().__init__(text)
        self.bad_input = bad_input


class ScorerClient:
    """A channel to a scorer.

    Every method raises ScorerRefusedError with the scorer's own words when the call is refused or the scorer is gone.

    Args:
        listening: where it answers.
        interruption: gives up scoring when the end is asked for; what is being stored is finished.
    """

    def __init__(self, listening: str, interruption: Interruption | None = None) -> None:
        self._interruption = interruption or Interruption()
        self._channel = grpc.insecure_channel(listening, options=_CHANNEL_OPTIONS)
        self._stub = scorer_pb2_grpc.ScorerStub(self._channel)

    def close(self) -> None:
        """Close the channel."""
        self._channel.close()

    def open_run(self, request: pb.OpenRunRequest) -> pb.OpenRunResponse:
        """Open or resume a run."""
        with _refusals():
            return self._stub.OpenRun(request)

    def submit(self, record: pb.ParseRecord, output: IO[bytes], chunks: IO[bytes]) -> pb.SubmitResponse:
        """Store one parse; returns when it is on disk."""
        with _refusals():
            return self._stub.Submit(_submission(record, output, chunks))

    def close_run(self, run_id: str, outcomes: Sequence[pb.ParserOutcome]) -> None:
        """End the parsing part of a run."""
        with _refusals():
            self._stub.CloseRun(pb.CloseRunRequest(run_id=run_id, parsers=outcomes))

    def check_scoring(self, request: pb.ScoreRequest) -> None:
        """Have options refused that scoring would refuse."""
        with _refusals():
            self._stub.CheckScoring(request)

    def score(self, request: pb.ScoreRequest) -> Iterator[pb.ScoreResponse]:
        """Score a run; yields progress, then the end."""
        call = self._stub.Score(request)
        with _refusals(), self._interruption.giving_up(call):
            yield from call

    def grade(self, request: pb.GradeRequest) -> Iterator[pb.ScoreResponse]:
        """Grade predictions made elsewhere into a run; yields progress, then the end."""
        call = self._stub.Grade(request)
        with _refusals(), self._interruption.giving_up(call):
            yield from call

    def leaderboard(self, run_id: str) -> pb.LeaderboardResponse:
        """Return the leaderboard of a run; the newest for an empty id."""
        with _refusals():
            return self._stub.Leaderboard(pb.LeaderboardRequest(run_id=run_id))

    def compare(self, before: str, after: str) -> pb.CompareResponse:
        """Return how two scored runs differ."""
        with _refusals():
            return self._stub.Compare(pb.CompareRequest(before=before, after=after))

    def export(self, run_id: str, folder: Path, format: str) -> list[str]:
        """Write tables and views as files; returns their names."""
        with _refusals():
            request = pb.ExportRequest(run_id=run_id, folder=str(folder), format=format)
            return list(self._stub.Export(request).files)


@contextlib.contextmanager
def session(
    results: Path, interruption: Interruption | None = None, *, reading: bool = False
) -> Iterator[ScorerClient]:
    """Give the scorer of a results folder: compose's, the live one whose address lies there, or one started for this.

    Args:
        results: the folder.
        interruption: gives up calls when the end is asked for.
        reading: nothing will be stored, so a folder that cannot be written will do.

    Raises:
        ServiceFailed: it did not come up; its words say why (a locked file, a read-only folder).
        ComposedError: compose's does not become healthy.
    """
    if (listening := _composed() or address.live(results)) is not None:
        with contextlib.closing(ScorerClient(listening, interruption)) as client:
            yield client
        return
    ownership.clear()
    with ownership.temporary() as folder:
        command = [sys.executable, "-m", "scorer", "--results", str(results), "--with-parent"]
        if reading:
            command.append("--read-only")
        try:
            started = local.start(command, socket=folder / "scorer.sock", guarded=True)
        except local.ServiceFailed as error:
            _, known, refusal = error.words.rpartition(address.REFUSAL)
            if not known:
                raise
            raise local.ServiceFailed(refusal) from error  # it is the folder that is at fault, not the program
        try:
            with contextlib.closing(ScorerClient(started.address, interruption)) as client:
                yield client
        finally:
            local.stop(started)


def _composed() -> str | None:
    """Return where compose's scorer answers, once it does; None when its container is not running."""
    named = composed.here().scorer
    if not named or not composed.running(named):
        return None
    composed.await_health(named, service="scorer", seconds=composed.HEALTHY_SECONDS)
    return named


def _submission(record: pb.ParseRecord, output: IO[bytes], chunks: IO[bytes]) -> Iterator[pb.SubmitRequest]:
    yield pb.SubmitRequest(record=record)
    for part in _slices(output):
        yield pb.SubmitRequest(output=part)
    for part in _slices(chunks):
        yield pb.SubmitRequest(chunks=part)


def _slices(source: IO[bytes]) -> Iterable[bytes]:
    while part := source.read(SLICE):
        yield part


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except grpc.RpcError as error:
        if isinstance(error, grpc.Call):
            text = error.details() or error.code().name
            if error.code() == grpc.StatusCode.UNAVAILABLE:
                text = f"the scorer is gone ({text}): what it acknowledged is kept; the same command goes on from there"
            raise ScorerRefusedError(text, bad_input=error.code() in _BAD_INPUT) from error
        raise
