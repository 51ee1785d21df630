"""``grade omniparse``: OmniParseBench's tests over folders of predictions."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from docassay.v1 import scorer_pb2
from orchestrator import record, scorer_client
from orchestrator.cli import boards, following, options, predictions_of
from orchestrator.cli.failures import UsageError
from orchestrator.progress import reporter

Dataset = Annotated[
    str,
    typer.Option(
        "--dataset",
        help="A dataset's folder, or hf://datasets/ORGANISATION/NAME[@REVISION].",
        metavar="DIR|hf://…",
    ),
]
Predictions = Annotated[
    list[str],
    typer.Option(
        "--predictions",
        help="A folder of <page_id>.json, with a name for the leaderboard before it if you like. May be repeated.",
        metavar="[NAME=]DIR",
    ),
]
Unsupported = Annotated[
    list[str] | None,
    typer.Option(
        "--unsupported",
        help="Outputs the parser cannot produce, by commas: their tests leave the score. Of one alone: NAME=blocks.",
        metavar="[NAME=]OUTPUTS",
    ),
]
Sample = Annotated[
    int, typer.Option("--sample", min=0, help="Only the benchmark's own sample of N pages; 0 takes all: a partial run.")
]
Version = Annotated[
    str, typer.Option("--version", help="The released behaviour to reproduce: rc1 (the leaderboard's) or 1.0.0.")
]
RunFolders = Annotated[
    Path | None,
    typer.Option("--run-folders", help="Write a run folder for each, readable by the benchmark's own tools."),
]


def omniparse(
    context: typer.Context,
    dataset: Dataset,
    predictions: Predictions,
    unsupported: Unsupported = None,
    sample: Sample = 0,
    version: Version = "rc1",
    run_folders: RunFolders = None,
    results: options.Results = options.DEFAULT_RESULTS,
    as_json: options.Json = False,
) -> None:
    """Grade predictions with OmniParseBench's tests; every verdict becomes a row of the store.

    Example: `docassay grade omniparse --dataset omniparse/ --predictions mine=out/ --unsupported blocks`
    """
    folders = predictions_of.named(predictions, "a <page_id>.json for each page")
    declared = _declared(options.split(unsupported), folders)
    request = scorer_pb2.GradeRequest(
        run=predictions_of.this_run(),
        omniparse=scorer_pb2.OmniparseGrading(
            dataset=dataset if dataset.startswith("hf:") else str(Path(dataset).expanduser().resolve()),
            version=version,
            predictions=[
                scorer_pb2.Predictions(parser=name, folder=str(folder), unsupported=declared[name])
                for name, folder in folders.items()
            ],
            sample=sample,
            runs_folder=str(run_folders.resolve()) if run_folders else "",
        ),
    )
    record.check_folder(results)
    with scorer_client.session(results, context.obj) as scorer:
        with context.obj.deferred(), reporter(Console(stderr=True)) as report:
            run_id = following.follow(scorer.grade(request), report)
        answer = scorer.leaderboard(run_id)
    boards.show(answer, as_json=as_json)


def _declared(words: list[str], folders: dict[str, Path]) -> dict[str, list[str]]:
    """Return what each folder's parser cannot produce: `blocks` is said of all, `NAME=blocks` of one."""
    declared: dict[str, list[str]] = {name: [] for name in folders}
    for word in words:
        name, equals, output = word.rpartition("=")
        if equals and name not in folders:
            raise UsageError(f"--unsupported {word}: no predictions are named {name!r}, but {', '.join(folders)}")
        for one in [name] if equals else list(folders):
            declared[one].append(output)
    return declared
