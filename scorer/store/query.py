"""Anybody's query: one SELECT or EXPLAIN, read-only, interrupted when it takes too long, its rows streamed.

The store is opened with external access off and its configuration locked, so no query reaches a file, the network or
an extension. Beyond that, a query may call only the table functions listed here: some of DuckDB's others change the
running process (its log, its optimiser, its grammar) or take raw memory addresses.
"""

import contextlib
import io
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import grpc
import pyarrow as pa

from docassay.v1 import scorer_pb2 as pb
from docassay.v1 import scorer_pb2_grpc
from scorer.store import address
from scorer.store.database import FILE, Database
from scorer.store.errors import QueryRefused, QueryTimeout, StoreBusy, StoreError

SECONDS = 30.0
BATCH_ROWS = 8192

_EXPLAIN = re.compile(r"explain(\s+analyze\b)?(\s*\([^()]*\))?\s+", re.IGNORECASE)
_FIRST_WORD = re.compile(r"\w+")
_TABLE_FUNCTIONS = frozenset(
    {
        *("duckdb_columns", "duckdb_constraints", "duckdb_databases", "duckdb_functions", "duckdb_indexes"),
        *("duckdb_keywords", "duckdb_schemas", "duckdb_settings", "duckdb_tables", "duckdb_types", "duckdb_views"),
        *("generate_series", "json_each", "json_tree", "pragma_show", "pragma_table_info", "pragma_version"),
        *("query_table", "range", "repeat", "repeat_row", "summary", "unnest", "generate_subscripts"),
    }
)
_REFUSED_FUNCTIONS = frozenset({"nextval", "pg_sleep", "setval", "sleep_ms", "write_log", "getenv", "stats"})
_HINT = "a query is one SELECT (or WITH, VALUES, FROM, DESCRIBE, SHOW, SUMMARIZE) or one EXPLAIN of it"
_PIVOT = (
    "a PIVOT that leaves the values of its columns to be looked up is several statements: write them down, as in "
    "`pivot kpis on kpi in ('nid', 'teds') using avg(value)`"
)
"""The only statement that DuckDB makes several of."""


