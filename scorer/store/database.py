"""The connection that writes, and the tables it writes to."""

import threading
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

_SCHEMA = Path(__file__).with_name("schema.sql")


class Database:
    """One DuckDB file with docassay's tables. Any thread may call; writes are one at a time."""

    def __init__(self, path: Path) -> None:
        self._connection = duckdb.connect(path)
        self._connection.execute(_SCHEMA.read_text())
        self._connection.execute("set enable_external_access = false")
        self._connection.execute("set lock_configuration = true")
        self._lock = threading.Lock()

    def insert(self, table: str, row: dict[str, Any]) -> None:
        """Insert one row; the columns left out take their defaults."""
        columns = ", ".join(row)
        marks = ", ".join("?" * len(row))
        with self._lock:
            self._connection.execute(f"insert into {table} ({columns}) values ({marks})", list(row.values()))

    def query(self, sql: str, parameters: list[Any] | None = None) -> pa.Table:
        """Return the rows of a query as an Arrow table."""
        with self._lock:
            return self._connection.execute(sql, parameters or []).to_arrow_table()

    def close(self) -> None:
        """Write everything to the file and let go of it."""
        self._connection.close()
