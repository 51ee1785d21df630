"""The command line. Every subcommand's ``--help`` has an example; ``--json`` is for machines."""

import os
import sys

import typer

from orchestrator.cli import annotating, asking, checking, comparing, corpora, running
from orchestrator.cli.failures import explain
from orchestrator.interruption import Interrupted, Interruption

__all__ = ["app", "main"]

app = typer.Typer(
    name="docassay",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="""Benchmark document parsers: which one keeps your text, order, headings, tables and evidence, how fast.

    Start with `docassay run --local`: it parses the sample corpus with every parser of this repository, scores it,
    and prints the leaderboard. Then ask: `docassay sql "select * from failures"`.
    """,
)
running.add_to(app)
asking.add_to(app)
comparing.add_to(app)
checking.add_to(app)
app.add_typer(corpora.app, name="corpus")
app.add_typer(annotating.app, name="annotate")


def main() -> None:
    """Run the command line: 0 done, 1 failed, 2 asked for something that cannot be, 130 interrupted."""
    interruption = Interruption()
    interruption.install()
    try:
        app(obj=interruption)
    except Interrupted:
        print("interrupted: everything finished is kept; the same command resumes", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        failure = explain(error)
        if failure is None:
            raise
        print(f"docassay: {failure.text}", file=sys.stderr)
        sys.exit(failure.code)
