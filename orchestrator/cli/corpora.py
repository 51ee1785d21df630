"""``corpus check``, ``corpus init`` and ``corpus fetch``."""

import json
from pathlib import Path
from typing import Annotated

import typer

from orchestrator import corpus
from orchestrator.cli import options
from orchestrator.cli.failures import BAD_INPUT

app = typer.Typer(no_args_is_help=True, help="Check, make and fetch corpora.")

Folder = Annotated[Path, typer.Argument(help="The corpus folder.")]


@app.command(name="check")
def check(folder: Folder, as_json: options.Json = False) -> None:
    """List every fault of a corpus by file and place; exit code 2 when something must be mended.

    Example: `docassay corpus check my-corpus`
    """
    faults = corpus.check(folder)
    errors = sum(not fault.warning for fault in faults)
    for fault in faults:
        if as_json:
            entry = {"file": fault.file, "place": fault.place, "text": fault.text, "warning": fault.warning}
            typer.echo(json.dumps(entry, ensure_ascii=False))
        else:
            place = f" at {fault.place}" if fault.place else ""
            typer.echo(f"{'warning' if fault.warning else 'fault'}: {fault.file}{place}: {fault.text}")
    if not as_json:
        typer.echo(f"{errors} faults, {len(faults) - errors} warnings")
    if errors:
        raise typer.Exit(BAD_INPUT)
