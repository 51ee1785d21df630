"""OmniDocBench over folders of predicted markdown, stored as a run: its parsers are those who made them.

A predicted page becomes the output of a parse nobody timed: the run is scored, and can be scored again, as a run of
docassay's own parsers is.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from docassay.v1 import scorer_pb2 as pb
from scorer.grading import graded
from scorer.grading.omnidoc import (
    Configured,
    chosen_pages,
    end_to_end,
    files_folder,
    no_file,
    nothing_predicted,
    prediction_of,
    write_files,
)
from scorer.grading.reading import faults, read_markdown
from scorer.renderers import FormulaRenderer, RendererError
from scorer.scoring import inputs, omnidoc
from scorer.scoring.steps import Progress, Scored, ScoringFailed
from scorer.scoring.writing import Remark
from scorer.store.artifacts import Artifacts
from scorer.store.database import Database
from scorer.suites.omnidoc.config import EndToEnd
from scorer.suites.omnidoc.evaluation import Evaluation
from scorer.suites.omnidoc.gold import GoldPage
from scorer.suites.omnidoc.result_files import end_to_end_files
from scorer.suites.omnidoc.versions import DEFAULT, version
from services.runtime.form import Collected, Parsed, Repair, output_lines

__all__ = ["documents_of", "grade"]


def grade(
    database: Database,
    artifacts: Artifacts,
    run: pb.Run,
    asked: pb.OmnidocGrading,
    *,
    renderer: FormulaRenderer | RendererError,
    now: datetime,
    stop: threading.Event,
    task: Configured | None = None,
) -> Iterator[Progress | Scored]:
    """Store every folder of predictions as a parser of one run, and score it; yields how far it is, last ``Scored``.

    Args:
        database: the store.
        artifacts: where the predicted pages go.
        run: the machine, the commit and the command line of who asks.
        asked: the annotations, the version of the method, the folders, and where result files go.
        renderer: what draws formulas, or why nothing does.
        now: the start of the run.
        stop: gives up.
        task: what a configuration says of the pages and the result files; None: all pages, and every metric.

    Raises:
        GradingError: the annotations cannot be read, a folder has no prediction of any page, or result files cannot be
            written.
        ValueError: the version cannot be scored, or a parser's name occurs twice.
        ScoringFailed: a process ended, or the grading was stopped.
    """
    rules = version(asked.version or DEFAULT.name)
    folders = {one.parser: Path(one.folder) for one in asked.predictions}
    if len(folders) < len(asked.predictions) or not folders:
        raise ValueError("every folder of predictions needs a name of its own, and there must be one folder at least")
    gold = Path(asked.gold)
    yield Progress("reading the gold", 0, 0)
    pages = chosen_pages(gold, _filters(task))
    found = {name: _found(folder, pages) for name, folder in folders.items()}
    if asked.files_folder:
        files_folder(Path(asked.files_folder))
    yield Progress("storing the predictions", 0, len(folders) * len(pages))
    predicted = [
        (name, page.image, path) for name, paths in found.items() for page, path in zip(pages, paths, strict=True)
    ]
    parses = [{**_parse(image, path, artifacts, now), "parser": name} for name, image, path in predicted]
    remarks = [
        Remark(name, image, text, stage="parse")
        for name, image, path in predicted
        if path is not None
        for text in faults(path)
    ]
    opened = graded.opening(
        run,
        f"{omnidoc.SUITE}@{rules.name}",
        gold,
        documents_of(pages),
        whole=not _filters(task),
        parsers=list(folders),
        answers=[[row["parser"], row["document"], row.get("artifact")] for row in parses],
    )
    if stop.is_set():
        raise ScoringFailed("the grading was stopped; nothing was stored")
    request = omnidoc.Request(jobs=asked.jobs, renderer=renderer)
    if asked.files_folder:
        drawn = isinstance(renderer, FormulaRenderer)
        tasks = {name: task or end_to_end(gold, folder, cdm=drawn) for name, folder in folders.items()}
        request = replace(request, evaluated=_Files(tasks, Path(asked.files_folder)).write)
    with graded.begun(database, opened, parses, remarks, now=now) as run_id:
        for step in omnidoc.score(database, artifacts, inputs.read(database, run_id), request, now=now, stop=stop):
            yield replace(step, warnings=(*map(str, remarks), *step.warnings)) if isinstance(step, Scored) else step


@dataclass(frozen=True, slots=True)
class _Files:
    """The result files of every parser, by the task that each is graded by; of several, in a folder each."""

    tasks: Mapping[str, Configured]
    folder: Path

    def write(self, parser: str, evaluation: Evaluation) -> None:
        """Write a parser's; raises `GradingError` where they cannot be."""
        asked = self.tasks[parser]
        assert isinstance(asked.task, EndToEnd)
        folder = self.folder / parser if len(self.tasks) > 1 else self.folder
        write_files(asked, end_to_end_files(evaluation, asked.task.metrics), folder)


def _filters(task: Configured | None) -> Mapping[str, object]:
    return task.task.filters if task is not None and isinstance(task.task, EndToEnd) else {}


def _found(folder: Path, pages: Sequence[GoldPage]) -> list[Path | None]:
    """Find every page's prediction; raises `GradingError` for a folder that has none."""
    found = [prediction_of(page.image, folder) for page in pages]
    if not any(found):
        raise nothing_predicted(folder, pages)
    return found


def _parse(image: str, path: Path | None, artifacts: Artifacts, now: datetime) -> dict[str, Any]:
    """Store a predicted page as an artifact and return its row of `parses`, all but run and parser."""
    if path is None:
        return graded.answer(image, no_file(image), now)
    repair = Repair()
    with artifacts.arriving() as output:
        for line in output_lines(Parsed(read_markdown(path, repair), "markdown"), Collected(pages=1), repair):
            output.write(line)
        stored = {"artifact": output.keep(), "output_bytes": output.size}
    return {**graded.answer(image, "", now), **stored, "repaired_code_points": repair.count}


def documents_of(pages: Sequence[GoldPage], *, format: str = "image") -> list[pb.RunDocument]:
    """Return annotated pages as documents of a run; `format` is of what was graded."""
    return [
        pb.RunDocument(
            document_id=page.image,
            domain=str(page.attributes.get("data_source", "unknown")),
            format=format,
            pages=1,
            annotations=["blocks"],
            gold_digest=page.digest,
        )
        for page in pages
    ]
