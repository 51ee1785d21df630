"""Options that several subcommands share."""

import os
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.failures import UsageError
from orchestrator.local import ROOT
from orchestrator.record import STORE
from scorer import mounts

SAMPLE = ROOT / "annotations" / "sample"

Results = Annotated[
    Path,
    typer.Option("--results", resolve_path=True, help="The folder of the store, the artifacts and the run record."),
]
RunId = Annotated[str, typer.Option("--run", help="A run's id; the newest without. `docassay runs` lists them.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
JsonLines = Annotated[bool, typer.Option("--json", help="Print JSON Lines instead: one JSON object a row and line.")]
CorpusFolder = Annotated[
    Path,
    typer.Option(
        "--corpus",
        envvar="DOCASSAY_CORPUS_FOLDER",
        help="A corpus folder; the sample corpus without. See docs/corpus.md.",
    ),
]
Parsers = Annotated[
    list[str] | None,
    typer.Option(
        "--parsers",
        help="name, name@version or name@version:setting, several by commas. Without: the usual ones; in compose, all "
        "that are up.",
        metavar="NAMES",
    ),
]
Ids = Annotated[list[str] | None, typer.Option("--ids", help="Only these documents, by commas: a partial run.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N documents: a partial run.")]

DEFAULT_RESULTS = Path("results")


def split(values: list[str] | None) -> list[str]:
    """Return the words of an option that may be repeated and may hold several by commas.

    Raises:
        UsageError: it was given, and is empty: an unset variable of a shell must not mean everything.
    """
    words = [word for value in values or () for word in value.replace(" ", ",").split(",") if word]
    if values and not words:
        raise UsageError("an option that lists names was given none: leave it out for all")
    return words


def real_corpus() -> Path | None:
    """Return the corpus of real files that conformance data refers to, if the environment names one."""
    named = os.environ.get("DOCASSAY_CORPUS")
    return Path(named) / "real" if named else None


def existing(results: Path) -> Path:
    """Return a results folder that has a store.

    Raises:
        UsageError: it has none.
    """
    if not (results / STORE).is_file():
        command = "docassay run --local" if mounts.on_host(results) is None else "docker compose up"
        raise UsageError(f"{mounts.named(results)} holds no results yet: make some with {command}")
    return results
