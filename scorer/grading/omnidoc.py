"""OmniDocBench over files: the reference's configurations, or an annotation file and a folder of predicted markdown."""

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from scorer.counting import counted
from scorer.grading.reading import GradingError, absent, faults, gold_files, read_markdown
from scorer.scoring.pool import Spread, WorkerDied
from scorer.suites.omnidoc.config import (
    ConfigError,
    Detection,
    EndToEnd,
    MarkdownToMarkdown,
    Recognition,
    Task,
    end_to_end_entry,
    read_config,
    save_name,
)
from scorer.suites.omnidoc.detection import LEVELS, Detected, detect, predictions_of, read_results
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
from scorer.suites.omnidoc.recognition import categories_of, gold_of, recognise
from scorer.suites.omnidoc.result_files import end_to_end_files, recognition_files
from scorer.suites.omnidoc.versions import DEFAULT, Version

__all__ = [
    "Configured",
    "Graded",
    "GradingError",
    "check_paths",
    "chosen_pages",
    "configured",
    "end_to_end",
    "files_folder",
    "grade_config",
    "grade_folder",
    "grade_task",
    "load_pages",
    "no_file",
    "nothing_predicted",
    "prediction_of",
    "read_json",
    "wants_cdm",
    "write_files",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One task's result, and the reference's result files for it, their names without the save name.

    `pages` are those in scope; `missing` says by image why nothing was predicted; `matches` are the matched pages of
    markdown; `remarks` say by image what is wrong with a prediction.
    """

    task: Task
    result: Evaluation | ElementScores | Detected
    files: Mapping[str, object]
    pages: Sequence[GoldPage]
    missing: Mapping[str, str]
    matches: Sequence[PageMatch] = ()
    remarks: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Configured:
    """A task of a configuration file, and its entry there, alone."""

    task: Task
    entry: Mapping[str, object] = field(repr=False)


def configured(path: Path) -> list[Configured]:
    """Read the tasks of a reference configuration file; raises `GradingError` naming the field or the line."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise GradingError(
            f"{path}: cannot be read ({fault.strerror}); give a configuration of the benchmark"
        ) from fault
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark
        place = "" if mark is None else f", line {mark.line + 1}, column {mark.column + 1}"
        raise GradingError(f"{path}{place}: not YAML: {fault.problem}") from fault
    except (ValueError, yaml.YAMLError, RecursionError) as fault:
        raise GradingError(f"{path}: not YAML: {' '.join(str(fault).split())}") from fault
    try:
        tasks = read_config(data)
    except ConfigError as fault:
        raise GradingError(f"{path}: {fault}") from fault
    return [Configured(task, {name: entry}) for task, (name, entry) in zip(tasks, data.items(), strict=True)]


def check_paths(config: Path, task: Task, root: Path) -> None:
    """See that what a task names is there; raises `GradingError` saying where it was looked for.

    Args:
        config: the configuration file.
        task: one of its tasks.
        root: where its relative paths start.
    """
    named = [task.gold]
    if not isinstance(task, Recognition):
        named.append(task.predicted)
    if isinstance(task, MarkdownToMarkdown) and task.page_info:
        named.append(task.page_info)
    for name in named:
        if not (root / name).exists():
            start = "" if Path(name).is_absolute() else f" in {root}: a configuration's paths start where you are"
            raise GradingError(f"{config}: there is no {name}{start}; go there, or mend the path")


def wants_cdm(task: Task) -> bool:
    """Tell whether a task needs a formula scorer."""
    match task:
        case EndToEnd() | MarkdownToMarkdown():
            return "CDM" in task.metrics.get("display_formula", ())
        case Recognition():
            return "CDM" in task.metrics
        case Detection():
            return False


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
        for task in (one.task for one in configured(path))
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
    task = end_to_end(gold, predicted, filters=filters, cdm=formula_scorer is not None).task
    return grade_task(task, formula_scorer=formula_scorer, workers=workers, version=version)


