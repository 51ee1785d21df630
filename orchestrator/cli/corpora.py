"""``corpus check``, ``corpus init`` and ``corpus fetch``."""

import json
from pathlib import Path
from typing import Annotated

import typer

from orchestrator import corpus
from orchestrator.cli import options
from orchestrator.cli.failures import BAD_INPUT, UsageError

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


@app.command(name="init")
def init(
    folder: Folder,
    name: Annotated[str | None, typer.Option("--name", help="The corpus's name; the folder's without.")] = None,
    domain: Annotated[str, typer.Option("--domain", help="Subject area of documents without one.")] = "unknown",
    replace: Annotated[
        bool, typer.Option("--replace", help="Write over a manifest; what it says of known documents is kept.")
    ] = False,
) -> None:
    """Make a manifest for a folder of files, wherever in it they lie. Nothing is moved, no gold is needed.

    Example: `docassay corpus init contracts/ --domain legal`
    """
    made = corpus.init(folder, name=name, domain=domain, replace=replace)
    for skipped in made.skipped:
        typer.echo(f"left out: {skipped.path}: {skipped.reason}")
    typer.echo(f"{made.manifest}: {made.documents} documents, {made.annotations} annotations")


@app.command(name="fetch")
def fetch(
    suite: Annotated[str, typer.Argument(help=f"Whose dataset: {' or '.join(corpus.DATASETS)}.")],
    folder: Annotated[Path | None, typer.Argument(help="Where it goes; a folder of the suite's name without.")] = None,
    revision: Annotated[
        str | None, typer.Option("--revision", help="The dataset's commit, 40 hexadecimal digits.", metavar="COMMIT")
    ] = None,
    repository: Annotated[
        str, typer.Option("--repository", help="Another dataset on the Hugging Face hub than the suite's own.")
    ] = "",
) -> None:
    """Fetch a public dataset at one commit, every file checked; interrupted, the same command goes on.

    Example: `docassay corpus fetch omnidoc --revision 0123456789abcdef0123456789abcdef01234567`
    """
    if suite not in corpus.DATASETS:
        raise UsageError(f"there is no dataset of {suite!r} to fetch: {' or '.join(corpus.DATASETS)}")
    into = folder or Path(suite)
    loaded = corpus.fetch(into, suite=suite, revision=revision, repository=repository)
    typer.echo(f"{into}: {loaded.name} {loaded.version}, {len(loaded.documents)} documents")
