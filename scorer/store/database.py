"""The connection that writes, and the tables it writes to."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from scorer import mounts
from scorer.store import reference
from scorer.store.errors import SchemaMismatch, StorageFailed, StoreBusy, StoreError

SCHEMA_VERSION = 8
FILE = "docassay.duckdb"
"""The store's name inside the results folder."""

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    # A sort or join beyond this spills beside the file; the scorer must not grow with the store.
    "memory_limit": "512MB",
    "max_temp_directory_size": "8GB",
    # Without this a query could read the variables of the program that runs it.
    "python_enable_replacements": False,
    "enable_external_access": False,
    "lock_configuration": True,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


class Database:
    """One DuckDB file with docassay's tables. Any thread may call; writes are one at a time.

    Args:
        path: the file; made with its tables when it is not there, unless ``read_only``.
        read_only: open beside other readers; nothing can be written.

    Raises:
        StoreBusy: another process holds the file.
        SchemaMismatch: the file has another layout.
        StorageFailed: the file cannot be made or written.
        StoreError: the file is no DuckDB file, or holds something else.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection = _connect(path, read_only=read_only)
        try:
            self._check_or_make(read_only)
        except BaseException:
            self._connection.close()
            raise

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection of its own to the same store, for one thread; the caller closes it."""
        return self._connection.cursor()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Return the rows of the program's own query, as dictionaries."""
        found: list[dict[str, Any]] = self.table(sql, parameters).to_pylist()
        return found

    def table(self, sql: str, parameters: Sequence[Any] = ()) -> pa.Table:
        """Return the rows of the program's own query as an Arrow table."""
        cursor = self.cursor()
        try:
            return cursor.sql(sql, params=list(parameters)).to_arrow_table()
        finally:
            cursor.close()

    @contextlib.contextmanager
    def write(self) -> Iterator["Writer"]:
        """Open a transaction: all of it reaches the disk, or nothing.

        Raises:
            StorageFailed: the file could not be written.
        """
        with self._lock:
            self._connection.execute("begin transaction")
            try:
                yield Writer(self._connection)
            except BaseException as error:
                self._roll_back()
                if isinstance(error, duckdb.IOException | duckdb.FatalException):
                    raise _storage_failed(self.path, error) from error
                raise
            try:
                self._connection.execute("commit")
            except duckdb.Error as error:
                # There is one writer and no conflict: what fails now is the disk, whatever DuckDB calls it.
                self._roll_back()
                raise _storage_failed(self.path, error) from error

    def _roll_back(self) -> None:
        with contextlib.suppress(duckdb.Error):  # a commit that failed has ended the transaction
            self._connection.execute("rollback")

    def close(self) -> None:
        """Write everything to the file and let go of it."""
        with self._lock:
            self._connection.close()

    def _check_or_make(self, read_only: bool) -> None:
        present = {name for (name,) in self._connection.sql("select table_name from duckdb_tables()").fetchall()}
        if "schema_version" in present:
            found = self._connection.sql("select version from schema_version").fetchall()
            if found != [(SCHEMA_VERSION,)]:
                versions = ", ".join(str(version) for (version,) in found) or "none"
                raise SchemaMismatch(
                    f"{mounts.named(self.path)} has table layout {versions}; this docassay reads layout "
                    f"{SCHEMA_VERSION}. Use the docassay that wrote it, or choose another results folder"
                )
        elif present or read_only:
            raise SchemaMismatch(
                f"{mounts.named(self.path)} is a DuckDB file but no docassay store (it has no table schema_version). "
                "Choose another results folder"
            )
        else:
            self._make()

    def _make(self) -> None:
        self._connection.execute("begin transaction")
        for path in reference.FILES:
            self._connection.execute(path.read_text())
        for statement in reference.comments():
            self._connection.execute(statement)
        self._connection.execute("insert into schema_version values (?)", [SCHEMA_VERSION])
        self._connection.execute("commit")


class Writer:
    """An open transaction."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows; a change returns the number of rows changed."""
        return self._connection.execute(sql, list(parameters)).fetchall()

    def insert(self, table: str, rows: Sequence[dict[str, Any]]) -> None:
        """Insert rows, all with the same columns; the columns left out take their defaults."""
        if rows:
            columns = self._connection.sql(f"select {', '.join(rows[0])} from {table} limit 0").to_arrow_table().schema
            self.insert_arrow(table, pa.Table.from_pylist(list(rows), schema=columns))

    def insert_arrow(self, table: str, rows: pa.Table | pa.RecordBatchReader) -> None:
        """Insert the rows of an Arrow table or stream; the columns left out take their defaults."""
        self._connection.register("_incoming", rows)
        try:
            self._connection.execute(f"insert into {table} by name select * from _incoming")
        finally:
            self._connection.unregister("_incoming")


def _connect(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    if read_only and not path.is_file():
        raise StoreError(f"{mounts.named(path)} does not exist: no run was stored here yet")
    try:
        return duckdb.connect(path, read_only=read_only, config=_SETTINGS)
    except duckdb.IOException as error:
        text = str(error)
        if "lock" in text:
            raise StoreBusy(path.parent) from error
        if "valid DuckDB" in text or "corrupt" in text.lower():
            raise StoreError(f"{mounts.named(path)} is not a DuckDB file. Choose another results folder") from error
        raise _storage_failed(path, error) from error
    except duckdb.Error as error:
        raise StoreError(f"{mounts.named(path)} cannot be opened: {_first_line(str(error))}") from error


def _storage_failed(path: Path, error: duckdb.Error) -> StorageFailed:
    text = _first_line(str(error))
    full = any(words in text for words in ("No space", "too large", "quota"))
    return StorageFailed(path.parent, text, full=full)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0]
