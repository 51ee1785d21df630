"""Writing files of a corpus so that a kill leaves the old one or the new one, whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from orchestrator.corpus import advice
from orchestrator.corpus.layout import CorpusError, Fault
from orchestrator.corpus.reading import reason


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
        with suppress(OSError):  # where nothing can be written, nothing can be removed, and nothing is left
            temporary.unlink()


def whole(path: Path, text: str) -> None:
    """Write a text file.

    Raises:
        CorpusError: it cannot be written.
    """
    try:
        with replacing(path) as sink:
            sink.write(text.encode())
    except OSError as error:
        found = f"cannot be written ({reason(error)}); {advice.make_writable(path.parent)}"
        raise CorpusError(path.parent, (Fault(path.name, "", found),)) from error
