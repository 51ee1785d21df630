"""Where a results folder's scorer answers: one line in a file beside the store, there while the scorer is alive."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

import grpc

from scorer.store.artifacts import storing
from scorer.store.errors import StoreBusy

FILE = "docassay.address"
RUNNING = "docassay.running"
REFUSAL = "docassay scorer: "
"""What stands before the words of a scorer that cannot serve its folder."""
_PROBE_SECONDS = 2.0
_ENDING_SECONDS = 5.0


def live(results: Path) -> str | None:
    """Return the address of the scorer that holds a results folder; None when there is none that answers."""
    try:
        listening = (results / FILE).read_text().strip()
    except OSError:
        return None
    if not listening:
        return None
    with grpc.insecure_channel(listening) as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=_PROBE_SECONDS)
        except grpc.FutureTimeoutError:
            return None
    return listening


@contextlib.contextmanager
def held(results: Path) -> Iterator[None]:
    """Be the only scorer of a results folder while inside.

    The lock is the kernel's: it goes with the process, however that ends. It is waited for a little: a scorer whose
    owner was killed is ending by itself, and the same command is often given at once.

    Raises:
        StoreBusy: another scorer is alive and stays so.
        StorageFailed: the folder is full or cannot be written.
    """
    with storing(results):
        descriptor = os.open(results / "docassay.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        deadline = time.monotonic() + _ENDING_SECONDS
        while not _lock(descriptor):
            if time.monotonic() > deadline:
                raise StoreBusy(results)
            time.sleep(0.1)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def parsing(results: Path) -> bool:
    """Say whether a run is parsing into a results folder: its orchestrator holds the lock on ``RUNNING``."""
    try:
        descriptor = os.open(results / RUNNING, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


@contextlib.contextmanager
def announced(results: Path, listening: str) -> Iterator[None]:
    """Keep the address of the scorer in its file while inside."""
    path = results / FILE
    temporary = path.with_suffix(".new")
    with storing(results):
        temporary.write_text(listening + "\n")
        temporary.replace(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
