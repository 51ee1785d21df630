"""Scoring a run by OmniParseBench's tests: of every page, the stored outputs of every parser; written at once."""

import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scorer import output
from scorer.counting import counted
from scorer.grading.omniparse import families_of, judged_of, refuse_repeated
from scorer.omniparse import Dataset, DatasetError, DatasetPage, Graded, read_dataset
from scorer.omniparse.grading import GradedPage, graded_page
from scorer.omniparse.parsed import outputs_of_page
from scorer.scoring import signatures, verdicts
from scorer.scoring.inputs import ABSENT, Inputs
from scorer.scoring.pool import Spread, Stopped, WorkerDied
from scorer.scoring.steps import Progress, Scored, ScoringFailed
from scorer.scoring.writing import Remark
from scorer.store.artifacts import Artifacts
from scorer.store.database import Database
from scorer.suites.omniparse.gold import GoldError
from scorer.suites.omniparse.versions import VERSIONS, version_of


@dataclass(frozen=True, slots=True)
class Parsed:
    """One parser's output of a page: where it is stored (None: nothing to read), and what it cannot produce."""

    artifact: str | None
    unsupported: tuple[str, ...]
    blocks: bool


@dataclass(frozen=True, slots=True)
class Job:
    """A page, for every parser at once: its gold is read and rendered once."""

    page: DatasetPage
    version: str
    parsed: tuple[Parsed, ...]

    def __str__(self) -> str:
        return f"page {self.page.page_id}"


@dataclass(frozen=True, slots=True)
class Preparation:
    """What a process needs before its first page: where the outputs lie."""

    artifacts: Path

    def __call__(self) -> Callable[[Job], list[tuple[GradedPage, tuple[str, ...]]]]:
        """Return the function that grades a page for each parser, with remarks on its output."""
        artifacts = Artifacts(self.artifacts)

        def do(job: Job) -> list[tuple[GradedPage, tuple[str, ...]]]:
            tests, graded = job.page.tests(), []
            for parsed in job.parsed:
                outputs: Mapping[str, Any] | str = "there is no output of its parser"
                warnings: tuple[str, ...] = ()
                if parsed.artifact is not None:
                    with artifacts.open(parsed.artifact) as source:
                        read = output.read_page(source)
                    warnings = read.warnings
                    outputs = outputs_of_page(read.text, read.text_format, read.blocks if parsed.blocks else None)
                version = VERSIONS[job.version]
                page = graded_page(job.page, tests, outputs, version=version, unsupported=parsed.unsupported)
                graded.append((page, warnings))
            return graded

        return do


