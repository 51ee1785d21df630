"""opendataloader-bench over folders of predicted markdown, stored as a run: its parsers are those who made them."""

import dataclasses
import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from docassay.v1 import scorer_pb2 as pb
from scorer.counting import counted
from scorer.grading import graded
from scorer.grading.reading import absent, faults, gold_files, read_markdown
from scorer.scoring import certainty, inputs, signatures
from scorer.scoring.certainty import Certainty
from scorer.scoring.pool import Spread, Stopped, WorkerDied
from scorer.scoring.steps import Progress, Scored, ScoringFailed
from scorer.scoring.writing import KPI_ROWS, Remark, settle
from scorer.stats import DEFAULT_RESAMPLES, DEFAULT_SEED, Sums
from scorer.store.database import Database, Writer
from scorer.suites.odl import DocumentScores, score_document, summarize

__all__ = ["SUITE", "grade"]

SUITE = "odl@1"
HEADLINE = "composite"
_FIGURES = {HEADLINE: "overall", "nid": "nid", "teds": "teds", "mhs": "mhs"}
"""The headlines, and which of a document's scores each is the mean of."""
_BESIDE = {"nid_s": "nid", "teds_s": "teds", "mhs_s": "mhs"}
"""Scores that only stand beside a headline."""


def grade(
    database: Database, run: pb.Run, asked: pb.OdlGrading, *, now: datetime, stop: threading.Event
) -> Iterator[Progress | Scored]:
    """Grade every folder of predictions and store them as one run; yields how far it is, last ``Scored``.

    Raises:
        ValueError: there is no gold, a folder has no prediction of any document, or a parser's name occurs twice.
        ScoringFailed: a process ended, or the grading was stopped.
    """
    folders = {one.parser: _markdown(Path(one.folder)) for one in asked.predictions}
    if len(folders) < len(asked.predictions) or not folders:
        raise ValueError("every folder of predictions needs a name of its own, and there must be one folder at least")
    gold = _markdown(Path(asked.gold))
    names = [path.stem for path in gold_files(gold)]
    jobs = [_Job(parser, name, gold, folder) for parser, folder in folders.items() for name in names]
    for parser, folder in folders.items():
        if not any(job.found for job in jobs if job.parser == parser):
            raise ValueError(
                f"{folder}: no prediction for any of {counted(len(names), 'document')}; looked for the names of the "
                f"gold, as {names[0]}.md"
            )
    yield Progress("documents", 0, len(jobs))
    scores: dict[tuple[str, str], DocumentScores] = {}
    try:
        spread = Spread(_scorer, jobs, processes=len(os.sched_getaffinity(0)), stop=stop)
        for done, (index, found) in enumerate(spread.results(), 1):
            scores[jobs[index].parser, jobs[index].name] = found
            yield Progress("documents", done, len(jobs), str(jobs[index]))
    except WorkerDied as error:
        raise ScoringFailed(f"{error}; nothing was stored") from error
    except Stopped:
        raise ScoringFailed("the grading was stopped; nothing was stored") from None
    yield Progress("writing", 0, 1)
    made = _Made(run, Path(asked.gold), names, jobs, scores, now)
    yield made.store(database)


def _markdown(folder: Path) -> Path:
    """Return the folder of markdown of an engine's or the gold's folder, as the benchmark lays them out."""
    return folder / "markdown" if (folder / "markdown").is_dir() else folder


@dataclass(frozen=True, slots=True)
class _Job:
    """A parser's prediction of a document."""

    parser: str
    name: str
    gold: Path
    folder: Path

    def __str__(self) -> str:
        return f"{self.parser}: {self.name}"

    @property
    def path(self) -> Path:
        return self.folder / f"{self.name}.md"

    @property
    def gold_path(self) -> Path:
        return self.gold / f"{self.name}.md"

    @property
    def found(self) -> bool:
        return self.path.is_file()


def _scorer() -> Callable[[_Job], DocumentScores]:
    return _score


def _score(job: _Job) -> DocumentScores:
    """Score a document; one without a prediction is scored as empty, as the benchmark has it."""
    return score_document(read_markdown(job.gold_path), read_markdown(job.path) if job.found else "")


