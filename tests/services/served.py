"""A real server with a faulty parser, in real processes, and what is left of it afterwards."""

import ctypes
import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc

from docassay.v1 import parser_pb2 as pb
from docassay.v1 import parser_pb2_grpc
from orchestrator import client, local
from services.runtime import tree

FOLDER = Path(__file__).parent / "faulty_parser"
MB = 1 << 20
GOOD = b"a document without fault"


def adopt_orphans() -> None:
    """Make this process the parent of whatever a dying server leaves, so that nothing escapes being counted."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def running(pids: list[int]) -> list[int]:
    """Return those that have not ended; a dead process nobody has waited for has."""
    alive = []
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state not in "ZX":
            alive.append(pid)
    return alive


def eventually(condition: Callable[[], bool], *, seconds: float = 20.0) -> bool:
    """Wait for something another process brings about; the time is a bound for giving up, never a measurement."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@dataclass(frozen=True, slots=True)
class Outcome:
    """One parse: its Done, its text, and which messages came, in order."""

    done: pb.Done
    text: str
    order: tuple[str, ...]

    @property
    def status(self) -> str:
        return pb.ParseStatus.Name(self.done.status).removeprefix("PARSE_STATUS_").lower()

    @property
    def reason(self) -> str:
        return self.done.reason


class Served:
    """One server; documents are given as bytes."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        parser: Path = FOLDER,
        version: str = "1",
        python: Path = Path(sys.executable),
        environment: dict[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.documents = folder / "documents"
        self.documents.mkdir(exist_ok=True)
        self.scratch = folder / "scratch"
        self.scratch.mkdir(exist_ok=True)
        before = dict(os.environ)
        os.environ.update(environment or {})
        try:
            self.service = local.start(
                [
                    sys.executable,
                    *("-m", "services.runtime.server"),
                    *("--parser", str(parser), "--version", version, "--python", str(python)),
                    *("--documents", str(self.documents), "--scratch", str(self.scratch)),
                    *arguments,
                ],
                socket=folder / "s",
            )
        finally:
            os.environ.clear()
            os.environ.update(before)
        self.process = self.service.process
        self.channel = grpc.insecure_channel(self.service.address)
        self.stub = parser_pb2_grpc.ParserStub(self.channel)
        self.client = client.ParserClient(self.service.address)

    @property
    def below(self) -> list[int]:
        """Every process below the server that has not ended."""
        return running(list(tree.descendants(self.process.pid)))

    def warm(self) -> pb.WarmupResponse:
        return self.client.warmup(seconds=60, memory_bytes=0, timeout=60)

    def parse(self, content: bytes, *, seconds: float = 20.0, memory_bytes: int = 0) -> Outcome:
        """Parse a document sent as bytes."""
        header = pb.ParseHeader(document_id="d", format="html", deadline_seconds=seconds, memory_bytes=memory_bytes)
        return outcome(self.stub.Parse(requests(header, content), timeout=120))

    def fault(self, name: str, *, seconds: float = 20.0, memory_bytes: int = 0) -> Outcome:
        """Parse a document that makes the parser fail in the named way."""
        return self.parse(f"fault: {name}\n".encode(), seconds=seconds, memory_bytes=memory_bytes)

    def chunk(self, parse_id: str) -> tuple[pb.ChunkDone, list[dict[str, object]]]:
        sink = io.BytesIO()
        done = self.client.chunk(parse_id, sink, timeout=60)
        return done, [json.loads(line) for line in sink.getvalue().splitlines()]

    def peak_bytes(self) -> int:
        return tree.peak(self.process.pid)

    def close(self) -> int:
        """End the server as its owner does; return its exit code."""
        try:
            self.client.shutdown()
        except grpc.RpcError:
            pass  # it is ending, or has ended, by itself
        self.client.close()
        self.channel.close()
        return self.process.wait(timeout=60)


def requests(header: pb.ParseHeader, content: bytes) -> Iterator[pb.ParseRequest]:
    yield pb.ParseRequest(header=header)
    for start in range(0, len(content), MB):
        yield pb.ParseRequest(data=content[start : start + MB])


def outcome(responses: Iterator[pb.ParseResponse]) -> Outcome:
    order, output = [], bytearray()
    done = None
    for response in responses:
        part = response.WhichOneof("part")
        if part != "output" or order[-1:] != ["output"]:
            order.append(part)
        if part == "output":
            output += response.output
        elif part == "done":
            done = response.done
    assert done is not None
    items = [json.loads(line) for line in output.splitlines()] if done.parse_id else []
    return Outcome(done, "".join(item["text"] for item in items if item["kind"] == "text"), tuple(order))
