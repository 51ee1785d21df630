"""The omniparse measures against recorded answers: what ``docassay verify omniparse PATH`` runs.

Reads any file of recorded answers, whose lines are in one of the formats of ``omniparse_format``: cases (gold,
prediction, verdicts, summary; both released modes) and units (folding, text views, numbers, equations, grids,
markdown, gold checks, sampling, summaries); gold files (an empty prediction fails, a page's own answer passes, the
same twice); and recorded runs, one or a folder of them, graded again on the ``dataset`` that lies beside that folder.
Everything must agree exactly, reasons included.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
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
)
from scorer.conformance.omniparse_answers import own_answer
from scorer.conformance.omniparse_format import kind_of
from scorer.omniparse.dataset import MANIFEST, Dataset, DatasetError, DatasetPage, read_dataset
from scorer.omniparse.grading import Graded, grade_predictions, score_line
from scorer.omniparse.run_summary import page_lines, run_summary
from scorer.omniparse.runs import RunError, StoredRun, is_run, line_fault, read_run
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
_RUNS = "runs_sample"
# What a run says of itself and its cost: no answer of the measures.
_STAMPS = frozenset(
    {"run", "provider", "settings", "options", "scorer", "dataset", "manifest", "pending", "usd", "credits"}
)
# The reference names its Python classes where it says what a value is not; the rule and the value are compared.
_CLASS_NAME = re.compile(r" isn't a (?:[\w.]*omni_parse_bench|<class '[\w.]*omni_parse_bench).*$", re.S)


def verify(path: Path) -> Iterator[Outcome]:
    """Yield the outcome of every recorded answer at a path, as it is computed.

    Args:
        path: a file of recorded answers (JSON lines), a gold file (JSON), a dataset, a run folder or a folder of run
            folders (with ``dataset`` beside that folder), or a folder of all these: ``*.jsonl``, ``units``,
            ``invariants``, ``runs_sample`` and ``dataset``.

    Raises:
        ConformanceError: nothing is recorded at the path, or it is one file that cannot be read. A line, or one of
            several files, that is in none of these formats is an outcome with a fault.
    """
    if not path.exists():
        raise ConformanceError(f"{path} does not exist; give a file or folder of recorded answers")
    if path.suffix == ".parquet":
        raise ConformanceError(f"{path} is a table and holds no recorded answers; give the folder of its dataset")
    if not path.is_dir():
        yield from _verify_gold(path) if path.suffix == ".json" else _verify_lines(path)
        return
    if (path / MANIFEST).is_file():
        yield from _verify_dataset(path)
        return
    if is_run(path):
        yield from _verify_runs(_beside(path.resolve().parent), [path])
        return
    files = [*sorted(path.glob("*.jsonl")), *sorted(path.glob("units/*.jsonl"))]
    golds = sorted(path.glob("invariants/*.json")) or ([] if files else sorted(path.glob("*.json")))
    if not files and not golds and not any((path / name).is_dir() for name in ("dataset", _RUNS)):
        folders = sorted(path.glob("*/"))
        if not any(map(is_run, folders)):
            raise ConformanceError(
                f"{path} holds no recorded answers: no *.jsonl, units/, invariants/, dataset/, gold or run folders"
            )
        yield from _verify_runs(_beside(path), folders)
        return
    for file in files:
        yield from guarded(_verify_lines(file))
    for gold in golds:
        yield from guarded(_verify_gold(gold))
    if any((path / name).is_dir() for name in ("dataset", _RUNS)):
        yield from guarded(_verify_dataset(path / "dataset", runs=path / _RUNS))


def _beside(runs: Path) -> Path:
    """Return where the dataset lies that a folder of runs was graded on.

    Raises:
        ConformanceError: it is not there.
    """
    dataset = runs.resolve().parent / "dataset"
    if not dataset.is_dir():
        raise ConformanceError(
            f"{runs} holds runs, and there is no {dataset} that they were graded on; put the dataset there, or a link"
        )
    return dataset


def _verify_dataset(folder: Path, *, runs: Path | None = None) -> Iterator[Outcome]:
    dataset = _dataset(folder)
    for page in dataset.pages:
        yield from guarded(_verify_gold(page.gt_path))
    for run in sorted(runs.glob("*/")) if runs else ():
        yield from guarded(_verify_run(dataset, run))


def _verify_runs(folder: Path, runs: Iterable[Path]) -> Iterator[Outcome]:
    dataset = _dataset(folder)
    for run in runs:
        yield from guarded(_verify_run(dataset, run))


def _dataset(folder: Path) -> Dataset:
    try:
        return read_dataset(folder)
    except DatasetError as error:
        raise ConformanceError(f"{error}; no gold and no run was compared") from None


def _verify_lines(path: Path) -> Iterator[Outcome]:
    if _holds_scores(path):
        raise ConformanceError(
            f"{path} holds the scores of a run, which are compared by grading its predictions again: give the run's "
            "folder, with dataset/ beside the folder it lies in"
        )
    yield from lines(path, _verify_line)


def _holds_scores(path: Path) -> bool:
    """Tell by its first line whether a file holds what a run scored, by test or by page (1.0.0)."""
    try:
        with path.open("rb") as source:
            first = json_object(next(filter(bytes.strip, source), b""), str(path))
    except (OSError, ConformanceError):
        return False  # whoever reads the lines tells
    return line_fault(first) is None or {"id", "status"} <= first.keys()


def _verify_line(record: dict[str, Any], place: str) -> Outcome:
    kind = kind_of(record, place)
    name = record.get("name", place.rpartition("/")[2])
    try:
        return _EVALUATE[kind](name, record)
    except (GoldError, RunError) as error:
        raise ConformanceError(f"{place}: {error}") from None


def _case(name: str, case: dict[str, Any]) -> Outcome:
    page, prediction = case["page"], case["prediction"]
    try:
        tests = parse_gold(page["page_id"], {"tests": case["tests"]})
    except GoldError as error:
        raise GoldError(f"tests: refused as gold: {error}") from None
    modes = [(RC1, case["unsupported"], {"verdicts": case["expected"], "summary": case["expected_summary"]})]
    if newer := case.get("expected_1_0_0"):
        same = {"verdicts": newer.get("expected", case["expected"]), "summary": newer["summary"]}
        modes.append((V1_0_0, [], same))
    differences: list[Difference] = []
    for version, unsupported, expected in modes:
        got = _graded(page, tests, prediction, version, unsupported)
        differences += compare(name, {version.name: expected}, {version.name: got}, tolerance=0.0).differences
    return Outcome(name, tuple(differences))


def _graded(
    page: Mapping[str, str],
    tests: tuple[Test, ...],
    outputs: Mapping[str, Any],
    version: Version,
    unsupported: list[str],
) -> dict[str, Any]:
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
    suites, limit = unit["suites"], unit["limit"]
    pages = [_Row(page_id, suite) for page_id, suite in unit["pages"] if suites is None or suite in suites]
    selected = [page.page_id for page in RC1.sample(pages, unit["sample"])]
    return compare(name, unit["selected"], selected[:limit] if limit else selected)


def _summary(name: str, unit: dict[str, Any]) -> Outcome:
    for index, line in enumerate(unit["lines"]):
        if fault := line_fault(line):
            raise RunError(f"lines[{index}]: {fault}")
    return compare(name, unit["summary"], RC1.summarize(unit["lines"]), tolerance=0.0)


_EVALUATE: Mapping[str, Callable[[str, dict[str, Any]], Outcome]] = {
    "tests": _case,
    "fold": _fold,
    "seen": _text_view,
    "token": _number,
    "symbols": _symbols,
    "spans": _spans,
    "plain": _plain,
    "tables": _grids,
    "markdown": _markdown,
    "gold": _gold,
    "selected": _select,
    "lines": _summary,
}


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
        recorded = read_run(folder)
        if not recorded.lines:
            yield Outcome(folder.name, skipped=NOTHING_RECORDED)
            return
        graded = grade_predictions(
            dataset, folder / "predictions", version=recorded.version, unsupported=recorded.unsupported
        )
        yield _compared(folder.name, recorded, graded)
    except (DatasetError, GoldError, RunError) as error:
        raise ConformanceError(f"{error}; the run {folder.name} was not compared") from None


def _compared(name: str, recorded: StoredRun, graded: Graded) -> Outcome:
    got = {line["test_id"]: line for line in graded.lines()}
    expected = {line["test_id"]: _unstamped(line) for line in recorded.lines}
    summary = run_summary(graded, run=name, provider=name)
    return compare(
        name,
        {"lines": expected, "summary": _unstamped(recorded.summary), "pages": _counts(recorded.pages)},
        {"lines": got, "summary": _unstamped(summary), "pages": _counts(page_lines(graded) if recorded.pages else ())},
        tolerance=0.0,
    )


def _unstamped(recorded: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in recorded.items() if key not in _STAMPS}


def _counts(pages: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what the measures say of each page; why a page failed is the provider's to say."""
    return {page["id"]: {key: page.get(key) for key in ("status", "tests", "passed", "per_family")} for page in pages}
