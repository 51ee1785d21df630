"""The omnidoc measures against recorded answers: what ``docassay verify omnidoc PATH`` runs.

Three kinds of recording are read: cases, one JSON object a line; result folders of the reference, each with the
`config.yaml` it was run with; and published leaderboards, whose Overall must follow from their parts.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from scorer.conformance import (
    NOTHING_RECORDED,
    ConformanceError,
    Difference,
    Outcome,
    Words,
    compare,
    file_bytes,
    guarded,
    json_object,
    lines,
    malformed,
    written,
)
from scorer.grading.omnidoc import Graded, configured, grade_task, load_pages, prediction_of
from scorer.suites.omnidoc.cdm import CdmScore, formula_inputs
from scorer.suites.omnidoc.config import (
    Detection,
    MarkdownToMarkdown,
    Recognition,
    Task,
    save_name,
)
from scorer.suites.omnidoc.evaluation import FormulaScorer, evaluate, overall, score_page
from scorer.suites.omnidoc.gold import read_page
from scorer.suites.omnidoc.metrics import edit_distances, table_scores
from scorer.suites.omnidoc.normalise import clean, normalise_formula, normalise_table, to_unicode
from scorer.suites.omnidoc.page import match_page
from scorer.suites.omnidoc.result_files import element_result, sample_record
from scorer.suites.omnidoc.sample import Sample
from scorer.suites.omnidoc.split import split

TOLERANCE = 1e-9
CDM_TOLERANCE = 0.02
"""A rendered box moves by pixels with another TeX or rasteriser."""
_CONFIG = "config.yaml"
LEADERBOARD_TOLERANCE = 0.06
"""Published parts are rounded."""

Json = dict[str, object]

_MALFORMED = (KeyError, TypeError, AttributeError, IndexError, ValueError)

_PAGE_METRICS: Mapping[str, tuple[str, ...]] = {
    "text_block": ("Edit_dist",),
    "display_formula": ("Edit_dist",),
    "table": ("TEDS", "Edit_dist"),
    "reading_order": ("Edit_dist",),
}


def verify(path: Path, *, formula_scorer: FormulaScorer | None = None) -> Iterator[Outcome]:
    """Yield the outcome of every recorded answer at a path, as it is computed.

    Args:
        path: a file of cases (JSON lines), a leaderboard (JSON), a result folder with its `config.yaml`, or a folder
            with any of these below it. What a configuration names is looked for by name in the folders around it.
        formula_scorer: computes CDM; without one, recorded CDM is left out of the comparison.

    Raises:
        ConformanceError: nothing is recorded at the path, or it is one file that cannot be read. A line, a row or one
            of several files that is not in its format, or lacks what it was made from, is an outcome with a fault.
    """
    if not path.exists():
        raise ConformanceError(f"{path} does not exist; give a file or folder of recorded answers")
    if path.is_file():
        yield from _verify_file(path, formula_scorer)
        return
    cases = sorted(path.rglob("cases.jsonl"))
    leaderboards = sorted(path.rglob("leaderboard.json"))
    results = sorted(config for config in path.rglob(f"*{_CONFIG}") if f"_{config.name}".endswith(f"_{_CONFIG}"))
    if not (cases or leaderboards or results):
        raise ConformanceError(f"{path}: no cases.jsonl, leaderboard.json, {_CONFIG} or NAME_{_CONFIG} here or below")
    for file in (*cases, *leaderboards):
        yield from guarded(_verify_file(file, formula_scorer))
    for config in results:
        yield from guarded(_verify_results(config, formula_scorer))


def _verify_file(path: Path, formula_scorer: FormulaScorer | None) -> Iterator[Outcome]:
    if path.suffix == ".json":
        yield from _verify_leaderboard(path)
    else:
        yield from lines(path, lambda case, place: _verify_case(case, place, formula_scorer))


def _verify_case(case: Json, place: str, formula_scorer: FormulaScorer | None) -> Outcome:
    try:
        identifier, kind, given, expected = str(case["id"]), case["kind"], case["input"], case["expected"]
        if not isinstance(kind, str) or kind not in _KINDS:
            raise ConformanceError(f"{place}: kind must be one of {', '.join(_KINDS)}, found {written(kind)}")
        if not isinstance(given, dict):
            raise ConformanceError(f"{place}: input must be a JSON object, found {written(given)}")
        got = _KINDS[kind](given, formula_scorer)
    except ConformanceError:
        raise
    except _MALFORMED as fault:
        raise ConformanceError(f"{place}: not a case of omnidoc: {malformed(fault)}") from fault
    return _compare(identifier, expected, got, with_cdm=formula_scorer is not None)


def _compare(case: str, expected: object, got: object, *, with_cdm: bool) -> Outcome:
    """Compare all but CDM closely, and CDM as closely as rendering allows."""
    close = compare(case, _without_cdm(expected), _without_cdm(got), tolerance=TOLERANCE).differences
    if with_cdm:
        loose = compare(case, expected, got, tolerance=CDM_TOLERANCE).differences
        close += tuple(difference for difference in loose if "CDM" in difference.field)
    return Outcome(case, close)


_RENDERED = {"CDM", "img_id_cdm", "tokens_gt", "tokens_pred", "seconds"}


def _without_cdm(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _without_cdm(inner) for key, inner in value.items() if key not in _RENDERED}
    if isinstance(value, list):
        return [_without_cdm(inner) for inner in value]
    return value


def _table(given: Json, _: FormulaScorer | None) -> Json:
    gold, predicted = str(given["gt_html"]), str(given["pred_html"])
    sample = _sample(gold, predicted, normalise_table(gold), normalise_table(predicted))
    [scored] = edit_distances(table_scores([sample]))
    return {"norm_gt": sample.norm_gold, "norm_pred": sample.norm_predicted, **scored.metric}


def _formula(given: Json, formula_scorer: FormulaScorer | None) -> Json:
    gold, predicted = str(given["gt_latex"]), str(given["pred_latex"])
    sample = _sample(gold, predicted, normalise_formula(gold), normalise_formula(predicted))
    [scored] = edit_distances([sample])
    inputs = formula_inputs(gold, predicted)
    got: Json = {"norm_gt": sample.norm_gold, "norm_pred": sample.norm_predicted, **scored.metric}
    got |= {"cdm_gt_input": inputs[0], "cdm_pred_input": inputs[1]}
    if formula_scorer is not None:
        [score] = formula_scorer([inputs])
        got["CDM"] = {"recall": score.recall, "precision": score.precision, "F1_score": score.f1}
    return got


def _sample(gold: str, predicted: str, norm_gold: str, norm_predicted: str) -> Sample:
    return Sample(image="", gold=gold, predicted=predicted, norm_gold=norm_gold, norm_predicted=norm_predicted)


def _page(given: Json, _: FormulaScorer | None) -> Json:
    page = read_page(given["gt_page"])
    matched = score_page(match_page(page, str(given["pred_md"])))
    evaluation = evaluate([matched], {page.image: page.attributes})
    got: Json = {}
    for element, metrics in _PAGE_METRICS.items():
        scores = evaluation.elements()[element]
        got[element] = {
            "all": element_result(scores, metrics)["all"],
            "page_ALL": {name: values["ALL"] for name, values in scores.pages.items()},
            "samples": [sample_record(sample) for sample in scores.samples],
        }
    return got


def _markdown(given: Json, _: FormulaScorer | None) -> Json:
    got: dict[str, list[Json]] = {}
    for piece in split(str(given["md"])):
        item: Json = {"category_type": piece.kind, "position": [piece.start, piece.end], "content": piece.content}
        item |= {} if piece.language is None else {"language": piece.language}
        item |= {} if piece.fine is None else {"fine_category_type": piece.fine}
        got.setdefault(piece.kind, []).append(item)
    return dict(got)


def _text(given: Json, _: FormulaScorer | None) -> Json:
    text = to_unicode(str(given["text"]))
    return {"textblock2unicode": text, "clean_string": clean(text)}


_KINDS: Mapping[str, Callable[[Json, FormulaScorer | None], Json]] = {
    "table": _table,
    "formula": _formula,
    "page": _page,
    "md_extract": _markdown,
    "text_norm": _text,
}


_PARTS = ("overall", "text_edit", "table_teds", "formula_cdm")


def _verify_leaderboard(path: Path) -> Iterator[Outcome]:
    """Recompute each row's Overall; a row published without its parts has nothing to recompute."""
    boards = json_object(file_bytes(path), str(path))
    try:
        tables = {name: list(board["rows"]) for name, board in boards.items() if isinstance(board, dict)}
    except _MALFORMED as fault:
        raise ConformanceError(f"{path}: not a leaderboard of OmniDocBench: {malformed(fault)}") from fault
    for name, rows in tables.items():
        for number, row in enumerate(rows, 1):
            yield from guarded(_verify_row(f"{path}, {name}, row {number}", name, row))


