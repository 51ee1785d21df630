"""What ``sql`` and ``runs`` print, and for whom."""

import contextlib
import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orchestrator.cli.app import app
from orchestrator.cli.failures import UsageError
from scorer.store import runs
from scorer.store.database import FILE, Database
from tests.scorer import small


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with an empty store."""
    folder = tmp_path_factory.mktemp("results")
    Database(folder / FILE).close()
    return folder


def ask(results: Path, statement: str, *words: str) -> Result:
    """Ask the store."""
    return CliRunner().invoke(app, ["sql", statement, "--results", str(results), *words])


def refuse_constant(constant: str) -> None:
    """Stand for a reader that takes JSON only, as RFC 8259 has it."""
    raise AssertionError(f"{constant} is no JSON")


VALUES = [
    ("1.5::double", 1.5, "1.5"),
    ("'nan'::double", "NaN", "NaN"),
    ("'inf'::float", "Infinity", "Infinity"),
    ("'-inf'::double", "-Infinity", "-Infinity"),
    ("null", None, ""),
    ("true", True, "true"),
    ("'\\xAA\\x00'::blob", "aa00", "aa00"),
    ("1.25", 1.25, "1.25"),
    ("sum(7)", 7, "7"),
    ("timestamp '2026-11-30 10:15:00'", "2026-11-30T10:15:00", "2026-11-30T10:15:00"),
    ("interval '1 year 2 days 90.5 seconds'", "P12M2DT90.5S", "P12M2DT90.5S"),
    ("interval '0 seconds'", "PT0S", "PT0S"),
    ("interval '-3 hours'", "PT-10800S", "PT-10800S"),
    ("date '2026-11-30'", "2026-11-30", "2026-11-30"),
    ("['nan'::double, 2.0]", ["NaN", 2.0], '["NaN", 2.0]'),
    ("{'blob': '\\x01'::blob}", {"blob": "01"}, '{"blob": "01"}'),
    ("'é'", "é", "é"),
]


class TestForms:
    @pytest.mark.parametrize(("expression", "in_json", "in_csv"), VALUES)
    def test_each_value_is_one_of_json_and_of_csv(
        self, results: Path, expression: str, in_json: object, in_csv: str
    ) -> None:
        """A strict reader takes what --json prints; CSV has the same texts."""
        asked = ask(results, f"select {expression} as x", "--json")
        assert json.loads(asked.stdout, parse_constant=refuse_constant) == {"x": in_json}
        names, row = csv.reader(ask(results, f"select {expression} as x", "--csv").stdout.splitlines())
        assert (names, row) == (["x"], [in_csv])

    def test_json_is_one_object_a_line(self, results: Path) -> None:
        """Three rows are three lines; none is none."""
        asked = ask(results, "select range as n from range(3)", "--json")
        assert [json.loads(line) for line in asked.stdout.splitlines()] == [{"n": 0}, {"n": 1}, {"n": 2}]
        assert ask(results, "from runs", "--json").stdout == ""

    def test_columns_of_one_name_all_show(self, results: Path) -> None:
        """No column is lost in a table or in CSV; an object cannot hold both, which is said."""
        statement = "select 11 as a, 22 as a"
        assert ask(results, statement).stdout.split()[-2:] == ["11", "22"]
        assert ask(results, statement, "--csv").stdout.split() == ["a,a", "11,22"]
        refused = ask(results, statement, "--json")
        assert isinstance(refused.exception, UsageError)
        assert "several columns are called a" in str(refused.exception)

    def test_a_time_beyond_all_is_refused_with_the_remedy(self, results: Path) -> None:
        """Infinity is a time to DuckDB."""
        refused = ask(results, "select 'infinity'::timestamp as t", "--json")
        assert isinstance(refused.exception, UsageError)
        assert "write t::varchar in the query" in str(refused.exception)
        assert json.loads(ask(results, "select 'infinity'::timestamp::varchar as t", "--json").stdout) == {
            "t": "infinity"
        }

    def test_a_table_shows_no_python(self, results: Path) -> None:
        """Bytes and structures show as they do in JSON."""
        shown = ask(results, "select '\\xAA'::blob as b, {'k': null} as s, [null, 'x'] as l").stdout
        assert "aa " in shown
        assert '{"k": null}' in shown
        assert "null, x" in shown

    @pytest.mark.parametrize("command", [["sql"], ["runs"], ["corpus", "check"]])
    def test_help_names_the_form(self, command: list[str]) -> None:
        """Whoever parses it reads in --help that it is JSON Lines; elsewhere --json is one document."""
        assert "JSON Lines" in CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"}).stdout
        assert "JSON document" in CliRunner().invoke(app, ["leaderboard", "--help"], env={"COLUMNS": "200"}).stdout


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with one run of three parsers."""
    folder = tmp_path_factory.mktemp("run")
    made = small.corpus(folder / "corpus")
    database = Database(folder / FILE)
    parsers = ("good@1.0", "poor@2.0", "a_parser_with_a_long_name@10.11.12:a_setting")
    runs.open_run(database, small.open_request(made, parsers=parsers), now=datetime(2026, 11, 30, tzinfo=UTC))
    database.close()
    return folder


