"""The leaderboard of a run that is a list of figures, for people."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape

from orchestrator.cli import render, render_elements

_AVERAGES = ("pooled", "sample_average")


def leaderboard(board: Mapping[str, Any], console: Console) -> None:
    """Print every figure with its interval, a parser a column, and of one parser the other averages."""
    run, figures = board["run"], board["figures"]
    title = f"{board['suite']} on {run['corpus_name']}, run {run['run_id']}"
    console.print(title, style="bold", markup=False, highlight=False)
    parsers = list(dict.fromkeys(row["parser"] for figure in figures for row in figure["parsers"]))
    averages = len(parsers) == 1 and any(
        row[name] for figure in figures for row in figure["parsers"] for name in _AVERAGES
    )
    others = [name.replace("_", " ") for name in _AVERAGES if averages]
    table = render.table_of(("figure", *map(escape, parsers), *others), console)
    for figure in figures:
        by_parser = {row["parser"]: row for row in figure["parsers"]}
        bound = "≤" if figure["figure"].endswith(".Edit_dist") else "≥"  # which side of the exact figure is the worse
        cells = [_cell(by_parser.get(parser), console, bound, ranked=len(parsers) > 1) for parser in parsers]
        if averages:
            cells += [_number(by_parser[parsers[0]][name]) for name in _AVERAGES]
        name = escape(figure["figure"])
        table.add_row(f"[bold]{name}[/]" if figure["headline"] else name, *cells)
    console.print(table)
    if (known := board["certainty"]) is not None:
        console.print(
            f"{render.how_many(known, 'page')}. Intervals hold 95 %, from {known['resamples']:,} resamples of the "
            f"pages, seed {known['seed']}; a rank counts those that are better beyond doubt.",
            highlight=False,
        )
    for parser, errors in board["errors"].items():
        render_elements.not_computed(parser, errors, console)
    if board["partial"]:
        reasons = "; ".join(board["partial_reasons"])
        console.print(f"[yellow]partial:[/] {escape(reasons)}: not comparable with a full run", highlight=False)
    for reason in dict.fromkeys(
        f"{figure['figure']}: {row['reason']}" for figure in figures for row in figure["parsers"] if row["reason"]
    ):
        console.print(escape(reason), highlight=False, soft_wrap=True)


def _cell(row: dict[str, Any] | None, console: Console, bound: str, *, ranked: bool) -> str:
    if row is None:
        return _number(None)
    text = _number(row["value"])
    if row["interval"] is not None and console.width >= render.INTERVAL_WIDTH:
        text += f" {render.brackets(row['interval'], '.3f')}"
    if ranked and row["rank"] is not None:
        text += f" #{render.places(row)}"
    return f"{bound} {text}" if row["bounded"] else text


def _number(value: float | None) -> str:
    return "[dim]–[/]" if value is None else f"{value:.4f}"