def _verify_row(place: str, name: str, row: dict[str, Any]) -> Iterator[Outcome]:
    try:
        case = f"{name}/{row['method']}"
        if lacking := [part for part in _PARTS if row.get(part) is None]:
            yield Outcome(case, skipped=f"it was published without {', '.join(lacking)}")
            return
        ours = {"overall": overall(row["text_edit"], row["table_teds"] / 100, row["formula_cdm"] / 100)}
    except _MALFORMED as fault:
        raise ConformanceError(f"{place}: not a row of a leaderboard of OmniDocBench: {malformed(fault)}") from fault
    yield compare(case, {"overall": row["overall"]}, ours, tolerance=LEADERBOARD_TOLERANCE)


def _verify_results(config: Path, formula_scorer: FormulaScorer | None) -> Iterator[Outcome]:
    """Run a result folder's configuration on the files it names, or those around it, and compare what it recorded.

    `config.yaml` answers for every file of its folder, `NAME_config.yaml`, which `docassay grade` writes, for those of
    that name.
    """
    folder = config.parent
    try:
        tasks = configured(config)
        if len(tasks) != 1:
            raise ConformanceError(f"{config}: expected one task, found {len(tasks)}")
        task = tasks[0].task
        graded = grade_task(_placed(task, (folder, *folder.parents[:2])), formula_scorer=formula_scorer or _unrendered)
    except ConformanceError:
        raise
    except ValueError as fault:
        raise ConformanceError(str(fault)) from fault
    paths = _results_of(config)
    if not paths:
        yield Outcome(folder.name, skipped=f"{NOTHING_RECORDED}: no *.json beside {config}")
    for path in paths:
        yield from guarded(_verify_result(path, f"{folder.name}/{path.name}", task, graded, formula_scorer))


