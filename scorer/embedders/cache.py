"""Vectors on disk: shared by processes, whole after a kill at any moment, and never believed without their checksum.

One SQLite file in write-ahead mode. An entry whose checksum does not fit is computed again. A file that SQLite cannot
read is left as it is, for another process may have it open; it is marked as damaged, and the next one is begun.
"""

import hashlib
import logging
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scorer.embedders.identity import EmbedderError, Vectors

_LOG = logging.getLogger(__name__)

_KEYS_A_QUERY = 500
_BUSY_SECONDS = 60.0
_CHECK_BYTES = 16
_FILES = 100
_DAMAGED = ".damaged"

_FAULTS_OF_THE_SYSTEM = tuple(
    f"SQLITE_{name}" for name in ("BUSY", "LOCKED", "FULL", "READONLY", "CANTOPEN", "PERM", "NOMEM", "IOERR", "AUTH")
)

# SQLite quotes a damaged schema in its message, and Python then fails to decode the message.
_FAULTS = (sqlite3.DatabaseError, UnicodeDecodeError)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    key BLOB PRIMARY KEY, truncated INTEGER NOT NULL, vector BLOB NOT NULL, checksum BLOB NOT NULL
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """The vector of a text (float32, one dimension), and whether the text was longer than the context."""

    vector: Vectors
    truncated: bool


class VectorCache:
    """A folder of vectors by key; keys are digests of everything a vector depends on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._number = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EmbedderError(
                f"{folder}: the cache folder cannot be made ({error.strerror}); choose another"
            ) from error
        self._connection = self._open_next()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def get(self, keys: Sequence[bytes], *, dimensions: int) -> dict[bytes, Entry]:
        """Return the entries there are; one that is damaged, or of another length, is not there."""
        found: dict[bytes, Entry] = {}
        for start in range(0, len(keys), _KEYS_A_QUERY):
            some = keys[start : start + _KEYS_A_QUERY]
            query = f"SELECT key, truncated, vector, checksum FROM vectors WHERE key IN ({','.join('?' * len(some))})"
            for key, truncated, vector, checksum in self._read(query, some):
                if _fits(key, truncated, vector, checksum, dimensions):
                    found[key] = Entry(np.frombuffer(vector, dtype="<f4").astype(np.float32), bool(truncated))
        return found

    def put(self, entries: Mapping[bytes, Entry]) -> None:
        """Write entries; what is there under their keys is replaced."""
        rows = []
        for key, entry in entries.items():
            vector = entry.vector.astype("<f4").tobytes()
            rows.append((key, int(entry.truncated), vector, _checksum(key, int(entry.truncated), vector)))
        with self._lock:
            while True:
                try:
                    with self._connection:
                        self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
                except _FAULTS as error:
                    self._give_up(error)
                else:
                    return

    def _read(self, query: str, keys: Sequence[bytes]) -> list[tuple[bytes, int, bytes, bytes]]:
        with self._lock:
            while True:
                try:
                    return self._connection.execute(query, keys).fetchall()
                except _FAULTS as error:
                    self._give_up(error)

    def _give_up(self, error: sqlite3.DatabaseError | UnicodeDecodeError) -> None:
        """Go on with the next file if this one is damaged.

        Raises:
            EmbedderError: it is not damaged, but full, locked for long, or not writable.
        """
        self._mark(error)
        self._connection.close()
        self._connection = self._open_next()

    def _open_next(self) -> sqlite3.Connection:
        while self._number < _FILES:
            self._number += 1
            if self._path().with_suffix(_DAMAGED).exists():
                continue
            try:
                return _open(self._path())
            except _FAULTS as error:
                self._mark(error)
        raise EmbedderError(f"{self._folder}: {_FILES} damaged files; delete the folder, or choose another")

    def _mark(self, error: sqlite3.DatabaseError | UnicodeDecodeError) -> None:
        """Mark the file as damaged, for every process and for good: one that can be read in part stays half blind."""
        if not _damaged(error):
            raise EmbedderError(
                f"{self._path()}: the cache of vectors cannot be used ({error}); mend that, or choose another folder"
            ) from error
        _LOG.warning(
            "%s is damaged (%s): its vectors are computed again, delete it when nothing runs", self._path(), error
        )
        self._path().with_suffix(_DAMAGED).touch()

    def _path(self) -> Path:
        return self._folder / f"vectors-{self._number}.sqlite"


def _fits(key: object, truncated: object, vector: object, checksum: object, dimensions: int) -> bool:
    """Whether a row is what was written: a damaged page may hold anything."""
    return (
        isinstance(key, bytes)
        and isinstance(truncated, int)
        and isinstance(vector, bytes)
        and len(vector) == 4 * dimensions
        and checksum == _checksum(key, truncated, vector)
    )


def _checksum(key: bytes, truncated: int, vector: bytes) -> bytes:
    return hashlib.blake2b(key + b"%d" % truncated + vector, digest_size=_CHECK_BYTES).digest()


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(_SCHEMA)
        connection.execute("SELECT key, truncated, vector, checksum FROM vectors LIMIT 1").fetchone()
    except (sqlite3.Error, UnicodeDecodeError):
        connection.close()
        raise
    return connection


def _damaged(error: sqlite3.DatabaseError | UnicodeDecodeError) -> bool:
    """Whether the file is at fault: damage shows as any error, the system's own faults have names."""
    name = getattr(error, "sqlite_errorname", None) or ""
    return not isinstance(error, sqlite3.ProgrammingError) and not name.startswith(_FAULTS_OF_THE_SYSTEM)
