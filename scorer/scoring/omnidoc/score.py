"""Scoring a run by OmniDocBench, written at once or not at all.

A page without a prediction leaves every denominator, as the method has it, and is listed with the reason. Without the
programs that draw formulas there is no CDM and no Overall, and the reason stands in their place.
"""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scorer.counting import counted
from scorer.grading.omnidoc import GradingError, load_pages
from scorer.renderers import FormulaRenderer, RendererError
from scorer.scoring import inputs, signatures
from scorer.scoring.omnidoc.pages import Job, Preparation
from scorer.scoring.omnidoc.parser import ParserPages
from scorer.scoring.omnidoc.rows import TABLES, Rows, page_attributes
from scorer.scoring.omnidoc.sheet import Scoring, Sheet
from scorer.scoring.omnidoc.staging import Staging
from scorer.scoring.pool import Spread, Stopped, WorkerDied
from scorer.scoring.steps import Progress, Scored, ScoringFailed
from scorer.scoring.writing import Remark
from scorer.store.artifacts import Artifacts
from scorer.store.database import Database
from scorer.suites.omnidoc.cdm import CdmScore
from scorer.suites.omnidoc.evaluation import Evaluation, FormulaScorer
from scorer.suites.omnidoc.figures import overall_figures
from scorer.suites.omnidoc.gold import GoldError, GoldPage
from scorer.suites.omnidoc.versions import DEFAULT

__all__ = ["SUITE", "VERSION", "Request", "renderer_of", "score", "stoppable"]

SUITE = "omnidoc"
VERSION = DEFAULT.name

_FORMULAS_AT_ONCE = 64
"""Pairs drawn before the next look at whether to stop."""


_HTML = "its text is HTML: the method reads markdown, and takes every tag but a table's for text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How a run is scored.

    Attributes:
        jobs: processes; 0: one a CPU; 1: none but this one.
        gold: the annotation file; None: the one the run was opened with.
        renderer: what draws formulas, or why nothing does.
        evaluated: takes each parser's evaluation, its texts included; None: they are not wanted.
    """

    jobs: int = 0
    gold: Path | None = None
    renderer: FormulaRenderer | RendererError
    evaluated: Callable[[str, Evaluation], None] | None = None


def score(
    database: Database,
    artifacts: Artifacts,
    given: inputs.Inputs,
    request: Request,
    *,
    now: datetime,
    stop: threading.Event,
) -> Iterator[Progress | Scored]:
    """Score a run and yield how far it is; the last item is ``Scored``.

    Raises:
        GradingError: the annotations cannot be read, lack a page of the run, or a block of it its content; or what
            takes evaluations says so.
        ScoringFailed: a process ended, or the scoring was stopped.
        StorageFailed: the rows could not be written; the earlier ones are as they were.
    """
    path = request.gold or Path(given.run["corpus_path"])
    yield Progress("gold", 0, len(given.documents))
    pages = _pages(path, given)
    remarks: list[Remark] = []
    key = {"run_id": str(given.run["run_id"]), "suite": f"{SUITE}@{VERSION}"}
    renderer = request.renderer
    if isinstance(renderer, RendererError):
        remarks.append(Remark(None, None, f"no CDM and no Overall: {renderer}"))
    sheet = Sheet(
        given,
        Scoring(
            key=key,
            gold_path=str(path),
            gold_digest=_gold_digest(pages, given, remarks),
            renderer=renderer.environment.version if isinstance(renderer, FormulaRenderer) else None,
            no_renderer=str(renderer) if isinstance(renderer, RendererError) else "",
            now=now.astimezone(UTC).replace(tzinfo=None),
        ),
        tuple(pages),
    )
    with Staging(database, TABLES) as staging:
        staging.add("omnidoc_page_attributes", page_attributes(key, pages.values()))
        texts = request.evaluated is not None
        work = _Work(
            given,
            pages,
            {p["parser"]: ParserPages(Rows(staging, key, p["parser"]), pages, texts=texts) for p in given.parsers},
        )
        jobs = list(work.jobs(_outputs(database, key["run_id"])))
        spread = Spread(
            Preparation(artifacts.folder, VERSION),
            jobs,
            processes=request.jobs or len(os.sched_getaffinity(0)),
            stop=stop,
        )
        left = Counter(job.parser for job in jobs)
        scorer = stoppable(renderer, stop) if isinstance(renderer, FormulaRenderer) else None
        try:
            for parser in work.parsers.keys() - left.keys():
                _add(sheet, request, parser, work.parsers[parser].evaluate(None))
            yield Progress("pages", 0, len(jobs))
            for done, (index, scored) in enumerate(spread.results(), 1):
                parser, image = jobs[index].parser, jobs[index].page.image
                work.parsers[parser].add(scored.match)
                remarks += [Remark(parser, image, text) for text in scored.warnings]
                if scored.html and (remark := Remark(parser, None, _HTML)) not in remarks:
                    remarks.append(remark)
                left[parser] -= 1
                if not left[parser]:
                    _add(sheet, request, parser, work.parsers.pop(parser).evaluate(scorer))
                yield Progress("pages", done, len(jobs), f"{parser}: {image}")
        except GoldError as fault:
            raise GradingError(f"{path}: {fault}") from fault
        except WorkerDied as error:
            raise ScoringFailed(f"{error}; the run's earlier figures are as they were") from error
        except Stopped:
            raise ScoringFailed("the scoring was stopped; the run's earlier figures are as they were") from None
        yield Progress("writing", 0, 1)
        if stop.is_set():
            raise ScoringFailed("the scoring was stopped; the run's earlier figures are as they were")
        with database.write() as writer:
            for table in TABLES:
                writer.execute(f"delete from {table} where run_id = ? and suite = ?", list(key.values()))
            staging.insert(writer)
            count = sheet.write(writer, remarks)
    yield Scored(key["run_id"], count, tuple(map(str, remarks)))


def _add(sheet: Sheet, request: Request, parser: str, evaluation: Evaluation) -> None:
    sheet.add(parser, evaluation.elements(), overall_figures(evaluation))
    if request.evaluated is not None:
        request.evaluated(parser, evaluation)


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be scored: the run, the gold by image, and the collectors by parser."""

    given: inputs.Inputs
    pages: Mapping[str, GoldPage]
    parsers: dict[str, ParserPages]

    def jobs(self, outputs: Mapping[tuple[str, str], tuple[str | None, str]]) -> Iterator[Job]:
        """Yield the pages to be scored, parser by parser; a page without a prediction goes to its collector at once."""
        for parser, collector in self.parsers.items():
            for image, page in self.pages.items():
                artifact, missing = outputs.get((parser, image), (None, inputs.ABSENT.failure))
                if missing:
                    collector.unpredicted(image, missing)
                else:
                    yield Job(parser, page, artifact)


