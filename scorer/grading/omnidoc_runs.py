"""OmniDocBench over folders of predicted markdown, stored as a run: its parsers are those who made them.

A predicted page becomes the output of a parse nobody timed: the run is scored, and can be scored again, as a run of
docassay's own parsers is.
"""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from docassay.v1 import parser_pb2
from docassay.v1 import scorer_pb2 as pb
from scorer.grading.omnidoc import GradingError, load_pages, prediction_of, read_prediction
from scorer.scoring import inputs, omnidoc, signatures
from scorer.scoring.steps import Progress, Scored, ScoringFailed
from scorer.store import runs
from scorer.store.artifacts import Artifacts
from scorer.store.database import Database, Writer
from scorer.suites.omnidoc.gold import GoldPage
from scorer.suites.omnidoc.versions import DEFAULT, version
from services.runtime.form import Collected, Parsed, Repair, output_lines

__all__ = ["grade"]


def grade(
    database: Database,
    artifacts: Artifacts,
    run: pb.Run,
    asked: pb.OmnidocGrading,
    *,
    cache: Path,
    now: datetime,
    stop: threading.Event,
) -> Iterator[Progress | Scored]:
    """Store every folder of predictions as a parser of one run, and score it; yields how far it is, last ``Scored``.

    Args:
        database: the store.
        artifacts: where the predicted pages go.
        run: the machine, the commit and the command line of who asks.
        asked: the annotations, the version of the method, and the folders.
        cache: where drawn formulas are kept.
        now: the start of the run.
        stop: gives up.

    Raises:
        GradingError: the annotations cannot be read, or a folder has no prediction of any page.
        ValueError: the version cannot be scored, or a parser's name occurs twice.
        ScoringFailed: a process ended, or the grading was stopped.
    """
    rules = version(asked.version or DEFAULT.name)
    folders = {one.parser: Path(one.folder) for one in asked.predictions}
    if len(folders) < len(asked.predictions) or not folders:
        raise ValueError("every folder of predictions needs a name of its own, and there must be one folder at least")
    gold = Path(asked.gold)
    yield Progress("reading the gold", 0, 0)
    pages = load_pages(gold)
    given = _Given(run, gold, pages, {name: _found(folder, pages) for name, folder in folders.items()})
    yield Progress("storing the predictions", 0, len(folders) * len(pages))
    parses = [
        {**_parse(page.image, path, artifacts, now), "parser": name}
        for name, paths in given.paths.items()
        for page, path in zip(pages, paths, strict=True)
    ]
    if stop.is_set():
        raise ScoringFailed("the grading was stopped; nothing was stored")
    with database.write() as writer:
        run_id = runs.insert_finished(writer, given.opened(f"{omnidoc.SUITE}@{rules.name}", parses), now=now)
        writer.insert("parses", [{**row, "run_id": run_id, "measured_run_id": run_id} for row in parses])
    scored = False
    try:
        request = omnidoc.Request(jobs=asked.jobs, formulas=cache / "formulas")
        for step in omnidoc.score(database, artifacts, inputs.read(database, run_id), request, now=now, stop=stop):
            scored = isinstance(step, Scored)
            yield step
    finally:
        if not scored:
            with database.write() as writer:
                _forget(writer, run_id)


def _found(folder: Path, pages: Sequence[GoldPage]) -> list[Path | None]:
    """Find every page's prediction; raises `GradingError` for a folder that has none."""
    found = [prediction_of(page.image, folder) for page in pages]
    if not any(found):
        names = sorted(path.name for path in folder.iterdir())[:3] if folder.is_dir() else []
        raise GradingError(
            f"{folder}: no prediction for any of {len(pages)} pages; looked for "
            f"{f'{pages[0].image[:-4]}.md and the like' if pages else 'nothing: the annotations have no page'}, "
            f"found {', '.join(names) or 'no file'}"
        )
    return found


@dataclass(frozen=True, slots=True)
class _Given:
    """What is graded: who asks, the annotations, and every folder's predictions, a path a page."""

    run: pb.Run
    gold: Path
    pages: Sequence[GoldPage]
    paths: Mapping[str, Sequence[Path | None]]

    def opened(self, suite: str, parses: Sequence[Mapping[str, Any]]) -> pb.OpenRunRequest:
        """Return the run as the store takes it."""
        digest = hashlib.sha256(self.gold.read_bytes()).hexdigest()
        answers = [[row["parser"], row["document"], row["artifact"]] for row in parses]
        record = pb.Run()
        record.CopyFrom(self.run)
        record.suite, record.mode = suite, "graded"
        record.scope_json = json.dumps(None)
        record.repeats = 1
        record.corpus_name = self.gold.stem
        record.corpus_digest = digest
        record.corpus_path = str(self.gold)
        record.plan_digest = signatures.digest([suite, digest, answers])
        return pb.OpenRunRequest(
            run=record,
            parsers=[_parser(name) for name in self.paths],
            documents=[
                pb.RunDocument(
                    document_id=page.image,
                    domain=str(page.attributes.get("data_source", "unknown")),
                    format="image",
                    pages=1,
                    annotations=["blocks"],
                    gold_digest=digest,
                )
                for page in self.pages
            ],
        )


def _parser(name: str) -> pb.RunParser:
    tool, _, rest = name.partition("@")
    number, _, setting = rest.partition(":")
    description = parser_pb2.DescribeResponse(
        name=tool, version=number, setting=setting, state=parser_pb2.PARSER_STATE_READY
    )
    return pb.RunParser(parser=name, description=description, transport="files", replicas=1)


def _parse(image: str, path: Path | None, artifacts: Artifacts, now: datetime) -> dict[str, Any]:
    """Store a predicted page as an artifact and return its row of `parses`, all but run and parser."""
    repair, artifact, size = Repair(), None, None
    if path is not None:
        with artifacts.arriving() as output:
            for line in output_lines(Parsed(read_prediction(path), "markdown"), Collected(pages=1), repair):
                output.write(line)
            artifact, size = output.keep(), output.size
    return {
        "document": image,
        "repeat": 1,
        "status": "error" if path is None else "ok",
        "reason": f"there is no {image[:-4]}.md or the like" if path is None else "",
        "assisted": "none",
        "reached_parser": False,
        "artifact": artifact,
        "output_bytes": size,
        "moved_bytes": 0,
        "repaired_code_points": repair.count,
        "leftover_processes": 0,
        "flags": [],
        "started_at": now.astimezone(UTC).replace(tzinfo=None),
    }


def _forget(writer: Writer, run_id: str) -> None:
    for table in ("runs", "parsers", "documents", "parses"):
        writer.execute(f"delete from {table} where run_id = ?", [run_id])
