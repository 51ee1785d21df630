"""Queries by anybody."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from scorer.store import query
from scorer.store.database import FILE, SCHEMA_VERSION, Database
from scorer.store.errors import QueryRefused, QueryTimeout, StoreBusy, StoreError
from tests.scorer import small
from tests.scorer.conftest import Store

_HOLD = "import duckdb, sys\nc = duckdb.connect(sys.argv[1])\nprint(1, flush=True)\ninput()"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """An empty store."""
    opened = Database(tmp_path_factory.mktemp("query") / FILE)
    yield opened
    opened.close()


def _all(database: Database, sql: str, seconds: float = 20.0) -> pa.Table:
    batches = list(query.stream(database, sql, seconds=seconds))
    return pa.Table.from_batches(batches, schema=batches[0].schema)


class TestAllowed:
    @pytest.mark.parametrize(
        "sql",
        [
            "select 1",
            "select 1;",
            "with a as (select 1 as x) select x from a",
            "values (1), (2)",
            "from range(3)",
            "table runs",
            "describe leaderboard",
            "show tables",
            "summarize kpis",
            "explain select * from leaderboard",
            "EXPLAIN ANALYZE select count(*) from kpis",
            "/* é /* within another */ */ explain select 1",
            "explain (format json) select 1",
            "select * from (select unnest([1, 2]))",
            "pivot (from range(3)) on range in (0, 1) using count(*)",
            "select table_name from information_schema.tables",
            "select table_name, comment from duckdb_tables()",
            "select 'insert into runs' as words -- drop table runs",
        ],
    )
    def test_a_question_is_answered(self, database: Database, sql: str) -> None:
        """SELECT in its forms, and EXPLAIN of one."""
        assert _all(database, sql).num_columns > 0

    def test_an_empty_answer_has_its_columns(self, database: Database) -> None:
        """Nobody has to guess what nothing would have looked like."""
        assert _all(database, "select run_id, suite from runs").column_names == ["run_id", "suite"]


class TestRefused:
    @pytest.mark.parametrize(
        ("sql", "found"),
        [
            ("insert into runs values (1)", "INSERT is"),
            ("install httpfs", "INSTALL is"),
            ("-- é\nbegin transaction", "BEGIN is"),
            ("/* a /* b */ c */ use memory", "USE is"),
            ("reset memory_limit", "RESET is"),
            ("with x as (select 1) delete from runs", "DELETE is"),
            ("explain install httpfs", "an EXPLAIN of INSTALL is"),
            ("pivot kpis on kpi using avg(value)", "a PIVOT that leaves the values"),
            ("with x as (pivot kpis on kpi using avg(value)) from x", "a PIVOT that leaves the values"),
        ],
    )
    def test_in_the_words_of_who_asked(self, database: Database, sql: str, found: str) -> None:
        """What is refused is named as it was written, whatever DuckDB takes it for."""
        with pytest.raises(QueryRefused) as refused:
            _all(database, sql)
        assert str(refused.value).startswith(found), refused.value

    def test_a_pivot_with_its_values_is_answered(self, database: Database) -> None:
        """As the refusal of one without says."""
        with pytest.raises(QueryRefused) as refused:
            _all(database, "pivot kpis on kpi using avg(value)")
        assert _all(database, str(refused.value).split("`")[1]).num_columns > 2

    @pytest.mark.parametrize(
        "sql",
        [
            "insert into schema_version values (9)",
            "with x as (insert into schema_version values (9) returning version) select * from x",
            "update schema_version set version = 9",
            "delete from schema_version",
            "drop table runs",
            "create table mine (a integer)",
            "create temp table mine (a integer)",
            "create macro f() as 1",
            "copy runs to '/tmp/docassay-stolen.csv'",
            "copy (select 1) to '/tmp/docassay-stolen.parquet'",
            "export database '/tmp/docassay-stolen'",
            "attach '/tmp/docassay-other.duckdb'",
            "detach docassay",
            "use memory",
            "install httpfs",
            "load httpfs",
            "pragma version",
            "pragma enable_profiling",
            "set memory_limit = '100GB'",
            "set variable x = 1",
            "reset memory_limit",
            "checkpoint",
            "call checkpoint()",
            "begin transaction",
            "commit",
            "prepare p as select 1",
            "execute p",
            "vacuum",
            "select 1; select 2",
            "select 1; drop table runs",
            "",
            ";",
            "-- nothing",
            "selec 1",
            "select * from nowhere",
            "select ?",
            "explain insert into schema_version values (9)",
            "explain analyze insert into schema_version values (9)",
            "explain explain select 1",
            "select * from read_csv('/etc/passwd')",
            "select * from read_text('/etc/passwd')",
            "select * from read_blob('/etc/passwd')",
            "select * from read_json('/etc/passwd')",
            "select * from parquet_scan('/etc/passwd')",
            "select * from sniff_csv('/etc/passwd')",
            "select * from glob('/etc/*')",
            "select * from '/etc/passwd'",
            "from '/etc/passwd.csv'",
            "select (select count(*) from read_text('/etc/passwd'))",
            "explain select * from read_text('/etc/passwd')",
            "select * from query('select 1')",
            "select * from query_table('/etc/passwd')",
            "select * from duckdb_secrets()",
            "select * from duckdb_extensions()",
            "select getenv('HOME')",
            "select nextval('s')",
            "select write_log('x')",
            "select sleep_ms(100000)",
            "select * from checkpoint()",
            "select * from disable_optimizer()",
            "select * from enable_logging()",
            "select * from truncate_duckdb_logs()",
            "select * from arrow_scan(1, 2, 3)",
            "select * from json_execute_serialized_sql(json_serialize_sql('select 1'))",
            "select * from add_grammar_extension('x')",
            "select * from secret_rows",
        ],
    )
    def test_anything_else_is_refused_and_changes_nothing(self, database: Database, sql: str) -> None:
        """No write, no file, no network, no setting, no second statement, no side effect."""
        secret_rows = pa.table({"password": ["x"]})
        with pytest.raises(QueryRefused):
            _all(database, sql)
        assert secret_rows.num_rows == 1
        assert _all(database, "from schema_version").to_pylist() == [{"version": SCHEMA_VERSION}]
        assert not list(Path("/tmp").glob("docassay-stolen*"))

    def test_the_environment_stays_hidden(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        """What lies in the scorer's environment is in no setting a query can read."""
        monkeypatch.setenv("DOCASSAY_TEST_SECRET", "correct horse battery staple")
        assert "correct horse" not in str(_all(database, "select * from duckdb_settings()").to_pylist())


