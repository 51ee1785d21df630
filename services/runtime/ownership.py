"""Folders for a process's temporary files, which do not outlive it: what a killed one left, the next run removes.

A folder is somebody's while a lock on the file ``owner`` in it is held: the kernel lets go of it with the process,
however that ends. A folder without that file is nobody's to remove.
"""

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from services.runtime.scratch import empty

PREFIX = "docassay-"
SHORT = Path("/tmp")
"""Where a socket goes when its path would be too long for one."""

_OWNER = "owner"


@contextlib.contextmanager
def temporary(parent: Path | None = None) -> Iterator[Path]:
    """Give a folder of this process's own, and remove it afterwards.

    Args:
        parent: where it is made; the system's folder for temporary files without.
    """
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        descriptor = _lock(folder)
        try:
            yield folder
        finally:
            os.close(descriptor)


def clear() -> None:
    """Remove the folders whose owners are gone."""
    for parent in {Path(tempfile.gettempdir()), SHORT}:
        for folder in sorted(parent.glob(f"{PREFIX}*")):
            # It has an owner, or another is removing it: the next time, then.
            with contextlib.suppress(OSError):
                _clear(folder)


def _clear(folder: Path) -> None:
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        return
    descriptor = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        empty(folder)
        try:
            folder.rmdir()
        except OSError:  # a server of the killed one is ending still, and writes; it stays to be removed
            (folder / _OWNER).touch()
    finally:
        os.close(descriptor)


def _lock(folder: Path) -> int:
    """Mark a folder as this process's until the descriptor is closed; the mark appears when it is locked already."""
    new = folder / f"{_OWNER}.new"
    descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    new.rename(folder / _OWNER)
    return descriptor
