"""Writing files of a corpus so that a kill leaves the old one or the new one, whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write that takes the path's place at the end, on disk; after an error nothing of it is left."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as sink:
            yield sink
            sink.flush()
            os.fsync(sink.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def whole(path: Path, text: str) -> None:
    """Write a text file."""
    with replacing(path) as sink:
        sink.write(text.encode())
