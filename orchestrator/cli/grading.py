"""``grade``: predictions made elsewhere, graded by a benchmark's own rules; one module a suite."""

import typer

from orchestrator.cli import grading_odl, grading_omnidoc, grading_omniparse

app = typer.Typer(
    no_args_is_help=True,
    help="Grade predictions made elsewhere, by a benchmark's own rules; nothing is parsed.",
)
app.command(name="omnidoc")(grading_omnidoc.omnidoc)
app.command(name="omniparse")(grading_omniparse.omniparse)
app.command(name="odl")(grading_odl.odl)
