"""``tutorial``: a benchmark's founding tutorial, walked through on the data at hand; one function a suite."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from orchestrator.cli import predictions_of, render
from services.runtime import ownership

app = typer.Typer(no_args_is_help=True, help="Walk through a benchmark's founding tutorial on the data at hand.")

Dataset = Annotated[
    str | None,
    typer.Option(
        "--dataset", help="A dataset's folder, or hf://datasets/ORGANISATION/NAME[@REVISION].", metavar="DIR|hf://…"
    ),
]
Published = Annotated[
    Path | None, typer.Option("--published", help="The published verdicts: results.parquet.", metavar="FILE")
]
Predictions = Annotated[
    list[str] | None,
    typer.Option(
        "--predictions",
        help="Predictions that a system's published verdicts were made from. May be repeated.",
        metavar="SYSTEM=DIR",
    ),
]
Card = Annotated[
    Path | None, typer.Option("--card", help="The published card: JSON, system to figure to per cent.", metavar="FILE")
]
Claims = Annotated[
    Path | None, typer.Option("--claims", help="Claims to check: JSON, see docs/method/omniparse.md.", metavar="FILE")
]
Sample = Annotated[int, typer.Option("--sample", min=0, help="Pages read by OCR, the benchmark's own sample; 0: all.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the bootstrap.")]
Resamples = Annotated[int, typer.Option("--resamples", min=2, help="Of the bootstrap.")]
DifferencesSeed = Annotated[int, typer.Option("--differences-seed", min=0, help="Of the difference-in-differences.")]
DifferencesResamples = Annotated[
    int, typer.Option("--differences-resamples", min=2, help="Of the difference-in-differences.")
]
JsonSteps = Annotated[bool, typer.Option("--json", help="Print one JSON document a step instead, a line each.")]
Work = Annotated[Path | None, typer.Option("--work", help="Where predictions are written; a temporary folder without.")]


@app.command(name="omniparse")
def omniparse(
    dataset: Dataset = None,
    published: Published = None,
    predictions: Predictions = None,
    card: Card = None,
    claims: Claims = None,
    sample: Sample = 50,
    seed: Seed = 20261022,
    resamples: Resamples = 2000,
    differences_seed: DifferencesSeed = 7,
    differences_resamples: DifferencesResamples = 1000,
    work: Work = None,
    as_json: JsonSteps = False,
) -> None:
    """Walk through OmniParseBench's tutorial: the scorer on one page, counts, leaderboard, certainty, OCR, claims.

    A step whose data is absent says so, and the next one goes on.

    Example: `docassay tutorial omniparse --dataset omniparse/ --published omniparse/results.parquet`
    """
    from scorer.omniparse.claims import read_card, read_claims
    from scorer.omniparse.tutorial import tutorial

    console = render.console()
    with ownership.temporary() as folder:
        steps = tutorial(
            dataset=dataset,
            results=published,
            predictions=predictions_of.named(predictions or [], "a <page_id>.json for each page"),
            card=read_card(card) if card else None,
            claims=read_claims(claims) if claims else (),
            work=work or folder,
            sample=sample,
            seed=seed,
            resamples=resamples,
            differences_seed=differences_seed,
            differences_resamples=differences_resamples,
        )
        for number, step in enumerate(steps, start=1):
            if as_json:
                found = {"step": step.title, "lines": step.lines, "skipped": step.skipped}
                typer.echo(json.dumps(found, ensure_ascii=False))
            else:
                _show(number, step.title, step.lines, step.skipped, console)


def _show(number: int, title: str, lines: tuple[str, ...], skipped: str | None, console: Console) -> None:
    console.print(f"{number}. {title}", style="bold", markup=False, highlight=False)
    for line in lines:
        console.print(f"   {escape(line)}", highlight=False, soft_wrap=True)
    if skipped is not None:
        console.print(f"   [yellow]left out:[/] {escape(skipped)}", highlight=False, soft_wrap=True)
