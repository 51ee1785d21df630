"""What machine this is, what code this is, and whether the machine keeps its pace."""

import hashlib
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_CALIBRATION_BYTES = 1 << 22
_CALIBRATION_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine as it stands in a run's record; two runs whose digests differ are not on one machine.

    Attributes:
        gpu: what ``DOCASSAY_GPU`` says that the parsers were given; None without one.
    """

    architecture: str
    cpu_model: str
    cpus: int
    memory_bytes: int
    system: str
    python: str
    gpu: str | None

    def json(self) -> str:
        """Return the record."""
        return json.dumps(asdict(self))

    def digest(self) -> str:
        """Return the SHA-256 of the record."""
        return hashlib.sha256(self.json().encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Commit:
    """The code's own version: the git commit, outside a checkout the version and a digest of the code."""

    name: str
    dirty: bool


def machine() -> Machine:
    """Describe this machine."""
    return Machine(
        architecture=platform.machine(),
        cpu_model=_cpu_model(),
        cpus=os.cpu_count() or 1,
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        gpu=os.environ.get("DOCASSAY_GPU") or None,
    )


def commit(root: Path, version: str) -> Commit:
    """Return the commit of a checkout at ``root``, else the given version with a digest of the code itself."""
    head = _git(root, "rev-parse", "HEAD")
    if head is None:
        return Commit(f"{version}+{_code_digest(root)[:12]}", dirty=False)
    return Commit(head, dirty=bool(_git(root, "status", "--porcelain")))


def calibrate(clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds of a fixed amount of work, the quickest of a few rounds."""
    block, rounds = bytes(_CALIBRATION_BYTES), []
    for _ in range(_CALIBRATION_ROUNDS):
        begun = clock()
        hashlib.sha256(block).digest()
        rounds.append(clock() - begun)
    return min(rounds)


def busy_seconds() -> float:
    """Return the CPU seconds the whole machine has spent on anything but idling, since it started."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[:8])
    return (user + nice + system + irq + softirq + steal) / _TICK


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def _code_digest(root: Path) -> str:
    digest = hashlib.sha256()
    for package in ("orchestrator", "scorer", "services"):
        for path in sorted((root / package).rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
