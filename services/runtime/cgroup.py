"""The container's own memory counters, cgroup v2 and v1. Absent outside a container: every answer is then zero."""

from pathlib import Path

_V2 = Path("/sys/fs/cgroup")
_V1 = Path("/sys/fs/cgroup/memory")
_UNLIMITED = 1 << 60


class Counter:
    """Compares the counters with what they were when this object was made."""

    def __init__(self) -> None:
        self._kills = _kills()

    def killed(self) -> bool:
        """Whether the kernel ended a process of this container for memory since then."""
        return _kills() > self._kills


def peak_bytes() -> int:
    """Return the most memory this container ever used; 0 outside a container with a limit of its own."""
    for limit, peak in (
        (_V2 / "memory.max", _V2 / "memory.peak"),
        (_V1 / "memory.limit_in_bytes", _V1 / "memory.max_usage_in_bytes"),
    ):
        try:
            if int(limit.read_text()) < _UNLIMITED:
                return int(peak.read_text())
        except (OSError, ValueError):  # no such file, or the word "max"
            continue
    return 0


def _kills() -> int:
    for path in (_V2 / "memory.events", _V1 / "memory.oom_control"):
        try:
            text = path.read_text()
        except OSError:
            continue
        for line in text.splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
