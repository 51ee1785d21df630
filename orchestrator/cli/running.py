"""``run``, ``parse`` and ``score``."""

import contextlib
import json
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from docassay.v1 import parser_pb2, scorer_pb2
from orchestrator import limits as limit_texts
from orchestrator import local, machine, record, scorer_client, selection, states
from orchestrator import run as running
from orchestrator.cli import boards, ending, following, options
from orchestrator.cli.asked import AskedCorpus
from orchestrator.cli.ending import INTERRUPTED
from orchestrator.cli.failures import FAILED, UsageError
from orchestrator.containers import composed
from orchestrator.interruption import Interrupted, Interruption
from orchestrator.limits import Limits
from orchestrator.plan import Plan
from orchestrator.progress import reporter
from scorer import mounts
from services.runtime import descriptor, ownership

Timeout = Annotated[
    str, typer.Option("--timeout", help="Seconds a document may take, or seconds + seconds a page.", metavar="S[+S]")
]
Memory = Annotated[str, typer.Option("--memory", help="Memory a parser's process tree may use.", metavar="SIZE")]
Repeat = Annotated[int, typer.Option("--repeat", min=1, help="Parse every document N times; the median counts.")]
SkipFresh = Annotated[
    bool, typer.Option("--skip-fresh", help="Take over what earlier runs measured under the same conditions.")
]
Local = Annotated[bool, typer.Option("--local", help="Start the parsers of this repository as child processes.")]
Endpoint = Annotated[
    list[str] | None,
    typer.Option("--endpoint", help="A parser that answers elsewhere: name=host:port. May be repeated."),
]
ResumeRun = Annotated[
    str, typer.Option("--run", help="Resume this run; `new` starts one in any case. The unfinished one without.")
]
Axes = Annotated[list[str] | None, typer.Option("--axis", help="Score only these axes, by commas.")]
Embedder = Annotated[
    str, typer.Option("--embedder", help="`embedded` (no server needed) or `ollama:MODEL` for the Retrieval axis.")
]
Weights = Annotated[
    str,
    typer.Option(
        "--weights",
        help="Composite weights as axis=number, by commas; an axis not named weighs 1. "
        "Without: as this run was scored last, else all equal.",
        metavar="TEXT",
    ),
]
Suite = Annotated[
    str,
    typer.Option("--suite", help="The benchmark: bizdoc; omnidoc or omniparse with --dataset.", metavar="NAME"),
]
Dataset = Annotated[
    str,
    typer.Option(
        "--dataset",
        help="Of --suite omniparse: a dataset's folder, or hf://datasets/ORGANISATION/NAME[@REVISION]; "
        "of --suite omnidoc: the annotation file, or its folder.",
        metavar="DIR|FILE|hf://…",
    ),
]
Pages = Annotated[
    Path | None,
    typer.Option(
        "--pages",
        help="Of --suite omnidoc: the folder of page images or one-page PDFs; images or pdfs beside the annotations.",
        metavar="DIR",
    ),
]
Sample = Annotated[
    int, typer.Option("--sample", min=0, help="Of --suite omniparse: only its own sample of N pages; 0 takes all.")
]
ScoredCorpus = Annotated[
    Path | None,
    typer.Option(
        "--corpus",
        resolve_path=True,
        help="Where the run's corpus lies now (its dataset, of --suite omniparse or omnidoc); "
        "where it lay when it was parsed without.",
        metavar="DIR",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", min=0, help="Processes that score; one a CPU for 0.")]


def add_to(app: typer.Typer) -> None:
    """Add the subcommands."""
    app.command(name="run")(run)
    app.command(name="parse")(parse)
    app.command(name="score")(score)


def run(
    context: typer.Context,
    corpus: options.CorpusFolder = options.SAMPLE,
    suite: Suite = "bizdoc",
    dataset: Dataset = "",
    sample: Sample = 0,
    pages: Pages = None,
    results: options.Results = options.DEFAULT_RESULTS,
    parsers: options.Parsers = None,
    local: Local = False,
    endpoint: Endpoint = None,
    ids: options.Ids = None,
    limit: options.Limit = None,
    repeat: Repeat = 1,
    timeout: Timeout = "120+3",
    memory: Memory = "4GiB",
    skip_fresh: SkipFresh = False,
    run: ResumeRun = "",
    axis: Axes = None,
    embedder: Embedder = "embedded",
    weights: Weights = "",
    jobs: Jobs = 0,
    as_json: options.Json = False,
) -> None:
    """Parse a corpus with several parsers, score it, print the leaderboard.

    Interrupt it at any moment: everything finished is kept, and the same command resumes.

    Example: `docassay run --local --corpus my-corpus --parsers markitdown,docslicer@0.2.5`
    """
    with ending.recorded(results) as end:
        wanted = _weights(weights)
        asked = AskedCorpus(suite, corpus, dataset, sample, pages)
        made = _plan(asked, parsers, endpoint, ids, limit, repeat, timeout, memory, local=local)
        with _sole_scorer(results, context.obj) as scorer:
            scoring = _scoring(options.split(axis), embedder, wanted, jobs, suite=made.suite)
            scorer.check_scoring(scoring)
            finished = _parse(made, results, run, context.obj, scorer, skip_fresh=skip_fresh, resume_unscored=True)
            end.run_id = finished.run_id
            try:
                _score(scorer, finished.run_id, scoring, context.obj)
            except Interrupted:
                typer.echo(
                    "interrupted while scoring: every parse is kept; the same command goes on from there", err=True
                )
                raise typer.Exit(INTERRUPTED) from None
            scorer.export(finished.run_id, Path("export", finished.run_id), "parquet")
            _show(scorer, results, finished.run_id, as_json=as_json)
        _fail_unless_one_was_ready(finished)


def parse(
    context: typer.Context,
    corpus: options.CorpusFolder = options.SAMPLE,
    suite: Suite = "bizdoc",
    dataset: Dataset = "",
    sample: Sample = 0,
    pages: Pages = None,
    results: options.Results = options.DEFAULT_RESULTS,
    parsers: options.Parsers = None,
    local: Local = False,
    endpoint: Endpoint = None,
    ids: options.Ids = None,
    limit: options.Limit = None,
    repeat: Repeat = 1,
    timeout: Timeout = "120+3",
    memory: Memory = "4GiB",
    skip_fresh: SkipFresh = False,
    run: ResumeRun = "",
) -> None:
    """Parse without scoring; `docassay score` scores later.

    Example: `docassay parse --local --corpus my-corpus --repeat 3`
    """
    with ending.recorded(results) as end:
        asked = AskedCorpus(suite, corpus, dataset, sample, pages)
        made = _plan(asked, parsers, endpoint, ids, limit, repeat, timeout, memory, local=local)
        with _sole_scorer(results, context.obj) as scorer:
            finished = _parse(made, results, run, context.obj, scorer, skip_fresh=skip_fresh, resume_unscored=False)
            end.run_id = finished.run_id
        typer.echo(f"run {finished.run_id} is parsed; score it with: {_scoring_command(results)}")
        _fail_unless_one_was_ready(finished)


def score(
    context: typer.Context,
    results: options.Results = options.DEFAULT_RESULTS,
    run: options.RunId = "",
    corpus: ScoredCorpus = None,
    axis: Axes = None,
    embedder: Embedder = "embedded",
    weights: Weights = "",
    jobs: Jobs = 0,
    as_json: options.Json = False,
) -> None:
    """Score what was parsed; never parses. Scores of the same axes are replaced.

    A run made in containers has its corpus at a path of theirs: outside, name the folder with --corpus.

    Example: `docassay score --axis tables --weights tables=2,speed=0`
    """
    request = _scoring(options.split(axis), embedder, _weights(weights), jobs)
    request.corpus_path = str(corpus or "")
    with scorer_client.session(options.existing(results), context.obj) as scorer:
        run_id = _score(scorer, run, request, context.obj)
        _show(scorer, results, run_id, as_json=as_json)


def _plan(
    asked: AskedCorpus,
    parsers: list[str] | None,
    endpoints: list[str] | None,
    ids: list[str] | None,
    limit: int | None,
    repeat: int,
    timeout: str,
    memory: str,
    *,
    local: bool,
) -> Plan:
    try:
        seconds, seconds_per_page = limit_texts.parse_timeout(timeout)
        memory_bytes = limit_texts.parse_memory(memory)
    except ValueError as error:
        raise UsageError(str(error)) from error
    chosen, mode = _parsers(options.split(parsers), endpoints or (), local=local)
    suite, loaded, documents = asked.load(options.split(ids), limit)
    return Plan(
        suite=suite,
        mode=mode,
        corpus=loaded,
        documents=documents,
        scope=tuple(document.id for document in documents) if len(documents) < len(loaded.documents) else None,
        parsers=tuple(chosen),
        repeats=repeat,
        limits=Limits(seconds, seconds_per_page, memory_bytes),
        cpus=tuple(sorted(os.sched_getaffinity(0))),
    )


def _parsers(names: list[str], endpoints: Sequence[str], *, local: bool) -> tuple[list[selection.Selected], str]:
    """Return the parsers of a run, and where they are: the mode of the run."""
    remote = [_endpoint(text) for text in endpoints]
    if local:
        return [*selection.select(names, _services()), *remote], "remote" if remote else "local"
    around = composed.here()
    if around.parsers:
        named = selection.among(names, around.parsers)
        return [*named, *remote], "container" if around.documents and not remote else "remote"
    if not remote:
        raise UsageError(
            "no parser service is known: start this repository's with --local, name some with --endpoint, "
            "or run docker compose up"
        )
    return remote, "remote"


def _intake() -> selection.Selected:
    if named := composed.here().intake:
        return selection.Selected(selection.INTAKE, addresses=(named,))
    entry = descriptor.read(_services() / selection.INTAKE)
    return selection.Selected(selection.INTAKE, entry.versions[0], "", entry)


def _fail_unless_one_was_ready(finished: running.Finished) -> None:
    if all(outcome.state != parser_pb2.PARSER_STATE_READY for outcome in finished.outcomes):
        typer.echo("no parser was ready when the run ended:", err=True)
        for outcome in finished.outcomes:
            typer.echo(f"  {outcome.parser}: {states.word(outcome.state)}: {outcome.reason}", err=True)
        raise typer.Exit(FAILED)


@contextlib.contextmanager
def _sole_scorer(results: Path, interruption: Interruption) -> Iterator[scorer_client.ScorerClient]:
    """Give the scorer of a folder into which nobody else may parse meanwhile."""
    record.check_folder(results)
    with record.alone(results), scorer_client.session(results, interruption) as scorer:
        yield scorer


def _parse(
    made: Plan,
    results: Path,
    run_id: str,
    interruption: Interruption,
    scorer: scorer_client.ScorerClient,
    *,
    skip_fresh: bool,
    resume_unscored: bool,
) -> running.Finished:
    console = Console(stderr=True)
    commit = machine.commit(local.ROOT, metadata.version("docassay"))
    here = machine.machine()
    if made.mode == "local":
        console.print(
            "Local mode is no sandbox: this repository's parsers run as you, on your files.",
            style="dim",
            highlight=False,
        )
    with (
        interruption.deferred(),
        reporter(console) as report,
        ownership.temporary() as folder,
    ):
        made_with = running.Context(
            scorer=scorer,
            reporter=report,
            intake=_intake(),
            shared=composed.here().documents if made.mode == "container" else None,
            scratch=folder,
            machine=here,
            commit=commit,
            argv=sys.argv,
            interruption=interruption,
        )
        finished = running.run(made, made_with, run_id=run_id, skip_fresh=skip_fresh, resume_unscored=resume_unscored)
    record.write(results, made, finished, machine=here, commit=commit, argv=sys.argv)
    return finished


def _scoring(
    axes: list[str], embedder: str, weights: dict[str, float], jobs: int, *, suite: str = ""
) -> scorer_pb2.ScoreRequest:
    """Return what is asked of scoring; without a suite, that of the run."""
    return scorer_pb2.ScoreRequest(
        suite=suite,
        axes=axes,
        embedder=embedder,
        weights_json=json.dumps(weights) if weights else "",
        jobs=jobs,
    )


def _score(
    scorer: scorer_client.ScorerClient, run_id: str, request: scorer_pb2.ScoreRequest, interruption: Interruption
) -> str:
    request.run_id = run_id
    with interruption.deferred(), reporter(Console(stderr=True)) as report:
        return following.follow(scorer.score(request), report)


def _show(scorer: scorer_client.ScorerClient, results: Path, run_id: str, *, as_json: bool) -> None:
    answer = scorer.leaderboard(run_id)
    record.add_embedder(results, run_id, json.loads(answer.leaderboard_json).get("embedder"))
    boards.show(answer, as_json=as_json)


def _weights(text: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    if not text:
        return weights
    for part in options.split([text]):
        axis, equals, number = part.partition("=")
        if axis in weights:
            raise UsageError(f"{axis} is weighed twice in {text!r}: name every axis once")
        try:
            weights[axis] = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise UsageError(f"{part!r} is no weight: write axis=number, as tables=2,speed=0.5")
    return weights


def _scoring_command(results: Path) -> str:
    if mounts.on_host(results) is None:
        return f"docassay score --results {shlex.quote(str(results))}"
    return "docker compose run --rm --no-deps orchestrator score"


def _endpoint(text: str) -> selection.Selected:
    name, equals, address = text.partition("=")
    if not equals or not name or ":" not in address:
        raise UsageError(f"{text!r} is no endpoint: write name=host:port")
    return selection.Selected(name, addresses=(address,))


def _services() -> Path:
    return local.SERVICES
