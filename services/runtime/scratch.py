"""The folders and the log of a worker: the service makes and empties them, whatever a parser does to them."""

import os
import shutil
import subprocess
import threading
from pathlib import Path

LOG_BYTES = 1 << 20
"""How large the file with the parser's own standard output and error may grow."""

_KEEP_SECONDS = 0.05


class Folders:
    """``home`` lives as long as the worker (caches stay warm); ``temporary`` as long as one document."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.temporary = folder / "temporary"

    def renew(self) -> None:
        """Make both anew, for a new worker."""
        for folder in (self.home, self.temporary):
            empty(folder)

    def settle(self) -> None:
        """Empty what one document may have left."""
        empty(self.temporary)


def empty(folder: Path) -> None:
    """Leave an empty folder, whatever is in it or in its place; a folder that is one stays the same one."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    for entry in folder.iterdir():
        remove(entry)


def remove(path: Path) -> None:
    """Remove a file or a folder, however deep and whatever its modes."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(path, ignore_errors=True)
    except RecursionError:
        pass
    if path.exists():  # nested too deep for Python, or folders their owner may not enter
        subprocess.run(["chmod", "-R", "u+rwx", path], capture_output=True, check=False)
        subprocess.run(["rm", "-rf", path], capture_output=True, check=False)


class Log:
    """A file for standard output and error that is cut when it grows too long, also while nobody calls."""

    def __init__(self, path: Path) -> None:
        # Read and cut through this descriptor: the parser may delete or replace the name.
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self._closing = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()

    def last_words(self) -> str:
        """Return the last line that says something, at most 300 code points."""
        size = os.fstat(self.descriptor).st_size
        text = os.pread(self.descriptor, 4000, max(0, size - 4000)).decode(errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""

    def close(self) -> None:
        """Close the file, cut if need be."""
        self._closing.set()
        self._keeper.join()
        self._cut()
        os.close(self.descriptor)

    def _keep(self) -> None:
        while not self._closing.wait(_KEEP_SECONDS):
            self._cut()

    def _cut(self) -> None:
        if os.fstat(self.descriptor).st_size > LOG_BYTES:
            os.ftruncate(self.descriptor, 0)
