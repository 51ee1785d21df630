"""Parser output on disk, named by its content: compressed, complete or not there at all."""

import contextlib
import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import zstandard

from scorer import mounts
from scorer.store.errors import StorageFailed, StoreError

_LEVEL = 3
_FIRST_LINE = 65_536
_SCRATCH = "scoring-"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class Artifacts:
    """A folder of artifacts: ``ab/abcdef….zst`` holds the bytes whose SHA-256 is ``abcdef…``.

    Args:
        folder: made if it is not there, unless ``read_only``.
        read_only: artifacts are only read.

    Raises:
        StorageFailed: the folder cannot be made.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self.folder = folder
        self._arriving = folder / "arriving"
        if not read_only:
            with storing(folder.parent):
                self._arriving.mkdir(parents=True, exist_ok=True)

    def clear(self) -> None:
        """Remove what an interrupted scorer left half written. Only the one writer may call this."""
        for path in self._arriving.iterdir():
            path.unlink()
        for folder in self.folder.parent.glob(f"{_SCRATCH}*"):
            shutil.rmtree(folder, ignore_errors=True)

    def arriving(self) -> "Arriving":
        """Return a new artifact to write to."""
        return Arriving(self.folder, self._arriving)

    @contextlib.contextmanager
    def open(self, digest: str) -> Iterator[BinaryIO]:
        """Open an artifact for reading, decompressed as it is read.

        Raises:
            StoreError: it is not there.
        """
        path = _path(self.folder, digest)
        try:
            handle = path.open("rb")
        except OSError as error:
            raise StoreError(
                f"{mounts.named(path)}: {error.strerror}. The artifact of a stored row is missing"
            ) from error
        with handle, zstandard.ZstdDecompressor().stream_reader(handle) as reader:
            yield reader


class Arriving:
    """An artifact being written, a slice at a time; dropped unless ``keep`` is called.

    Attributes:
        size: bytes so far, not compressed.
        first_line: the first line, up to 64 KiB of it.
    """

    def __init__(self, folder: Path, arriving: Path) -> None:
        self._folder = folder
        self._digest = hashlib.sha256()
        self.size = 0
        self.first_line = b""
        self._line_open = True
        with storing(folder.parent):
            descriptor, name = tempfile.mkstemp(dir=arriving)
        self._temporary = Path(name)
        self._file = os.fdopen(descriptor, "wb")
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL).stream_writer(self._file, closefd=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):  # what is buffered cannot be flushed on a full disk, and is not wanted
            self._file.close()
        self._temporary.unlink(missing_ok=True)

    def write(self, data: bytes) -> None:
        """Append a slice.

        Raises:
            StorageFailed: the folder is full or cannot be written.
        """
        with storing(self._folder.parent):
            self._compressor.write(data)
        self._digest.update(data)
        self.size += len(data)
        if self._line_open:
            line, end, _ = data.partition(b"\n")
            self.first_line = (self.first_line + line)[:_FIRST_LINE]
            self._line_open = not end

    def keep(self) -> str:
        """Make the artifact durable under its content's name, and return its digest.

        Raises:
            StorageFailed: the folder is full or cannot be written.
        """
        digest = self._digest.hexdigest()
        path = _path(self._folder, digest)
        with storing(self._folder.parent):
            self._compressor.flush(zstandard.FLUSH_FRAME)
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            if not path.parent.is_dir():
                path.parent.mkdir(exist_ok=True)
                _sync(self._folder)
            self._temporary.replace(path)
            _sync(path.parent)
        return digest


def scratch(results: Path) -> tempfile.TemporaryDirectory[str]:
    """Return a folder for rows on their way into the store; `Artifacts.clear` removes what is left of an earlier one.

    Raises:
        StorageFailed: the results folder is full or cannot be written.
    """
    with storing(results):
        return tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=results)


@contextlib.contextmanager
def storing(folder: Path, *, what: str = "results folder") -> Iterator[None]:
    """Turn what the operating system says about a write below ``folder`` into ``StorageFailed``."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise StorageFailed(folder, why, full=error.errno in _FULL, what=what) from error


def _path(folder: Path, digest: str) -> Path:
    return folder / digest[:2] / f"{digest}.zst"


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
