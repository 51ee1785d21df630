"""The owner of one worker process: starts it, feeds it, limits it, ends it.

Everything here runs in the service's process. Deadline and memory hold for the whole process tree: this process is a
child subreaper, so whatever a parser starts stays below it, and death is seen through a pidfd, never guessed from the
end of a pipe that a grandchild may hold open.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.runtime import cgroup, frames, tree

POLL_SECONDS = 0.02
"""How often the memory of the known processes is read while a parser works."""

LOOKS_PER_WALK = 5
"""How many such looks go by before the tree is walked for new processes: a walk reads every thread of a JVM."""

COLLECT_GRACE_SECONDS = 30.0
"""Time beyond the deadline for reading a tool's result; it is not scored, but it may hang too."""

LOG_BYTES = 1 << 20
"""How large the file with the parser's own standard output and error may grow."""

_PR_SET_CHILD_SUBREAPER = 36
_WORKER = Path(__file__).with_name("worker.py")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may use: seconds, and bytes of resident memory of the whole tree."""

    seconds: float
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Started:
    """The parser has been handed the document."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The tool's text exists."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a call ended; ``values`` is the worker's own last message, empty when it had none."""

    status: str
    reason: str
    values: dict[str, Any]
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    leftover: int = 0
    worker_ended: bool = False
    warnings: tuple[str, ...] = ()


Event = Started | Finished | bytes | Result


class WorkerDied(Exception):
    """The worker ended by itself; the message says how."""


class Overrun(Exception):
    """The worker passed a limit; ``status`` is timeout, oom or (the caller left) crash."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Supervisor:
    """One worker at a time, restarted after every end.

    Args:
        python: the interpreter of the parser's environment.
        adapter: the parser's folder.
        setting: the setting's name; empty for the default.
        environment: extra variables the parser's ``parser.toml`` asks for.
        scratch: a folder for the parser's home and temporary files.
    """

    def __init__(self, *, python: Path, adapter: Path, setting: str, environment: dict[str, str], scratch: Path) -> None:
        self._python = python
        self._adapter = adapter
        self._setting = setting
        self._extra = environment
        self._scratch = scratch
        self._process: subprocess.Popen[bytes] | None = None
        self._pidfd = -1
        self._commands = -1
        self._answers: frames.Reader | None = None
        self._answers_fd = -1
        self._log = scratch / "parser.log"
        self._ending = threading.Lock()
        # Without this, a grandchild whose parent ended would leave for process 1 and escape every limit.
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    @property
    def alive(self) -> bool:
        """Whether a worker is there to take a document."""
        return self._process is not None

    def load(self, limits: Limits) -> Result:
        """Start the worker and load the tool."""
        self.end()
        self._start()
        message = {"op": "load", "adapter": str(self._adapter), "setting": self._setting}
        *_, last = self._call(message, "loaded", limits, lambda: True)
        assert isinstance(last, Result)
        if last.values.get("state", "unhealthy") != "ready":
            self.end()
        return last

    def parse(self, path: Path, format: str, limits: Limits, wanted: Callable[[], bool]) -> Iterator[Event]:
        """Parse one document; ends with a Result. ``wanted`` turns false when the caller has left."""
        yield from self._call({"op": "parse", "path": str(path), "format": format}, "done", limits, wanted)

    def chunk(self, limits: Limits, wanted: Callable[[], bool]) -> Iterator[Event]:
        """Chunk the document parsed last; ends with a Result."""
        yield from self._call({"op": "chunk"}, "chunked", limits, wanted)

    def settle(self) -> None:
        """Let go of the last document and collect garbage, so that the next one starts as the first did."""
        if self.alive:
            for _ in self._call({"op": "settle"}, "settled", Limits(60.0, 1 << 62), lambda: True):
                pass

    def end(self) -> None:
        """End the worker and everything it started. Any thread may ask, at any time."""
        with self._ending:
            process, self._process = self._process, None
            if process is None:
                return
            tree.end()
            process.returncode = -signal.SIGKILL
            for descriptor in (self._pidfd, self._commands, self._answers_fd):
                os.close(descriptor)

    def log_tail(self) -> str:
        """Return the last words the parser wrote to its standard output and error."""
        try:
            text = self._log.read_bytes()[-4000:].decode(errors="replace")
        except OSError:
            return ""
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1].strip()[:300] if lines else ""

    def _start(self) -> None:
        work = Path(tempfile.mkdtemp(prefix="worker-", dir=self._scratch))
        log = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_TRUNC, 0o600)
        their_commands, self._commands = os.pipe()
        self._answers_fd, their_answers = os.pipe()
        try:
            self._process = subprocess.Popen(
                [self._python, "-I", _WORKER, str(their_commands), str(their_answers)],
                pass_fds=(their_commands, their_answers),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment(work),
                cwd=work,
                start_new_session=True,
            )
        finally:
            for descriptor in (their_commands, their_answers, log):
                os.close(descriptor)
        self._pidfd = os.pidfd_open(self._process.pid)
        self._answers = frames.Reader(self._answers_fd)

    def environment(self, home: Path) -> dict[str, str]:
        """Return the whole environment of the worker: nothing is inherited but where programs lie."""
        threads = str(len(os.sched_getaffinity(0)))
        return {
            "PATH": f"{self._python.parent}:{os.environ.get('PATH', os.defpath)}",
            "HOME": str(home),
            "TMPDIR": str(home),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "OMP_NUM_THREADS": threads,
            "HF_HUB_OFFLINE": "1",
            "DO_NOT_TRACK": "1",
            **({"JAVA_HOME": os.environ["JAVA_HOME"]} if "JAVA_HOME" in os.environ else {}),
            **self._extra,
        }

    def _call(
        self, message: dict[str, Any], last: str, limits: Limits, wanted: Callable[[], bool]
    ) -> Iterator[Event]:
        assert self._process is not None and self._answers is not None, "load before parsing"
        watch = _Watch(self._process.pid, limits, cgroup.Counter())
        failed: tuple[str, str] | None = None
        values: dict[str, Any] = {}
        try:
            frames.write_message(self._commands, message)
            while True:
                frame = self._answers.take()
                if frame is None:
                    self._wait(watch, wanted)
                    continue
                kind, payload = frame
                if kind is frames.Kind.OUTPUT:
                    yield payload
                    continue
                values = json.loads(payload)
                if values["op"] == "started":
                    yield Started()
                    watch.start()
                elif values["op"] == "finished":
                    watch.finish()
                    yield Finished()
                elif values["op"] == last:
                    break
        except Overrun as error:
            failed = error.status, str(error)
        except (WorkerDied, BrokenPipeError):
            failed = self._cause(watch)
        except (frames.FrameError, ValueError, KeyError) as error:
            failed = "crash", f"the parser wrote into the service's pipe: {error}"
        except GeneratorExit:
            self.end()
            raise
        watch.sample()
        leftover = 0
        if failed:
            self.end()
            values = {}
        else:
            leftover = tree.end(spare=self._process.pid)
        status, reason = failed or (values.get("status", "ok"), values.get("reason", ""))
        yield Result(
            status=status,
            reason=reason,
            values=values,
            cpu_seconds=watch.cpu_seconds,
            peak_bytes=watch.peak_bytes,
            leftover=leftover,
            worker_ended=bool(failed),
            warnings=(f"ended {leftover} processes the parser left behind",) if leftover else (),
        )

    def _wait(self, watch: "_Watch", wanted: Callable[[], bool]) -> None:
        """Wait for the worker's next words, one poll at most, and hold the limits."""
        assert self._answers is not None
        poll = select.poll()
        poll.register(self._answers_fd, select.POLLIN)
        poll.register(self._pidfd, select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll(POLL_SECONDS * 1000)}
        if self._answers_fd in ready:
            self._answers.fill()
            if self._answers.ended:
                raise WorkerDied
        elif self._pidfd in ready:
            raise WorkerDied
        if watch.due():
            watch.sample()
            if not wanted():
                raise Overrun("crash", "the caller left before the document was done")
            watch.check()
            if self._log.stat().st_size > LOG_BYTES:
                os.truncate(self._log, 0)

    def _cause(self, watch: "_Watch") -> tuple[str, str]:
        """Say why the worker died."""
        assert self._process is not None
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        if not poll.poll(1000):
            return "crash", "the parser closed the service's pipe"
        _, code = os.waitpid(self._process.pid, 0)
        if watch.counter.killed():
            return "oom", "the memory limit of the container was passed"
        words = self.log_tail()
        said = f"; its last words: {words}" if words else ""
        if os.WIFSIGNALED(code):
            return "crash", f"the parser was ended by {signal.Signals(os.WTERMSIG(code)).name}{said}"
        return "crash", f"the parser left with exit code {os.waitstatus_to_exitcode(code)}{said}"


