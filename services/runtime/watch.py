"""The limits of one call to a worker, and what the worker's process tree used meanwhile."""

import os
import time
from dataclasses import dataclass

from services.runtime import tree

POLL_SECONDS = 0.02
"""How often the memory of the known processes is read while a parser works."""

LOOKS_PER_WALK = 5
"""How many such looks go by before the tree is walked for new processes: a walk reads every thread of a JVM."""

COLLECT_GRACE_SECONDS = 30.0
"""Time beyond the deadline for reading a tool's result; it is not scored, but it may hang too."""

UNLIMITED_BYTES = 1 << 62


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may use: seconds, and bytes of resident memory of the whole tree."""

    seconds: float
    memory_bytes: int = UNLIMITED_BYTES


class Overrun(Exception):
    """The worker passed a limit or was given up; ``status`` is timeout, oom or crash."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Watch:
    """Looks at everything below this process during one call.

    The baseline is taken here, before the worker is told anything: between Started and Finished there is nothing but
    the polls.
    """

    def __init__(self, limits: Limits) -> None:
        self.peak_bytes = 0
        self.cpu_seconds = 0.0
        self._limits = limits
        self._deadline = time.monotonic() + limits.seconds
        self._timed = False
        self._next = 0.0
        self._looks = 0
        self._known = list(tree.descendants(os.getpid()))
        for pid in self._known:
            tree.reset_peak(pid)
        self._cpu_before = tree.usage(self._known).cpu_seconds

    def start(self) -> None:
        """The timed region begins."""
        self._deadline = time.monotonic() + self._limits.seconds
        self._timed = True

    def finish(self) -> None:
        """The timed region ends; what follows has a grace of its own.

        Raises:
            Overrun: a limit was passed before the end, however late that is seen.
        """
        self._look()
        self.check()
        self._timed = False
        self._deadline = time.monotonic() + COLLECT_GRACE_SECONDS + self._limits.seconds

    def excuse(self, seconds: float) -> None:
        """Move the deadline: the worker waited for a slow caller, not the caller for the worker."""
        self._deadline += seconds

    def due(self) -> bool:
        """Whether the next look at the tree is due."""
        return time.monotonic() >= self._next

    def sample(self) -> None:
        """Look at the tree's memory and CPU time."""
        self._next = time.monotonic() + POLL_SECONDS
        self._looks += 1
        if self._looks % LOOKS_PER_WALK == 0:
            self._known = list(tree.descendants(os.getpid()))
        self._look()

    def check(self) -> None:
        """Hold the limits.

        Raises:
            Overrun: one was passed.
        """
        if self.peak_bytes > self._limits.memory_bytes:
            raise Overrun(
                "oom", f"{self.peak_bytes >> 20} MiB of memory used, {self._limits.memory_bytes >> 20} MiB allowed"
            )
        if time.monotonic() > self._deadline:
            during = "working" if self._timed else "reading the tool's result"
            raise Overrun("timeout", f"still {during} after {self._limits.seconds:g} s")

    def _look(self) -> None:
        now = tree.usage(self._known)
        # The sum sees the tree at this moment; the kernel's own peak of a process sees what lies between two looks.
        self.peak_bytes = max(self.peak_bytes, now.resident, *map(tree.peak, self._known))
        if self._timed:
            # A process that ends unreaped takes its time with it: what was seen once is kept.
            self.cpu_seconds = max(self.cpu_seconds, now.cpu_seconds - self._cpu_before)
