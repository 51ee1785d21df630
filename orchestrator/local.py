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

from orchestrator import environments
from services.runtime import descriptor

ROOT = Path(__file__).resolve().parent.parent
SERVICES = ROOT / "services"
_START_SECONDS = 60.0


class ServiceFailed(Exception):
    """A service did not come up; the message has its last words."""


@dataclass(frozen=True, slots=True)
class Process:
    """A service that was started: where it answers, its process, and its log."""

    address: str
    process: subprocess.Popen[bytes]
    log: Path


def start_parser(*, folder: Path, version: str, setting: str, documents: Path, scratch: Path, socket: Path) -> Process:
    """Start the service of one parser, making its environments first if they are not there.

    Raises:
        EnvironmentFailed: an environment could not be made.
        DescriptorError: the parser has no such version.
        ServiceFailed: the server ended before it answered.
    """
    parser = descriptor.read(folder)
    based_on = environments.interpreter(parser.python)
    if based_on is None:
        raise ServiceFailed(f"{parser.name} needs Python {parser.python}, which this machine does not have")
    python = environments.python_of(parser.lock(version), python=based_on, label=f"{parser.name}-{version}")
    runtime = environments.python_of(
        ROOT / "services" / "runtime" / "requirements.lock", python=sys.executable, label="runtime"
    )
    return start(
        [
            str(runtime),
            *("-m", "services.runtime.server", "--with-parent"),
            *("--parser", str(folder), "--version", version, "--setting", setting),
            *("--python", str(python), "--documents", str(documents), "--scratch", str(scratch)),
        ],
        socket=socket,
    )


def start(command: Sequence[str], *, socket: Path) -> Process:
    """Start a server of this project and wait until it takes calls.

    Raises:
        ServiceFailed: it ended, or did not answer in a minute.
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
    deadline = time.monotonic() + _START_SECONDS
    with grpc.insecure_channel(address) as channel:
        ready = grpc.channel_ready_future(channel)
        while time.monotonic() < deadline:
            try:
                ready.result(timeout=0.05)
                return Process(address, process, log)
            except grpc.FutureTimeoutError:
                if process.poll() is not None:
                    break
        ready.cancel()
    if process.poll() is None:
        process.kill()
        process.wait()
    words = log.read_text(errors="replace").strip()[-2000:]
    raise ServiceFailed(f"{' '.join(command[1:3])} did not come up (exit code {process.returncode}): {words}")


def stop(service: Process) -> None:
    """End a service that was started here; it ends its parser first."""
    service.process.terminate()
    try:
        service.process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        service.process.kill()
        service.process.wait()