def _outputs(database: Database, run_id: str) -> dict[tuple[str, str], tuple[str | None, str]]:
    """Return artifacts by parser and document, with why there is no prediction; a parser that found nothing has one."""
    rows = database.rows(
        "select parser, document, status, reason, assisted, artifact from document_parses where run_id = ?", [run_id]
    )
    found = {}
    for row in rows:
        missing = ""
        if row["status"] not in ("ok", "empty"):
            missing = ": ".join(filter(None, (row["status"], row["reason"])))
        elif row["assisted"] != "none":
            missing = f"{row['assisted']}_assisted: somebody else did part of the work"
        found[row["parser"], row["document"]] = (row["artifact"], missing)
    return found


def _pages(path: Path, given: inputs.Inputs) -> dict[str, GoldPage]:
    """Return the gold of the documents in scope, by image, in the order of the annotations."""
    wanted = {document.id for document in given.documents}
    pages = {page.image: page for page in load_pages(path) if page.image in wanted}
    if lacking := sorted(wanted - pages.keys()):
        raise GradingError(
            f"{path}: no page for {counted(len(lacking), 'document')} of run {given.run['run_id']}, e.g. {lacking[0]}; "
            "name the annotations that the run was made with"
        )
    return pages


def _gold_digest(pages: Mapping[str, GoldPage], given: inputs.Inputs, remarks: list[Remark]) -> str:
    """Return the digest of the pages' gold; say where it is not what it was when the run was opened."""
    remarks += [
        Remark(None, document.id, "its gold is not what it was when the run was opened")
        for document in given.documents
        if document.gold_digest not in ("", pages[document.id].digest)
    ]
    return signatures.digest(sorted([image, page.digest] for image, page in pages.items()))


def renderer_of(formulas: Path, jobs: int) -> FormulaRenderer | RendererError:
    """Return what draws formulas on this machine, or why nothing does.

    Args:
        formulas: where drawn formulas are kept.
        jobs: processes; 0: one a CPU.
    """
    try:
        return FormulaRenderer(cache=formulas, workers=jobs or len(os.sched_getaffinity(0)))
    except RendererError as fault:
        return fault


def stoppable(renderer: FormulaRenderer, stop: threading.Event) -> FormulaScorer:
    """Draw a few formulas at a time, and give up in between when asked to."""

    def score(pairs: Sequence[tuple[str, str]]) -> list[CdmScore]:
        scores: list[CdmScore] = []
        for start in range(0, len(pairs), _FORMULAS_AT_ONCE):
            if stop.is_set():
                raise Stopped
            scores += renderer(pairs[start : start + _FORMULAS_AT_ONCE])
        return scores

    return score