@dataclass(frozen=True, slots=True)
class _Made:
    """Graded documents on their way into the store."""

    run: pb.Run
    gold: Path
    names: Sequence[str]
    jobs: Sequence[_Job]
    scores: Mapping[tuple[str, str], DocumentScores]
    now: datetime

    @property
    def parsers(self) -> list[str]:
        return list(dict.fromkeys(job.parser for job in self.jobs))

    def store(self, database: Database) -> Scored:
        """Store it with its figures."""
        documents = [self._document(name) for name in self.names]
        answers = [[parser, name, dataclasses.astuple(found)] for (parser, name), found in sorted(self.scores.items())]
        opened = graded.opening(
            self.run, SUITE, self.gold, documents, whole=True, parsers=self.parsers, answers=answers
        )
        remarks = list(dict.fromkeys(self._remarks()))
        with graded.begun(database, opened, self._parses(), remarks, now=self.now) as run_id:
            given = inputs.read(database, run_id)
            with database.write() as writer:
                count = self._write(writer, given, graded.gold_digest(documents))
        return Scored(run_id, count, tuple(map(str, remarks)))

    def _remarks(self) -> Iterator[Remark]:
        """Say which files were not read as they are; the gold's once."""
        for job in self.jobs:
            for text in faults(job.gold_path):
                yield Remark(None, job.name, text, stage="parse")
            for text in faults(job.path) if job.found else ():
                yield Remark(job.parser, job.name, text, stage="parse")

    def _document(self, name: str) -> pb.RunDocument:
        digest = hashlib.sha256((_markdown(self.gold) / f"{name}.md").read_bytes()).hexdigest()
        return pb.RunDocument(
            document_id=name, domain="unknown", format="markdown", pages=1, annotations=["content"], gold_digest=digest
        )

    def _parses(self) -> list[dict[str, Any]]:
        return [
            {
                **graded.answer(job.name, "" if job.found else absent(job.path), self.now),
                "parser": job.parser,
            }
            for job in self.jobs
        ]

    def _write(self, writer: Writer, given: inputs.Inputs, gold_digest: str) -> int:
        key = {"run_id": str(given.run["run_id"]), "suite": SUITE}
        signed = {
            parser["parser"]: {
                axis: signatures.of_axis(axis, suite=SUITE, inputs=given, parser=parser, gold_digest=gold_digest)
                for axis in _FIGURES
            }
            for parser in given.parsers
        }
        known = self._certainty()
        rows = [row for parser in self.parsers for row in self._rows(key, parser, signed[parser], known)]
        writer.insert_arrow("kpis", pa.Table.from_pylist(rows, schema=KPI_ROWS))
        settle(
            writer,
            key,
            known=known,
            signatures=[one for found in signed.values() for one in found.values()],
            remarks=(),
            scoring={
                "scored_at": self.now.astimezone(UTC).replace(tzinfo=None),
                "axes": list(_FIGURES),
                "embedder": None,
                "weights": json.dumps({}),
                "partial": False,
                "partial_reasons": [],
                "corpus_path": str(self.gold),
                "gold_digest": gold_digest,
            },
        )
        return len(rows)

    def _rows(
        self, key: Mapping[str, str], parser: str, signed: Mapping[str, signatures.Signature], known: Certainty
    ) -> Iterator[dict[str, Any]]:
        found = {name: self.scores[parser, name] for name in self.names}
        summary = summarize(found.values())
        for kpi, field in (_FIGURES | {name: name for name in _BESIDE}).items():
            axis = _BESIDE.get(kpi, kpi)
            common = {**key, "parser": parser, "axis": axis, "kpi": kpi, "in_axis": kpi == axis}
            common["signature"] = signed[axis].signature
            for name, scores in found.items():
                value, why = getattr(scores, field), scores.error if axis == "teds" else None
                if value is not None or why:
                    lower, upper = scores.bounds.get(field, (None, None))
                    bounds = {"bounded": field in scores.bounds, "lower": lower, "upper": upper}
                    yield {**common, "document": name, "value": value, "reason": why, **bounds}
            mean = getattr(summary, f"{field}_mean")
            ends = known.intervals.get((parser, kpi))
            yield {
                **common,
                "value": mean,
                "reason": f"no document's gold has what {kpi} compares" if mean is None else None,
                "bounded": any(field in scores.bounds for scores in found.values()),
                "lower": ends.percentile.lower if ends and ends.percentile else None,
                "upper": ends.percentile.upper if ends and ends.percentile else None,
                "small_sample_lower": ends.small_sample.lower if ends and ends.small_sample else None,
                "small_sample_upper": ends.small_sample.upper if ends and ends.small_sample else None,
            }
        yield {
            **key,
            "parser": parser,
            "axis": HEADLINE,
            "kpi": "overall_readme",
            "value": summary.overall_readme,
            "in_axis": False,
            "bounded": any("overall" in scores.bounds for scores in found.values()),
            "signature": signed[HEADLINE].signature,
        }

    def _certainty(self) -> Certainty:
        """Rank the parsers by every headline; each figure is a mean over the documents that define it."""
        fields = tuple((_FIGURES | {name: name for name in _BESIDE}).values())
        values = np.array(
            [
                [[getattr(self.scores[parser, name], field) for field in fields] for name in self.names]
                for parser in self.parsers
            ],
            dtype=np.float64,
        )
        defined = np.isfinite(values)
        gathered = Sums(
            tuple(self.parsers),
            tuple(self.names),
            fields,
            np.where(defined, values, 0.0),
            defined.astype(np.float64),
            np.ones(len(fields)),
        )
        known = Certainty(DEFAULT_SEED, DEFAULT_RESAMPLES)
        for kpi, field in _FIGURES.items():
            certainty.add_headline(known, gathered.of_component(field).narrowed(), kpi)
        for field in _BESIDE:
            certainty.add_intervals(known, gathered.of_component(field).narrowed(), field)
        return known
