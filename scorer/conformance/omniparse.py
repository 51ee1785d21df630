"""The omniparse measures against recorded answers: what ``docassay verify omniparse PATH`` runs.

Reads any file of recorded answers by the shape of its lines: cases (gold, prediction, verdicts, summary; both
released modes), units (folding, text views, numbers, equations, grids, markdown, gold checks, sampling,
summaries), gold files (an empty prediction fails, a page's own answer passes, the same twice), and, for a folder
with a ``dataset``, recorded runs graded again. Everything must agree exactly, reasons included.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.conformance import (
    NOTHING_RECORDED,
    ConformanceError,
    Difference,
    Outcome,
    compare,
    file_bytes,
    guarded,
    json_object,
    lines,
    malformed,
)
from scorer.conformance.omniparse_answers import own_answer
from scorer.omniparse.dataset import Dataset, DatasetPage, read_dataset
from scorer.omniparse.grading import grade_predictions, score_line
from scorer.omniparse.runs import read_run
from scorer.suites.omniparse.cells import read_grids
from scorer.suites.omniparse.equations import math_spans, symbols
from scorer.suites.omniparse.fold import fold, squeeze
from scorer.suites.omniparse.gold import GoldError, Test, parse_gold
from scorer.suites.omniparse.grid import Grid
from scorer.suites.omniparse.latex import is_plain
from scorer.suites.omniparse.markdown import to_html
from scorer.suites.omniparse.neighbours import Direction, from_declared_span
from scorer.suites.omniparse.number import parse_number
from scorer.suites.omniparse.verdicts import grade
from scorer.suites.omniparse.versions import RC1, V1_0_0, Version
from scorer.suites.omniparse.view import text_view

_DIRECTIONS: tuple[Direction, ...] = ("up", "down", "left", "right")
_STAMPS = frozenset({"run", "provider", "settings", "scorer", "dataset", "manifest"})
_MALFORMED = (KeyError, TypeError, AttributeError, ValueError)
# The reference names its Python classes where it says what a value is not; the rule and the value are compared.
_CLASS_NAME = re.compile(r" isn't a (?:[\w.]*omni_parse_bench|<class '[\w.]*omni_parse_bench).*$", re.S)


def verify(path: Path) -> Iterator[Outcome]:
    """Yield the outcome of every recorded answer at a path, as it is computed.

    Args:
        path: a file of recorded answers (JSON lines), a gold file (JSON), or a folder of these, of run folders and
            of the ``dataset`` they were graded on.

    Raises:
        ConformanceError: nothing is recorded at the path, or it is one file that cannot be read. A line, or one of
            several files, that is in none of these formats is an outcome with a fault.
    """
    if not path.exists():
        raise ConformanceError(f"{path} does not exist; give a file or folder of recorded answers")
    if not path.is_dir():
        yield from _verify_gold(path) if path.suffix == ".json" else lines(path, _verify_line)
        return
    files = [*sorted(path.glob("*.jsonl")), *sorted(path.glob("units/*.jsonl"))]
    golds = sorted(path.glob("invariants/*.json")) or ([] if files else sorted(path.glob("*.json")))
    if not files and not golds and not (path / "dataset").is_dir():
        raise ConformanceError(f"{path} holds no recorded answers: no *.jsonl, units/, invariants/, dataset/ or gold")
    for file in files:
        yield from guarded(lines(file, _verify_line))
    for gold in golds:
        yield from guarded(_verify_gold(gold))
    if (path / "dataset").is_dir():
        yield from guarded(_verify_dataset(path))


def _verify_dataset(folder: Path) -> Iterator[Outcome]:
    try:
        dataset = read_dataset(folder / "dataset")
    except (ValueError, OSError) as error:
        raise ConformanceError(f"{folder / 'dataset'}: {error}") from error
    for page in dataset.pages:
        yield from guarded(_verify_gold(page.gt_path))
    for run in sorted((folder / "runs_sample").glob("*/")):
        yield from guarded(_verify_run(dataset, run))


def _verify_line(record: dict[str, Any], place: str) -> Outcome:
    name = record.get("name") or place.rpartition("/")[2]
    for keys, evaluate in _EVALUATE:
        if keys <= set(record):
            try:
                return evaluate(str(name), record)
            except GoldError as error:
                raise ConformanceError(f"{place}: its gold is refused: {error}") from None
            except _MALFORMED as error:
                kind = ", ".join(sorted(keys))
                raise ConformanceError(f"{place}: cannot be read as {kind}: {malformed(error)}") from error
    raise ConformanceError(
        f"{place}: unknown kind of recorded answer with the keys {', '.join(sorted(record)) or 'none'}; known are "
        + "; ".join(", ".join(sorted(keys)) for keys, _ in _EVALUATE)
    )


def _case(name: str, case: dict[str, Any]) -> Outcome:
    tests = parse_gold(case["page"]["page_id"], {"tests": case["tests"]})
    newer = case.get("expected_1_0_0") or {}
    expected = {
        RC1.name: {"verdicts": case["expected"], "summary": case.get("expected_summary")},
        V1_0_0.name: {"verdicts": newer.get("expected", case["expected"]), "summary": newer.get("summary")},
    }
    differences: list[Difference] = []
    for version, unsupported in ((RC1, case.get("unsupported", [])), (V1_0_0, [])):
        wanted = expected[version.name]
        if version is V1_0_0 and not newer:
            continue
        got = _graded(case["page"], tests, case["prediction"], version, unsupported)
        if wanted["summary"] is None:
            del wanted["summary"], got["summary"]
        differences += compare(name, {version.name: wanted}, {version.name: got}, tolerance=0.0).differences
    return Outcome(name, tuple(differences))


def _graded(
    page: Mapping[str, str], tests: tuple[Test, ...], prediction: Any, version: Version, unsupported: list[str]
) -> dict[str, Any]:
    outputs = prediction if isinstance(prediction, dict) else {}
    verdicts = grade(tests, outputs, version=version, unsupported=unsupported)
    on = DatasetPage(page["page_id"], page["document"], page["suite"], Path(), Path(), ())
    lines = [score_line(on, test, verdict) for test, verdict in zip(tests, verdicts, strict=True)]
    return {
        "verdicts": {verdict.id: {"result": verdict.result, "why": verdict.why} for verdict in verdicts},
        "summary": version.summarize(lines),
    }


def _fold(name: str, unit: dict[str, Any]) -> Outcome:
    got = {"fold": fold(unit["input"]), "squeeze": squeeze(unit["input"])}
    return compare(name, {key: unit[key] for key in got}, got)


def _text_view(name: str, unit: dict[str, Any]) -> Outcome:
    got = {"text": text_view(unit["html"]), "seen": text_view(unit["html"], alt=False)}
    return compare(name, {key: unit[key] for key in got}, got)


def _number(name: str, unit: dict[str, Any]) -> Outcome:
    number = parse_number(unit["token"])
    got = number and {"core": number.core, "negative": number.negative, "percent": number.percent}
    return compare(name, unit["parsed"], got)


def _symbols(name: str, unit: dict[str, Any]) -> Outcome:
    return compare(name, unit["symbols"], symbols(unit["tex"], display=unit["display"]))


def _spans(name: str, unit: dict[str, Any]) -> Outcome:
    return compare(name, unit["spans"], math_spans(unit["html"]))


def _plain(name: str, unit: dict[str, Any]) -> Outcome:
    return compare(name, unit["plain"], is_plain(unit["tex"]))


def _markdown(name: str, unit: dict[str, Any]) -> Outcome:
    return compare(name, unit["html"], to_html(unit["markdown"]))


def _grids(name: str, unit: dict[str, Any]) -> Outcome:
    return compare(name, unit["tables"], [_recorded_grid(grid) for grid in read_grids(unit["html"])])


def _recorded_grid(grid: Grid) -> dict[str, Any]:
    return {
        "text": [[list(cell), text] for cell, text in sorted(grid.text.items())],
        "headings": sorted(map(list, grid.headings)),
        "grid": grid.every_slot(),
        "labels": {str(grid.rows[band]): list(cell) for band, cell in grid.labels.items()},
        **{
            direction: [
                [list(cell), sorted(map(list, from_declared_span(grid, cell, direction)))] for cell in sorted(grid.text)
            ]
            for direction in _DIRECTIONS
        },
    }


def _gold(name: str, unit: dict[str, Any]) -> Outcome:
    try:
        parse_gold("p", unit["gold"])
        got = None
    except GoldError as error:
        got = f"GoldError: {error}"
    expected = unit["error"]
    if isinstance(expected, str) and isinstance(got, str) and _CLASS_NAME.search(expected):
        expected, got = _CLASS_NAME.sub("", expected), got.partition(" isn't a ")[0]
    return compare(name, {"error": expected}, {"error": got})


@dataclass(frozen=True, slots=True)
class _Row:
    page_id: str
    suite: str


def _select(name: str, unit: dict[str, Any]) -> Outcome:
    suites, limit = unit.get("suites"), unit.get("limit", 0)
    pages = [_Row(page_id, suite) for page_id, suite in unit["pages"] if suites is None or suite in suites]
    selected = [page.page_id for page in RC1.sample(pages, unit["sample"])]
    return compare(name, unit["selected"], selected[:limit] if limit else selected)


def _summary(name: str, unit: dict[str, Any]) -> Outcome:
    return compare(name, unit["summary"], RC1.summarize(unit["lines"]), tolerance=0.0)


_EVALUATE: tuple[tuple[frozenset[str], Callable[[str, dict[str, Any]], Outcome]], ...] = (
    (frozenset({"tests", "prediction", "page", "expected"}), _case),
    (frozenset({"input", "fold", "squeeze"}), _fold),
    (frozenset({"html", "text", "seen"}), _text_view),
    (frozenset({"token", "parsed"}), _number),
    (frozenset({"tex", "display", "symbols"}), _symbols),
    (frozenset({"html", "spans"}), _spans),
    (frozenset({"tex", "plain"}), _plain),
    (frozenset({"html", "tables"}), _grids),
    (frozenset({"markdown", "html"}), _markdown),
    (frozenset({"gold", "error"}), _gold),
    (frozenset({"pages", "sample", "selected"}), _select),
    (frozenset({"lines", "summary"}), _summary),
)


def _verify_gold(path: Path) -> Iterator[Outcome]:
    """Check what must hold of any page's tests, whatever their content."""
    try:
        tests = parse_gold(path.stem, json_object(file_bytes(path), str(path)))
    except GoldError as error:
        raise ConformanceError(f"{path}: {error}") from None
    if not tests:
        yield Outcome(path.stem, skipped="it has no tests")
    empty = grade(tests, {"html": "", "blocks": []}, version=RC1)
    for test, nothing in zip(tests, empty, strict=True):
        answer = own_answer(test)
        first, second = (grade([test], answer, version=RC1)[0] for _ in range(2))
        expected = {"an empty prediction": "fail", "its own answer": "pass", "again": first.why}
        got = {"an empty prediction": nothing.result, "its own answer": first.result, "again": second.why}
        yield compare(f"{path.stem}/{test.id}", expected, got)


