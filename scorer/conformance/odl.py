"""The odl measures against published evaluations: what ``docassay verify odl PREDICTION_DIR --gold DIR`` runs."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

from scorer.conformance import ConformanceError, Outcome, compare
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
        ConformanceError: a file is missing or not in its format.
    """
    folder = gold / "markdown" if (gold / "markdown").is_dir() else gold
    engines = (
        [predictions]
        if (predictions / "evaluation.json").is_file()
        else sorted(path.parent for path in predictions.glob("*/evaluation.json"))
    )
    if not engines:
        raise ConformanceError(f"{predictions}: no evaluation.json here or one folder below")
    for engine in engines:
        yield from _verify_engine(engine, folder)


def _verify_engine(engine: Path, gold: Path) -> Iterator[Outcome]:
    path = engine / "evaluation.json"
    try:
        recorded = json.loads(path.read_text(encoding="utf-8"))
        documents = [(str(document["document_id"]), document["scores"]) for document in recorded["documents"]]
        metrics = recorded["metrics"]
        stored = {name: metrics["score"][name] for name in _MEANS} | {name: metrics[name] for name in _COUNTS}
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ConformanceError(f"{path}: not an evaluation of opendataloader-bench: {fault!r}") from fault
    scores: list[DocumentScores] = []
    missing = 0
    for identifier, expected in documents:
        gold_path, predicted_path = gold / f"{identifier}.md", engine / "markdown" / f"{identifier}.md"
        if not gold_path.is_file():
            raise ConformanceError(f"{gold_path}: no gold for document {identifier} of {path}")
        found = predicted_path.is_file()
        missing += not found
        got = score_document(_read(gold_path), _read(predicted_path) if found else "")
        scores.append(got)
        values = {field.name: getattr(got, field.name) for field in dataclasses.fields(got)}
        kept = {name: values.get(name, "absent") for name in expected}
        yield compare(f"{engine.name}/{identifier}", expected, kept, tolerance=TOLERANCE)
    summary = dataclasses.asdict(summarize(scores, missing_predictions=missing))
    ours = {name: _stored(summary[name]) for name in stored}
    yield compare(f"{engine.name}/summary", stored, ours, tolerance=TOLERANCE)


def _stored(value: object) -> object:
    return 0.0 if value is None else value


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
