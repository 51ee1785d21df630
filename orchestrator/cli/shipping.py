"""``new-parser`` and ``conform``: a parser from nothing to an image that keeps the contract."""

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from orchestrator import local, scaffolding
from orchestrator.cli import options, render
from orchestrator.cli.failures import FAILED
from orchestrator.conformity import Finding, Subject, Verdict, examine

_COLOURS = {Verdict.HOLDS: "green", Verdict.FAILS: "red", Verdict.UNPROVEN: "yellow"}


def add_to(app: typer.Typer) -> None:
    """Add the subcommands."""
    app.command(name="new-parser")(new_parser)
    app.command(name="conform")(conform)


def new_parser(
    name: Annotated[str, typer.Argument(help="The parser's id: small letters, digits, underscores.")],
) -> None:
    """Make the folder of a new parser, which works at once: put your tool into it.

    Example: `docassay new-parser mytool`
    """
    for path in scaffolding.make(name, local.SERVICES):
        typer.echo(path.relative_to(local.ROOT) if path.is_relative_to(local.ROOT) else path)
    typer.echo(f"try it: docassay run --local --parsers {name}; docs/adding-a-parser.md says how to go on")


def conform(
    target: Annotated[str, typer.Argument(help="An image, or where a service answers: host:port or unix:PATH.")],
    as_json: options.Json = False,
) -> None:
    """Prove point by point that a parser service keeps the contract.

    An image is started locked down, as in a run, and removed afterwards. Ends with 1 when a point fails; a point that
    cannot be shown with this parser is said to be unproven, and why.

    Example: `docassay conform docassay/markitdown:0.1.9`
    """
    findings, console = [], render.console()
    with _subject(target) as subject:
        for finding in examine(subject):
            findings.append(finding)
            if not as_json:
                _print(finding, console)
        described = f"{subject.description.name}@{subject.description.version}".strip("@")
    counts = {verdict: sum(finding.verdict is verdict for finding in findings) for verdict in Verdict}
    if as_json:
        typer.echo(json.dumps(_plain(target, described, findings), indent=1, ensure_ascii=False))
    else:
        _conclude(described or target, counts, console)
    if counts[Verdict.FAILS] or not counts[Verdict.HOLDS]:
        raise typer.Exit(FAILED)


@contextlib.contextmanager
def _subject(target: str) -> Iterator[Subject]:
    with (
        tempfile.TemporaryDirectory(prefix="docassay-") as folder,
        contextlib.closing(Subject(target, Path(folder))) as subject,
    ):
        yield subject


def _print(finding: Finding, console: Console) -> None:
    colour = _COLOURS[finding.verdict]
    console.print(
        f"[{colour}]{finding.verdict.value:<9}[/]{finding.point:<15} {escape(finding.claim)}",
        highlight=False,
        soft_wrap=True,
    )
    for words in finding.words:
        console.print(
            f"{'':<25}{escape(words)}", highlight=False, soft_wrap=True, style="dim" if colour == "green" else None
        )


def _conclude(what: str, counts: dict[Verdict, int], console: Console) -> None:
    holds, fails, unproven = (counts[verdict] for verdict in Verdict)
    verdict = "does not conform" if fails else "conforms"
    console.print(
        f"{escape(what)} {verdict}: {holds} of {sum(counts.values())} points hold, {fails} fail, {unproven} unproven",
        style="bold",
        highlight=False,
        soft_wrap=True,
    )


def _plain(target: str, described: str, findings: list[Finding]) -> dict[str, object]:
    return {
        "target": target,
        "parser": described,
        "conforms": not any(finding.verdict is Verdict.FAILS for finding in findings),
        "points": [
            {"point": each.point, "verdict": each.verdict.value, "claim": each.claim, "words": list(each.words)}
            for each in findings
        ],
    }
