"""Tables for people. Everything that came from a parser or a file is escaped before it is printed."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.markup import escape
from rich.table import Table

AXES = ("coverage", "speed", "hierarchy", "faithfulness", "tables", "retrieval")
SHOWN_ROWS = 1000
"""Rows of a query printed as a table; --json and --csv print all."""


def check(name: str, found: str, fault: str, console: Console) -> None:
    """Print one line of ``doctor``."""
    mark = "[red]✗[/]" if fault else "[green]✓[/]"
    console.print(f"{mark} {escape(name)}: {escape(found)}" + (f" — {escape(fault)}" if fault else ""), highlight=False)


def parsers(entries: Sequence[dict[str, Any]], console: Console) -> None:
    """Print the parsers of this repository."""
    table = Table("parser", "versions", "formats", "gives", "licence", "here")
    for entry in entries:
        table.add_row(
            escape(entry["parser"]),
            escape(", ".join(entry["versions"])),
            escape(" ".join(entry["formats"])),
            escape(" ".join(entry["capabilities"])),
            escape(entry["licence"]),
            f"[red]{escape(entry['missing'])}[/]" if entry["missing"] else "[green]ready[/]",
        )
    console.print(table)
    for entry in entries:
        if entry["licence_note"]:
            console.print(f"{escape(entry['parser'])}: {escape(entry['licence_note'])}", highlight=False)


def rows(batches: Iterable[pa.RecordBatch], console: Console) -> None:
    """Print the rows of a query."""
    table: Table | None = None
    count = 0
    for batch in batches:
        if table is None:
            table = Table(*(escape(name) for name in batch.schema.names))
        for row in batch.to_pylist():
            count += 1
            if count <= SHOWN_ROWS:
                table.add_row(*(_cell(value) for value in row.values()))
    if table is not None:
        console.print(table)
    if count > SHOWN_ROWS:
        console.print(f"{count - SHOWN_ROWS} more rows; --json or --csv prints all", style="yellow")


def _cell(value: Any) -> str:
    match value:
        case None:
            return "[dim]–[/]"
        case float():
            return f"{value:.4f}"
        case list():
            return escape(", ".join(map(str, value)))
        case _:
            return escape(str(value))


def leaderboard(board: dict[str, Any], console: Console) -> None:
    """Print the leaderboard of a run: scores, breakdowns, what failed and why, who was not ready."""
    run = board["run"]
    title = f"{board['suite']} on {run['corpus_name']} {run['corpus_version']}, run {run['run_id']}"
    table = Table(title=escape(title), title_justify="left")
    for heading in ("rank", "parser", "composite"):
        table.add_column(heading, justify="left" if heading == "parser" else "right", no_wrap=True)
    for axis in AXES:
        table.add_column(axis, justify="right", no_wrap=True)
    table.add_column("pages/s", justify="right", no_wrap=True)
    table.add_column("failed", justify="right", no_wrap=True)
    for row in board["parsers"]:
        table.add_row(
            _cell(row["rank"]),
            escape(row["parser"]),
            f"[bold]{_cell(row['composite'])}[/]",
            *(_cell(row["axes"][axis]) for axis in AXES),
            "[dim]–[/]" if row["pages_per_second"] is None else f"{row['pages_per_second']:.2f}",
            f"{row['failed']} of {row['documents']}",
        )
    console.print(table)
    _breakdown("composite by format", board["by_format"], "format", console)
    _breakdown("composite by domain", board["by_domain"], "domain", console)
    _remarks(board, console)


def _breakdown(title: str, cells: Sequence[dict[str, Any]], key: str, console: Console) -> None:
    """Print one figure a parser and slice."""
    slices = list(dict.fromkeys(cell[key] for cell in cells))
    if len(slices) < 2:
        return
    table = Table("parser", *(escape(name) for name in slices), title=title, title_justify="left")
    for parser in dict.fromkeys(cell["parser"] for cell in cells):
        values = {cell[key]: cell["composite"] for cell in cells if cell["parser"] == parser}
        table.add_row(escape(parser), *(_cell(values.get(name)) for name in slices))
    console.print(table)


def _remarks(board: dict[str, Any], console: Console) -> None:
    """Print what a reader must know before believing the numbers."""
    for row in board["failures"]:
        line = f"{row['parser']} {row['document']}: {row['status']}: {row['reason']}"
        if row["status"] != "unsupported":
            console.print(f"failed: {escape(line)}", highlight=False, soft_wrap=True)
    shown = len(board["failures"])
    if board["failures_total"] > shown:
        console.print(f"{board['failures_total'] - shown} more failures: docassay sql 'from failures'", highlight=False)
    for row in board["not_ready"]:
        line = f"{row['parser']}: {row['state']}: {row['reason']}"
        console.print(f"[yellow]not ready:[/] {escape(line)}", highlight=False, soft_wrap=True)
    if board["partial"]:
        reasons = "; ".join(board["partial_reasons"])
        console.print(f"[yellow]partial:[/] {escape(reasons)}: not comparable with a full run", highlight=False)
    if not board["comparable"]:
        console.print("[yellow]conditions differ between parsers; each is ranked among its like[/]")
