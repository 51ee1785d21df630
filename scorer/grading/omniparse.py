"""OmniParseBench's tests over folders of predictions, stored as a run: its parsers are those who made them."""

import hashlib
import json
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from docassay.v1 import parser_pb2
from docassay.v1 import scorer_pb2 as pb
from scorer.counting import counted
from scorer.omniparse import DatasetPage, Graded, read_dataset, write_run
from scorer.omniparse.dataset import remark_on_revision, remark_on_sample
from scorer.omniparse.grading import Given, GradedPage, PageJob, grade_page, graded_of, page_jobs
from scorer.omniparse.runs import check_runs_folder
from scorer.scoring import signatures, verdicts
from scorer.scoring.pool import Spread, Stopped, WorkerDied
from scorer.scoring.steps import Progress, Scored, ScoringFailed
from scorer.scoring.writing import Remark
from scorer.store import runs
from scorer.store.database import Database, Writer
from scorer.suites.omniparse.gold import GoldError
from scorer.suites.omniparse.verdicts import checked_unsupported
from scorer.suites.omniparse.versions import Version, version_of
from scorer.suites.omniparse.vocabulary import FAMILIES, FAMILY_ORDER

SUITE = "omniparse"

PAGES_A_PROCESS = 25
"""A process takes a second to start; fewer pages are graded sooner without another."""


def grade(
    database: Database, run: pb.Run, asked: pb.OmniparseGrading, *, now: datetime, stop: threading.Event
) -> Iterator[Progress | Scored]:
    """Grade every folder of predictions and store them as one run; yields how far it is, last ``Scored``.

    Args:
        database: the store.
        run: the machine, the commit and the command line of who asks.
        asked: the dataset, the version and the folders.
        now: the start of the run.
        stop: gives up.

    Raises:
        DatasetError: there is no such dataset, or no file of a folder is named for a page of it.
        GoldError: a page's tests break a rule.
        RunError: run folders are wanted where none can be written.
        ValueError: the version or what is declared unsupported is unknown, or a parser's name occurs twice.
        ScoringFailed: a process ended, or the grading was stopped.
    """
    version = version_of(asked.version)
    given = {one.parser: Given(Path(one.folder), tuple(one.unsupported)) for one in asked.predictions}
    if len(given) < len(asked.predictions) or not given:
        raise ValueError("every folder of predictions needs a name of its own, and there must be one folder at least")
    for one in given.values():
        checked_unsupported(one.unsupported, version)
    if asked.runs_folder:
        check_runs_folder(Path(asked.runs_folder))
    yield Progress("reading the dataset", 0, 0)
    dataset = read_dataset(asked.dataset)
    jobs = page_jobs(dataset, list(given.values()), version=version, sample=asked.sample)
    pages: list[list[GradedPage]] = [[] for _ in jobs]
    yield Progress("pages", 0, len(jobs))
    for done, (index, found) in enumerate(_graded(jobs, stop), start=1):
        pages[index] = found
        yield Progress("pages", done, len(jobs), jobs[index].page.page_id)
    refuse_repeated([page[0] for page in pages])
    graded = {
        name: graded_of(dataset, one, [page[place] for page in pages], version)
        for place, (name, one) in enumerate(given.items())
    }
    yield Progress("writing", 0, 1)
    if stop.is_set():
        raise ScoringFailed("the grading was stopped; nothing was stored")
    chosen = [job.page for job in jobs]
    made = _Made(run, asked.dataset, version, chosen, len(jobs) < len(dataset.pages), now)
    of_all = (remark_on_sample(asked.sample, len(dataset.pages)), remark_on_revision(asked.dataset, dataset))
    remarks = [Remark(None, None, text) for text in of_all if text]
    remarks += [Remark(name, None, text) for name, mine in graded.items() for text in mine.remarks]
    run_id, count = _store(database, made, given, graded, remarks)
    if asked.runs_folder:
        for name, mine in graded.items():
            _write_run(Path(asked.runs_folder), name, mine, given[name].folder, asked.dataset, dataset.manifest, now)
    yield Scored(run_id, count, tuple(map(str, remarks)))


def refuse_repeated(pages: Sequence[GradedPage]) -> None:
    """Refuse test ids that occur on several pages.

    Raises:
        GoldError: naming some of them.
    """
    uses = Counter(line["test_id"] for page in pages for line in page.lines)
    if twice := [name for name, count in uses.items() if count > 1]:
        raise GoldError(
            f"used more than once: {counted(len(twice), 'test id')}, e.g. {twice[:3]}; rename them in the gold"
        )


def families_of(graded: Sequence[Graded]) -> tuple[str, ...]:
    """Return the families any page has a test of, in the suite's order."""
    present = {FAMILIES[line["test_type"]] for found in graded for page in found.pages for line in page.lines}
    return tuple(family for family in FAMILY_ORDER if family in present)


def judged_of(parser: str, found: Graded, signed: Mapping[str, signatures.Signature]) -> verdicts.Judged:
    """Return what is stored of one parser's graded pages."""
    lines = list(found.lines())
    coverage = 1.0
    if not found.version.knows_unsupported:
        coverage = sum(page.answered for page in found.pages) / len(found.pages)
    return verdicts.Judged(
        parser=parser, lines=lines, summary=found.version.summarize(lines), coverage=coverage, signatures=signed
    )


@dataclass(frozen=True, slots=True)
class _Made:
    """What a run records of how it was made."""

    run: pb.Run
    dataset: str
    version: Version
    pages: Sequence[DatasetPage]
    partial: bool
    now: datetime

    @property
    def suite(self) -> str:
        return f"{SUITE}@{self.version.name}"


