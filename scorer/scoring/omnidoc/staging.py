"""Rows on their way into the store: written to a temporary folder parser by parser, inserted in one transaction.

A run's samples are as large as all of its texts; on disk they cost no memory.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from scorer.store.artifacts import scratch, storing
from scorer.store.database import Database, Writer

__all__ = ["Staging"]


class Staging:
    """Rows by table; a context, at whose end the temporary files go.

    Raises:
        StorageFailed: the results folder is full or cannot be written.
    """

    def __init__(self, database: Database, tables: Sequence[str]) -> None:
        results = database.path.parent
        self._results = results
        self._folder = scratch(results)
        self._schemas = {table: database.table(f"select * from {table} limit 0").schema for table in tables}
        self._writers = {
            table: pa.ipc.new_stream(str(self._path(table)), schema) for table, schema in self._schemas.items()
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def add(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows; a column left out is null."""
        if rows:
            with storing(self._results):
                self._writers[table].write_table(pa.Table.from_pylist(list(rows), schema=self._schemas[table]))

    def insert(self, writer: Writer) -> None:
        """Insert all rows; nothing can be added any more."""
        for table, stream in self._writers.items():
            with storing(self._results):
                stream.close()
            with pa.memory_map(str(self._path(table))) as source:
                writer.insert_arrow(table, pa.ipc.open_stream(source))

    def _path(self, table: str) -> Path:
        return Path(self._folder.name) / f"{table}.arrow"