def score(
    database: Database,
    artifacts: Artifacts,
    given: Inputs,
    *,
    suite: str,
    folder: Path | None,
    jobs: int,
    now: datetime,
    stop: threading.Event,
) -> Iterator[Progress | Scored]:
    """Score a run of a dataset's pages and yield how far it is; the last item is ``Scored``.

    A parser without the capability ``blocks`` is declared unable to produce them. A page that was not parsed fails
    its tests.

    Args:
        database: the store.
        artifacts: the parsers' outputs.
        given: the run.
        suite: name@version.
        folder: where the dataset lies; None: where it lay when the run was opened.
        jobs: processes; 0: one a CPU.
        now: the time.
        stop: gives up.

    Raises:
        DatasetError: the dataset is not there, or lacks a page of the run.
        GoldError: a page's tests break a rule.
        ScoringFailed: a process ended, or the scoring was stopped.
    """
    version = version_of(suite.partition("@")[2])
    yield Progress("gold", 0, len(given.documents))
    dataset = read_dataset(folder or given.run["corpus_path"])
    pages = _pages(dataset, given)
    work = [
        Job(
            page,
            version.name,
            tuple(_parsed(given, page, parser, version.knows_unsupported) for parser in given.parsers),
        )
        for page in pages
    ]
    graded: list[list[tuple[GradedPage, tuple[str, ...]]]] = [[] for _ in work]
    processes = jobs or len(os.sched_getaffinity(0))
    yield Progress("pages", 0, len(work))
    try:
        spread = Spread(Preparation(artifacts.folder), work, processes=processes, stop=stop)
        for done, (index, found) in enumerate(spread.results(), start=1):
            graded[index] = found
            yield Progress("pages", done, len(work), work[index].page.page_id)
    except WorkerDied as error:
        raise ScoringFailed(f"{error}; the run's earlier figures are as they were") from error
    except Stopped:
        raise ScoringFailed("the scoring was stopped; the run's earlier figures are as they were") from None
    if given.parsers:
        refuse_repeated([page[0][0] for page in graded])
    by_parser = {
        parser["parser"]: Graded(
            version, work[0].parsed[place].unsupported, tuple(page[place][0] for page in graded), ()
        )
        for place, parser in enumerate(given.parsers)
    }
    remarks = [
        Remark(parser["parser"], page[place][0].page.page_id, text)
        for page in graded
        for place, parser in enumerate(given.parsers)
        for text in page[place][1]
    ]
    yield Progress("writing", 0, 1)
    if stop.is_set():
        raise ScoringFailed("the scoring was stopped; the run's earlier figures are as they were")
    gold_digest = _gold_digest(pages, given, remarks)
    families = families_of(list(by_parser.values()))
    scope = signatures.digest(sorted([document.id, document.sha256] for document in given.documents))
    judged = []
    for parser in given.parsers:
        found_pages = by_parser[parser["parser"]]
        own = {name: parser[name] for name in signatures.OF_PARSER} | {"unsupported": list(found_pages.unsupported)}
        signed = signatures.of_tests(
            families, suite=suite, run=given.run, scope=scope, gold_digest=gold_digest, parser=own
        )
        judged.append(judged_of(parser["parser"], found_pages, signed))
    scoring = verdicts.Scoring(
        run_id=given.run["run_id"],
        suite=suite,
        families=families,
        dataset=str(folder or given.run["corpus_path"]),
        gold_digest=gold_digest,
        partial=_partial(given),
        remarks=remarks,
        now=now.astimezone(UTC).replace(tzinfo=None),
    )
    with database.write() as writer:
        count = verdicts.write(writer, scoring, judged)
    yield Scored(given.run["run_id"], count, tuple(map(str, remarks)))


def _pages(dataset: Dataset, given: Inputs) -> list[DatasetPage]:
    """Return the run's pages, in the dataset's order."""
    wanted = {document.id for document in given.documents}
    pages = [page for page in dataset.pages if page.page_id in wanted]
    if missing := sorted(wanted - {page.page_id for page in pages}):
        raise DatasetError(
            f"{dataset.folder} lacks {counted(len(missing), 'page')} of the run, e.g. {missing[0]}; give the dataset "
            "it was run on"
        )
    return pages


def _parsed(given: Inputs, page: DatasetPage, parser: Mapping[str, Any], knows_unsupported: bool) -> Parsed:
    measured = given.measured.get((parser["parser"], page.page_id), ABSENT)
    blocks = "blocks" in parser["capabilities"]
    unsupported = () if blocks or not knows_unsupported else ("blocks",)
    return Parsed(measured.artifact if measured.parsed else None, unsupported, blocks)


def _gold_digest(pages: Sequence[DatasetPage], given: Inputs, remarks: list[Remark]) -> str:
    """Return the digest of the gold as it is now; say where it is not what it was when the run was opened."""
    opened = {document.id: document.gold_digest for document in given.documents}
    digests = []
    for page in pages:
        try:
            found = hashlib.sha256(page.gt_path.read_bytes()).hexdigest()
        except OSError as error:
            raise GoldError(f"{page.page_id}: its gold file {page.gt_path} cannot be read: {error.strerror}") from None
        digests.append([page.page_id, found])
        if opened[page.page_id] and opened[page.page_id] != found:
            remarks.append(Remark(None, page.page_id, "its gold is not what it was when the run was opened"))
    return signatures.digest(digests)


def _partial(given: Inputs) -> tuple[str, ...]:
    reasons = {
        "not every page of the dataset was in scope": not given.whole,
        "the run is not finished": not given.parsed,
    }
    return tuple(reason for reason, applies in reasons.items() if applies)
