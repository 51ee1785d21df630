"""What machine this is, what code this is, and whether the machine keeps its pace."""

import hashlib
import json
import os
import platform
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_CALIBRATION_BYTES = 1 << 22
_CALIBRATION_ROUNDS = 5

_BUILT_FROM = re.compile("(?P<commit>[0-9a-f]{40})(?P<dirty>-dirty)?")
"""What ``git describe --always --abbrev=40 --dirty --exclude '*'`` says, which an image is built with."""


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
    """The code's own version.

    Attributes:
        name: what it is known by: the git commit; where nobody knows that, the version and a digest of the code.
        known: the name is a commit.
        dirty: the code differs from that commit.
    """

    name: str
    known: bool
    dirty: bool

    def record(self) -> dict[str, str | bool | None]:
        """Return what the record of a run says of it: no commit rather than one that is none."""
        return {
            "code": self.name,
            "commit": self.name if self.known else None,
            "dirty": self.dirty if self.known else None,
        }


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
    """Return the commit of the code at ``root``: of its checkout, else the one that its image was built from.

    Args:
        root: the folder that holds the packages.
        version: of this package, for code of which nobody knows the commit.
    """
    # An installed package may lie within a checkout of something else.
    top, _, head = (_git(root, "rev-parse", "--show-toplevel", "HEAD") or "").partition("\n")
    if head and Path(top).resolve() == root.resolve():
        return Commit(head, known=True, dirty=bool(_git(root, "status", "--porcelain")))
    if built := _BUILT_FROM.fullmatch(os.environ.get("DOCASSAY_COMMIT", "")):
        return Commit(built["commit"], known=True, dirty=built["dirty"] is not None)
    return Commit(f"{version}+{_code_digest(root)[:12]}", known=False, dirty=False)


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
    # A hook of another repository names that one in its environment.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-C", root, *arguments], capture_output=True, text=True, check=True, timeout=30, env=environment
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
