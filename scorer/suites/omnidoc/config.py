"""The reference's own configuration files, as tasks (v1.5).

Source: OmniDocBench v1.5, `configs/`. Here a parsed file is read; whoever opens it resolves its paths.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from scorer.suites.omnidoc.detection import Classes
from scorer.suites.omnidoc.recognition import NORMALISERS

__all__ = [
    "ConfigError",
    "Detection",
    "EndToEnd",
    "MarkdownToMarkdown",
    "Recognition",
    "Task",
    "end_to_end_entry",
    "read_config",
    "save_name",
]

ELEMENTS = ("text_block", "display_formula", "table", "reading_order")
METRICS = ("Edit_dist", "TEDS", "CDM", "CDM_plain", "BLEU")


class ConfigError(ValueError):
    """A configuration that cannot be run; the message names the field, what was found and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndToEnd:
    """Score a folder of predicted markdown against annotated pages that pass `filters`."""

    gold: str
    predicted: str
    metrics: Mapping[str, tuple[str, ...]]
    filters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownToMarkdown:
    """Score a folder of predicted markdown against a folder of gold markdown; `page_info` gives page attributes."""

    gold: str
    predicted: str
    metrics: Mapping[str, tuple[str, ...]]
    page_info: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """Score the blocks of one annotation file that holds gold and predictions."""

    gold: str
    metrics: tuple[str, ...]
    kind: str
    gold_key: str
    predicted_key: str
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """Score predicted boxes; `simple` tells the flat prediction format from the annotation format."""

    gold: str
    predicted: str
    classes: Classes
    simple: bool
    filters: Mapping[str, object] = field(default_factory=dict)


Task = EndToEnd | MarkdownToMarkdown | Recognition | Detection


def read_config(data: object) -> list[Task]:
    """Read a parsed configuration file, one task an entry; raises `ConfigError`."""
    root = _mapping(data, "the file")
    if not root:
        raise ConfigError("the file: expected a task, found none; start from one of the benchmark's own configurations")
    return [_task(name, _mapping(entry, name)) for name, entry in root.items()]


def end_to_end_entry(task: EndToEnd) -> dict[str, object]:
    """Return the parsed configuration file of a task, of which `read_config` makes it again."""
    dataset: dict[str, object] = {
        "dataset_name": "end2end_dataset",
        "ground_truth": {"data_path": task.gold},
        "prediction": {"data_path": task.predicted},
        "match_method": "quick_match",
    }
    if task.filters:
        dataset["filter"] = dict(task.filters)
    metrics = {element: {"metric": list(names)} for element, names in task.metrics.items()}
    return {"end2end_eval": {"metrics": metrics, "dataset": dataset}}


def save_name(task: Task) -> str:
    """Return what the reference puts before the names of a task's result files."""
    if isinstance(task, EndToEnd | MarkdownToMarkdown):
        return f"{PurePosixPath(task.predicted).name}_quick_match"
    return PurePosixPath(task.gold if isinstance(task, Recognition) else task.predicted).stem


def _task(name: str, entry: Mapping[str, object]) -> Task:
    dataset = _mapping(_need(entry, "dataset", name), f"{name}.dataset")
    kind = _text(dataset, "dataset_name", f"{name}.dataset")
    gold = _mapping(_need(dataset, "ground_truth", f"{name}.dataset"), f"{name}.dataset.ground_truth")
    gold_path = _text(gold, "data_path", f"{name}.dataset.ground_truth")
    predicted = _mapping(_need(dataset, "prediction", f"{name}.dataset"), f"{name}.dataset.prediction")
    filters = _mapping(dataset.get("filter") or {}, f"{name}.dataset.filter")
    if (name, kind) in {("end2end_eval", "end2end_dataset"), ("end2end_eval", "md2md_dataset")}:
        method = str(dataset.get("match_method", "quick_match"))
        if method != "quick_match":
            raise ConfigError(
                f"{name}.dataset.match_method: found {method!r}, which the reference's v1.5 cannot run either; "
                "use quick_match"
            )
        metrics = {
            element: _metrics(_mapping(settings, f"{name}.metrics.{element}"), f"{name}.metrics.{element}")
            for element, settings in _mapping(_need(entry, "metrics", name), f"{name}.metrics").items()
        }
        if unknown := [element for element in metrics if element not in ELEMENTS]:
            raise ConfigError(f"{name}.metrics: found {unknown[0]!r}, expected {', '.join(ELEMENTS)}")
        predicted_path = _text(predicted, "data_path", f"{name}.dataset.prediction")
        if kind == "end2end_dataset":
            return EndToEnd(gold=gold_path, predicted=predicted_path, metrics=metrics, filters=filters)
        info = None if gold.get("page_info") is None else _text(gold, "page_info", f"{name}.dataset.ground_truth")
        return MarkdownToMarkdown(gold=gold_path, predicted=predicted_path, metrics=metrics, page_info=info)
    if (name, kind) == ("recogition_eval", "omnidocbench_single_module_dataset"):
        return _recognition(name, entry, dataset, gold, predicted)
    if name == "detection_eval" and kind in ("detection_dataset", "detection_dataset_simple_format"):
        return Detection(
            gold=gold_path,
            predicted=_text(predicted, "data_path", f"{name}.dataset.prediction"),
            classes=_classes(_mapping(_need(entry, "categories", name), f"{name}.categories")),
            simple=kind == "detection_dataset_simple_format",
            filters=filters,
        )
    raise ConfigError(
        f"{name}: found dataset_name {kind!r}, expected end2end_eval with end2end_dataset or md2md_dataset, "
        "recogition_eval with omnidocbench_single_module_dataset, or detection_eval with detection_dataset or "
        "detection_dataset_simple_format"
    )


