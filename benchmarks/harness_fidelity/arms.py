"""The two arms of the comparison: what each says of one parse, and how it is asked."""

import hashlib
import io
import json
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from docassay.v1 import parser_pb2 as pb
from orchestrator import client
from services.runtime import tree
from services.runtime.watch import POLL_SECONDS

MEMORY = 8 << 30
SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Measured:
    """One parse of one arm."""

    seconds: float
    digest: str | None
    peak_bytes: int


class Bare:
    """The bare script. Its time is taken with nobody watching; its memory in a pass of its own.

    Args:
        process: what its lines are written to and read from.
        pid: the script itself, as this machine numbers it.
        documents: where it sees the documents.
    """

    def __init__(self, process: subprocess.Popen[str], pid: int, documents: Path) -> None:
        self._process = process
        self._pid = pid
        self._documents = documents

    def parse(self, path: Path) -> Measured:
        """Let the script parse one document."""
        assert self._process.stdin and self._process.stdout
        print(self._documents / path.name, file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        return Measured(answer["seconds"], answer["digest"], 0)

    def peak(self, path: Path) -> int:
        """Return the peak memory in bytes of parsing one document, the tree read from outside."""
        pid, peak, done = self._pid, [0], threading.Event()

        def watch() -> None:
            while not done.wait(POLL_SECONDS):
                resident = tree.usage([pid, *tree.descendants(pid)]).resident
                peak[0] = max(peak[0], resident)

        tree.reset_peak(pid)
        watcher = threading.Thread(target=watch)
        watcher.start()
        self.parse(path)
        done.set()
        watcher.join()
        return max(peak[0], tree.peak(pid))


class Service:
    """The local service, timed by the caller's clock."""

    def __init__(self, parser: client.ParserClient) -> None:
        self._parser = parser

    def parse(self, path: Path) -> Measured:
        """Parse one document over gRPC."""
        header = pb.ParseHeader(
            document_id=path.stem,
            format=path.suffix[1:],
            deadline_seconds=SECONDS,
            memory_bytes=MEMORY,
            path=path.name,
        )
        with tempfile.TemporaryFile() as sink:
            answer = self._parser.parse(header, None, sink, timeout=2 * SECONDS)
            sink.seek(0)
            pieces = [item["text"] for item in map(json.loads, sink) if item["kind"] == "text"]
        parsed = bool(answer.done.parse_id)
        if parsed:  # as a run does; the service lets go of the document afterwards
            self._parser.chunk(answer.done.parse_id, io.BytesIO(), timeout=SECONDS)
        digest = hashlib.sha256("".join(pieces).encode()).hexdigest() if parsed else None
        return Measured(answer.marks.seconds or 0.0, digest, answer.done.peak_memory_bytes)