def _results_of(config: Path) -> list[Path]:
    """List the result files that a configuration answers for; of two names that fit a file the longer has it."""
    named = [path.name.removesuffix(_CONFIG) for path in config.parent.glob(f"*_{_CONFIG}")]
    mine = config.name.removesuffix(_CONFIG)
    longer = tuple(name for name in named if name.startswith(mine) and name != mine)
    paths = sorted(config.parent.glob("*.json"))
    return [path for path in paths if path.name.startswith(mine) and not path.name.startswith(longer)]


def _verify_result(
    path: Path, case: str, task: Task, graded: Graded, formula_scorer: FormulaScorer | None
) -> Iterator[Outcome]:
    try:
        recorded = json.loads(file_bytes(path))
    except ConformanceError:
        raise
    except (ValueError, RecursionError) as fault:
        raise ConformanceError(f"{path}: not JSON: {fault}") from fault
    name = path.name.removeprefix(f"{save_name(task)}_")
    if name not in graded.files:
        yield Outcome(case, (Difference(case, "", Words("recorded"), Words("not produced")),))
        return
    ours = json.loads(json.dumps(graded.files[name]))
    if not name.endswith("per_sample_CDM.json"):
        yield _compare(case, recorded, ours, with_cdm=formula_scorer is not None)
    elif formula_scorer is not None:
        yield compare(case, recorded, ours, tolerance=CDM_TOLERANCE)
    else:
        yield Outcome(case, skipped="it holds CDM alone, and formulas are not drawn")


def _placed(task: Task, around: Sequence[Path]) -> Task:
    """Point a task at the files it names: from here, or else found by name below some folders, the first that has it.

    Each of these folders holds the one before it: of two files of one name, the nearer is meant.
    """
    gold = _found(task.gold, around)
    if isinstance(task, Recognition):
        return replace(task, gold=gold)
    if isinstance(task, Detection):
        return replace(task, gold=gold, predicted=_found(task.predicted, around))
    if isinstance(task, MarkdownToMarkdown):
        info = None if task.page_info is None else _found(task.page_info, around)
        return replace(task, gold=gold, predicted=_found(task.predicted, around), page_info=info)
    if Path(task.predicted).is_dir():
        return replace(task, gold=gold)
    image = load_pages(Path(gold))[0].image
    named = PurePosixPath(task.predicted).name
    for near in around:
        folders = [folder for folder in sorted(near.rglob("*")) if folder.is_dir() and prediction_of(image, folder)]
        folders.sort(key=lambda folder: (folder.name != named, not folder.name.startswith("pred")))
        if folders:
            return replace(task, gold=gold, predicted=str(folders[0]))
    raise ConformanceError(f"{around[-1]}: no folder below has a prediction of {image}")


def _found(named: str, around: Sequence[Path]) -> str:
    if Path(named).exists():
        return named
    name = PurePosixPath(named).name
    for near in around:
        if found := sorted(near.rglob(name)):
            return str(found[0])
    raise ConformanceError(f"{around[-1]}: no {name} below, which the results were made from")


def _unrendered(pairs: Sequence[tuple[str, str]]) -> list[CdmScore]:
    """Stand in for a renderer where CDM is not compared."""
    return [CdmScore(0.0, 0.0, 0.0) for _ in pairs]