def _graded(jobs: Sequence[PageJob], stop: threading.Event) -> Iterator[tuple[int, list[GradedPage]]]:
    processes = min(len(os.sched_getaffinity(0)), 1 + len(jobs) // PAGES_A_PROCESS)
    try:
        yield from Spread(_grader, jobs, processes=processes, stop=stop).results()
    except WorkerDied as error:
        raise ScoringFailed(f"{error}; nothing was stored") from error
    except Stopped:
        raise ScoringFailed("the grading was stopped; nothing was stored") from None


def _grader() -> Callable[[PageJob], list[GradedPage]]:
    return grade_page


def _store(
    database: Database,
    made: _Made,
    given: Mapping[str, Given],
    graded: Mapping[str, Graded],
    remarks: Sequence[Remark],
) -> tuple[str, int]:
    """Write the run in one transaction; return its id and how many figures it has."""
    documents = [_document(page) for page in made.pages]
    gold_digest = signatures.digest([[document.document_id, document.gold_digest] for document in documents])
    scope = signatures.digest([[document.document_id, document.sha256] for document in documents])
    answers = {name: _digest_of_folder(one.folder, made.pages) for name, one in given.items()}
    opened = pb.OpenRunRequest(
        run=_run(made, gold_digest, scope, answers, given),
        parsers=[_parser(name) for name in given],
        documents=documents,
    )
    families = families_of(list(graded.values()))
    with database.write() as writer:
        run_id = runs.insert(writer, opened, now=made.now)
        judged = []
        for name, found in graded.items():
            _insert_parses(writer, run_id, name, found, made.now)
            own = {"parser": name, "predictions": answers[name], "unsupported": list(found.unsupported)}
            signed = signatures.of_tests(
                families, suite=made.suite, run=_LIMITS, scope=scope, gold_digest=gold_digest, parser=own
            )
            judged.append(judged_of(name, found, signed))
        scoring = verdicts.Scoring(
            run_id=run_id,
            suite=made.suite,
            families=families,
            dataset=made.dataset,
            gold_digest=gold_digest,
            partial=("only a sample of the pages was graded",) if made.partial else (),
            remarks=remarks,
            now=_naive(made.now),
        )
        return run_id, verdicts.write(writer, scoring, judged)


_LIMITS: Mapping[str, Any] = {"timeout_seconds": 0.0, "timeout_seconds_per_page": 0.0, "memory_bytes": 0, "cpus": []}
"""Nothing was parsed under any limit that is known."""


def _run(made: _Made, gold_digest: str, scope: str, answers: Mapping[str, str], given: Mapping[str, Given]) -> pb.Run:
    record = pb.Run()
    record.CopyFrom(made.run)
    record.suite = made.suite
    record.mode = "graded"
    record.scope_json = "null"
    if made.partial:
        record.scope_json = json.dumps([page.page_id for page in made.pages])
    record.repeats = 1
    record.corpus_name = made.dataset.rstrip("/").rpartition("/")[2]
    record.corpus_digest = signatures.digest([gold_digest, scope])
    record.corpus_path = made.dataset
    declared = {name: list(one.unsupported) for name, one in given.items()}
    record.plan_digest = signatures.digest([made.suite, record.corpus_digest, dict(answers), declared])
    return record


def _parser(name: str) -> pb.RunParser:
    tool, _, rest = name.partition("@")
    version, _, setting = rest.partition(":")
    description = parser_pb2.DescribeResponse(
        name=tool, version=version, setting=setting, state=parser_pb2.PARSER_STATE_READY
    )
    return pb.RunParser(parser=name, description=description, transport="path", replicas=1)


def _document(page: DatasetPage) -> pb.RunDocument:
    source = page.doc_path.read_bytes() if page.doc_path.is_file() else b""
    return pb.RunDocument(
        document_id=page.page_id,
        domain=page.suite,
        format="pdf" if page.doc_path.suffix == ".pdf" else "image",
        pages=1,
        sha256=hashlib.sha256(source).hexdigest() if source else "",
        bytes=len(source),
        annotations=page.outputs,
        gold_digest=hashlib.sha256(page.gt_path.read_bytes()).hexdigest(),
    )


def _digest_of_folder(folder: Path, pages: Sequence[DatasetPage]) -> str:
    files = ((page.page_id, folder / f"{page.page_id}.json") for page in pages)
    return signatures.digest(
        [[name, hashlib.sha256(path.read_bytes()).hexdigest()] for name, path in files if path.is_file()]
    )


def _insert_parses(writer: Writer, run_id: str, parser: str, found: Graded, now: datetime) -> None:
    """A prediction stands for a parse, so that a page without one is a failure like any other."""
    writer.insert("parses", [_parse(run_id, parser, page, now) for page in found.pages])


def _parse(run_id: str, parser: str, page: GradedPage, now: datetime) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "parser": parser,
        "document": page.page.page_id,
        "repeat": 1,
        "measured_run_id": run_id,
        "status": "error" if page.reason else "ok",
        "reason": page.reason,
        "assisted": "none",
        "reached_parser": True,
        "moved_bytes": 0,
        "repaired_code_points": 0,
        "leftover_processes": 0,
        "flags": [],
        "started_at": _naive(now),
    }


def _write_run(
    folder: Path, name: str, found: Graded, predictions: Path, dataset: str, manifest: str, now: datetime
) -> None:
    """Write a run folder named as the reference names them."""
    label = name.replace("/", "__")
    tail = signatures.digest([name, dataset, found.version.name, list(found.unsupported)])
    if found.version.knows_unsupported:
        target = folder / f"{label}-{tail[:8]}"
    else:
        target = folder / f"{label}-{now.astimezone(UTC):%Y%m%d-%H%M%S}-{tail[:4]}"
    write_run(target, found, provider=name, dataset=dataset, manifest=manifest, predictions=predictions)


def _naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)
