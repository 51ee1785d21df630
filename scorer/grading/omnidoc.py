"""OmniDocBench over files: the reference's configurations, or an annotation file and a folder of predicted markdown."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import yaml

from scorer.suites.omnidoc.config import (
    ConfigError,
    Detection,
    EndToEnd,
    MarkdownToMarkdown,
    Recognition,
    Task,
    read_config,
    save_name,
)
from scorer.suites.omnidoc.detection import DetectionScores, detect, predictions_of, read_results
from scorer.suites.omnidoc.evaluation import (
    ElementScores,
    Evaluation,
    FormulaScorer,
    evaluate,
    score_element,
    score_page,
    with_cdm,
)
from scorer.suites.omnidoc.gold import GoldError, GoldPage, read_pages, selected
from scorer.suites.omnidoc.page import PageMatch
from scorer.suites.omnidoc.recognition import recognise
from scorer.suites.omnidoc.result_files import end_to_end_files, recognition_files
from scorer.suites.omnidoc.versions import DEFAULT, Version

__all__ = [
    "Graded",
    "GradingError",
    "asks_for_cdm",
    "grade_config",
    "grade_folder",
    "grade_task",
    "load_pages",
    "prediction_of",
    "read_prediction",
    "write_files",
]

_ALL_METRICS: Mapping[str, tuple[str, ...]] = {
    "text_block": ("Edit_dist",),
    "display_formula": ("Edit_dist",),
    "table": ("TEDS", "Edit_dist"),
    "reading_order": ("Edit_dist",),
}


J = TypeVar("J")


class GradingError(ValueError):
    """Files that cannot be graded: the message names the file, what was found and what was looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One task's result, and the reference's result files for it, their names without the save name."""

    task: Task
    result: Evaluation | ElementScores | DetectionScores
    files: Mapping[str, object]

    def summary(self) -> dict[str, object]:
        """Return the averages, ready for JSON: a detection's figures, or by element and metric the three averages."""
        found: dict[str, object] = {"task": save_name(self.task)}
        match self.result:
            case DetectionScores():
                return {**found, "detection": self.files["metric_result.json"]}
            case ElementScores():
                return {**found, "elements": {"recognition": _averages(self.result, self.files["metric_result.json"])}}
            case Evaluation():
                written: Any = self.files["metric_result.json"]
                elements = self.result.elements().items()
                return {
                    **found,
                    "elements": {name: _averages(scores, written.get(name, {})) for name, scores in elements},
                    "overall": self.result.overall,
                    "overall_rounded": self.result.overall_rounded,
                    "overall_pooled": self.result.overall_pooled,
                    "homeless": self.result.homeless,
                    "unpredicted": list(self.result.unpredicted),
                }


def _averages(scores: ElementScores, written: Any) -> dict[str, dict[str, float | None]]:
    """Return by metric the averages that differ: over pages (the published one), pooled, and over samples.

    BLEU, which is of all samples together, stands in what was `written` for the reference's tools alone.
    """
    found: dict[str, dict[str, float | None]] = {}
    if scores.edit.whole is not None:
        found["Edit_dist"] = {
            "page_average": scores.edit.page_average,
            "pooled": scores.edit.whole,
            "sample_average": scores.edit.sample_average,
        }
    for name, mean in scores.means.items():
        pages = scores.pages.get(name, {}).get("ALL")
        found[name] = {"page_average": pages, "pooled": mean, "sample_average": mean}
    if bleu := written.get("all", {}).get("BLEU"):
        found["BLEU"] = {"page_average": None, "pooled": bleu["all"], "sample_average": None}
    return found


def asks_for_cdm(path: Path) -> bool:
    """Tell whether a reference configuration file needs a formula scorer; raises `GradingError`."""
    return any(_wants_cdm(task) for task in _tasks(path))


def _wants_cdm(task: Task) -> bool:
    match task:
        case EndToEnd() | MarkdownToMarkdown():
            return "CDM" in task.metrics.get("display_formula", ())
        case Recognition():
            return "CDM" in task.metrics
        case Detection():
            return False