def _recognition(
    name: str,
    entry: Mapping[str, object],
    dataset: Mapping[str, object],
    gold: Mapping[str, object],
    predicted: Mapping[str, object],
) -> Recognition:
    kind = _text(dataset, "category_type", f"{name}.dataset")
    if kind not in NORMALISERS:
        raise ConfigError(f"{name}.dataset.category_type: found {kind!r}, expected {', '.join(NORMALISERS)}")
    wanted = gold.get("category_filter") or ()
    return Recognition(
        gold=str(gold["data_path"]),
        metrics=_metrics({"metric": _need(entry, "metrics", name)}, f"{name}.metrics"),
        kind=kind,
        gold_key=_text(gold, "data_key", f"{name}.dataset.ground_truth"),
        predicted_key=_text(predicted, "data_key", f"{name}.dataset.prediction"),
        categories=(wanted,) if isinstance(wanted, str) else tuple(map(str, _list(wanted, f"{name}.category_filter"))),
    )


def _classes(data: Mapping[str, object]) -> Classes:
    levels = _mapping(_need(data, "eval_cat", "categories"), "categories.eval_cat")
    mappings = {
        side: {
            str(key): str(value)
            for key, value in _mapping(data.get(f"{side}_cat_mapping") or {}, f"categories.{side}_cat_mapping").items()
        }
        for side in ("gt", "pred")
    }
    return Classes(
        block_level=tuple(map(str, _list(levels.get("block_level") or (), "categories.eval_cat.block_level"))),
        span_level=tuple(map(str, _list(levels.get("span_level") or (), "categories.eval_cat.span_level"))),
        gold=mappings["gt"],
        predicted=mappings["pred"],
    )


def _metrics(settings: Mapping[str, object], place: str) -> tuple[str, ...]:
    if settings.get("group"):
        raise ConfigError(f"{place}.group: groups of attributes are not supported; every attribute is reported alone")
    names = tuple(map(str, _list(settings.get("metric") or (), f"{place}.metric")))
    for name in names:
        if name == "METEOR":
            raise ConfigError(f"{place}: METEOR needs the WordNet corpus, which this project does not ship; remove it")
        if name not in METRICS:
            raise ConfigError(f"{place}: found metric {name!r}, expected {', '.join(METRICS)}")
    return names


def _need(data: Mapping[str, object], name: str, place: str) -> object:
    if name not in data:
        raise ConfigError(f"{place}: expected the field {name!r}, found {', '.join(map(str, data)) or 'nothing'}")
    if data[name] is None:
        raise ConfigError(f"{place}: the field {name!r} is there and empty; give it its value")
    return data[name]


def _text(data: Mapping[str, object], name: str, place: str) -> str:
    found = _need(data, name, place)
    if not isinstance(found, str) or not found:
        raise ConfigError(f"{place}.{name}: expected a text, found {found!r:.80}")
    return found


def _mapping(data: object, place: str) -> Mapping[str, object]:
    if not isinstance(data, Mapping):
        raise ConfigError(f"{place}: expected a mapping, found {data!r:.80}")
    return data


def _list(data: object, place: str) -> list[object]:
    if not isinstance(data, list | tuple):
        raise ConfigError(f"{place}: expected a list, found {data!r:.80}")
    return list(data)
