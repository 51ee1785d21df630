"""``grade odl``: opendataloader-bench over folders of markdown."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from docassay.v1 import scorer_pb2
from orchestrator import record, scorer_client
from orchestrator.cli import boards, following, options, predictions_of
from orchestrator.cli.failures import UsageError
from orchestrator.progress import reporter

Gold = Annotated[Path, typer.Option("--gold", help="The folder of gold markdown, a file a document.", metavar="DIR")]
Predictions = Annotated[
    list[str],
    typer.Option(
        "--predictions",
        help="A folder of markdown, files named as the gold's, with a name for the leaderboard before it if you like. "
        "May be repeated.",
        metavar="[NAME=]DIR",
    ),
]


def odl(
    context: typer.Context,
    gold: Gold,
    predictions: Predictions,
    results: options.Results = options.DEFAULT_RESULTS,
    as_json: options.Json = False,
) -> None:
    """Grade folders of markdown as opendataloader-bench does, into the store.

    Example: `docassay grade odl --gold ground-truth --predictions mine=markdown/`
    """
    if not gold.is_dir():
        raise UsageError(f"there is no folder {gold}: give the benchmark's gold markdown, a file a document")
    folders = predictions_of.named(predictions, "a markdown file for each document, named as its gold")
    request = scorer_pb2.GradeRequest(
        run=predictions_of.this_run(),
        odl=scorer_pb2.OdlGrading(
            gold=str(gold.resolve()),
            predictions=[scorer_pb2.Predictions(parser=name, folder=str(path)) for name, path in folders.items()],
        ),
    )
    record.check_folder(results)
    with scorer_client.session(results, context.obj) as scorer:
        with context.obj.deferred(), reporter(Console(stderr=True)) as report:
            run_id = following.follow(scorer.grade(request), report)
        answer = scorer.leaderboard(run_id)
    boards.show(answer, as_json=as_json)
