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
        with owned(folder):
            yield folder


@contextlib.contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Keep a folder from being taken for one that a killed process left; several may keep it at once."""
    descriptor = _locked(folder)
    try:
        yield
    finally:
        os.close(descriptor)


def clear() -> None:
    """Remove the folders whose owners are gone."""
    for parent in {Path(tempfile.gettempdir()), SHORT}:
        for folder in sorted(parent.glob(f"{PREFIX}*")):
            # Another may be removing it, or its servers be ending still: the next time, then.
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
        folder.rmdir()
    finally:
        os.close(descriptor)


def _locked(folder: Path) -> int:
    """Open a folder's ``owner`` and lock it; one that is not there appears locked."""
    path, new = folder / _OWNER, folder / f"{_OWNER}.new"
    there = path.exists()
    descriptor = os.open(path if there else new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    if not there:
        new.rename(path)
    return descriptor
