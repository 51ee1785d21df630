"""OmniDocBench over folders of predicted markdown, stored as a run: its parsers are those who made them.

A predicted page becomes the output of a parse nobody timed: the run is scored, and can be scored again, as a run of
docassay's own parsers is.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from docassay.v1 import scorer_pb2 as pb
from scorer.grading import graded
from scorer.grading.omnidoc import chosen_pages, no_file, nothing_predicted, prediction_of, read_prediction
from scorer.scoring import inputs, omnidoc
from scorer.scoring.steps import Progress, Scored, ScoringFailed
from scorer.store import runs
from scorer.store.artifacts import Artifacts
from scorer.store.database import Database
from scorer.suites.omnidoc.gold import GoldPage
from scorer.suites.omnidoc.versions import DEFAULT, version
from services.runtime.form import Collected, Parsed, Repair, output_lines

__all__ = ["documents_of", "grade"]


def grade(
    database: Database,
    artifacts: Artifacts,
    run: pb.Run,
    asked: pb.OmnidocGrading,
    *,
    cache: Path,
    now: datetime,
    stop: threading.Event,
    filters: Mapping[str, object] = MappingProxyType({}),
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
        filters: page attributes and the values that the pages graded have.

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
    pages = chosen_pages(gold, filters)
    found = {name: _found(folder, pages) for name, folder in folders.items()}
    yield Progress("storing the predictions", 0, len(folders) * len(pages))
    parses = [
        {**_parse(page.image, path, artifacts, now), "parser": name}
        for name, paths in found.items()
        for page, path in zip(pages, paths, strict=True)
    ]
    opened = graded.opening(
        run,
        f"{omnidoc.SUITE}@{rules.name}",
        gold,
        documents_of(pages),
        partial=bool(filters),
        parsers=list(folders),
        answers=[[row["parser"], row["document"], row.get("artifact")] for row in parses],
    )
    if stop.is_set():
        raise ScoringFailed("the grading was stopped; nothing was stored")
    with database.write() as writer:
        run_id = runs.insert_finished(writer, opened, now=now)
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
                graded.forget(writer, run_id)


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
        for line in output_lines(Parsed(read_prediction(path), "markdown"), Collected(pages=1), repair):
            output.write(line)
        stored = {"artifact": output.keep(), "output_bytes": output.size}
    return {**graded.answer(image, "", now), **stored, "repaired_code_points": repair.count}


def documents_of(pages: Sequence[GoldPage]) -> list[pb.RunDocument]:
    """Return annotated pages as documents of a run."""
    return [
        pb.RunDocument(
            document_id=page.image,
            domain=str(page.attributes.get("data_source", "unknown")),
            format="image",
            pages=1,
            annotations=["blocks"],
            gold_digest=page.digest,
        )
        for page in pages
    ]
