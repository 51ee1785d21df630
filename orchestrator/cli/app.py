"""The command line put together from its groups of subcommands."""

import typer

from orchestrator.cli import (
    annotating,
    asking,
    checking,
    comparing,
    corpora,
    grading,
    running,
    shipping,
    stocking,
    tutorials,
)

app = typer.Typer(
    name="docassay",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="""Benchmark document parsers: which one keeps your text, order, headings, tables and evidence, how fast.

    Start with `docassay run --local`: it parses the sample corpus with the usual parsers, scores it, and
    prints the leaderboard. Then ask: `docassay sql "from failures where run_id = (from newest_run)"`.
    """,
)
running.add_to(app)
asking.add_to(app)
comparing.add_to(app)
checking.add_to(app)
stocking.add_to(app)
app.add_typer(grading.app, name="grade")
app.add_typer(tutorials.app, name="tutorial")
shipping.add_to(app)
app.add_typer(corpora.app, name="corpus")
app.add_typer(annotating.app, name="annotate")
