"""``grade omnidoc``: OmniDocBench over folders of markdown, or by the reference's own configuration files."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from docassay.v1 import scorer_pb2
from orchestrator import record, scorer_client
from orchestrator.cli import boards, following, options, predictions_of, render
from orchestrator.cli.failures import UsageError
from orchestrator.progress import reporter

Config = Annotated[
    Path | None,
    typer.Option("--config", help="A configuration of the benchmark; its paths start where you are.", metavar="FILE"),
]
Gold = Annotated[Path | None, typer.Option("--gold", help="The annotation file.", metavar="FILE")]
Predictions = Annotated[
    list[str] | None,
    typer.Option(
        "--predictions",
        help="A folder of markdown, a file a page, with a name for the leaderboard before it if you like. "
        "May be repeated.",
        metavar="[NAME=]DIR",
    ),
]
Name = Annotated[
    str,
    typer.Option(
        "--name",
        help="With --config: whose predictions they are, so that runs can be compared; their file's name without.",
    ),
]
Files = Annotated[
    Path | None,
    typer.Option("--files", help="Write the benchmark's own result files here; `result` for --config.", metavar="DIR"),
]
Version = Annotated[str, typer.Option("--version", help="The released evaluator to reproduce: v1.5.")]


def omnidoc(
    context: typer.Context,
    config: Config = None,
    gold: Gold = None,
    predictions: Predictions = None,
    files: Files = None,
    name: Name = "",
    version: Version = "v1.5",
    results: options.Results = options.DEFAULT_RESULTS,
    as_json: options.Json = False,
) -> None:
    """Grade predictions as OmniDocBench does, into the store: folders of markdown, or what a configuration of it names.

    Example: `docassay grade omnidoc --gold OmniDocBench.json --predictions mine=markdown/`

    Example: `docassay grade omnidoc --config configs/end2end.yaml --files result`
    """
    if config is not None:
        files = files or Path("result")
        if gold is not None or predictions:
            raise UsageError("a configuration names gold and predictions itself: leave --gold and --predictions out")
        requests = _tasks(config, name, files, version)
    else:
        if name:
            raise UsageError("--name goes with --config; a folder is named as --predictions NAME=DIR")
        if gold is None or not predictions:
            raise UsageError("nothing to grade: give --gold FILE and --predictions DIR, or --config FILE")
        if not gold.is_file():
            raise UsageError(f"there is no annotation file {gold}: give the benchmark's JSON list of pages")
        folders = predictions_of.named(predictions, "a markdown file for each page, named as its image")
        requests = [_folders(gold, folders, files, version)]
    record.check_folder(results)
    answers = []
    with scorer_client.session(results, context.obj) as scorer:
        for request in requests:
            with context.obj.deferred(), reporter(Console(stderr=True)) as report:
                run_id = following.follow(scorer.grade(request), report)
            answers.append(scorer.leaderboard(run_id))
    if as_json and config is not None:
        typer.echo(json.dumps([json.loads(answer.leaderboard_json) for answer in answers], ensure_ascii=False))
        return
    for answer in answers:
        boards.show(answer, as_json=as_json)
    if files is not None and not as_json:
        render.console().print(f"result files: {files}", markup=False, highlight=False)


def _folders(gold: Path, folders: dict[str, Path], files: Path | None, version: str) -> scorer_pb2.GradeRequest:
    return scorer_pb2.GradeRequest(
        run=predictions_of.this_run(),
        omnidoc=scorer_pb2.OmnidocGrading(
            gold=str(gold.resolve()),
            version=version,
            predictions=[scorer_pb2.Predictions(parser=name, folder=str(path)) for name, path in folders.items()],
            files_folder=str(files.resolve()) if files else "",
        ),
    )


def _tasks(config: Path, name: str, files: Path, version: str) -> list[scorer_pb2.GradeRequest]:
    """Return a request for each task of a configuration.

    Raises `GradingError` when it cannot be read, or a task names what is not there.
    """
    from scorer.grading.omnidoc import check_paths, configured

    tasks = configured(config)
    for one in tasks:
        check_paths(config, one.task, Path.cwd())
    return [
        scorer_pb2.GradeRequest(
            run=predictions_of.this_run(),
            omnidoc_task=scorer_pb2.OmnidocTask(
                config=str(config.resolve()),
                number=number,
                root=str(Path.cwd()),
                version=version,
                parser=name,
                files_folder=str(files.resolve()),
            ),
        )
        for number in range(len(tasks))
    ]
