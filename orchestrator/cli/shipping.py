"""``new-parser``, ``conform``, ``add`` and ``remove``: a parser from nothing to an image that keeps the contract."""

import contextlib
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import grpc
import typer
from rich.console import Console
from rich.markup import escape

from orchestrator import local, scaffolding
from orchestrator.cli import options, render
from orchestrator.cli.failures import FAILED, UsageError
from orchestrator.containers import overriding
from orchestrator.local import ServiceFailed
from orchestrator.naming import NAME_FORM

if TYPE_CHECKING:
    from orchestrator.conformity import Finding, Subject

_ADDRESS = re.compile(r"unix:.+|(?:localhost|[\d.]+|\[.+\]):(?P<host_port>\d+)|[^/]+:(?P<port>[1-9][0-9]{3,4})")
"""A port below 1000 after a name is taken for an image's tag; so is whatever follows a name with a slash."""

_ANSWER_SECONDS = 10.0
"""How long a service at an address may take until it takes a connection."""

_LARGEST_PORT = 65_535

_COLOURS = {"holds": "green", "fails": "red", "unproven": "yellow"}


def add_to(app: typer.Typer) -> None:
    """Add the subcommands."""
    app.command(name="new-parser")(new_parser)
    app.command(name="conform")(conform)
    app.command(name="add")(add)
    app.command(name="remove")(remove)


def new_parser(
    name: Annotated[str, typer.Argument(help=f"The parser's id: {NAME_FORM}.")],
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
    from orchestrator.conformity import Verdict, examine  # with the reader of outputs, which takes a second

    findings, console = [], render.console()
    with _subject(target) as subject:
        for finding in examine(subject):
            findings.append(finding)
            if not as_json:
                _print(finding, console)
        described = f"{subject.description.name}@{subject.description.version}".strip("@")
    counts = {verdict.value: sum(finding.verdict is verdict for finding in findings) for verdict in Verdict}
    if as_json:
        typer.echo(json.dumps(_plain(target, described, findings), indent=1, ensure_ascii=False))
    else:
        _conclude(described or target, counts, console)
    if counts["fails"]:
        raise typer.Exit(FAILED)


def add(
    image: Annotated[str, typer.Argument(help="An image that conforms, as the engine knows it.")],
) -> None:
    """Make an image a parser of `docker compose up`: its stanza goes into compose.override.yaml here.

    What that file holds stays; an earlier stanza of the same parser is replaced.

    Example: `docassay add example/mytool:1.0`
    """
    name, path = overriding.add(image, Path.cwd())
    typer.echo(f"{path}: {name} is {image}; run it with: docker compose up --exit-code-from orchestrator")


def remove(
    name: Annotated[str, typer.Argument(help="A parser that was added, by its name.")],
) -> None:
    """Take a parser out of compose.override.yaml again, as when its image is gone: compose starts all or nothing.

    What else that file holds stays.

    Example: `docassay remove mytool`
    """
    path = overriding.remove(name, Path.cwd())
    typer.echo(
        f"{path}: {name} is no longer a part of docker compose up; its image stays in the engine, "
        "and what an earlier up made of it goes with: docker compose down --remove-orphans"
    )


@contextlib.contextmanager
def _subject(target: str) -> "Iterator[Subject]":
    """Give the service at an address, or that of an image, started for this.

    Raises:
        ServiceFailed: nothing answers there.
    """
    from orchestrator.conformity import Subject

    with tempfile.TemporaryDirectory(prefix="docassay-") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        (folder / "documents").mkdir()
        container = None
        if not _is_address(target):
            from orchestrator.conformity import containers

            container = stack.enter_context(containers.started(target, folder / "documents"))
        address = container.address if container else target
        subject = stack.enter_context(
            contextlib.closing(Subject(address, folder, shared=container is not None, container=container))
        )
        try:
            grpc.channel_ready_future(subject.channel).result(timeout=_ANSWER_SECONDS)
        except grpc.FutureTimeoutError:
            raise ServiceFailed(f"nothing takes gRPC calls at {address}: start the service there first") from None
        yield subject


def _is_address(target: str) -> bool:
    """Tell an address from an image whose tag is a number: an image that is there is one.

    Raises:
        UsageError: there is no such port.
    """
    from orchestrator.containers import images

    address = _ADDRESS.fullmatch(target)
    if address is None or (address["port"] and images.is_one(target)):
        return False
    if int(address["host_port"] or address["port"] or 0) > _LARGEST_PORT:
        raise UsageError(f"{target}: a port is {_LARGEST_PORT} at most, and the engine has no image of that name")
    return True


def _print(finding: "Finding", console: Console) -> None:
    colour = _COLOURS[finding.verdict.value]
    console.print(
        f"[{colour}]{finding.verdict.value:<9}[/]{finding.point:<15} {escape(finding.claim)}",
        highlight=False,
        soft_wrap=True,
    )
    for words in finding.words:
        console.print(
            f"{'':<25}{escape(words)}", highlight=False, soft_wrap=True, style="dim" if colour == "green" else None
        )


def _conclude(what: str, counts: dict[str, int], console: Console) -> None:
    holds, fails, unproven = counts["holds"], counts["fails"], counts["unproven"]
    verdict = "does not conform" if fails else "conforms"
    console.print(
        f"{escape(what)} {verdict}: {holds} of {sum(counts.values())} points hold, {fails} fail, {unproven} unproven",
        style="bold",
        highlight=False,
        soft_wrap=True,
    )


def _plain(target: str, described: str, findings: "list[Finding]") -> dict[str, object]:
    return {
        "target": target,
        "parser": described,
        "conforms": not any(finding.verdict.value == "fails" for finding in findings),
        "points": [
            {"point": each.point, "verdict": each.verdict.value, "claim": each.claim, "words": list(each.words)}
            for each in findings
        ],
    }
