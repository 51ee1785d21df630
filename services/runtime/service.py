"""The gRPC face of one parser: ``docassay.v1.Parser`` over a supervisor."""

import hashlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import grpc

from docassay.v1 import parser_pb2 as pb
from docassay.v1 import parser_pb2_grpc
from services.runtime import cgroup, contained, picture, readiness, scratch, supervisor, weights
from services.runtime.descriptor import Descriptor
from services.runtime.frames import SLICE
from services.runtime.watch import UNLIMITED_BYTES, Limits

SHARED_CHUNKER = "docassay-sections@1"
_PROBES = Path(__file__).with_name("probes")
_PROBE_SUFFIX = {"image": "png"}
_LOAD_SECONDS = 300.0
_CHUNK_SECONDS = 120.0
_ASK_SECONDS = 30.0
"""Of Describe: within what its caller waits."""


class ParserService(parser_pb2_grpc.ParserServicer):
    """Works on one document at a time; a second caller is refused, never queued behind a timed parse.

    Args:
        descriptor: the parser's folder, read.
        version: which of its locks is installed.
        setting: the setting's name; empty for the default.
        worker: the owner of the parser's process.
        documents: the folder that document paths are under; None when there is none.
        inbox: a folder of this service alone, for documents that come as bytes.
        weights_folder: where the parser's model weights are.
        stop: called once to end the service.
        is_contained: whoever calls from the same container is the parser, and may not end the service.
    """

    def __init__(
        self,
        *,
        descriptor: Descriptor,
        version: str,
        setting: str,
        worker: supervisor.Supervisor,
        documents: Path | None,
        inbox: Path,
        weights_folder: Path,
        stop: Callable[[], None],
        is_contained: bool = False,
    ) -> None:
        self._descriptor = descriptor
        self._version = version
        self._setting = setting
        self._worker = worker
        self._documents = documents
        self._inbox = inbox
        self._weights_folder = weights_folder
        self._stop = stop
        self._is_contained = is_contained
        self._closing = threading.Event()
        self._busy = threading.Lock()
        self._state: pb.ParserState.ValueType = pb.PARSER_STATE_READY
        self._reason = ""
        self._weights_digest = ""
        self._held = False
        self._parse_id = ""
        self._parses = 0
        self._received = 0
        self._limits = Limits(_CHUNK_SECONDS)

    def Describe(self, request: pb.DescribeRequest, context: grpc.ServicerContext) -> pb.DescribeResponse:
        """Say what this service is, and whether what it needs around it was there when last looked for.

        Weights that are another server's are asked for now, unless the parser is at work: they may have changed.
        """
        if self._descriptor.weights_elsewhere and self._busy.acquire(blocking=False):
            with _Exclusive(self._busy):
                if not self._worker.alive and self.look_around():
                    asked = self._load(Limits(_ASK_SECONDS), self._wanted(context))
                    self._state, self._reason = asked.state, asked.reason
                    self._worker.end()
        return pb.DescribeResponse(
            name=self._descriptor.name,
            version=self._version,
            setting=self._setting,
            formats=self._descriptor.formats,
            capabilities=self._descriptor.capabilities,
            chunker=self._chunker(),
            native_chunker="chunks" in self._descriptor.capabilities,
            lock_digest=self._descriptor.lock_digest(self._version, self._setting),
            adapter_digest=self._descriptor.adapter_digest(),
            weights_digest=self._weights_digest,
            licence=self._descriptor.licence,
            licence_note=self._descriptor.licence_note,
            state=self._state,
            reason=self._reason,
            probe_sha256=self._probe_digest(request.probe_path),
        )

    def Warmup(self, request: pb.WarmupRequest, context: grpc.ServicerContext) -> pb.WarmupResponse:
        """Start a fresh worker, load the tool, parse the built-in probes, collect garbage."""
        seconds = request.deadline_seconds or _LOAD_SECONDS
        with self._exclusive(context):
            if not _positive(seconds):
                _refuse(context, f"deadline_seconds must be above zero, it is {seconds:g}")
            self._worker.end()
            self._let_go()
            return self._warm(Limits(seconds, request.memory_bytes or UNLIMITED_BYTES), self._wanted(context))

    def Parse(
        self, request_iterator: Iterator[pb.ParseRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.ParseResponse]:
        """Parse one document; see ``parser.proto`` for the order of the answers."""
        with self._exclusive(context):
            first = next(request_iterator, None)
            if first is None or first.WhichOneof("part") != "header":
                _refuse(context, "the first message of Parse must be its header")
            header = first.header
            if not _positive(header.deadline_seconds):
                _refuse(context, f"deadline_seconds must be above zero, it is {header.deadline_seconds:g}")
            self._let_go()
            self._held = True
            path = self._document(header, request_iterator, context)
            if header.format not in self._descriptor.formats:
                self._let_go()
                yield _done(
                    pb.PARSE_STATUS_UNSUPPORTED, f"{self._descriptor.name} does not read {header.format} documents"
                )
                return
            self._limits = Limits(header.deadline_seconds, header.memory_bytes or UNLIMITED_BYTES)
            wanted = self._wanted(context)
            if not self._worker.alive:
                # Loading is not the document's time, so it has the deadline of Warmup.
                warmed = self._warm(Limits(_LOAD_SECONDS, self._limits.memory_bytes), wanted)
                if warmed.state != pb.PARSER_STATE_READY:
                    self._let_go()
                    yield _done(pb.PARSE_STATUS_CRASH, f"the worker could not be started: {warmed.reason}")
                    return
            for event in self._worker.parse(path, header.format, self._limits, wanted):
                yield self._response(event)

    def Chunk(self, request: pb.ChunkRequest, context: grpc.ServicerContext) -> Iterator[pb.ChunkResponse]:
        """Chunk the document parsed last."""
        with self._exclusive(context):
            if not request.parse_id or request.parse_id != self._parse_id:
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"parse {request.parse_id!r} is not held any more")
            limits = Limits(self._limits.seconds + _CHUNK_SECONDS, self._limits.memory_bytes)
            for event in self._worker.chunk(limits, self._wanted(context)):
                if isinstance(event, bytes):
                    yield pb.ChunkResponse(output=event)
                elif isinstance(event, supervisor.Result):
                    self._let_go()
                    yield pb.ChunkResponse(
                        done=pb.ChunkDone(
                            status=_status(event.status),
                            reason=event.reason,
                            chunker=self._chunker(),
                            native="chunks" in self._descriptor.capabilities,
                            seconds=event.values.get("seconds", 0.0),
                            repaired_code_points=event.values.get("repaired", 0),
                        )
                    )

    def Unload(self, request: pb.UnloadRequest, context: grpc.ServicerContext) -> pb.UnloadResponse:
        """End the worker."""
        with self._exclusive(context):
            self._worker.end()
            self._let_go()
            return pb.UnloadResponse()

    def Shutdown(self, request: pb.ShutdownRequest, context: grpc.ServicerContext) -> pb.ShutdownResponse:
        """End the service once this call is answered; a parse under way is given up."""
        if self._is_contained and contained.is_inside(context.peer()):
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "a service is ended from outside its container")
        self._stop()
        return pb.ShutdownResponse()

    def look_around(self) -> bool:
        """Look for what the parser needs around its environment; whether it is there. Also done by every Warmup."""
        environment = self._worker.environment(self._inbox, self._inbox)
        state, self._reason = readiness.look(self._descriptor, self._weights_folder, environment, thoroughly=True)
        self._state = _state(state)
        if self._descriptor.weights:
            self._weights_digest = ""
        if self._state == pb.PARSER_STATE_READY and self._descriptor.weights:
            try:
                self._weights_digest = weights.digest(self._descriptor, self._weights_folder)
            except OSError as error:
                self._state = pb.PARSER_STATE_WEIGHTS_UNAVAILABLE
                self._reason = (
                    f"{error.filename}, beside the weights, cannot be read ({error.strerror}), and their digest is "
                    "over it as well: make it readable, or remove it"
                )
        self._worker.sweep()
        return self._state == pb.PARSER_STATE_READY

    def give_up(self) -> None:
        """Make the call under way end soon, and refuse every other."""
        self._closing.set()

    def close(self, *, seconds: float) -> None:
        """End the worker once the call under way has ended; it is not waited for longer than ``seconds``."""
        self._closing.set()
        if self._busy.acquire(timeout=seconds):
            self._worker.end()

    def _exclusive(self, context: grpc.ServicerContext) -> "_Exclusive":
        if self._closing.is_set():
            context.abort(grpc.StatusCode.UNAVAILABLE, "this service is ending")
        if not self._busy.acquire(blocking=False):
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "this service works on another document; it takes one")
        return _Exclusive(self._busy)

    def _wanted(self, context: grpc.ServicerContext) -> Callable[[], bool]:
        return lambda: not self._closing.is_set() and bool(context.is_active())

    def _let_go(self) -> None:
        """Forget the document parsed last, in the worker and on disk, so that the next one finds nothing of it."""
        self._parse_id = ""
        if self._held:
            self._worker.settle()
            scratch.empty(self._inbox)
            self._held = False

    def _chunker(self) -> str:
        if "chunks" in self._descriptor.capabilities:
            return f"{self._descriptor.name}@{self._version}"
        return SHARED_CHUNKER

    def _probe_digest(self, probe: str) -> str:
        path = self._inside(probe) if probe else None
        if path is None or not path.is_file():
            return ""
        with path.open("rb") as source:
            return hashlib.file_digest(source, "sha256").hexdigest()

    def _inside(self, name: str) -> Path | None:
        """Return a path under the documents folder, None when it leaves it. Links out of it are the owner's choice."""
        if self._documents is None or Path(name).is_absolute() or ".." in Path(name).parts:
            return None
        return self._documents / name

    def _document(
        self, header: pb.ParseHeader, parts: Iterator[pb.ParseRequest], context: grpc.ServicerContext
    ) -> Path:
        """Return where the document lies, having received it if it came as bytes."""
        if header.path:
            path = self._inside(header.path)
            if path is None or not path.is_file():
                context.abort(grpc.StatusCode.NOT_FOUND, f"no document {header.path!r} under the documents folder")
                raise AssertionError
            return path
        # A name of its own: a tool that keeps what it found under a file's name would find the last document's.
        self._received += 1
        path = self._inbox / f"document-{self._received}.{header.format if header.format.isalnum() else 'bin'}"
        with path.open("wb") as target:
            for part in parts:
                if part.WhichOneof("part") != "data":
                    _refuse(context, "after its header, Parse takes data alone")
                target.write(part.data)
        if header.format == "image":
            with path.open("rb") as source:
                named = path.with_suffix(picture.suffix(source.read(16)))
            path = path.rename(named)
        return path

    def _warm(self, limits: Limits, wanted: Callable[[], bool]) -> pb.WarmupResponse:
        if not self.look_around():
            self._worker.end()
            return pb.WarmupResponse(state=self._state, reason=self._reason)
        loaded = self._load(limits, wanted)
        if loaded.state != pb.PARSER_STATE_READY:
            return loaded
        probes = []
        for format in self._descriptor.formats:
            begun, result = time.perf_counter(), None
            probe = _PROBES / f"probe.{_PROBE_SUFFIX.get(format, format)}"
            for event in self._worker.parse(probe, format, limits, wanted):
                if isinstance(event, supervisor.Result):
                    result = event
            assert result is not None
            probes.append(
                pb.ProbeResult(
                    format=format,
                    status=_status(result.status),
                    reason=result.reason,
                    seconds=time.perf_counter() - begun,
                )
            )
            if result.worker_ended:
                return pb.WarmupResponse(
                    state=pb.PARSER_STATE_UNHEALTHY,
                    reason=f"the built-in {format} probe ended the worker: {result.reason}",
                    probes=probes,
                )
            self._worker.settle()
        if all(probe.status not in (pb.PARSE_STATUS_OK, pb.PARSE_STATUS_EMPTY) for probe in probes):
            self._worker.end()
            return pb.WarmupResponse(
                state=pb.PARSER_STATE_UNHEALTHY,
                reason=f"no built-in probe could be parsed; {probes[0].format}: {probes[0].reason}",
                probes=probes,
            )
        loaded.probes.extend(probes)
        return loaded

    def _load(self, limits: Limits, wanted: Callable[[], bool]) -> pb.WarmupResponse:
        """Load the tool in a fresh worker; say how long that took, or what keeps it from working."""
        loaded = self._worker.load(limits, wanted)
        if self._descriptor.weights_elsewhere:
            self._weights_digest = loaded.values.get("weights_digest", "")
        state = loaded.values.get("state", "unhealthy")
        if state != "ready":
            reason = loaded.values.get("reason") or loaded.reason or "the worker did not load"
            return pb.WarmupResponse(state=_state(state), reason=reason)
        return pb.WarmupResponse(state=pb.PARSER_STATE_READY, load_seconds=loaded.values["seconds"])

    def _response(self, event: supervisor.Event) -> pb.ParseResponse:
        match event:
            case supervisor.Started():
                return pb.ParseResponse(started=pb.Started())
            case supervisor.Finished():
                return pb.ParseResponse(finished=pb.Finished())
            case bytes():
                assert len(event) <= SLICE
                return pb.ParseResponse(output=event)
            case supervisor.Result():
                done = self._finish(event)
                if not done.parse_id:  # nothing will be chunked
                    self._let_go()
                return pb.ParseResponse(done=done)

    def _finish(self, result: supervisor.Result) -> pb.Done:
        if result.status in ("ok", "empty"):
            self._parses += 1
            self._parse_id = str(self._parses)
        return pb.Done(
            parse_id=self._parse_id,
            status=_status(result.status),
            reason=result.reason,
            assisted=pb.ASSISTANCE_NONE,
            worker_seconds=result.values.get("seconds", 0.0),
            collect_seconds=result.values.get("collect", 0.0),
            cpu_seconds=result.cpu_seconds,
            peak_memory_bytes=result.peak_bytes,
            cgroup_peak_bytes=cgroup.peak_bytes(),
            repaired_code_points=result.values.get("repaired", 0),
            leftover_processes=result.leftover,
            worker_ended=result.worker_ended,
            warnings=result.warnings,
        )


class _Exclusive:
    """Holds the service's lock until the call ends, however it ends."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock

    def __enter__(self) -> None: ...

    def __exit__(self, *_: Any) -> None:
        self._lock.release()


def _positive(seconds: float) -> bool:
    return math.isfinite(seconds) and seconds > 0


def _refuse(context: grpc.ServicerContext, why: str) -> NoReturn:
    context.abort(grpc.StatusCode.INVALID_ARGUMENT, why)
    raise AssertionError


def _done(status: pb.ParseStatus.ValueType, reason: str) -> pb.ParseResponse:
    return pb.ParseResponse(done=pb.Done(status=status, reason=reason, assisted=pb.ASSISTANCE_NONE))


def _status(word: str) -> pb.ParseStatus.ValueType:
    return pb.ParseStatus.Value(f"PARSE_STATUS_{word.upper()}")


def _state(word: str) -> pb.ParserState.ValueType:
    return pb.ParserState.Value(f"PARSER_STATE_{word.upper()}")