class TestLimits:
    @pytest.mark.parametrize(
        "sql",
        [
            "select count(*) from range(10000000) a, range(10000000) b",
            "select a.range from range(1000000000000) a",
            "explain analyze select count(*) from range(10000000) a, range(10000000) b",
            "with recursive r as (select 1 as n union all select n + 1 from r) select n from r",
        ],
    )
    def test_an_endless_query_is_interrupted(self, database: Database, sql: str) -> None:
        """Computing without end, or answering without end."""
        with pytest.raises(QueryTimeout, match=r"interrupted after 0\.3 s"):
            for _ in query.stream(database, sql, seconds=0.3):
                pass
        assert _all(database, "select 1 as one").to_pylist() == [{"one": 1}]

    def test_an_enormous_answer_is_streamed(self, database: Database) -> None:
        """The first rows are there long before the last could be, and leaving early is no fault."""
        rows = query.stream(database, "select repeat('x', 1000) from range(1000000000000)", seconds=60)
        assert next(rows).num_rows == 0
        assert next(rows).num_rows > 0
        rows.close()  # type: ignore[attr-defined]

    def test_a_caller_who_left_ends_the_query(self, database: Database) -> None:
        """The stop event is looked at between batches."""
        stop = threading.Event()
        rows = query.stream(database, "from range(1000000000000)", seconds=60, stop=stop)
        next(rows)
        stop.set()
        assert list(rows) == []


class TestWithoutScorer:
    def test_the_file_itself_answers(self, store: Store) -> None:
        """Nobody has to start anything to ask."""
        run_id = store.run()
        store.database.close()
        assert query.table(store.results, "select run_id from runs").to_pylist() == [{"run_id": run_id}]

    def test_two_readers_may_ask_at_once(self, store: Store) -> None:
        """Reading excludes nobody who reads."""
        store.database.close()
        held = query.run(store.results, "from range(100000)")
        next(held)
        assert query.table(store.results, "select 1 as one").num_rows == 1
        list(held)

    def test_a_writer_elsewhere_is_named(self, store: Store) -> None:
        """Another process holding the file is a message, not a traceback."""
        store.database.close()
        held = subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(store.results / FILE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        try:
            assert held.stdout is not None
            held.stdout.readline()
            with pytest.raises(StoreBusy, match=r"another docassay command is at work on .* --results"):
                query.table(store.results, "select 1")
        finally:
            held.communicate(b"\n")

    def test_no_store_is_said(self, tmp_path: Path) -> None:
        """A wrong folder is not an empty answer."""
        with pytest.raises(StoreError, match="no run was stored"):
            query.table(tmp_path, "select 1")


def test_small_store_is_what_it_says(scored: Store) -> None:
    """Two runs, of which the newest is marked so."""
    rows = _all(scored.database, "select distinct run_id, newest from leaderboard order by run_id").to_pylist()
    assert [row["newest"] for row in rows] == [False, True]
    assert small.NOW.strftime("%Y%m%d") in rows[0]["run_id"]
