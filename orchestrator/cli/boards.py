"""The leaderboard of a run, printed in its suite's form."""

import json

import typer

from docassay.v1 import scorer_pb2
from orchestrator.cli import render, render_elements, render_families, render_figures


def show(answer: scorer_pb2.LeaderboardResponse, *, as_json: bool) -> None:
    """Print a leaderboard as the scorer gave it, or as a table."""
    board = json.loads(answer.leaderboard_json)
    if as_json:
        typer.echo(answer.leaderboard_json)
    elif "families" in board:
        render_families.leaderboard(board, render.console())
    elif "elements" in board:
        render_elements.leaderboard(board, render.console())
    elif "figures" in board:
        render_figures.leaderboard(board, render.console())
    else:
        render.leaderboard(board, render.console())
