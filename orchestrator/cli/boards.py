"""The leaderboard of a run, printed in its suite's form."""

import json

import typer
from rich.markup import escape

from docassay.v1 import scorer_pb2
from orchestrator.cli import render, render_elements, render_families, render_figures
from scorer.counting import counted


def show(answer: scorer_pb2.LeaderboardResponse, *, as_json: bool) -> None:
    """Print a leaderboard as the scorer gave it, or as a table."""
    if as_json:
        typer.echo(answer.leaderboard_json)
        return
    board, console = json.loads(answer.leaderboard_json), render.console()
    if "families" in board:
        render_families.leaderboard(board, console)
    elif "elements" in board:
        render_elements.leaderboard(board, console)
    elif "figures" in board:
        render_figures.leaderboard(board, console)
    else:
        render.leaderboard(board, console)
    for row in board["nothing_parsed"]:
        ended = f"{row['parser']}, of {counted(row['documents'], 'document')}: {', '.join(row['statuses'])}"
        line = f"{ended}, e.g. {row['document']}: {row['reason']}"
        console.print(f"[yellow]parsed nothing:[/] {escape(line)}", highlight=False, soft_wrap=True)
