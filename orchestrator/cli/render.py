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
