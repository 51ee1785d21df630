"""Parser services as child processes over Unix sockets.

Not a sandbox: the parsers of this repository run as the caller. What a container adds (no network, no root, a memory
limit of the kernel's) is absent here; deadline, memory polling and process isolation are the same program.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc

from docassay.v1 import parser_pb2 as pb
from orchestrator import environments
from services.runtime import descriptor, requirements, weights

ROOT = Path(__file__).resolve().parent.parent
SERVICES = ROOT / "services"
_START_SECONDS = 60.0


class ServiceFailed(Exception):
    """A service did not come up; the message has its last words."""


class NotReady(Exception):
    """A parser cannot work on this machine; the message says what is missing and what to do."""

    def __init__(self, state: "pb.ParserState.ValueType", reason: str) -> None:
        super().__init__(reason)
        self.state = state


@dataclass(frozen=True, slots=True)
class Process:
    """A service that was started: where it will answer, its process, its log, and by when it must answer."""

    address: str
    process: subprocess.Popen[bytes]
    log: Path
    deadline: float


def weights_folder() -> Path:
    """Return where model weights are kept, a folder a parser: ``DOCASSAY_WEIGHTS``, else beside the environments."""
    if named := os.environ.get(weights.VARIABLE):
        return Path(named).resolve()
    return environments.cache_folder() / "weights"


def launch_parser(*, folder: Path, version: str, setting: str, documents: Path, scratch: Path, socket: Path) -> Process:
    """Start the service of one parser, making its environments first if they are not there.

    Raises:
        EnvironmentFailed: an environment could not be made.
        DescriptorError: the parser has no such version.
        NotReady: this machine lacks something it needs; nothing was installed.
    """
    parser = descriptor.read(folder).chosen(version, setting)
    based_on = environments.interpreter(parser.python)
    if based_on is None:
        what = f"Python {parser.python} is needed: install it and see that python{parser.python} is on the PATH"
        raise NotReady(pb.PARSER_STATE_REQUIREMENT_MISSING, what)
    if what := requirements.missing(parser, dict(os.environ)):
        raise NotReady(pb.PARSER_STATE_REQUIREMENT_MISSING, what)
    if what := weights.missing(parser, weights_folder() / parser.name):
        raise NotReady(pb.PARSER_STATE_WEIGHTS_UNAVAILABLE, what)
    lock = parser.lock(version, setting)
    python = environments.python_of(lock, python=based_on, label=f"{parser.name}-{lock.stem}")
    runtime = environments.python_of(
        ROOT / "services" / "runtime" / "requirements.lock", python=sys.executable, label="runtime"
    )
    return launch(
        [
            str(runtime),
            *("-m", "services.runtime.server", "--with-parent"),
            *("--parser", str(folder), "--version", version, "--setting", setting),
            *("--python", str(python), "--documents", str(documents), "--scratch", str(scratch)),
            *("--weights", str(weights_folder())),
        ],
        socket=socket,
    )


def start(command: Sequence[str], *, socket: Path) -> Process:
    """Start a server of this project and wait until it takes calls.

    Raises:
        ServiceFailed: it ended, or did not answer in a minute.
    """
    service = launch(command, socket=socket)
    wait(service)
    return service


def launch(command: Sequence[str], *, socket: Path) -> Process:
    """Start a server of this project, to be waited for.

    Call it from a thread that outlives the server: the kernel ends a child with the thread that started it.
    """
    address = f"unix:{socket}"
    log = socket.with_suffix(".log")
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [*command, "--listen", address],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}",
                "GRPC_VERBOSITY": "ERROR",
                "DOCASSAY_CACHE": str(environments.cache_folder()),
            },
            start_new_session=True,
        )
    return Process(address, process, log, time.monotonic() + _START_SECONDS)


def wait(service: Process) -> None:
    """Wait until a server takes calls.

    Raises:
        ServiceFailed: it ended, or did not answer in a minute.
    """
    process = service.process
    with grpc.insecure_channel(service.address) as channel:
        ready = grpc.channel_ready_future(channel)
        while time.monotonic() < service.deadline:
            try:
                ready.result(timeout=0.05)
                return
            except grpc.FutureTimeoutError:
                if process.poll() is not None:
                    break
        ready.cancel()
    if process.poll() is None:
        process.kill()
        process.wait()
    words = service.log.read_text(errors="replace").strip()[-2000:]
    assert isinstance(process.args, list)
    raise ServiceFailed(f"{' '.join(process.args[1:3])} did not come up (exit code {process.returncode}): {words}")


def stop(service: Process) -> None:
    """End a service that was started here; it ends its parser first."""
    service.process.terminate()
    try:
        service.process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        service.process.kill()
        service.process.wait()
