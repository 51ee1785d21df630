"""Timed calls to one parser service, by the caller's own clock."""

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import grpc

from docassay.v1 import parser_pb2 as pb
from docassay.v1 import parser_pb2_grpc
from orchestrator import machine
from orchestrator.interruption import Interruption

PART = 1 << 20
"""Bytes of a document in one message."""


@dataclass(frozen=True, slots=True)
class Marks:
    """When the four moments of a parse were seen, in seconds of one monotonic clock; None: it did not come."""

    sent: float
    started: float | None
    finished: float | None
    done: float

    @property
    def seconds(self) -> float | None:
        """Started to Finished."""
        return None if self.started is None or self.finished is None else self.finished - self.started


@dataclass(frozen=True, slots=True)
class Answer:
    """One parse: how it ended, when, and the digest and size of the output that was written to the sink.

    ``busy_seconds``: CPU time that the whole machine spent until Finished, or until Done where that did not come. What
    comes after Finished is the service's own, and is no part of the CPU time that it says the parse took.
    """

    done: pb.Done
    marks: Marks
    busy_seconds: float
    sha256: str
    output_bytes: int


class ParserClient:
    """One channel to one replica of a parser service.

    Args:
        address: where it answers.
        interruption: gives up the call under way when the end is asked for.
    """

    def __init__(self, address: str, interruption: Interruption | None = None) -> None:
        self.address = address
        self._interruption = interruption or Interruption()
        self._channel = grpc.insecure_channel(address)
        self._stub = parser_pb2_grpc.ParserStub(self._channel)

    def close(self) -> None:
        """Close the channel."""
        self._channel.close()

    def answers(self, *, seconds: float) -> bool:
        """Whether the service takes a connection within so many seconds."""
        ready = grpc.channel_ready_future(self._channel)
        try:
            ready.result(timeout=seconds)
        except grpc.FutureTimeoutError:
            ready.cancel()
            return False
        return True

    def describe(self, *, probe_path: str = "", timeout: float = 60.0) -> pb.DescribeResponse:
        """Ask what the service is."""
        call = self._stub.Describe.future(pb.DescribeRequest(probe_path=probe_path), timeout=timeout)
        with self._interruption.giving_up(call):
            return call.result()

    def warmup(self, *, seconds: float, memory_bytes: int, timeout: float) -> pb.WarmupResponse:
        """Start a fresh worker and let it parse the built-in probes."""
        request = pb.WarmupRequest(deadline_seconds=seconds, memory_bytes=memory_bytes)
        call = self._stub.Warmup.future(request, timeout=timeout)
        with self._interruption.giving_up(call):
            return call.result()

    def parse(self, header: pb.ParseHeader, document: Path | None, sink: IO[bytes], *, timeout: float) -> Answer:
        """Parse one document and write its output to ``sink``.

        Args:
            header: id, format, limits, and the path if the service sees the file.
            document: the file to send as bytes; None when the header has a path.
            sink: where the output goes, slice by slice.
            timeout: seconds after which the service is given up; longer than the deadline it holds itself.

        Raises:
            grpc.RpcError: the service is gone or refused the call.
        """
        started = finished = done = None
        digest, size = hashlib.sha256(), 0
        busy, worked = machine.busy_seconds(), None
        sent = time.perf_counter()
        call = self._stub.Parse(_requests(header, document), timeout=timeout)
        with self._interruption.giving_up(call):
            for response in call:
                now = time.perf_counter()
                match response.WhichOneof("part"):
                    case "started":
                        started = now
                    case "finished":
                        finished, worked = now, machine.busy_seconds() - busy
                    case "output":
                        digest.update(response.output)
                        size += len(response.output)
                        sink.write(response.output)
                    case "done":
                        done = response.done
        ended = time.perf_counter()
        if done is None:
            raise ServiceSilent("the service ended the call without Done")
        if worked is None:
            worked = machine.busy_seconds() - busy
        return Answer(done, Marks(sent, started, finished, ended), worked, digest.hexdigest(), size)

    def chunk(self, parse_id: str, sink: IO[bytes], *, timeout: float) -> pb.ChunkDone:
        """Chunk the document parsed last and write the chunks to ``sink``.

        Raises:
            grpc.RpcError: the service is gone or refused the call.
        """
        done = None
        call = self._stub.Chunk(pb.ChunkRequest(parse_id=parse_id), timeout=timeout)
        with self._interruption.giving_up(call):
            # Read to the very end: until then the service is still busy with this call.
            for response in call:
                if response.WhichOneof("part") == "output":
                    sink.write(response.output)
                else:
                    done = response.done
        if done is None:
            raise ServiceSilent("the service ended the call without its closing message")
        return done

    def unload(self, *, timeout: float = 60.0) -> None:
        """End the worker."""
        self._stub.Unload(pb.UnloadRequest(), timeout=timeout)

    def shutdown(self, *, timeout: float = 10.0) -> None:
        """End the service."""
        self._stub.Shutdown(pb.ShutdownRequest(), timeout=timeout)


class ServiceSilent(Exception):
    """The service broke the order of the contract."""


def _requests(header: pb.ParseHeader, document: Path | None) -> Iterator[pb.ParseRequest]:
    yield pb.ParseRequest(header=header)
    if document is not None:
        with document.open("rb") as source:
            while part := source.read(PART):
                yield pb.ParseRequest(data=part)
