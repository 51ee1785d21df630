"""The odl measures against published evaluations: what ``docassay verify odl PREDICTION_DIR --gold DIR`` runs."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

from scorer.conformance import (
    ABSENT,
    NOTHING_RECORDED,
    ConformanceError,
    Outcome,
    compare,
    file_bytes,
    file_text,
    guarded,
    json_object,
    malformed,
)
from scorer.grading.reading import read_markdown
from scorer.suites.odl import DocumentScores, score_document, summarize

TOLERANCE = 1e-9
"""Two implementations of one sum of floats agree within this."""

_MEANS = ("overall_mean", "nid_mean", "nid_s_mean", "teds_mean", "teds_s_mean", "mhs_mean", "mhs_s_mean")
_COUNTS = ("nid_count", "teds_count", "mhs_count", "missing_predictions")


def verify(predictions: Path, *, gold: Path) -> Iterator[Outcome]:
    """Yield an outcome for every document of an engine's `evaluation.json`, and one for its summary.

    Args:
        predictions: an engine's folder, with `evaluation.json` and `markdown/`, or a folder of such folders.
        gold: the folder of gold markdown, or one that has it as `markdown/`.

    Raises:
        ConformanceError: there is no evaluation. A file that is missing or not in its format is an outcome with a
            fault; without one of its documents an evaluation's summary cannot be recomputed.
    """
    if not predictions.exists():
        raise ConformanceError(f"{predictions} does not exist; give an engine's folder, or a folder of such folders")
    folder = gold / "markdown" if (gold / "markdown").is_dir() else gold
    engines = (
        [predictions]
        if (predictions / "evaluation.json").is_file()
        else sorted(path.parent for path in predictions.glob("*/evaluation.json"))
    )
    if not engines:
        raise ConformanceError(f"{predictions}: no evaluation.json here or one folder below")
    for engine in engines:
        yield from guarded(_verify_engine(engine, folder))


def _verify_engine(engine: Path, gold: Path) -> Iterator[Outcome]:
    path = engine / "evaluation.json"
    try:
        recorded = json_object(file_bytes(path), str(path))
        documents = [(str(document["document_id"]), dict(document["scores"])) for document in recorded["documents"]]
        metrics = recorded["metrics"]
        stored = {name: metrics["score"][name] for name in _MEANS} | {name: metrics[name] for name in _COUNTS}
    except (KeyError, TypeError) as fault:
        raise ConformanceError(f"{path}: not an evaluation of opendataloader-bench: {malformed(fault)}") from fault
    scores: list[DocumentScores] = []
    missing = 0
    for identifier, expected in documents:
        gold_path, predicted_path = gold / f"{identifier}.md", engine / "markdown" / f"{identifier}.md"
        found = predicted_path.is_file()
        missing += not found
        try:
            if not gold_path.is_file():
                raise ConformanceError(f"{gold_path}: no gold for document {identifier} of {path}")
            got = score_document(_markdown(gold_path), _markdown(predicted_path) if found else "")
        except ConformanceError as fault:
            yield Outcome("", fault=str(fault))
            continue
        scores.append(got)
        values = {field.name: getattr(got, field.name) for field in dataclasses.fields(got)}
        kept = {name: values.get(name, ABSENT) for name in expected}
        case = f"{engine.name}/{identifier}"
        if expected:
            yield compare(case, expected, kept, tolerance=TOLERANCE)
        else:
            yield Outcome(case, skipped=NOTHING_RECORDED)
    if len(scores) < len(documents):
        yield Outcome(f"{engine.name}/summary", skipped="the scores of some documents are not known, see their faults")
        return
    summary = dataclasses.asdict(summarize(scores, missing_predictions=missing))
    ours = {name: _stored(summary[name]) for name in stored}
    yield compare(f"{engine.name}/summary", stored, ours, tolerance=TOLERANCE)


def _markdown(path: Path) -> str:
    """Return a page as grading reads it; raises `ConformanceError` where it cannot be read, or is no UTF-8."""
    file_text(path)
    return read_markdown(path)


def _stored(value: object) -> object:
    return 0.0 if value is None else value
