"""``corpus check``, ``corpus init``, ``corpus fetch`` and ``corpus tests-from-blocks``."""

import json
from pathlib import Path
from typing import Annotated

import typer

from orchestrator import corpus
from orchestrator.cli import options
from orchestrator.cli.failures import BAD_INPUT, UsageError
from scorer.counting import counted

app = typer.Typer(no_args_is_help=True, help="Check, make and fetch corpora.")

Folder = Annotated[Path, typer.Argument(help="The corpus folder.")]


@app.command(name="check")
def check(folder: Folder, as_json: options.JsonLines = False) -> None:
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
        typer.echo(f"{counted(errors, 'fault')}, {counted(len(faults) - errors, 'warning')}")
    if errors:
        raise typer.Exit(BAD_INPUT)


@app.command(name="init")
def init(
    folder: Folder,
    name: Annotated[
        str | None, typer.Option("--name", help="The corpus's name; without: the one it has, or the folder's.")
    ] = None,
    domain: Annotated[str, typer.Option("--domain", help="Subject area of documents without one.")] = "unknown",
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Write over a manifest; what it says of itself and of its documents is kept."),
    ] = False,
) -> None:
    """Make a manifest for a folder of files, wherever in it they lie. Nothing is moved, no gold is needed.

    Example: `docassay corpus init contracts/ --domain legal`
    """
    made = corpus.init(folder, name=name, domain=domain, replace=replace)
    for skipped in made.skipped:
        typer.echo(f"left out: {skipped.path}: {skipped.reason}")
    typer.echo(f"{made.manifest}: {counted(made.documents, 'document')}, {counted(made.annotations, 'annotation')}")


@app.command(name="fetch")
def fetch(
    what: Annotated[
        str,
        typer.Argument(
            help=f"Whose dataset: {' or '.join(corpus.DATASETS)}; or a corpus folder, for its documents with a source."
        ),
    ],
    folder: Annotated[
        Path | None, typer.Argument(help="Where a dataset goes; a folder of the suite's name without.")
    ] = None,
    revision: Annotated[
        str | None, typer.Option("--revision", help="The dataset's commit, 40 hexadecimal digits.", metavar="COMMIT")
    ] = None,
    repository: Annotated[
        str, typer.Option("--repository", help="Another dataset on the Hugging Face hub than the suite's own.")
    ] = "",
) -> None:
    """Fetch a public dataset at one commit, or the documents that a manifest names by their address.

    Every file is checked; interrupted, the same command goes on.

    Example: `docassay corpus fetch omnidoc --revision 0123456789abcdef0123456789abcdef01234567`

    Example: `docassay corpus fetch filings/`
    """
    into = folder or Path(what)
    if what in corpus.DATASETS:
        loaded = corpus.fetch(into, suite=what, revision=revision, repository=repository)
    elif not into.is_dir():
        raise UsageError(
            f"there is no dataset of {what!r} to fetch, nor a folder: {', '.join(corpus.DATASETS)} or a corpus folder"
        )
    elif folder or revision or repository:
        raise UsageError("a dataset alone goes into another folder, and has a revision and a repository")
    else:
        loaded = corpus.fetch_sources(into, typer.echo)
    name = f"{loaded.name} {loaded.version}".strip()  # a dataset has a revision, and no version
    typer.echo(f"{into}: {name}, {counted(len(loaded.documents), 'document')}")


@app.command(name="tests-from-blocks")
def tests_from_blocks(
    annotation: Annotated[Path, typer.Argument(help="Annotated pages: JSON, a list in OmniDocBench's form.")],
    folder: Annotated[Path, typer.Argument(help="Where the dataset is written: an empty folder, or none yet.")],
    images: Annotated[Path, typer.Option("--images", help="The folder of the page images.")],
) -> None:
    """Derive yes/no tests from annotated blocks: an omniparse dataset of your own pages.

    docs/method/omniparse.md has the rule.

    Example: `docassay corpus tests-from-blocks pages.json mine/ --images images/`
    """
    from scorer.omniparse.building import build_dataset

    built = build_dataset(annotation, images, folder)
    for kind in sorted(built.tests | built.dropped):
        lost = built.dropped[kind]
        dropped = f", {lost} dropped: the annotation itself does not pass them" if lost else ""
        typer.echo(f"{kind}: {counted(built.tests[kind], 'test')}{dropped}")
    if built.without_outline:
        lacking = counted(len(built.without_outline), "block")
        typer.echo(f"{lacking} without an outline: no layout_kind test, e.g. {built.without_outline[0]}")
    if built.without_tests:
        typer.echo(f"{counted(len(built.without_tests), 'page')} without a test, e.g. {built.without_tests[0]}")
    typer.echo(f"{folder}: {counted(built.pages, 'page')}, {counted(built.tests.total(), 'test')}")
    typer.echo(f"next: docassay run --local --suite omniparse --dataset {folder}")