def stream(
    database: Database, sql: str, *, seconds: float = SECONDS, stop: threading.Event | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a query in batches, at least one (its schema says what the columns are).

    Args:
        database: an open store.
        sql: the query.
        seconds: after which it is interrupted, counted from the start, reading included.
        stop: ends the query early when set.

    Raises:
        QueryRefused: it is no query that may be run, or DuckDB found a fault in it.
        QueryTimeout: it took longer than ``seconds``.
    """
    cursor = database.cursor()
    timed_out = threading.Event()

    ended = threading.Event()

    def interrupt() -> None:
        # Again and again: an interrupt that meets no running statement is lost.
        while not ended.wait(0.1 if timed_out.is_set() else seconds):
            timed_out.set()
            cursor.interrupt()

    timer = threading.Thread(target=interrupt, daemon=True)
    timer.start()
    try:
        _check(cursor, sql)
        cursor.execute("begin transaction read only")
        reader = cursor.sql(sql).to_arrow_reader(BATCH_ROWS)
        yield pa.RecordBatch.from_pylist([], schema=reader.schema)
        for batch in reader:
            if stop is not None and stop.is_set():
                return
            if timed_out.is_set():
                raise _timeout(seconds)
            yield batch
    except (duckdb.Error, OSError) as error:
        if timed_out.is_set():
            raise _timeout(seconds) from error
        raise QueryRefused(str(error).strip()) from error
    finally:
        ended.set()
        timer.join()
        with contextlib.suppress(duckdb.Error):
            cursor.execute("rollback")
        cursor.close()


def run(results: Path, sql: str, *, seconds: float = SECONDS) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a query on a results folder: through its scorer when one is alive, else from the file itself.

    Raises:
        QueryRefused: it is no query that may be run, or DuckDB found a fault in it.
        QueryTimeout: it took longer than ``seconds`` (the scorer holds its own limit).
        StoreBusy: another process has the file, and it is no scorer that answers.
        StoreError: there is no store, or the scorer went away.
    """
    listening = address.live(results)
    if listening is not None:
        yield from _ask(listening, sql)
        return
    try:
        database = Database(results / FILE, read_only=True)
    except StoreBusy:
        # A scorer may have taken the file since its address was looked for.
        listening = address.live(results)
        if listening is None:
            raise
        yield from _ask(listening, sql)
        return
    try:
        yield from stream(database, sql, seconds=seconds)
    finally:
        database.close()


def table(results: Path, sql: str, *, seconds: float = SECONDS) -> pa.Table:
    """Return all rows of ``run`` at once."""
    batches = list(run(results, sql, seconds=seconds))
    return pa.Table.from_batches(batches, schema=batches[0].schema)


def _ask(listening: str, sql: str) -> Iterator[pa.RecordBatch]:
    with grpc.insecure_channel(listening) as channel:
        try:
            answer = _Answer(scorer_pb2_grpc.ScorerStub(channel).Query(pb.QueryRequest(sql=sql)))
            with pa.ipc.open_stream(pa.PythonFile(answer, mode="r")) as reader:
                # As from the file itself: without rows there still are columns.
                yield pa.RecordBatch.from_pylist([], schema=reader.schema)
                yield from reader
        except grpc.RpcError as error:
            raise _told(error) from error


class _Answer(io.RawIOBase):
    """The parts of a streamed answer, read as one file."""

    def __init__(self, parts: Iterator[pb.QueryResponse]) -> None:
        self._parts = parts
        self._left = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        taken: list[bytes] = []
        while size != 0:
            if not self._left:
                part = next(self._parts, None)
                if part is None:
                    break
                self._left = part.arrow_ipc
            piece = self._left if size < 0 else self._left[:size]
            self._left = self._left[len(piece) :]
            size -= len(piece) if size > 0 else 0
            taken.append(piece)
        return b"".join(taken)


def _told(error: grpc.RpcError) -> StoreError:
    code, text = error.code(), error.details() or "the scorer went away"
    if code == grpc.StatusCode.INVALID_ARGUMENT:
        return QueryRefused(text)
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        return QueryTimeout(text)
    return StoreError(f"the scorer did not answer the query: {text}")


def _timeout(seconds: float) -> QueryTimeout:
    return QueryTimeout(
        f"the query was interrupted after {seconds:g} s; narrow it, or export the tables and query those"
    )


def _check(cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
    statements = cursor.extract_statements(sql)
    if len(statements) != 1:
        raise QueryRefused(f"found {len(statements)} statements, expected one; {_HINT}")
    kind = statements[0].type
    if kind == duckdb.StatementType.EXPLAIN:
        inner = _EXPLAIN.sub("", _from_first_word(sql), count=1)
    elif kind == duckdb.StatementType.SELECT:
        inner = sql
    elif kind == duckdb.StatementType.MULTI:
        raise QueryRefused(f"{_PIVOT}; {_HINT}")
    else:
        raise QueryRefused(f"{_first_word(sql, kind)} is not allowed; {_HINT}")
    [(serialized,)] = cursor.sql("select json_serialize_sql(?)", params=[inner]).fetchall()
    tree = json.loads(serialized)
    if tree["error"] or not tree["statements"]:
        found = f"this SELECT ({tree.get('error_message')})"
        if kind == duckdb.StatementType.EXPLAIN:
            found = f"an EXPLAIN of {_first_word(inner, kind)}"
        raise QueryRefused(f"{found} is not allowed; {_HINT}")
    for name, is_table in _calls(tree):
        if name in _REFUSED_FUNCTIONS or (is_table and name not in _TABLE_FUNCTIONS):
            raise QueryRefused(f"the function {name} is not allowed in a query; {_HINT}")


def _first_word(sql: str, kind: duckdb.StatementType) -> str:
    """Return what a statement is to who wrote it: DuckDB takes `install` for a LOAD and `begin` for a TRANSACTION."""
    found = _FIRST_WORD.match(_from_first_word(sql))
    word = found[0].upper() if found else "WITH"
    return kind.name.replace("_", " ") if word == "WITH" else word


def _from_first_word(sql: str) -> str:
    """Leave out the comments before a statement, as DuckDB reads them: one within another, and offsets in bytes."""
    starts = [offset for offset, kind in duckdb.tokenize(sql) if kind != duckdb.token_type.comment]
    return sql.encode()[starts[0] :].decode() if starts else ""


def _calls(tree: Any) -> Iterator[tuple[str, bool]]:
    """Yield every function a serialized statement calls, and whether it stands where a table does."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, dict):
            if node.get("type") == "TABLE_FUNCTION":
                yield _name(node["function"]), True
            elif node.get("class") == "FUNCTION":
                yield _name(node), False
            pending.extend(value for value in node.values() if isinstance(value, dict | list))


def _name(function: dict[str, Any]) -> str:
    return str(function["function_name"]).lower()
