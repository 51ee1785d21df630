"""The leaderboard of a run of yes/no tests, for people."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape

from orchestrator.cli import render

SHOWN_TAGS = 15
"""Slices in which the parsers differ most, printed; all lie in the view `verdict_tags`."""


def leaderboard(board: Mapping[str, Any], console: Console) -> None:
    """Print headline and families by parser, how sure they are, where others lead, and what is missing."""
    run, families = board["run"], board["families"]
    console.print(
        f"{board['suite']} on {run['corpus_name']}, run {run['run_id']}", style="bold", markup=False, highlight=False
    )
    beside, few = console.width >= render.INTERVAL_WIDTH, render.is_few(board)
    table = render.table_of(("rank", "parser", "headline", *families, "pooled", "failed"), console)
    for row in board["parsers"]:
        table.add_row(
            render.places(row),
            escape(row["parser"]),
            f"[bold]{_with_interval(row, 'headline', console, beside=True, few=few)}[/]",
            *(_with_interval(row["families"].get(name), "score", console, beside=beside, few=few) for name in families),
            render.score(row["pooled"], console),
            f"{row['failed']}/{row['pages']}",
        )
    console.print(table)
    _certainty(board, console)
    _tags(board, console)
    _remarks(board, console)


def _with_interval(figure: Mapping[str, Any] | None, name: str, console: Console, *, beside: bool, few: bool) -> str:
    if figure is None:
        return "[dim]–[/]"
    text = render.score(figure[name], console)
    interval = figure["small_sample_interval" if few else "interval"]
    return f"{text} {render.brackets(interval)}" if beside and figure[name] is not None else text


def _certainty(board: Mapping[str, Any], console: Console) -> None:
    known = board["certainty"]
    if known is None:
        return
    console.print(
        f"{render.how_many(known, 'document')}. Intervals hold 95 %, from "
        f"{known['resamples']:,} resamples of the documents, seed {known['seed']}.",
        highlight=False,
    )
    ends = "small_sample_interval" if known["few_documents"] else "interval"
    if any(row["headline"] is not None and row[ends] is None for row in board["parsers"]):
        console.print("No interval: a family rests on a single document, or on too few to say how much it varies.")
    ranked = [row for row in board["parsers"] if row["rank"] is not None]
    if any(row["rank"] != row["last_rank"] for row in ranked):
        console.print(
            "A rank such as 1–2: the documents do not show which place it is; the order is by headline alone."
        )
    for row in ranked[1:]:
        console.print(
            f"{escape(row['parser'])} is behind the first by {row['gap']:.4f} {render.brackets(row['gap_interval'])}, "
            f"and leads {row['leads']:.0%} of the resamples",
            highlight=False,
        )


def _tags(board: Mapping[str, Any], console: Console) -> None:
    """Print the slices that another parser than the first leads; of a single parser, its lowest."""
    parsers = [row["parser"] for row in board["parsers"]]
    if len(parsers) > 1:
        title = f"where {parsers[0]} does not lead alone"
        slices = [found for found in board["tags"] if found["leaders"] != [parsers[0]]]
    else:
        title = "the lowest slices"
        slices = sorted(board["tags"], key=lambda found: min(found["scores"].values()))
    if not slices:
        return
    console.print(title, style="bold", markup=False, highlight=False)
    table = render.table_of(("tag", "family", "tests", "documents", *parsers, "remark"), console)
    for found in slices[:SHOWN_TAGS]:
        marks = [mark for mark, applies in (("tie", found["tied"]), ("few", found["few_documents"])) if applies]
        table.add_row(
            escape(found["tag"]),
            escape(found["family"]),
            str(found["tests"]),
            str(found["documents"]),
            *(render.score(found["scores"].get(parser), console) for parser in parsers),
            ", ".join(marks),
        )
    console.print(table)
    if len(slices) > SHOWN_TAGS or board["tags_total"] > len(board["tags"]):
        console.print(f"{board['tags_total']} slices in all: docassay sql 'from verdict_tags'", highlight=False)


def _remarks(board: Mapping[str, Any], console: Console) -> None:
    for row in board["parsers"]:
        for name, figure in (("headline", row), *row["families"].items()):
            if figure["reason"]:
                line = f"{row['parser']}: no {name}: {figure['reason']}"
                console.print(escape(line), highlight=False, soft_wrap=True)
    for row in board["not_ready"]:
        line = f"{row['parser']}: {row['state']}: {row['reason']}"
        console.print(f"[yellow]not ready:[/] {escape(line)}", highlight=False, soft_wrap=True)
    if any(row["failed"] for row in board["parsers"]):
        console.print("failed pages and why: docassay sql 'from failures'", highlight=False)
    if board["partial"]:
        reasons = "; ".join(board["partial_reasons"])
        console.print(f"[yellow]partial:[/] {escape(reasons)}: not comparable with a full run", highlight=False)
    if len({row["conditions"] for row in board["parsers"]}) > 1:
        console.print("[yellow]conditions differ between parsers; each is ranked among its like[/]")
