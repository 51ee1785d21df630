"""Calls to the scorer, and the local scorer as a child process."""

import contextlib
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import grpc
import pyarrow as pa
from docassay.v1 import scorer_pb2 as pb
from docassay.v1 import scorer_pb2_grpc

from orchestrator import local

SLICE = 1 << 20
ADDRESS_FILE = "docassay.address"


class ScorerRefusedError(Exception):
    """The scorer refused a call; the message is the scorer's own."""


class ScorerClient:
    """A channel to a scorer.

    Every method raises ScorerRefusedError with the scorer's own words when the call is refused or the scorer is gone.
    """

    def __init__(self, address: str) -> None:
        self._channel = grpc.insecure_channel(address)
        self._stub = scorer_pb2_grpc.ScorerStub(self._channel)

    def close(self) -> None:
        """Close the channel."""
        self._channel.close()

    def open_run(self, request: pb.OpenRunRequest) -> pb.OpenRunResponse:
        """Open or resume a run."""
        with _refusals():
            return self._stub.OpenRun(request)

    def submit(self, record: pb.ParseRecord, output: BinaryIO, chunks: BinaryIO) -> pb.SubmitResponse:
        """Store one parse; returns when it is on disk."""
        with _refusals():
            return self._stub.Submit(_submission(record, output, chunks))

    def close_run(self, run_id: str, outcomes: Sequence[pb.ParserOutcome]) -> None:
        """End the parsing part of a run."""
        with _refusals():
            self._stub.CloseRun(pb.CloseRunRequest(run_id=run_id, parsers=outcomes))

    def score(self, request: pb.ScoreRequest) -> Iterator[pb.ScoreResponse]:
        """Score a run; yields progress, then the end."""
        with _refusals():
            yield from self._stub.Score(request)

    def query(self, sql: str) -> pa.Table:
        """Return the rows of one SELECT."""
        with _refusals():
            parts = b"".join(response.arrow_ipc for response in self._stub.Query(pb.QueryRequest(sql=sql)))
        return pa.ipc.open_stream(parts).read_all()

    def leaderboard(self, run_id: str) -> pb.LeaderboardResponse:
        """Return the leaderboard of a run; the newest for an empty id."""
        with _refusals():
            return self._stub.Leaderboard(pb.LeaderboardRequest(run_id=run_id))

    def export(self, run_id: str, folder: Path, format: str) -> list[str]:
        """Write tables and views as files; returns their names."""
        with _refusals():
            request = pb.ExportRequest(run_id=run_id, folder=str(folder), format=format)
            return list(self._stub.Export(request).files)


@contextlib.contextmanager
def session(results: Path) -> Iterator[ScorerClient]:
    """Give the scorer of a results folder: the live one if its address lies there, else one started for this.

    Raises:
        ServiceFailed: it did not come up; its words say why (a locked file, a read-only folder).
    """
    if (address := live_address(results)) is not None:
        with contextlib.closing(ScorerClient(address)) as client:
            yield client
        return
    with tempfile.TemporaryDirectory(prefix="docassay-") as folder:
        started = local.start(
            [sys.executable, "-m", "scorer", "--results", str(results), "--with-parent"],
            socket=Path(folder) / "scorer.sock",
        )
        try:
            with contextlib.closing(ScorerClient(started.address)) as client:
                yield client
        finally:
            local.stop(started)


def live_address(results: Path) -> str | None:
    """Return the address of the scorer that holds a results folder, None when none answers there."""
    try:
        address = (results / ADDRESS_FILE).read_text(encoding="utf-8").strip()
    except OSError:
        return None
    with grpc.insecure_channel(address) as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=1.0)
        except grpc.FutureTimeoutError:
            return None
    return address


def _submission(record: pb.ParseRecord, output: BinaryIO, chunks: BinaryIO) -> Iterator[pb.SubmitRequest]:
    yield pb.SubmitRequest(record=record)
    for part in _slices(output):
        yield pb.SubmitRequest(output=part)
    for part in _slices(chunks):
        yield pb.SubmitRequest(chunks=part)


def _slices(source: BinaryIO) -> Iterable[bytes]:
    while part := source.read(SLICE):
        yield part


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except grpc.RpcError as error:
        if isinstance(error, grpc.Call):
            raise ScorerRefusedError(error.details() or error.code().name) from error
        raise
