"""``leaderboard``, ``runs``, ``sql`` and ``export``: questions about what is in the store."""

import csv
import itertools
import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestrator import scorer_client
from orchestrator.cli import boards, options, render, values
from orchestrator.cli.failures import UsageError

_RUNS = """
select run_id, started_at, finished_at is not null as finished, suite, mode,
       run_id in (select g.run_id from scorings g) as scored,
       (select bool_or(g.partial) from scorings g where g.run_id = r.run_id) as partial, corpus_name as corpus,
       (select count(*) from documents d where d.run_id = r.run_id) as documents,
       (select list(parser order by parser) from parsers p where p.run_id = r.run_id) as parsers,
       (select count(*) from parses x where x.run_id = r.run_id) as parses
from runs r order by started_at desc
"""

Format = Annotated[str, typer.Option("--format", help="parquet or csv.")]


def add_to(app: typer.Typer) -> None:
    """Add the subcommands."""
    app.command(name="leaderboard")(leaderboard)
    app.command(name="runs")(runs)
    app.command(name="sql")(sql)
    app.command(name="export")(export)


def leaderboard(
    results: options.Results = options.DEFAULT_RESULTS, run: options.RunId = "", as_json: options.Json = False
) -> None:
    """Print the leaderboard of the newest run, or of a named one.

    Example: `docassay leaderboard --run 20261130_101500`
    """
    with scorer_client.session(options.existing(results), reading=True) as scorer:
        answer = scorer.leaderboard(run)
    boards.show(answer, as_json=as_json)


def runs(results: options.Results = options.DEFAULT_RESULTS, as_json: options.JsonLines = False) -> None:
    """List the runs, newest first.

    Example: `docassay runs --json`
    """
    _print(options.existing(results), _RUNS, as_json=as_json, as_csv=False)


def sql(
    statement: Annotated[str, typer.Argument(help="One SELECT; - reads it from standard input.")],
    results: options.Results = options.DEFAULT_RESULTS,
    as_json: options.JsonLines = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
) -> None:
    """Ask the store a question in SQL. docs/sql.md has the tables, the views and worked queries.

    In JSON and CSV, NaN and Infinity are texts, a BLOB is hexadecimal digits, and a time is ISO 8601.

    Example: `docassay sql "select parser, document, reason from failures where run_id = (from newest_run)"`
    """
    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other")
    text = sys.stdin.read() if statement == "-" else statement
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError("the statement is not UTF-8")
    _print(options.existing(results), text, as_json=as_json, as_csv=as_csv)


def export(
    folder: Annotated[Path, typer.Argument(help="Where the files go; made if it is not there.")],
    results: options.Results = options.DEFAULT_RESULTS,
    run: Annotated[str, typer.Option("--run", help="Only this run; every run without.")] = "",
    format: Format = "parquet",
) -> None:
    """Write every table and view as a file.

    Example: `docassay export tables/ --format csv`
    """
    if format not in ("parquet", "csv"):
        raise UsageError(f"unknown format {format!r}: parquet or csv")
    target = folder.resolve()
    in_the_way = next(path for path in (target, *target.parents) if path.exists())
    if not in_the_way.is_dir():
        raise UsageError(f"{in_the_way} is a file: name a folder for the tables, which is made if it is not there")
    with scorer_client.session(options.existing(results), reading=True) as scorer:
        for name in scorer.export(run, target, format):
            typer.echo(name)


def _print(results: Path, statement: str, *, as_json: bool, as_csv: bool) -> None:
    """Print the rows of a query, batch by batch where the form allows it."""
    from scorer.store import query  # imported here, so that --help need not wait for the database

    batches = query.run(results, statement)
    if as_csv:
        writer = csv.writer(sys.stdout)
        first = next(batches)
        writer.writerow(first.schema.names)
        for batch in itertools.chain([first], batches):
            writer.writerows(map(values.csv_row, values.rows(batch)))
    elif as_json:
        for line in values.json_lines(batches):
            typer.echo(line)
    else:
        render.rows(batches, render.console())
