"""Every table and view as files: Parquet, or CSV with lists written as JSON."""

from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from duckdb.sqltypes import DuckDBPyType

from scorer.store import reference
from scorer.store.artifacts import storing
from scorer.store.database import Database

Format = Literal["parquet", "csv"]

_ROWS = 8192


def export(database: Database, folder: Path, *, format: Format, run_id: str = "") -> list[Path]:
    """Write one file a table and view, and return the files.

    Args:
        database: the store.
        folder: made if it is not there; files of the same names are replaced.
        format: parquet or csv.
        run_id: only this run's rows; empty: all.

    Raises:
        StorageFailed: the folder cannot be written.
    """
    with storing(folder, what="folder"):
        folder.mkdir(parents=True, exist_ok=True)
    cursor = database.cursor()
    written = []
    try:
        # One transaction: all files show the same moment.
        cursor.execute("begin transaction read only")
        for relation in reference.relations():
            if relation.name == "schema_version":
                continue
            sql, parameters = _select(relation.name, run_id)
            rows = cursor.sql(sql, params=parameters)
            if format == "csv":
                rows = rows.project(", ".join(map(_flat, rows.columns, rows.types)))
            path = folder / f"{relation.name}.{format}"
            temporary = path.with_suffix(".new")
            with storing(folder, what="folder"):
                _write(rows.to_arrow_reader(_ROWS), temporary, format)
                temporary.replace(path)
            written.append(path)
        cursor.execute("rollback")
    finally:
        cursor.close()
    return written


def _select(name: str, run_id: str) -> tuple[str, list[Any]]:
    sql = f"select * from {name}"
    if not run_id:
        return sql, []
    if name == "signatures":
        return f"{sql} where signature in (select signature from kpis where run_id = ?)", [run_id]
    return f"{sql} where run_id = ?", [run_id]


def _flat(column: str, kind: DuckDBPyType) -> str:
    """Lists have no form of their own in CSV; a store's columns have plain names."""
    return f"to_json({column})::varchar as {column}" if kind.id == "list" else f'"{column}"'


def _write(reader: pa.RecordBatchReader, path: Path, format: Format) -> None:
    if format == "parquet":
        writer = pa.parquet.ParquetWriter(path, reader.schema, compression="zstd")
    else:
        writer = pa.csv.CSVWriter(path, reader.schema)
    with writer:
        for batch in reader:
            writer.write_batch(batch)
