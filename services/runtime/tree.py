"""The process tree below this process: its memory, its CPU time, its end. Linux, standard library only."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process tree uses at one moment: resident memory in bytes and CPU seconds since each process began."""

    resident: int
    cpu_seconds: float


def children(pid: int) -> list[int]:
    """Return the direct children of a process; none if it is gone."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    except OSError:
        pass
    return found


def descendants(pid: int) -> Iterator[int]:
    """Yield every process below ``pid``."""
    pending = children(pid)
    while pending:
        child = pending.pop()
        yield child
        pending += children(child)


def usage(pids: list[int]) -> Usage:
    """Return what the given processes use together; those that end meanwhile count nothing."""
    resident, ticks = 0, 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        # Counted after the command's name: 11 utime, 12 stime, 13 and 14 the same of reaped children, 21 rss.
        ticks += sum(map(int, fields[11:15]))
        resident += int(fields[21]) * _PAGE
    return Usage(resident, ticks / _TICK)


def reset_peak(pid: int) -> None:
    """Make the kernel count a process's peak resident memory from now on."""
    try:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    except OSError:
        pass


def peak(pid: int) -> int:
    """Return a process's peak resident memory in bytes since ``reset_peak``; 0 if it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def end(spare: int | None = None) -> int:
    """End every process below this one but ``spare`` and what is below it; return how many were still running.

    Repeats until nothing is left: a parser may fork while it is being ended. A process that leaves its group, its
    session or its parent still ends up below this one, because this one is a subreaper.
    """
    ended: set[int] = set()
    for _ in range(_ROUNDS):
        found = [pid for pid in children(os.getpid()) if pid != spare]
        if not found:
            break
        # One that was dead already may have left a child behind the moment before: only an empty look is the end.
        roots = [pid for pid in found if not _reaped(pid)]
        for pid in [pid for root in roots for pid in (root, *descendants(root))]:
            ended.add(pid)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if roots:
            time.sleep(0.002)
    return len(ended)


def _reaped(pid: int) -> bool:
    """Whether a child of this process was dead already, and is gone for good now."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True
