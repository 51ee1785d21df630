"""Work spread over spawned processes, which can be ended at any moment.

The standard library's executors cannot end a worker that works, and wait for it at exit.
"""

import ctypes
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

_LOOK_SECONDS = 0.2
_PR_SET_PDEATHSIG = 1
_J = TypeVar("_J")
_R = TypeVar("_R")


class WorkerDied(Exception):
    """A process ended while it worked.

    Attributes:
        job: what it worked on.
        code: its exit code; below 0 a signal.
    """

    def __init__(self, job: object, code: int | None) -> None:
        super().__init__(f"the process that worked on {job} ended with exit code {code}")
        self.job = job
        self.code = code


class Stopped(Exception):
    """The work was given up."""


@dataclass(frozen=True, slots=True)
class _Worker:
    process: BaseProcess
    pipe: "connection.Connection[Any, Any]"


@dataclass(frozen=True, slots=True)
class _Raised:
    error: Exception


class Spread(Generic[_J, _R]):
    """Jobs and the processes they are spread over; results come as they are ready, each with its job's index.

    Args:
        prepare: called once a process; returns the function that does a job. Both are pickled by name.
        jobs: one a call; pickled.
        processes: how many at most; 1 works in this process, more do not, not even on a single job.
        stop: ends the work when set, within a moment unless it is done in this process.
    """

    def __init__(
        self, prepare: Callable[[], Callable[[_J], _R]], jobs: Sequence[_J], *, processes: int, stop: threading.Event
    ) -> None:
        self._prepare = prepare
        self._jobs = jobs
        self._processes = processes
        self._stop = stop

    def results(self) -> Iterator[tuple[int, _R]]:
        """Yield every job's index and result.

        Raises:
            Stopped: ``stop`` was set.
            WorkerDied: a process ended while it worked.
            Exception: whatever a job raised.
        """
        if self._processes > 1:
            yield from self._spread()
            return
        do = self._prepare()
        for index, job in enumerate(self._jobs):
            if self._stop.is_set():
                raise Stopped
            yield index, do(job)

    def _spread(self) -> Iterator[tuple[int, _R]]:
        context = multiprocessing.get_context("spawn")
        workers: list[_Worker] = []
        try:
            for _ in range(min(self._processes, len(self._jobs))):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, os.getpid(), self._prepare), daemon=True)
                process.start()
                theirs.close()
                workers.append(_Worker(process, ours))
            yield from self._hand_out(workers)
        finally:
            for worker in workers:
                worker.process.kill()
            for worker in workers:
                worker.process.join()
                worker.pipe.close()

    def _hand_out(self, workers: Sequence[_Worker]) -> Iterator[tuple[int, _R]]:
        waiting = iter(enumerate(self._jobs))
        busy: dict[object, tuple[_Worker, int]] = {}

        def give(worker: _Worker) -> None:
            index, job = next(waiting, (None, None))
            if index is not None:
                busy[worker.pipe] = (worker, index)
                try:
                    worker.pipe.send(job)
                except OSError:
                    pass  # it has ended, which the pipe's end says below

        for worker in workers:
            give(worker)
        while busy:
            if self._stop.is_set():
                raise Stopped
            for pipe in connection.wait([worker.pipe for worker, _ in busy.values()], timeout=_LOOK_SECONDS):
                worker, index = busy.pop(pipe)
                try:
                    result = worker.pipe.recv()
                except (EOFError, OSError):
                    worker.process.join()
                    raise WorkerDied(self._jobs[index], worker.process.exitcode) from None
                if isinstance(result, _Raised):
                    raise result.error
                give(worker)
                yield index, result


def _work(
    pipe: "connection.Connection[Any, Any]", parent: int, prepare: Callable[[], Callable[[object], object]]
) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.getppid() != parent:
        return
    do: Callable[[object], object] | None = None
    while True:
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            do = do or prepare()
            result = do(job)
        except Exception as error:
            result = _Raised(error)
        pipe.send(result)
