"""The owner of one worker process: starts it, feeds it, limits it, ends it.

Everything here runs in the service's process. Deadline and memory hold for the whole process tree: this process is a
child subreaper, so whatever a parser starts stays below it, and death is seen through a pidfd, never guessed from the
end of a pipe that a grandchild may hold open. One caller at a time: the service's lock sees to that.
"""

import ctypes
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.runtime import cgroup, contained, frames, scratch, tree
from services.runtime.watch import POLL_SECONDS, Limits, Overrun, Watch

_PR_SET_CHILD_SUBREAPER = 36
_SETTLE_SECONDS = 60.0
_WORKER = Path(__file__).with_name("worker.py")


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
    """The worker ended by itself, or closed its pipe."""


class Supervisor:
    """One worker at a time, started anew after every end.

    Args:
        python: the interpreter of the parser's environment.
        adapter: the parser's folder.
        setting: the setting's name; empty for the default.
        environment: extra variables the parser's ``parser.toml`` asks for.
        inherited: variables it is given as they are here.
        scratch: a folder for the parser's home, temporary files and log.
        is_contained: the folder around ``scratch`` and the shared memory are the parser's alone: what it leaves there
            is removed, too.
    """

    def __init__(
        self,
        *,
        python: Path,
        adapter: Path,
        setting: str,
        environment: dict[str, str],
        inherited: tuple[str, ...] = (),
        scratch: Path,
        is_contained: bool = False,
    ) -> None:
        self._python = python
        self._adapter = adapter
        self._setting = setting
        self._extra = environment
        self._inherited = inherited
        self._scratch = scratch
        self._is_contained = is_contained
        self._worker: _Worker | None = None
        # Without this, a grandchild whose parent ended would leave for process 1 and escape every limit.
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    @property
    def alive(self) -> bool:
        """Whether a worker is there to take a document."""
        return self._worker is not None

    def load(self, limits: Limits, wanted: Callable[[], bool]) -> Result:
        """Start a fresh worker and load the tool; the result's ``values`` have its ``state``."""
        self.end()
        folders = scratch.Folders(self._scratch)
        try:
            folders.renew()
            environment = self.environment(folders.home, folders.temporary)
            self._worker = _Worker(self._python, environment, folders, self._scratch / "parser.log")
        except OSError as error:
            return Result("crash", f"{self._python} could not be started: {error}", {})
        message = {"op": "load", "adapter": str(self._adapter), "setting": self._setting}
        *_, last = self._call(message, "loaded", limits, wanted)
        assert isinstance(last, Result)
        if last.values.get("state") != "ready":
            self.end()
        return last

    def parse(self, path: Path, format: str, limits: Limits, wanted: Callable[[], bool]) -> Iterator[Event]:
        """Parse one document; ends with a Result. ``wanted`` turns false when the call is given up."""
        yield from self._call({"op": "parse", "path": str(path), "format": format}, "done", limits, wanted)

    def chunk(self, limits: Limits, wanted: Callable[[], bool]) -> Iterator[Event]:
        """Chunk the document parsed last; ends with a Result."""
        yield from self._call({"op": "chunk"}, "chunked", limits, wanted)

    def settle(self) -> None:
        """Let go of the last document, so that the next one starts as the first did.

        The worker collects garbage and restores what a parser may have changed; temporary files are removed; processes
        the parser orphaned are ended. A worker that cannot even do that is ended.
        """
        if self._worker is None:
            return
        for _ in self._call({"op": "settle"}, "settled", Limits(_SETTLE_SECONDS), lambda: True):
            pass
        if self._worker is not None:
            self._worker.folders.settle()
            self._remove_strays()

    def sweep(self) -> int:
        """End every process below this one that is neither the worker nor below it; return how many that were."""
        return tree.end(spare=None if self._worker is None else self._worker.pid)

    def end(self) -> None:
        """End the worker and everything it started, and remove its files."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()
            self._remove_strays()
            if self._is_contained:  # a worker that lives may share memory with processes of its own
                contained.remove_shared_memory()

    def _remove_strays(self) -> None:
        if self._is_contained:
            contained.remove_strays(self._scratch.parent, spare=self._scratch)

    def environment(self, home: Path, temporary: Path) -> dict[str, str]:
        """Return the whole environment of the worker: nothing is inherited but where programs lie."""
        threads = str(len(os.sched_getaffinity(0)))
        return {
            "PATH": f"{self._python.parent}:{os.environ.get('PATH', os.defpath)}",
            "HOME": str(home),
            "TMPDIR": str(temporary),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "OMP_NUM_THREADS": threads,
            # Some programs ask for a number of their own; more threads than CPUs wait for one another most of the time.
            "OMP_THREAD_LIMIT": threads,
            # Left to itself, ONNX Runtime counts the CPUs of the machine, and sends reports home.
            "ORT_INTRA_OP_NUM_THREADS": threads,
            "ORT_DISABLE_TELEMETRY": "1",
            "HF_HUB_OFFLINE": "1",
            "DO_NOT_TRACK": "1",
            **{name: os.environ[name] for name in self._inherited if name in os.environ},
            **self._extra,
        }

    def _call(self, message: dict[str, Any], last: str, limits: Limits, wanted: Callable[[], bool]) -> Iterator[Event]:
        worker = self._worker
        assert worker is not None, "load before parsing"
        counter, watch = cgroup.Counter(), Watch(limits)
        failed: tuple[str, str] | None = None
        values: dict[str, Any] = {}
        try:
            worker.tell(message)
            while values.get("op") != last:
                frame = worker.answers.take()
                if frame is None:
                    worker.wait()
                    if watch.due():
                        watch.sample()
                        watch.check()
                        if not wanted():
                            raise Overrun("crash", "the call was given up before the document was done")
                    continue
                kind, payload = frame
                if kind is frames.Kind.OUTPUT:
                    begun = time.monotonic()
                    yield payload
                    watch.excuse(time.monotonic() - begun)
                    continue
                values = frames.message(payload)
                match values.get("op"):
                    case "started":
                        watch.start()
                        yield Started()
                    case "finished":
                        watch.finish()
                        yield Finished()
                    case other if other != last:
                        raise frames.FrameError(f"unexpected message {str(other)[:40]!r}")
            watch.sample()
            watch.check()
        except Overrun as error:
            failed = error.status, str(error)
        except (WorkerDied, OSError):
            failed = worker.cause(counter)
        except frames.FrameError as error:
            failed = "crash", f"the parser wrote into the service's pipe: {error}"
        except BaseException:  # the caller left, or this code is wrong: either way the worker's state is unknown
            self.end()
            raise
        leftover = 0
        if failed:
            self.end()
            values = {}
        else:
            leftover = self.sweep()
        status, reason = failed or (values.get("status", "ok"), values.get("reason", ""))
        yield Result(
            status=status,
            reason=reason,
            values=values,
            cpu_seconds=watch.cpu_seconds,
            peak_bytes=watch.peak_bytes,
            leftover=leftover,
            worker_ended=bool(failed),
            warnings=(f"ended {leftover} process{'es' * (leftover > 1)} the parser left behind",) if leftover else (),
        )


class _Worker:
    """One running worker process with its pipe, folders and log."""

    def __init__(self, python: Path, environment: dict[str, str], folders: scratch.Folders, log: Path) -> None:
        self.folders = folders
        self._log = scratch.Log(log)
        their_commands, self._commands = os.pipe()
        self._answers, their_answers = os.pipe()
        try:
            self._process = subprocess.Popen(
                [python, "-I", _WORKER, str(their_commands), str(their_answers)],
                pass_fds=(their_commands, their_answers),
                stdin=subprocess.DEVNULL,
                stdout=self._log.descriptor,
                stderr=self._log.descriptor,
                env=environment,
                cwd=folders.temporary,
                start_new_session=True,
            )
        except BaseException:
            self._log.close()
            os.close(self._commands)
            os.close(self._answers)
            raise
        finally:
            os.close(their_commands)
            os.close(their_answers)
        self.pid = self._process.pid
        self.answers = frames.Reader(self._answers)
        self._death = os.pidfd_open(self.pid)
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        self._poll.register(self._death, select.POLLIN)

    def tell(self, message: dict[str, Any]) -> None:
        """Send a command.

        Raises:
            OSError: the worker is gone.
        """
        frames.write_message(self._commands, message)

    def wait(self) -> None:
        """Wait for the worker's next words, one poll at most.

        Raises:
            WorkerDied: it ended, or closed its pipe.
        """
        ready = {descriptor for descriptor, _ in self._poll.poll(POLL_SECONDS * 1000)}
        if self._answers in ready:
            self.answers.fill()
            if self.answers.ended:
                raise WorkerDied
        elif self._death in ready:
            raise WorkerDied

    def cause(self, counter: cgroup.Counter) -> tuple[str, str]:
        """Say why the worker died: a status and a reason."""
        death = select.poll()
        death.register(self._death, select.POLLIN)
        if not death.poll(1000):
            return "crash", "the parser closed the service's pipe"
        _, code = os.waitpid(self.pid, 0)
        if counter.killed():
            return "oom", "the memory limit of the container was passed"
        words = self._log.last_words()
        said = f"; its last words: {words}" if words else ""
        if os.WIFSIGNALED(code):
            return "crash", f"the parser was ended by {_signal_name(os.WTERMSIG(code))}{said}"
        return "crash", f"the parser left with exit code {os.waitstatus_to_exitcode(code)}{said}"

    def close(self) -> None:
        """End everything below this process, and let go of the worker's files."""
        tree.end()
        self._process.returncode = -signal.SIGKILL  # it was reaped there
        for descriptor in (self._death, self._commands, self._answers):
            os.close(descriptor)
        self._log.close()
        self.folders.renew()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name
        return f"signal {number}"
