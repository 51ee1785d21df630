"""``weights``: fetch the models that parsers lack, by name and on purpose."""

from typing import Annotated

import typer

from orchestrator import local, selection, weights
from orchestrator.cli import options
from orchestrator.cli.failures import FAILED


def add_to(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command(name="weights")(fetch)


def fetch(
    parsers: Annotated[
        list[str], typer.Argument(help="name, name@version or name@version:setting, several by blanks or commas.")
    ],
) -> None:
    """Fetch the model weights that parsers lack, into `$DOCASSAY_WEIGHTS`; nothing else asks the network for any.

    `docassay parsers` says which licence each has. What is there already is left as it is.

    Example: `docassay weights docling unstructured:hi_res`
    """
    folder, failed = local.weights_folder(), False
    for parser in selection.select(options.split(parsers), local.SERVICES):
        try:
            weights.fetch(parser, folder, lambda line: typer.echo(line, err=True))
        except weights.WeightsFailed as error:
            failed = True
            typer.echo(f"docassay: {error}", err=True)
        else:
            typer.echo(f"{parser.key}: nothing is missing in {folder / parser.name}")
    if failed:
        raise typer.Exit(FAILED)
