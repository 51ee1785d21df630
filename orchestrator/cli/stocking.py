"""``weights``: fetch the models that parsers lack, by name and on purpose."""

from typing import Annotated

import typer

from orchestrator import local, selection, weights, workplace
from orchestrator.cli import options
from orchestrator.cli.failures import FAILED
from orchestrator.printable import printable


def add_to(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command(name="weights")(fetch)


def fetch(
    parsers: Annotated[
        list[str], typer.Argument(help="name, name@version or name@version:setting, several by blanks or commas.")
    ],
) -> None:
    """Fetch the model weights that parsers lack, into `$DOCASSAY_WEIGHTS`; nothing else asks the network for any.

    Each parser's licence is said before its weights come. What is there already is left as it is. Models that another
    server has are fetched by that server: you are told how.

    Example: `docassay weights docling unstructured:hi_res`
    """
    folder, failed = local.weights_folder(), False
    workplace.clear(folder)
    for parser in selection.select(options.split(parsers), local.SERVICES):
        try:
            typer.echo(printable(weights.fetch(parser, folder, lambda line: typer.echo(printable(line), err=True))))
        except weights.WeightsFailed as error:
            failed = True
            typer.echo(f"docassay: {printable(str(error))}", err=True)
    if failed:
        raise typer.Exit(FAILED)
