"""The service under examination: raw calls to it, each with everything that was seen of the answer."""

import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from docassay.v1 import parser_pb2 as pb
from docassay.v1 import parser_pb2_grpc
from orchestrator.client import PART, Marks
from orchestrator.conformity import documents

SECONDS = 300.0
"""The deadline of a parse whose deadline is not what is examined."""

MEMORY_BYTES = 4 << 30
"""The memory of a parse whose memory is not what is examined: what a run allows."""

WARMUP_SECONDS = 900.0
PATIENCE_SECONDS = 60.0
"""Beyond a deadline, how long an answer may take before the call is given up."""

CALL_SECONDS = 60.0
"""How long a call that parses nothing may take."""


def _nothing(_call: grpc.Call) -> None:
    """Nobody wants to know."""


class Container(Protocol):
    """What can be seen of a service from outside when its container was started for this."""

    def cpu_seconds(self) -> float:
        """CPU time of everything in it so far."""
        ...

    def privileged(self) -> bool:
        """Whether it runs as root."""
        ...

    def ended(self, seconds: float) -> int | None:
        """Its exit code; None when it still runs after so many seconds."""
        ...


@dataclass(frozen=True, slots=True)
class Document:
    """A document to send; ``what`` says to a reader which one it is."""

    what: str
    format: str
    path: Path


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything seen of one Parse.

    Attributes:
        what: which document.
        order: the kinds of the messages, runs of ``output`` as one.
        marks: by the caller's clock; ``done`` is the end of the call, however it ended.
        done: None when it did not come.
        refused: the status code the call ended with; None when it ended well.
        words: the service's own words on that.
        sha256: of the output.
        output_bytes: its size.
        largest: bytes of the largest slice.
        output: the file it was written to.
    """

    what: str
    order: tuple[str, ...]
    marks: Marks
    done: pb.Done | None
    refused: grpc.StatusCode | None
    words: str
    sha256: str
    output_bytes: int
    largest: int
    output: Path

    @property
    def status(self) -> str:
        """The status as a word; what else happened when there is none."""
        if self.done is None:
            return f"no Done ({self.refused.name}: {self.words})" if self.refused else "no Done"
        try:
            return pb.ParseStatus.Name(self.done.status).removeprefix("PARSE_STATUS_").lower()
        except ValueError:
            return f"the unknown status {self.done.status}"


@dataclass(slots=True)
class Subject:
    """One service, and what was seen of it so far.

    Attributes:
        address: where it answers.
        folder: where documents and outputs of the examination lie.
        shared: the service has the subfolder ``documents`` as its documents folder.
        container: what it runs in; None when it was started by somebody else.
        description: what it said of itself, once asked.
        ready: it was warmed up and reads a format that documents can be made of.
        probes: the built-in probe of every format, as it was parsed, three times.
        lengthy: the document with much text; None when no format has one.
        long: that document as it was parsed, without a limit that it would meet.
        seen: every Parse so far.
    """

    address: str
    folder: Path
    shared: bool = False
    container: Container | None = None
    description: pb.DescribeResponse = field(default_factory=pb.DescribeResponse)
    ready: bool = False
    probes: dict[str, list[Seen]] = field(default_factory=dict)
    lengthy: Document | None = None
    long: Seen | None = None
    seen: list[Seen] = field(default_factory=list)
    channel: grpc.Channel = field(init=False)
    stub: parser_pb2_grpc.ParserStub = field(init=False)

    def __post_init__(self) -> None:
        """Connect."""
        self.channel = grpc.insecure_channel(self.address)
        self.stub = parser_pb2_grpc.ParserStub(self.channel)

    @property
    def documents(self) -> Path:
        """Where the documents lie; the service's own documents folder when it is shared."""
        return self.folder / "documents"

    @property
    def formats(self) -> list[str]:
        """The declared formats that documents can be made of, cheapest first."""
        return [format for format in documents.FORMATS if format in self.description.formats]

    def close(self) -> None:
        """Close the connection."""
        self.channel.close()

    def health(self, service: str) -> str:
        """Return what the health service says of a name."""
        request = health_pb2.HealthCheckRequest(service=service)
        answer = health_pb2_grpc.HealthStub(self.channel).Check(request, timeout=CALL_SECONDS)
        return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))

    def describe(self, probe_path: str = "") -> pb.DescribeResponse:
        """Ask what it is."""
        return self.stub.Describe(pb.DescribeRequest(probe_path=probe_path), timeout=CALL_SECONDS)

    def warm(self) -> pb.WarmupResponse:
        """Start a fresh worker."""
        request = pb.WarmupRequest(deadline_seconds=WARMUP_SECONDS, memory_bytes=MEMORY_BYTES)
        return self.stub.Warmup(request, timeout=WARMUP_SECONDS + PATIENCE_SECONDS)

    def document(self, what: str, format: str, make: Callable[[], bytes]) -> Document:
        """Return a document, made if it was not; its name tells nothing but the format."""
        path = self.documents / f"{hashlib.sha256(what.encode()).hexdigest()[:32]}.{format}"
        if not path.exists():
            path.write_bytes(make())
            path.chmod(0o644)  # a container reads it as another user
        return Document(what, format, path)

    def probe(self, format: str) -> Document:
        """Return the built-in probe of a format."""
        return self.document(f"the {format} probe", format, lambda: documents.plain(format))

    def parse(
        self,
        document: Document,
        *,
        seconds: float = SECONDS,
        memory_bytes: int = MEMORY_BYTES,
        by_path: bool = False,
        started: Callable[[grpc.Call], object] = _nothing,
    ) -> Seen:
        """Parse a document and return all that was seen; never raises for what the service does.

        Args:
            started: called once with the call when Started has come.
        """
        header = pb.ParseHeader(
            document_id=document.path.name,
            format=document.format,
            deadline_seconds=seconds,
            memory_bytes=memory_bytes,
            path=document.path.name if by_path else "",
        )
        return self.send(
            document.what, _parts(header, None if by_path else document.path), seconds=seconds, started=started
        )

    def send(
        self,
        what: str,
        requests: Iterable[pb.ParseRequest],
        *,
        seconds: float = SECONDS,
        started: Callable[[grpc.Call], object] = _nothing,
    ) -> Seen:
        """Send whatever messages to Parse; as ``parse``."""
        output = self.folder / f"output-{len(self.seen)}-{threading.get_ident()}"
        order: list[str] = []
        moments: dict[str, float] = {}
        digest, size, largest = hashlib.sha256(), 0, 0
        done, refused, words = None, None, ""
        sent = time.perf_counter()
        call = self.stub.Parse(iter(requests), timeout=seconds + PATIENCE_SECONDS)
        with output.open("wb") as sink:
            try:
                for response in call:
                    part = response.WhichOneof("part") or "an empty message"
                    moments.setdefault(part, time.perf_counter())
                    if part != "output" or order[-1:] != ["output"]:
                        order.append(part)
                    if part == "output":
                        digest.update(response.output)
                        size += len(response.output)
                        largest = max(largest, len(response.output))
                        sink.write(response.output)
                    elif part == "done":
                        done = response.done
                    elif part == "started" and order.count(part) == 1:
                        started(call)
            except grpc.RpcError as error:
                refused = error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.UNKNOWN
                words = " ".join((error.details() or "").split())[:200] if isinstance(error, grpc.Call) else str(error)
        marks = Marks(sent, moments.get("started"), moments.get("finished"), time.perf_counter())
        seen = Seen(what, tuple(order), marks, done, refused, words, digest.hexdigest(), size, largest, output)
        self.seen.append(seen)
        return seen

    def chunk(self, seen: Seen) -> None:
        """Take the chunks of a document and drop them; nothing happens when it is not held any more."""
        if seen.done is None or not seen.done.parse_id:
            return
        try:
            for _ in self.stub.Chunk(pb.ChunkRequest(parse_id=seen.done.parse_id), timeout=CALL_SECONDS):
                pass
        except grpc.RpcError:
            return  # what Chunk answers is examined elsewhere

    def lively(self, after: Seen | None = None) -> Iterator[str]:
        """Yield what is wrong if the service does not parse a probe as it did at first; ``after`` ended its worker."""
        if after is not None and after.done is not None and after.done.worker_ended:
            warmup = self.warm()
            if warmup.state != pb.PARSER_STATE_READY:
                yield f"after {after.what} it could not be warmed up: {warmup.reason}"
                return
        format = self.formats[0]
        seen = self.parse(self.probe(format))
        before = self.probes[format][0]
        where = f"after {after.what}" if after is not None else "afterwards"
        if seen.status != before.status:
            yield f"{where} the {format} probe ended with {seen.status}, before with {before.status}"
        elif seen.sha256 != before.sha256 and len({earlier.sha256 for earlier in self.probes[format]}) == 1:
            yield f"{where} the {format} probe had another output than before"


def _parts(header: pb.ParseHeader, document: Path | None) -> Iterator[pb.ParseRequest]:
    yield pb.ParseRequest(header=header)
    if document is not None:
        with document.open("rb") as source:
            while part := source.read(PART):
                yield pb.ParseRequest(data=part)
