"""``compare``: which differences between two runs are real."""

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from orchestrator import scorer_client
from orchestrator.cli import options, render
from orchestrator.cli.failures import FAILED, UsageError
from scorer.counting import counted, listed

Before = Annotated[str, typer.Argument(help="The earlier run's id. `docassay runs` lists them.")]
After = Annotated[str, typer.Argument(help="The later run's id.")]
Gate = Annotated[
    bool,
    typer.Option("--gate", help="End with 1 when something is worse beyond doubt, with 2 when nothing was compared."),
]

_COLOURS = {"better": "green", "worse": "red"}


def add_to(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command(name="compare")(compare)


def compare(
    before: Before,
    after: After,
    results: options.Results = options.DEFAULT_RESULTS,
    gate: Gate = False,
    as_json: options.Json = False,
) -> None:
    """Say which differences between two runs are real: of each parser in both, or of two versions of it.

    Example: `docassay compare 20261130_101500 20261201_093000 --gate`
    """
    with scorer_client.session(options.existing(results), reading=True) as scorer:
        text = scorer.compare(before, after).comparison_json
    found = json.loads(text)
    if as_json:
        typer.echo(text)
    else:
        show(found, render.console())
    if gate:
        if all(change["verdict"] == "not compared" for pair in found["parsers"] for change in pair["changes"]):
            raise UsageError("nothing could be compared: every axis was measured under other conditions")
        if found["worse"]:
            raise typer.Exit(FAILED)


def show(found: dict[str, Any], console: Console) -> None:
    """Print a comparison: conditions that differ, then parser by parser what changed and on which documents."""
    before, after = found["before"], found["after"]
    console.print(
        f"{found['suite']}: run {before['run_id']} → run {after['run_id']}, "
        f"{counted(found['documents'], 'document')} in both",
        style="bold",
        markup=False,
        highlight=False,
    )
    for key, text in (
        ("only_before", "only in the earlier run"),
        ("only_after", "only in the later run"),
        ("other_files", "another file under the same id"),
    ):
        if found[key]:
            console.print(f"{text}: {escape(listed(found[key], 5))}", highlight=False, soft_wrap=True)
    for differing in found["differing"]:
        values = " → ".join(_short(differing[side]) for side in ("before", "after"))
        every = len(differing["parsers"]) == len(found["parsers"])
        whose = "" if every else f" of {escape(', '.join(differing['parsers']))}"
        console.print(
            f"[yellow]other conditions:[/] {escape(differing['condition'])} ({escape(values)}):"
            f" {', '.join(differing['axes'])}{whose} not compared",
            highlight=False,
            soft_wrap=True,
        )
    for pair in found["parsers"]:
        _pair(pair, console)
    for key, which in (("unpaired_before", "earlier"), ("unpaired_after", "later")):
        if found[key]:
            names = escape(", ".join(found[key]))
            console.print(f"in the {which} run alone, or of several versions: {names}", highlight=False)
    if any(change["few_documents"] for pair in found["parsers"] for change in pair["changes"]):
        console.print("[yellow]Fewer than 30 documents are few:[/] small differences cannot be shown.", highlight=False)
    console.print(
        "Go by the verdict, not by whether intervals overlap or miss 0: it is beyond doubt, by a paired test over the "
        "documents with Holm's correction over everything compared, 5 %.",
        highlight=False,
    )


def _pair(pair: dict[str, Any], console: Console) -> None:
    same = pair["before"] == pair["after"]
    title = pair["after"] if same else f"{pair['before']} → {pair['after']}"
    console.print()
    console.print(title, style="bold", markup=False, highlight=False)
    table = render.table_of(("headline", "before", "after", "change", "95 % interval", "p", "verdict"), console)
    for change in pair["changes"]:
        colour = _COLOURS.get(change["verdict"], "default")
        if change["verdict"] == "not compared":
            table.add_row(change["headline"], *[""] * 5, "[dim]not compared[/]")
            continue
        table.add_row(
            change["headline"],
            render.score(change["before"], console),
            render.score(change["after"], console),
            f"{change['difference']:+.3f}",
            render.brackets(_ends(change["interval"]), "+.3f"),
            f"{change['adjusted_p']:.3f}",
            f"[{colour}]{change['verdict']}[/]",
        )
    console.print(table)
    for change in pair["changes"]:
        if change["verdict"] == "not compared":
            console.print(f"{change['headline']} is not compared: {escape(change['reason'])}", highlight=False)
    if tests := pair.get("tests"):
        _tests(tests, console)
    for lost in pair["regressed"]:
        kpis = ", ".join(f"{kpi} {old:.3f} → {new:.3f}" for kpi, (old, new) in lost["kpis"].items())
        line = f"{lost['document']} {lost['change']:+.4f}: {kpis}"
        console.print(f"regressed: {escape(line)}", highlight=False, soft_wrap=True)
    for key, word in (("newly_failed", "[red]newly failed:[/]"), ("mended", "[green]mended:[/]")):
        for turned in pair[key]:
            line = f"{turned['document']}: {turned['reason']}"
            console.print(f"{word} {escape(line)}", highlight=False, soft_wrap=True)


def _tests(tests: dict[str, Any], console: Console) -> None:
    """Print how many yes/no tests have another result, and where those are."""
    changed = (
        ", ".join(f"{one['tests']} {one['before']} → {one['after']}" for one in tests["changed"]) or "none changed"
    )
    console.print(f"the same result: {tests['same']} of {counted(tests['shared'], 'test')}; {changed}", highlight=False)
    places = ", ".join(f"{place['name']} {place['different']} of {place['tests']}" for place in tests["places"])
    if places:
        console.print(f"the differences sit in {escape(places)}", highlight=False, soft_wrap=True)


def _ends(interval: dict[str, float] | None) -> list[float] | None:
    return [interval["lower"], interval["upper"]] if interval else None


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else f"{value:.3g}" if isinstance(value, float) else json.dumps(value)
    return text if len(text) <= 24 else f"{text[:23]}…"
