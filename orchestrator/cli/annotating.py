"""``annotate draft`` and ``annotate evidence``: aids for people who write gold."""

from pathlib import Path
from typing import Annotated

import typer

from orchestrator import corpus, plan
from orchestrator.cli import options
from orchestrator.cli.failures import FAILED

app = typer.Typer(no_args_is_help=True, help="Aids for writing gold. See docs/annotating.md.")

Document = Annotated[str, typer.Argument(help="The document's id.")]
Corpus = Annotated[Path, typer.Option("--corpus", help="The corpus folder.")]


@app.command(name="draft")
def draft(
    document: Document,
    folder: Corpus,
    parser: Annotated[
        str, typer.Option("--parser", help="Whose output to draft from: name@version or name@version:setting.")
    ],
    results: options.Results = options.DEFAULT_RESULTS,
) -> None:
    """Draft heading tree, content and tables from a parser's output, for a person to correct.

    The drafts go into the corpus's folder `drafts`; move them into `annotations` when they are right.

    Example: `docassay annotate draft lease-2024 --corpus contracts --parser docslicer@0.2.5`
    """
    from orchestrator import authoring  # imported here, so that --help need not wait for the database

    _known(folder, document)
    for path in authoring.draft(folder, options.existing(results), document, parser):
        typer.echo(path)


@app.command(name="evidence")
def evidence(document: Document, folder: Corpus, results: options.Results = options.DEFAULT_RESULTS) -> None:
    """Say for every piece of evidence which parsers' text holds it; exit 1 when one is in nobody's.

    Example: `docassay annotate evidence lease-2024 --corpus contracts`
    """
    from orchestrator import authoring

    _known(folder, document)
    missing = 0
    for found in authoring.evidence(folder, options.existing(results), document):
        missing += not found.parsers
        where = ", ".join(found.parsers) or "nobody's text"
        typer.echo(f"{found.question}: {found.evidence[:60]!r}: in {where}")
    if missing:
        raise typer.Exit(FAILED)


def _known(folder: Path, document: str) -> None:
    plan.choose(corpus.load(folder), ids=[document], limit=None)