def end_to_end(
    gold: Path, predicted: Path, *, filters: Mapping[str, object] | None = None, cdm: bool = False
) -> Configured:
    """Return the task of a folder of markdown against an annotation file: every metric, CDM only if asked for."""
    metrics = {
        "text_block": ("Edit_dist",),
        "display_formula": ("Edit_dist", "CDM") if cdm else ("Edit_dist",),
        "table": ("TEDS", "Edit_dist"),
        "reading_order": ("Edit_dist",),
    }
    task = EndToEnd(gold=str(gold), predicted=str(predicted), metrics=metrics, filters=filters or {})
    return Configured(task, end_to_end_entry(task))


def files_folder(folder: Path) -> Path:
    """Make the folder of result files; raises `GradingError` where it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise _not_written(folder, fault) from fault
    return folder


def write_files(asked: Configured, files: Mapping[str, object], folder: Path) -> None:
    """Write a task's result files, named and formatted as the reference's; raises `GradingError` if that fails.

    The task's entry of a configuration stands beside them as `NAME_config.yaml`: `docassay verify omnidoc` reads it.
    """
    name = save_name(asked.task)
    texts = {kind: json.dumps(content, indent=4, ensure_ascii=False) for kind, content in files.items()}
    texts["config.yaml"] = yaml.safe_dump(dict(asked.entry), sort_keys=False, allow_unicode=True)
    try:
        for kind, text in texts.items():
            path = files_folder(folder) / f"{name}_{kind}"
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as fault:
        raise _not_written(folder, fault) from fault


def _not_written(folder: Path, fault: OSError) -> GradingError:
    return GradingError(
        f"{folder}: the result files cannot be written ({fault.strerror}); name a folder that can with --files"
    )


def load_pages(path: Path) -> list[GoldPage]:
    """Read an annotation file; raises `GradingError` naming the page and the field."""
    try:
        return read_pages(read_json(path))
    except GoldError as fault:
        raise GradingError(f"{path}: {fault}") from fault


def read_json(path: Path) -> Any:
    """Read a file of JSON; raises `GradingError` naming it."""
    try:
        return json.loads(path.read_bytes())
    except OSError as fault:
        raise GradingError(f"{path}: cannot be read ({fault.strerror})") from fault
    except (ValueError, RecursionError) as fault:
        raise GradingError(f"{path}: not JSON: {fault}") from fault


def prediction_of(image: str, folder: Path) -> Path | None:
    """Find a page's prediction: by the image's stem, the stem without `.pdf` (.mmd, then .md), or the image's name."""
    return next((folder / name for name in _names(image) if (folder / name).is_file()), None)


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
    stop: threading.Event | None = None,
) -> Graded:
    """Run one task of a configuration; its relative paths start at `root`.

    Raises:
        GradingError: a file cannot be read or does not fit, or nothing is predicted; or a process ended.
        Stopped: `stop` was set.
    """
    how = _How(root, formula_scorer, version, partial(_map, workers=workers, stop=stop or threading.Event()))
    match task:
        case EndToEnd():
            return _end_to_end(task, how)
        case MarkdownToMarkdown():
            return _markdown(task, how)
        case Recognition():
            return _recognition(task, how)
        case Detection():
            return _detection(task, root)


@dataclass(frozen=True, slots=True)
class _How:
    """Where a task's relative paths start, what draws its formulas, the method's rules, and what spreads the work."""

    root: Path
    formula_scorer: FormulaScorer | None
    version: Version
    spread: Callable[[Callable[["_Job"], PageMatch], Sequence["_Job"]], list[PageMatch]]


def _end_to_end(task: EndToEnd, how: _How) -> Graded:
    gold, folder = how.root / task.gold, how.root / task.predicted
    pages = chosen_pages(gold, task.filters)
    found = [(page, prediction_of(page.image, folder)) for page in pages]
    jobs = [_Job(page.image, path, page) for page, path in found if path is not None]
    if not jobs:
        raise nothing_predicted(folder, pages)
    missing = {page.image: no_file(page.image) for page, path in found if path is None}
    try:
        scored = how.spread(partial(_score_page, how.version), jobs)
    except GoldError as fault:
        raise GradingError(f"{gold}: {fault}") from fault
    attributes = {page.image: page.attributes for page in pages}
    return _evaluation(task, scored, pages, missing, attributes, how.formula_scorer)


