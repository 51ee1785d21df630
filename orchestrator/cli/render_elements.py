"""The leaderboard of a run scored by elements of pages, for people."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape

from orchestrator.cli import render
from scorer.counting import counted

_COLUMNS = (
    *("rank", "parser", "overall", "text edit", "formula CDM", "table TEDS", "TEDS-S", "order edit", "pooled"),
    *("homeless", "unpredicted"),
)


def leaderboard(board: Mapping[str, Any], console: Console) -> None:
    """Print the published table with its intervals, what it leaves out, and why a figure is missing."""
    run = board["run"]
    title = f"{board['suite']} on {run['corpus_name']}, run {run['run_id']}"
    console.print(title, style="bold", markup=False, highlight=False)
    table = render.table_of(_COLUMNS, console)
    for row in board["parsers"]:
        shown = _percent(row["overall"])
        if row["overall"] is not None and console.width >= render.INTERVAL_WIDTH:
            shown = f"[bold]{shown}[/] {render.brackets(row['overall_interval'])}"
        table.add_row(
            render.places(row),
            escape(row["parser"]),
            shown,
            _number(row["text_edit"]),
            *(_percent(row[name]) for name in ("formula_cdm", "table_teds", "table_teds_structure_only")),
            _number(row["reading_order_edit"]),
            _percent(row["overall_pooled"]),
            _number(row["homeless"]),
            f"{row['unpredicted']}/{row['pages']}",
        )
    console.print(table)
    console.print(
        "Overall is of page averages, as published; an edit distance is best at 0. pooled: over all pages together, "
        "not comparable with Overall. homeless: share of predicted characters that no gold block answers to.",
        highlight=False,
    )
    if (known := board["certainty"]) is not None:
        console.print(
            f"{render.how_many(known, 'page')}. Intervals hold 95 %, from {known['resamples']:,} resamples of the "
            f"pages, seed {known['seed']}.",
            highlight=False,
        )
    _remarks(board, console)


def _remarks(board: Mapping[str, Any], console: Console) -> None:
    for row in board["parsers"]:
        if row["reason"]:
            line = f"{row['parser']}: no Overall: {row['reason']}"
            console.print(escape(line), highlight=False, soft_wrap=True)
        not_computed(row["parser"], row["errors"], console)
        if row["bounded"]:
            line = f"{row['parser']}: some figures are the worse of two bounds: see lower and upper in omnidoc_metrics"
            console.print(escape(line), highlight=False, soft_wrap=True)
    for row in board["not_ready"]:
        line = f"{row['parser']}: {row['state']}: {row['reason']}"
        console.print(f"[yellow]not ready:[/] {escape(line)}", highlight=False, soft_wrap=True)
    if any(row["unpredicted"] for row in board["parsers"]):
        console.print(
            "Pages without a prediction leave every average, as the method has it; they and why: "
            "docassay sql 'from omnidoc_pages where not predicted'",
            highlight=False,
        )
    if board["partial"]:
        reasons = "; ".join(board["partial_reasons"])
        console.print(f"[yellow]partial:[/] {escape(reasons)}: not comparable with a full run", highlight=False)
    if len({row["conditions"] for row in board["parsers"]}) > 1:
        console.print("[yellow]conditions differ between parsers; each is ranked among its like[/]")


def not_computed(parser: str, errors: int, console: Console) -> None:
    """Say how many samples of a parser scored 0 for an error, if any did, and where the errors are."""
    if errors:
        line = f"{parser}: {counted(errors, 'sample')} scored 0 because a metric could not be computed"
        console.print(f"[yellow]{escape(line)}[/]: see error in omnidoc_samples", highlight=False, soft_wrap=True)


def _number(value: float | None) -> str:
    return "[dim]–[/]" if value is None else f"{value:.4f}"


def _percent(value: float | None) -> str:
    return "[dim]–[/]" if value is None else f"{value:.2f}"