def _verify_run(dataset: Dataset, folder: Path) -> Iterator[Outcome]:
    """Grade a recorded run's predictions again and compare every line and the summary."""
    try:
        yield _regraded(dataset, folder)
    except ConformanceError:
        raise
    except _MALFORMED as error:
        raise ConformanceError(f"{folder}: not a run that can be graded again: {malformed(error)}") from error


def _regraded(dataset: Dataset, folder: Path) -> Outcome:
    recorded = read_run(folder)
    if not recorded.lines:
        return Outcome(folder.name, skipped=NOTHING_RECORDED)
    unsupported: list[str] = []
    settings = folder / "settings.json"
    if recorded.version is RC1 and settings.is_file():
        unsupported = json_object(file_bytes(settings), str(settings)).get("unsupported", [])
    graded = grade_predictions(dataset, folder / "predictions", version=recorded.version, unsupported=unsupported)
    got = {line["test_id"]: line for line in graded.lines()}
    expected = {
        line["test_id"]: {key: value for key, value in line.items() if key not in _STAMPS} for line in recorded.lines
    }
    summary = graded.summary()
    wanted = recorded.summary if recorded.version is RC1 else recorded.summary["scored"]
    shared = {key: value for key, value in wanted.items() if key in summary and key != "per_suite"}
    return compare(
        folder.name,
        {"lines": expected, "summary": shared},
        {"lines": got, "summary": {key: summary[key] for key in shared}},
        tolerance=0.0,
    )
