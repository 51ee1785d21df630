"""One task of a configuration of OmniDocBench's evaluator, stored as a run, its result files written beside.

End to end is a folder of markdown over annotated pages, and becomes the run that `omnidoc_runs` makes of it. Every
other task is a benchmark of its own, since its figures compare with no other task's: the suite's name says which.
"""

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from docassay.v1 import scorer_pb2 as pb
from scorer.grading import graded as graded_runs
from scorer.grading import omnidoc_runs
from scorer.grading.omnidoc import Graded, check_paths, configured, files_folder, grade_task, wants_cdm, write_files
from scorer.renderers import FormulaRenderer, RendererError
from scorer.scoring import inputs, omnidoc, signatures
from scorer.scoring.omnidoc.boxes import BoxSheet, box_rows, slice_rows
from scorer.scoring.omnidoc.parser import ParserPages
from scorer.scoring.omnidoc.rows import TABLES, Rows, page_attributes
from scorer.scoring.omnidoc.sheet import Scoring, Sheet
from scorer.scoring.omnidoc.staging import Staging
from scorer.scoring.pool import Stopped
from scorer.scoring.steps import Progress, Scored, ScoringFailed
from scorer.scoring.writing import Remark
from scorer.store.artifacts import Artifacts
from scorer.store.database import Database, Writer
from scorer.suites.omnidoc.config import Detection, EndToEnd, MarkdownToMarkdown, Recognition, Task
from scorer.suites.omnidoc.detection import AXIS, Detected
from scorer.suites.omnidoc.evaluation import ElementScores, FormulaScorer
from scorer.suites.omnidoc.figures import ELEMENTS, overall_figures
from scorer.suites.omnidoc.versions import DEFAULT, version

__all__ = ["grade"]

_NOT_ASKED = "the configuration does not ask for CDM"
_ELEMENTS = {"text": "text_block", "formula": "display_formula", "table": "table"}
"""What a recognition of a kind is a recognition of."""


def grade(
    database: Database,
    artifacts: Artifacts,
    run: pb.Run,
    asked: pb.OmnidocTask,
    *,
    cache: Path,
    now: datetime,
    stop: threading.Event,
) -> Iterator[Progress | Scored]:
    """Grade a task, write its result files and store it as a run; yields how far it is, last ``Scored``.

    Args:
        database: the store.
        artifacts: where predicted pages of markdown go.
        run: the machine, the commit and the command line of who asks.
        asked: the configuration, which of its tasks, and where the result files go.
        cache: where drawn formulas are kept.
        now: the start of the run.
        stop: gives up.

    Raises:
        GradingError: the configuration or a file that it names cannot be read, or nothing is predicted.
        ValueError: the version cannot be scored.
        ScoringFailed: formulas are to be drawn and cannot be, a process ended, or the grading was stopped.
    """
    rules = version(asked.version or DEFAULT.name)
    chosen = configured(Path(asked.config))[asked.number]
    task, root = chosen.task, Path(asked.root)
    check_paths(Path(asked.config), task, root)
    parser = asked.parser or _name(task)
    renderer: FormulaRenderer | RendererError = RendererError(_NOT_ASKED)
    if isinstance(task, EndToEnd) or wants_cdm(task):
        renderer = omnidoc.renderer_of(cache / "formulas", asked.jobs)
    if wants_cdm(task) and isinstance(renderer, RendererError):
        raise ScoringFailed(f"{asked.config} asks for CDM: {renderer}")
    if isinstance(task, EndToEnd):
        same = pb.OmnidocGrading(
            gold=str(root / task.gold),
            version=rules.name,
            predictions=[pb.Predictions(parser=parser, folder=str(root / task.predicted))],
            jobs=asked.jobs,
            files_folder=asked.files_folder,
        )
        yield from omnidoc_runs.grade(
            database, artifacts, run, same, renderer=renderer, now=now, stop=stop, task=chosen
        )
        return
    yield Progress("grading", 0, 0)
    files_folder(Path(asked.files_folder))
    scorer = omnidoc.stoppable(renderer, stop) if isinstance(renderer, FormulaRenderer) else None
    workers = asked.jobs or len(os.sched_getaffinity(0))
    try:
        graded = grade_task(task, root=root, formula_scorer=scorer, workers=workers, version=rules, stop=stop)
    except Stopped:
        raise ScoringFailed("the grading was stopped; nothing was stored") from None
    yield Progress("writing", 0, 1)
    if stop.is_set():
        raise ScoringFailed("the grading was stopped; nothing was stored")
    write_files(chosen, graded.files, Path(asked.files_folder))
    drawn = renderer.environment.version if isinstance(renderer, FormulaRenderer) else None
    yield _Made(run, graded, root, f"{_suite(task)}@{rules.name}", parser, drawn, scorer, now).store(database)


