"""The file and its layout."""

import resource
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from scorer.store import reference
from scorer.store.database import FILE, SCHEMA_VERSION, Database
from scorer.store.errors import SchemaMismatch, StorageFailed, StoreError


class TestLayout:
    def test_every_table_view_and_column_is_described_in_the_file(self, tmp_path: Path) -> None:
        """A person who opens the file finds what each column means."""
        database = Database(tmp_path / FILE)
        columns = database.rows("select table_name, column_name, comment from duckdb_columns() where not internal")
        described = {(relation.name, column) for relation in reference.relations() for column, _ in relation.columns}
        assert {(row["table_name"], row["column_name"]) for row in columns} == described
        assert all(row["comment"] for row in columns)
        texts = database.rows(
            "select comment from duckdb_tables() union all select comment from duckdb_views() where not internal"
        )
        assert len(texts) == len(reference.relations())
        assert all(row["comment"] for row in texts)
        database.close()

    def test_a_file_of_another_layout_is_refused(self, tmp_path: Path) -> None:
        """Nothing is read or written by guess."""
        database = Database(tmp_path / FILE)
        with database.write() as writer:
            writer.execute("update schema_version set version = 99")
        database.close()
        for read_only in (False, True):
            with pytest.raises(SchemaMismatch, match=f"layout 99; this docassay reads layout {SCHEMA_VERSION}"):
                Database(tmp_path / FILE, read_only=read_only)

    def test_somebody_elses_file_is_left_alone(self, tmp_path: Path) -> None:
        """A DuckDB file of another kind is not filled with tables."""
        with duckdb.connect(tmp_path / FILE) as other:
            other.execute("create table theirs (a integer)")
        with pytest.raises(SchemaMismatch, match="no docassay store"):
            Database(tmp_path / FILE)
        with duckdb.connect(tmp_path / FILE) as other:
            assert other.sql("select table_name from duckdb_tables()").fetchall() == [("theirs",)]

    def test_a_file_that_is_no_database_is_named(self, tmp_path: Path) -> None:
        """The message has the path and what to do."""
        (tmp_path / FILE).write_bytes(b"not a database " * 1000)
        with pytest.raises(StoreError, match=r"docassay\.duckdb is not a DuckDB file. Choose another"):
            Database(tmp_path / FILE)

    def test_a_folder_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        """The message has the folder."""
        with pytest.raises(StorageFailed, match="nowhere cannot be written"):
            Database(tmp_path / "nowhere" / FILE)


class TestWriting:
    def test_a_transaction_that_fails_leaves_nothing(self, tmp_path: Path) -> None:
        """All of it, or nothing."""
        database = Database(tmp_path / FILE)
        row = {"run_id": "r", "stage": "parse", "text": "x"}
        with pytest.raises(duckdb.Error), database.write() as writer:
            writer.insert("warnings", [row, row | {"run_id": None}])
        assert database.rows("select count(*) as n from warnings") == [{"n": 0}]
        database.close()

    def test_what_was_committed_survives_a_kill(self, tmp_path: Path) -> None:
        """A row is on the disk when the call returns."""
        code = (
            "import os, signal, sys\nfrom pathlib import Path\nfrom scorer.store.database import Database\n"
            "database = Database(Path(sys.argv[1]))\n"
            "with database.write() as writer:\n"
            "    writer.insert('warnings', [{'run_id': 'r', 'stage': 'parse', 'text': 'kept'}])\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        assert subprocess.run([sys.executable, "-c", code, str(tmp_path / FILE)], check=False).returncode == -9
        read = Database(tmp_path / FILE, read_only=True)
        assert read.rows("select text from warnings") == [{"text": "kept"}]
        read.close()

    def test_a_full_disk_is_named_and_loses_nothing_that_was_committed(self, tmp_path: Path) -> None:
        """Files may not grow beyond 1 MB, as if the disk were full."""
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        database = Database(tmp_path / FILE)
        kept: list[int] = []
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
        try:
            with pytest.raises(StorageFailed, match=f"results folder {tmp_path} cannot be written") as caught:
                self._write_until_it_fails(database, kept)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert caught.value.full
        database.close()
        again = Database(tmp_path / FILE)
        assert again.rows("select count(*) as n from warnings") == [{"n": len(kept)}]
        again.close()

    @staticmethod
    def _write_until_it_fails(database: Database, kept: list[int]) -> None:
        for number in range(1000):
            with database.write() as writer:
                writer.insert("warnings", [{"run_id": "r", "stage": "parse", "text": f"{number}" * 20_000}])
            kept.append(number)

    def test_many_rows_at_once(self, tmp_path: Path) -> None:
        """An Arrow table goes in by column name; what it lacks takes its default."""
        database = Database(tmp_path / FILE)
        with database.write() as writer:
            writer.insert_arrow("warnings", pa.table({"text": ["a", "b"], "stage": ["score"] * 2, "run_id": ["r"] * 2}))
        assert database.rows("select text, parser from warnings order by text") == [
            {"text": "a", "parser": None},
            {"text": "b", "parser": None},
        ]
        database.close()


def test_a_query_sees_one_moment_while_rows_are_written(tmp_path: Path) -> None:
    """Reading does not block writing, and does not see half of it."""
    database = Database(tmp_path / FILE)
    cursor = database.cursor()
    cursor.execute("begin transaction read only")
    assert cursor.sql("select count(*) from warnings").fetchall() == [(0,)]
    with database.write() as writer:
        writer.insert("warnings", [{"run_id": "r", "stage": "parse", "text": "x"}])
    assert cursor.sql("select count(*) from warnings").fetchall() == [(0,)]
    cursor.execute("rollback")
    assert database.rows("select count(*) as n from warnings") == [{"n": 1}]
    cursor.close()
    database.close()
