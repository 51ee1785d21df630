"""Parser services as child processes over Unix sockets.

Not a sandbox: the parsers of this repository run as the caller. What a container adds (no network, no root, a memory
limit of the kernel's) is absent here; deadline, memory polling and process isolation are the same program.
"""

import contextlib
import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc

from docassay.v1 import parser_pb2 as pb
from orchestrator import environments, states
from services.runtime import descriptor, guard, ownership, readiness, weights
from services.runtime.descriptor import Descriptor

ROOT = Path(__file__).resolve().parent.parent
SERVICES = ROOT / "services"
_START_SECONDS = 60.0
_SOCKET_PATH = re.compile("[A-Za-z0-9._/@+-]{1,107}")
"""The kernel takes 107 bytes, and gRPC reads an address as a URI."""


class ServiceFailed(Exception):
    """A service did not come up; the message has its last words.

    Attributes:
        words: these alone.
    """

    def __init__(self, text: str, words: str = "") -> None:
        super().__init__(text)
        self.words = words


class WeightsFolderError(Exception):
    """``DOCASSAY_WEIGHTS`` names what cannot be a folder of weights; the message says what to do."""


class NotReady(Exception):
    """A parser cannot work on this machine; the message says what is missing and what to do."""

    def __init__(self, state: "pb.ParserState.ValueType", reason: str) -> None:
        super().__init__(reason)
        self.state = state


@dataclass(frozen=True, slots=True)
class Process:
    """A service that was started.

    Attributes:
        name: of the program, for messages.
        address: where it will answer.
        process: itself, or the guard that stands above it.
        log: its standard output and error.
        deadline: by when it must answer, on the monotonic clock.
        files: what lies elsewhere on its behalf, removed when it is stopped.
    """

    name: str
    address: str
    process: subprocess.Popen[bytes]
    log: Path
    deadline: float
    files: contextlib.ExitStack


def weights_folder() -> Path:
    """Return where model weights are kept, a folder a parser: ``DOCASSAY_WEIGHTS``, else beside the environments.

    Raises:
        WeightsFolderError: it names something else than a folder, or a home folder of nobody.
    """
    named = os.environ.get(weights.VARIABLE)
    if not named:
        return environments.cache_folder() / "weights"
    try:
        folder = Path(named).expanduser().resolve()  # a shell leaves a quoted ~ as it is
    except RuntimeError as error:
        raise WeightsFolderError(f"{weights.VARIABLE} names {named}: {error} Name a folder by its whole path") from None
    if obstacle := _obstacle(folder):
        raise WeightsFolderError(
            f"{weights.VARIABLE} names {folder}, and {obstacle} is not a folder: name one that is, or is to be made"
        )
    return folder


def _obstacle(folder: Path) -> Path | None:
    """Return what is in the way of a folder, on the path to it or in its place."""
    for path in (folder, *folder.parents):
        try:
            return None if stat.S_ISDIR(path.stat().st_mode) else path
        except OSError:  # it is not there yet, or nobody's to look at
            continue
    return None


def readiness_of(parser: Descriptor) -> tuple[str, str]:
    """Return the state of a parser on this machine, for one version and setting, and everything it lacks here.

    Raises:
        WeightsFolderError: as of ``weights_folder``.
    """
    interpreter = ""
    if environments.interpreter(parser.python) is None:
        interpreter = f"Python {parser.python} is needed: install it and see that python{parser.python} is on the PATH"
    return readiness.look(parser, weights_folder() / parser.name, dict(os.environ), interpreter=interpreter)


def launch_parser(*, folder: Path, version: str, setting: str, documents: Path, scratch: Path, socket: Path) -> Process:
    """Start the service of one parser under a guard, making its environments first if they are not there.

    Raises:
        EnvironmentFailed: an environment could not be made.
        DescriptorError: the parser has no such version.
        NotReady: this machine lacks something it needs; nothing was installed.
        WeightsFolderError: as of ``weights_folder``.
    """
    parser = descriptor.read(folder).chosen(version, setting)
    based_on = environments.interpreter(parser.python)
    state, reason = readiness_of(parser)
    if based_on is None or state != readiness.READY:
        raise NotReady(states.value(state), reason)
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
        guarded=True,
    )


def start(command: Sequence[str], *, socket: Path, guarded: bool = False) -> Process:
    """Start a server of this project, as ``launch`` does, and wait until it takes calls.

    Raises:
        ServiceFailed: it ended, or did not answer in a minute.
    """
    service = launch(command, socket=socket, guarded=guarded)
    wait(service)
    return service


def launch(command: Sequence[str], *, socket: Path, guarded: bool = False) -> Process:
    """Start a server of this project, to be waited for.

    Call it from a thread that outlives the server: the kernel ends a child with the thread that started it.

    Args:
        command: all but where it answers.
        socket: where it answers, unless the path is none a socket can have; its log lies beside it in any case.
        guarded: what it starts must not outlive it, however it ends.
    """
    log = socket.with_suffix(".log")
    with contextlib.ExitStack() as files:
        if not _SOCKET_PATH.fullmatch(str(socket)):
            socket = files.enter_context(ownership.temporary(ownership.SHORT)) / "s"
        address = f"unix:{socket}"
        words = [*command, "--listen", address]
        with log.open("wb") as sink:
            process = subprocess.Popen(
                [sys.executable, "-m", guard.__name__] if guarded else words,
                stdin=subprocess.PIPE if guarded else subprocess.DEVNULL,
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
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError), process.stdin as commands:  # its log says why it ended
                commands.write(guard.packed(words))
        deadline = time.monotonic() + _START_SECONDS
        return Process(" ".join(command[1:3]), address, process, log, deadline, files.pop_all())


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
    stop(service)
    words = service.log.read_text(errors="replace").strip()[-2000:]
    raise ServiceFailed(f"{service.name} did not come up (exit code {process.returncode}): {words}", words)


def stop(service: Process) -> None:
    """End a service that was started here; it ends its parser first."""
    service.process.terminate()
    try:
        service.process.wait(timeout=guard.GRACE_SECONDS + 5)
    except subprocess.TimeoutExpired:
        service.process.kill()
        service.process.wait()
    service.files.close()