def chosen_pages(gold: Path, filters: Mapping[str, object]) -> list[GoldPage]:
    """Read the pages of an annotation file that pass a filter; raises `GradingError`."""
    pages = load_pages(gold)
    try:
        chosen = selected(pages, filters)
    except GoldError as fault:
        raise GradingError(f"{gold}: {fault}") from fault
    if not chosen:
        wanted = ", ".join(f"{name}: {value}" for name, value in filters.items())
        raise GradingError(
            f"{gold}: " + (f"none of {counted(len(pages), 'page')} has {wanted}" if pages else "it has no page")
        )
    return chosen


def nothing_predicted(folder: Path, pages: Sequence[GoldPage]) -> GradingError:
    """Return the error of a folder that has no page's prediction: what was looked for, and what is there."""
    names = sorted(path.name for path in folder.iterdir())[:3] if folder.is_dir() else []
    found = f"found {', '.join(names) or 'no file'}" if folder.is_dir() else "there is no such folder"
    looked_for = ", ".join(_names(pages[0].image))
    of_all = counted(len(pages), "page")
    return GradingError(f"{folder}: no prediction for any of {of_all}; looked for {looked_for}; {found}")


def no_file(image: str) -> str:
    """Say that a page has no prediction."""
    return f"there is no {image[:-4]}.md or the like"


def _markdown(task: MarkdownToMarkdown, how: _How) -> Graded:
    gold, folder = how.root / task.gold, how.root / task.predicted
    names = [path.name for path in gold_files(gold)]
    jobs = [_Job(f"{name[:-3]}.jpg", folder / name, gold / name) for name in names if (folder / name).is_file()]
    if not jobs:
        raise GradingError(
            f"{folder}: no prediction for any of {counted(len(names), 'file')} of {gold}; looked for the same "
            f"names, as {names[0]}"
        )
    known = {page.image: page.attributes for page in load_pages(how.root / task.page_info)} if task.page_info else {}
    pages = [_markdown_page(gold / name, known) for name in names]
    missing = {f"{name[:-3]}.jpg": absent(folder / name) for name in names if not (folder / name).is_file()}
    scored = how.spread(partial(_score_page, how.version), jobs)
    graded = _evaluation(task, scored, pages, missing, known, how.formula_scorer)
    texts = [(job.image, path) for job in jobs for path in (job.predicted, gold / job.predicted.name)]
    return replace(graded, remarks=[(image, text) for image, path in texts for text in faults(path)])


def _markdown_page(path: Path, known: Mapping[str, Mapping[str, object]]) -> GoldPage:
    """Take a file of gold markdown as a page without blocks."""
    image = f"{path.name[:-3]}.jpg"
    return _without_blocks(image, known.get(image, {}), hashlib.sha256(path.read_bytes()).hexdigest())


def _without_blocks(image: str, attributes: Mapping[str, object], digest: str) -> GoldPage:
    return GoldPage(image=image, attributes=attributes, width=0, height=0, blocks=(), truncated=(), digest=digest)


def _evaluation(
    task: EndToEnd | MarkdownToMarkdown,
    scored: Sequence[PageMatch],
    pages: Sequence[GoldPage],
    missing: Mapping[str, str],
    attributes: Mapping[str, Mapping[str, object]],
    formula_scorer: FormulaScorer | None,
) -> Graded:
    scorer = _needed(formula_scorer) if wants_cdm(task) else None
    result = evaluate(scored, attributes, unpredicted=list(missing), formula_scorer=scorer)
    files = end_to_end_files(result, task.metrics)
    return Graded(task=task, result=result, files=files, pages=pages, missing=missing, matches=scored)