class TestRuns:
    @pytest.mark.parametrize("partial", [True, False])
    def test_partial_is_what_the_leaderboard_says(self, tmp_path: Path, partial: bool) -> None:
        """Whether a run compares with a full one is known when it is scored, and said in one place."""
        opened = datetime(2026, 11, 30, tzinfo=UTC)
        with contextlib.closing(Database(tmp_path / FILE)) as database:
            request = small.open_request(small.corpus(tmp_path / "corpus"))
            run_id = runs.open_run(database, request, now=opened).run_id

        def listed() -> dict[str, object]:
            [line] = CliRunner().invoke(app, ["runs", "--json", "--results", str(tmp_path)]).stdout.splitlines()
            return {name: value for name, value in json.loads(line).items() if name in ("scored", "partial")}

        assert listed() == {"scored": False, "partial": None}
        with contextlib.closing(Database(tmp_path / FILE)) as database, database.write() as writer:
            scored = {"run_id": run_id, "suite": "bizdoc@1", "scored_at": opened.replace(tzinfo=None), "axes": []}
            scored |= {"embedder": None, "weights": "{}", "partial": partial, "partial_reasons": []}
            writer.insert("scorings", [scored | {"corpus_path": "", "gold_digest": ""}])
        assert listed() == {"scored": True, "partial": partial}


class TestNarrow:
    @pytest.mark.parametrize("width", [40, 80, 120])
    def test_runs_can_be_read_on_any_screen(self, run: Path, width: int) -> None:
        """Too narrow for a table, each run is a list of names and values; no name and no id is torn apart."""
        done = CliRunner().invoke(app, ["runs", "--results", str(run)], env={"COLUMNS": str(width)})
        assert done.exit_code == 0
        lines = done.stdout.splitlines()
        assert max(map(len, lines)) <= width
        words = done.stdout.split()
        assert "false" in words
        assert {"run_id", "started_at", "finished", "documents", "parsers", "20261130_000000"} <= set(words)
        assert "".join(words[words.index("parsers") + 1 :]).count("good@1.0") == 1

    @pytest.mark.parametrize(("width", "is_table"), [(24, False), (40, True)])
    def test_a_query_is_a_table_where_one_fits(self, results: Path, width: int, is_table: bool) -> None:
        """A long text is folded into what is left of the line, as long as that can be read."""
        statement = "select 'x' as name, repeat('word ', 40) as text, 7 as seven"
        shown = CliRunner().invoke(app, ["sql", statement, "--results", str(results)], env={"COLUMNS": str(width)})
        first = shown.stdout.split()
        assert first[:3] == (["name", "text", "seven"] if is_table else ["row", "1", "name"])
        assert first.count("word") == 40


class TestExport:
    @pytest.mark.parametrize("target", ["file", "file/below"])
    def test_a_file_in_the_way_is_named(self, results: Path, tmp_path: Path, target: str) -> None:
        """Before anything is started."""
        (tmp_path / "file").write_text("mine")
        done = CliRunner().invoke(app, ["export", str(tmp_path / target), "--results", str(results)])
        assert isinstance(done.exception, UsageError)
        assert str(done.exception).startswith(f"{tmp_path / 'file'} is a file: name a folder")
        assert (tmp_path / "file").read_text() == "mine"