def _name(task: Task) -> str:
    """Return whose predictions a configuration's are, for want of a name: what they lie in."""
    match task:
        case EndToEnd() | MarkdownToMarkdown():
            return PurePosixPath(task.predicted).name
        case Recognition():
            return PurePosixPath(task.gold).stem
        case Detection():
            return PurePosixPath(task.predicted).stem


def _suite(task: Task) -> str:
    match task:
        case EndToEnd():
            return omnidoc.SUITE
        case MarkdownToMarkdown():
            return f"{omnidoc.SUITE}-md2md"
        case Recognition():
            return f"{omnidoc.SUITE}-recognition-{task.kind}"
        case Detection():
            return f"{omnidoc.SUITE}-detection"


@dataclass(frozen=True, slots=True)
class _Made:
    """A graded task on its way into the store."""

    run: pb.Run
    graded: Graded
    root: Path
    suite: str
    parser: str
    renderer: str | None
    formula_scorer: FormulaScorer | None
    now: datetime

    def store(self, database: Database) -> Scored:
        """Store it with its figures."""
        remarks = [Remark(self.parser, image, text, stage="parse") for image, text in self.graded.remarks]
        with graded_runs.begun(database, self._opened(), self._parses(), remarks, now=self.now) as run_id:
            return Scored(run_id, self._figures(database, run_id), tuple(map(str, remarks)))

    def _opened(self) -> pb.OpenRunRequest:
        """Return the run as the store takes it; its predictions are told from others by what was made of them."""
        result = json.dumps(self.graded.files["metric_result.json"], sort_keys=True)
        return graded_runs.opening(
            self.run,
            self.suite,
            (self.root / self.graded.task.gold).resolve(),
            self._documents(),
            whole=not self._partial(),
            parsers=[self.parser],
            answers=[self.parser, hashlib.sha256(result.encode()).hexdigest()],
        )

    def _documents(self) -> list[pb.RunDocument]:
        markdown = isinstance(self.graded.task, MarkdownToMarkdown)
        return omnidoc_runs.documents_of(self.graded.pages, format="markdown" if markdown else "image")

    def _partial(self) -> bool:
        return isinstance(self.graded.task, Detection) and bool(self.graded.task.filters)

    def _parses(self) -> list[dict[str, Any]]:
        """Return a row a page. A page without boxes is one that was looked at: the method counts it as empty."""
        rows = [
            {
                **graded_runs.answer(page.image, self.graded.missing.get(page.image, ""), self.now),
                "parser": self.parser,
            }
            for page in self.graded.pages
        ]
        if isinstance(self.graded.task, Detection):
            return [{**row, "status": "empty" if row["reason"] else "ok"} for row in rows]
        return rows

    def _figures(self, database: Database, run_id: str) -> int:
        given = inputs.read(database, run_id)
        key = {"run_id": run_id, "suite": self.suite}
        with Staging(database, TABLES) as staging:
            attributes = page_attributes(key, self.graded.pages)
            staging.add("omnidoc_page_attributes", attributes)
            if isinstance(self.graded.result, Detected):
                write = self._boxes(given, key, staging, attributes)
            else:
                write = self._elements(given, key, staging)
            with database.write() as writer:
                staging.insert(writer)
                return write(writer)

    def _elements(self, given: inputs.Inputs, key: Mapping[str, str], staging: Staging) -> Callable[[Writer], int]:
        """Stage the samples, and return what writes the figures."""
        task, rows = self.graded.task, Rows(staging, key, self.parser)
        conditions: dict[str, Any] = {}
        elements: Mapping[str, str] = ELEMENTS
        if isinstance(task, Recognition):
            ranked = {"text": "Edit_dist", "formula": "CDM" if wants_cdm(task) else "Edit_dist", "table": "TEDS"}
            elements = {_ELEMENTS[task.kind]: ranked[task.kind]}
            conditions = {
                "ranked_by": ranked[task.kind],
                "data_key": task.gold_key,
                "category_filter": sorted(task.categories),
            }
        scoring = Scoring(
            key=key,
            gold_path=str((self.root / task.gold).resolve()),
            gold_digest=self._gold_digest(),
            renderer=self.renderer,
            no_renderer="" if self.renderer else _NOT_ASKED,
            now=self.now.astimezone(UTC).replace(tzinfo=None),
            elements=elements,
            task=conditions,
        )
        sheet = Sheet(given, scoring, [page.image for page in self.graded.pages])
        if isinstance(self.graded.result, ElementScores):
            [element] = elements
            for page in self.graded.pages:
                if page.image in self.graded.missing:
                    rows.unpredicted(page.image, self.graded.missing[page.image])
                else:
                    rows.answered(page.image)
            rows.samples(element, self.graded.result.samples)
            sheet.add(self.parser, {element: self.graded.result}, _bleu({element: self._written()}))
        else:
            collector = ParserPages(rows, {page.image: page for page in self.graded.pages})
            for image, reason in self.graded.missing.items():
                collector.unpredicted(image, reason)
            for match in self.graded.matches:
                collector.add(match)
            evaluation = collector.evaluate(self.formula_scorer)
            sheet.add(self.parser, evaluation.elements(), overall_figures(evaluation) | _bleu(self._written()))
        return lambda writer: sheet.write(writer, ())

    def _boxes(
        self, given: inputs.Inputs, key: Mapping[str, str], staging: Staging, attributes: list[dict[str, Any]]
    ) -> Callable[[Writer], int]:
        """Stage the boxes, and return what writes the figures."""
        assert isinstance(self.graded.result, Detected)
        detected, classes, mine = self.graded.result, self.graded.result.classes, {**key, "parser": self.parser}
        staging.add("omnidoc_boxes", list(box_rows(mine, detected)))
        staging.add("omnidoc_detection_slices", slice_rows(mine, detected, attributes))
        conditions = {
            "block_level": list(classes.block_level),
            "span_level": list(classes.span_level),
            "gt_cat_mapping": dict(classes.gold),
        }
        [parser] = given.parsers
        signature = signatures.of_axis(
            AXIS, suite=self.suite, inputs=given, parser=parser, gold_digest=self._gold_digest(), task=conditions
        )
        partial = ["not every page of the annotations was in scope"] if self._partial() else []
        sheet = BoxSheet(
            key=key,
            parser=self.parser,
            detected=detected,
            signature=signature,
            scoring={
                "partial": bool(partial),
                "partial_reasons": partial,
                "corpus_path": str((self.root / self.graded.task.gold).resolve()),
                "gold_digest": self._gold_digest(),
            },
            now=self.now.astimezone(UTC).replace(tzinfo=None),
        )
        return sheet.write

    def _gold_digest(self) -> str:
        return signatures.digest(sorted([page.image, page.digest] for page in self.graded.pages))

    def _written(self) -> Any:
        return self.graded.files["metric_result.json"]


def _bleu(written: Mapping[str, Any]) -> dict[str, float | None]:
    """Return BLEU by element, where a configuration asks for it: a figure of all samples together."""
    return {
        f"{element}.BLEU": found["all"]["BLEU"]["all"] for element, found in written.items() if "BLEU" in found["all"]
    }