def _recognition(task: Recognition, how: _How) -> Graded:
    path = how.root / task.gold
    annotated = load_pages(path)
    samples = recognise(
        annotated,
        kind=task.kind,
        gold_key=task.gold_key,
        predicted_key=task.predicted_key,
        categories=task.categories,
        normalisers=how.version.normalisers,
    )
    if not samples:
        raise GradingError(f"{path}: {_nothing_recognised(task, annotated)}")
    if wants_cdm(task):
        samples = with_cdm(samples, _needed(how.formula_scorer))
    scores = score_element(samples, {page.image: page.attributes for page in annotated})
    gold = {page.image: gold_of(page, task.gold_key, task.categories) for page in annotated}
    pages = [
        _without_blocks(page.image, page.attributes, _digest(found))
        for page in annotated
        if (found := gold[page.image])
    ]
    answered = {sample.image for sample in samples}
    why = f"none of its blocks has {task.predicted_key!r}"
    missing = {page.image: why for page in pages if page.image not in answered}
    files = recognition_files(scores, task.metrics)
    return Graded(task=task, result=scores, files=files, pages=pages, missing=missing)


def _nothing_recognised(task: Recognition, pages: Sequence[GoldPage]) -> str:
    """Say why no block is scored: what was looked for, and what is there."""
    both = f"both {task.gold_key!r} and {task.predicted_key!r}"
    found = categories_of(pages, gold_key=task.gold_key, predicted_key=task.predicted_key)
    if not found:
        return f"no block has {both}"
    wanted = ", ".join(map(repr, task.categories))
    return f"no block of the category_filter, {wanted}, has {both}; those that do are {', '.join(map(repr, found))}"


def _digest(gold: object) -> str:
    return hashlib.sha256(json.dumps(gold, sort_keys=True).encode()).hexdigest()


def _detection(task: Detection, root: Path) -> Graded:
    gold, path = root / task.gold, root / task.predicted
    pages = chosen_pages(gold, task.filters)
    try:
        if task.simple:
            found = read_results(read_json(path), task.classes)
        else:
            found = predictions_of(load_pages(path), task.classes)
    except GoldError as fault:
        raise GradingError(f"{path}: {fault}") from fault
    if not any(page.image in found for page in pages):
        raise GradingError(
            f"{path}: no prediction for any of {counted(len(pages), 'page')}; looked for their image names, as "
            f"{pages[0].image}"
        )
    try:
        scores = detect(pages, found, task.classes)
    except GoldError as fault:
        raise GradingError(f"{gold}: {fault}") from fault
    figures = {name: float(value[0]) for name, value in scores.figures().items() if name not in LEVELS}
    files = {"metric_result.json": {name: None if np.isnan(value) else value for name, value in figures.items()}}
    missing = {page.image: "no box was predicted" for page in pages if not found.get(page.image)}
    return Graded(task=task, result=scores, files=files, pages=pages, missing=missing)


def _needed(formula_scorer: FormulaScorer | None) -> FormulaScorer:
    if formula_scorer is None:
        raise GradingError(
            "the task asks for CDM, which needs LaTeX: install the renderer, or remove CDM from its metrics"
        )
    return formula_scorer


@dataclass(frozen=True, slots=True)
class _Job:
    """A page to be matched: its image, its prediction, and its gold, annotated or a file of markdown."""

    image: str
    predicted: Path
    gold: GoldPage | Path


def _score_page(version: Version, job: _Job) -> PageMatch:
    predicted = read_markdown(job.predicted)
    if isinstance(job.gold, GoldPage):
        return score_page(version.match_page(job.gold, predicted))
    return score_page(version.match_markdown(job.image, read_markdown(job.gold), predicted))


def _map(
    function: Callable[[_Job], PageMatch], jobs: Sequence[_Job], *, workers: int, stop: threading.Event
) -> list[PageMatch]:
    """Score pages, on several processes if asked; in the order of the jobs either way."""
    spread = Spread(partial(_itself, function), jobs, processes=workers, stop=stop)
    try:
        found = dict(spread.results())
    except WorkerDied as error:
        raise GradingError(
            f"page {getattr(error.job, 'image', '')}: the process that matched it ended with exit code {error.code}"
        ) from error
    return [found[index] for index in range(len(jobs))]


def _itself(function: Callable[[_Job], PageMatch]) -> Callable[[_Job], PageMatch]:
    """Prepare a process, which needs nothing but the function."""
    return function