def _tasks(path: Path) -> list[Task]:
    try:
        return read_config(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ConfigError) as fault:
        raise GradingError(f"{path}: {fault}") from fault


def grade_config(
    path: Path,
    *,
    root: Path,
    formula_scorer: FormulaScorer | None = None,
    workers: int = 1,
    version: Version = DEFAULT,
) -> list[Graded]:
    """Run a reference configuration file; its relative paths start at `root`.

    A task that asks for CDM needs a `formula_scorer`. Raises `GradingError`.
    """
    return [
        grade_task(task, root=root, formula_scorer=formula_scorer, workers=workers, version=version)
        for task in _tasks(path)
    ]


def grade_folder(
    gold: Path,
    predicted: Path,
    *,
    filters: Mapping[str, object] | None = None,
    formula_scorer: FormulaScorer | None = None,
    workers: int = 1,
    version: Version = DEFAULT,
) -> Graded:
    """Grade a folder of predicted markdown end to end against an annotation file; raises `GradingError`."""
    metrics = dict(_ALL_METRICS)
    if formula_scorer is not None:
        metrics["display_formula"] = ("Edit_dist", "CDM")
    task = EndToEnd(gold=str(gold), predicted=str(predicted), metrics=metrics, filters=filters or {})
    return grade_task(task, formula_scorer=formula_scorer, workers=workers, version=version)


def write_files(graded: Graded, folder: Path) -> None:
    """Write a task's result files, named and formatted as the reference's."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in graded.files.items():
        text = json.dumps(content, indent=4, ensure_ascii=False)
        (folder / f"{save_name(graded.task)}_{name}").write_text(text, encoding="utf-8", errors="backslashreplace")


def load_pages(path: Path) -> list[GoldPage]:
    """Read an annotation file; raises `GradingError` naming the page and the field."""
    try:
        return read_pages(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as fault:  # a GoldError, bad JSON and bad UTF-8 are all ValueErrors
        raise GradingError(f"{path}: {fault}") from fault


def prediction_of(image: str, folder: Path) -> Path | None:
    """Find a page's prediction: by the image's stem, the stem without `.pdf` (.mmd, then .md), or the image's name."""
    return next((folder / name for name in _names(image) if (folder / name).is_file()), None)


def read_prediction(path: Path) -> str:
    """Return a page of predicted markdown; bytes that are no UTF-8 become U+FFFD."""
    return path.read_text(encoding="utf-8", errors="replace")


def _names(image: str) -> tuple[str, ...]:
    stem = image[:-4]
    short = stem.replace(".pdf", "")
    return f"{stem}.md", f"{short}.mmd", f"{short}.md", f"{image}.md"


def grade_task(
    task: Task,
    *,
    root: Path = Path(),
    formula_scorer: FormulaScorer | None = None,
    workers: int = 1,
    version: Version = DEFAULT,
) -> Graded:
    """Run one task of a configuration; its relative paths start at `root`. Raises `GradingError`."""
    try:
        match task:
            case EndToEnd():
                return _end_to_end(task, root, formula_scorer, workers, version)
            case MarkdownToMarkdown():
                return _markdown(task, root, formula_scorer, workers, version)
            case Recognition():
                return _recognition(task, root, formula_scorer, version)
            case Detection():
                return _detection(task, root)
    except GoldError as fault:
        raise GradingError(str(fault)) from fault


def _end_to_end(
    task: EndToEnd, root: Path, formula_scorer: FormulaScorer | None, workers: int, version: Version
) -> Graded:
    pages = selected(load_pages(root / task.gold), task.filters)
    folder = root / task.predicted
    found = [(page, prediction_of(page.image, folder)) for page in pages]
    jobs = [(page, path) for page, path in found if path is not None]
    if not jobs:
        example = ", ".join(_names(pages[0].image)) if pages else "no page passes the filter"
        raise GradingError(f"{folder}: no prediction for any of {len(pages)} pages; looked for {example}")
    missing = [page.image for page, path in found if path is None]
    scored = _map(partial(_score_page, version), jobs, workers)
    return _evaluation(task, scored, {page.image: page.attributes for page in pages}, missing, formula_scorer)