class _Watch:
    """The limits of one call, and what the worker's tree used in its timed region."""

    def __init__(self, worker: int, limits: Limits, counter: cgroup.Counter) -> None:
        self.counter = counter
        self.peak_bytes = 0
        self.cpu_seconds = 0.0
        self._worker = worker
        self._limits = limits
        self._deadline = time.monotonic() + limits.seconds
        self._timed = False
        self._cpu_before = 0.0
        self._next = 0.0
        self._known: list[int] = []
        self._looks = 0
        tree.reset_peak(worker)

    def start(self) -> None:
        """The timed region begins."""
        self._deadline = time.monotonic() + self._limits.seconds
        self._timed = True
        self._cpu_before = self._usage(walk=True).cpu_seconds

    def finish(self) -> None:
        """The timed region ends; what follows has a grace of its own."""
        self.sample()
        self._timed = False
        self._deadline = time.monotonic() + COLLECT_GRACE_SECONDS + self._limits.seconds

    def due(self) -> bool:
        """Whether the next look at the tree is due."""
        return time.monotonic() >= self._next

    def sample(self) -> None:
        """Look at the tree's memory and CPU time."""
        self._next = time.monotonic() + POLL_SECONDS
        self._looks += 1
        now = self._usage(walk=self._looks % LOOKS_PER_WALK == 1)
        # The kernel's own peak of the worker sees what lies between two looks; the sum sees its children.
        self.peak_bytes = max(self.peak_bytes, now.resident, tree.peak(self._worker))
        if self._timed:
            self.cpu_seconds = now.cpu_seconds - self._cpu_before

    def check(self) -> None:
        """Raise Overrun when a limit was passed."""
        if self.peak_bytes > self._limits.memory_bytes:
            raise Overrun(
                "oom", f"{self.peak_bytes >> 20} MiB of memory used, {self._limits.memory_bytes >> 20} MiB allowed"
            )
        if time.monotonic() > self._deadline:
            during = "parsing" if self._timed else "reading the tool's result"
            raise Overrun("timeout", f"still {during} after {self._limits.seconds:g} s")

    def _usage(self, *, walk: bool) -> tree.Usage:
        if walk:
            self._known = list(tree.descendants(os.getpid()))
        return tree.usage(self._known)
