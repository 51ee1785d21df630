"""Where commands that fetch weights work: alone in the folder of all weights, with tools and a place of their own."""

import contextlib
import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import uv

from services.runtime import ownership, scratch

_TEMPORARY = ".fetching-"
"""What the name of a temporary folder begins with."""

_LOCK = ".fetching"
"""The file that is locked by who fetches."""


class BusyError(Exception):
    """Somebody else fetches into the folder."""


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[int]:
    """Hold the lock of the folder of all weights, and remove what killed ones left in it.

    Yields:
        The lock's descriptor. A command that inherits it holds the lock as well, however its parent ends.

    Raises:
        BusyError: another holds it.
        OSError: the folder cannot be written.
    """
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError from None
        for left in folder.glob(f"{_TEMPORARY}*"):
            with contextlib.suppress(OSError):  # another user's
                scratch.empty(left)
                left.rmdir()
        yield descriptor
    finally:
        os.close(descriptor)


def clear(folder: Path) -> None:
    """Remove what killed ones left, unless somebody is at work."""
    if any(folder.glob(f"{_TEMPORARY}*")):
        with contextlib.suppress(BusyError, OSError), alone(folder):
            pass


@contextlib.contextmanager
def tools(folder: Path, *, installs: bool) -> Iterator[dict[str, str]]:
    """Give the variables of a command: beside this program's own tools, an environment it may install into.

    What it installs may take gigabytes and is removed with everything temporary, so it lies beside the weights. It is
    reached through a link: a ``PATH`` and the first line of a script cannot hold every name that a folder can have.

    Raises:
        OSError: the folder cannot be written.
        CalledProcessError: no environment could be made.
    """
    with (
        tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=folder) as made,
        ownership.temporary(ownership.SHORT) as short,
    ):
        place = short / "fetching"
        place.symlink_to(made)
        own = str(Path(sys.executable).parent)
        environment = {
            **os.environ,
            "TMPDIR": str(place),
            "UV_NO_CACHE": "1",
            "PIP_NO_CACHE_DIR": "1",
            "PATH": f"{own}:{os.environ.get('PATH', os.defpath)}",
        }
        if installs:
            command = [uv.find_uv_bin(), "venv", "--quiet", "--seed", "--python", sys.executable, f"{place}/tool"]
            subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            environment["PATH"] = f"{place}/tool/bin:{environment['PATH']}"
        yield environment