def _markdown(
    task: MarkdownToMarkdown, root: Path, formula_scorer: FormulaScorer | None, workers: int, version: Version
) -> Graded:
    gold, folder = root / task.gold, root / task.predicted
    names = sorted(path.name for path in gold.glob("*.md"))
    jobs = [(f"{name[:-3]}.jpg", gold / name, folder / name) for name in names if (folder / name).is_file()]
    if not jobs:
        raise GradingError(
            f"{folder}: no prediction for any of {len(names)} files of {gold}; looked for the same names"
        )
    missing = [f"{name[:-3]}.jpg" for name in names if not (folder / name).is_file()]
    attributes = {page.image: page.attributes for page in load_pages(root / task.page_info)} if task.page_info else {}
    scored = _map(partial(_score_markdown, version), jobs, workers)
    return _evaluation(task, scored, attributes, missing, formula_scorer)


def _evaluation(
    task: EndToEnd | MarkdownToMarkdown,
    scored: Iterable[PageMatch],
    attributes: Mapping[str, Mapping[str, object]],
    missing: Sequence[str],
    formula_scorer: FormulaScorer | None,
) -> Graded:
    scorer = _needed(formula_scorer) if _wants_cdm(task) else None
    result = evaluate(scored, attributes, unpredicted=missing, formula_scorer=scorer)
    return Graded(task=task, result=result, files=end_to_end_files(result, task.metrics))


def _recognition(task: Recognition, root: Path, formula_scorer: FormulaScorer | None, version: Version) -> Graded:
    path = root / task.gold
    pages = load_pages(path)
    samples = recognise(
        pages,
        kind=task.kind,
        gold_key=task.gold_key,
        predicted_key=task.predicted_key,
        categories=task.categories,
        normalisers=version.normalisers,
    )
    if not samples:
        raise GradingError(f"{path}: no block has both {task.gold_key!r} and {task.predicted_key!r}")
    if _wants_cdm(task):
        samples = with_cdm(samples, _needed(formula_scorer))
    scores = score_element(samples, {page.image: page.attributes for page in pages})
    return Graded(task=task, result=scores, files=recognition_files(scores, task.metrics))


def _detection(task: Detection, root: Path) -> Graded:
    pages = selected(load_pages(root / task.gold), task.filters)
    path = root / task.predicted
    if task.simple:
        try:
            found = read_results(json.loads(path.read_text(encoding="utf-8")), task.classes)
        except (OSError, ValueError) as fault:
            raise GradingError(f"{path}: {fault}") from fault
    else:
        found = predictions_of(load_pages(path), task.classes)
    if not any(page.image in found for page in pages):
        raise GradingError(f"{path}: no prediction for any of {len(pages)} pages; looked for their image names")
    scores = detect(pages, found, task.classes)
    names = {"bbox_mAP": scores.mean, "bbox_mAP_50": scores.at_50, "bbox_mAP_75": scores.at_75}
    names |= {f"bbox_mAP_{area}": value for area, value in scores.by_area.items()}
    names |= {f"{name}_precision": value for name, value in scores.by_class.items()}
    return Graded(task=task, result=scores, files={"metric_result.json": names})


def _needed(formula_scorer: FormulaScorer | None) -> FormulaScorer:
    if formula_scorer is None:
        raise GradingError(
            "the task asks for CDM, which needs LaTeX: install the renderer, or remove CDM from its metrics"
        )
    return formula_scorer


def _score_page(version: Version, job: tuple[GoldPage, Path]) -> PageMatch:
    page, path = job
    return score_page(version.match_page(page, read_prediction(path)))


def _score_markdown(version: Version, job: tuple[str, Path, Path]) -> PageMatch:
    image, gold, predicted = job
    return score_page(version.match_markdown(image, read_prediction(gold), read_prediction(predicted)))


def _map(function: Callable[[J], PageMatch], jobs: Sequence[J], workers: int) -> list[PageMatch]:
    """Score pages, on several processes if asked; in the order of the jobs either way."""
    if workers < 2:
        return [function(job) for job in jobs]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(function, jobs, chunksize=max(1, len(jobs) // (4 * workers))))
