"""Detection of blocks and spans: mAP over the classes a configuration names (v1.5).

Source: OmniDocBench v1.5, detection datasets and COCO metric.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from scorer.suites.omnidoc.boxes import Box, average_precision
from scorer.suites.omnidoc.gold import GoldBlock, GoldError, GoldPage

__all__ = ["Classes", "DetectionScores", "detect", "predictions_of", "read_results"]

_AREAS = {"s": (0.0, 32.0**2), "m": (32.0**2, 96.0**2), "l": (96.0**2, 1e10)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """The classes scored, by level, and what gold and predicted category names map to (an unmapped name is kept)."""

    block_level: tuple[str, ...] = ()
    span_level: tuple[str, ...] = ()
    gold: Mapping[str, str] = field(default_factory=dict)
    predicted: Mapping[str, str] = field(default_factory=dict)

    def names(self) -> tuple[str, ...]:
        """List the classes of both levels."""
        return (*self.block_level, *self.span_level)


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionScores:
    """mAP in 0..1: over IoU 0.50 to 0.95, at 0.50 and 0.75, by size of gold box, by class; None without gold."""

    mean: float | None
    at_50: float | None
    at_75: float | None
    by_area: Mapping[str, float | None]
    by_class: Mapping[str, float | None]


Found = Mapping[str, Sequence[tuple[str, Box]]]
"""Predictions: by image name, the class and box of each."""


def read_results(data: object, classes: Classes) -> Found:
    """Read a prediction file in the simple format (`results`, `categories`); raises `GoldError`."""
    if not isinstance(data, dict) or not isinstance(data.get("results"), list) or "categories" not in data:
        raise GoldError("detection predictions: expected an object with a list 'results' and an object 'categories'")
    names = {str(number): str(name) for number, name in data["categories"].items()}
    found: dict[str, list[tuple[str, Box]]] = {}
    for index, item in enumerate(data["results"]):
        try:
            name = names.get(str(item["category_id"]), str(item["category_id"]))
            left, top, right, bottom = (float(value) for value in item["bbox"])
            box = Box(left, top, right, bottom, float(item["score"]))
            image = str(item["image_name"])
        except (KeyError, TypeError, ValueError) as fault:
            raise GoldError(
                f"detection predictions, results[{index}]: expected image_name, bbox of four numbers, category_id and "
                f"score, found {item!r:.120}"
            ) from fault
        found.setdefault(f"{image}.jpg", []).append((classes.predicted.get(name, name), box))
    return found


def predictions_of(pages: Sequence[GoldPage], classes: Classes) -> Found:
    """Take annotated pages as predictions (the full format, with a `score` a block)."""
    return {page.image: list(_boxes(page, classes, classes.predicted)) for page in pages}


def detect(pages: Sequence[GoldPage], found: Found, classes: Classes) -> DetectionScores:
    """Score predicted boxes against the pages; a page without predictions counts as empty."""
    gold: dict[str, list[list[Box]]] = {name: [[] for _ in pages] for name in classes.names()}
    predicted: dict[str, list[list[Box]]] = {name: [[] for _ in pages] for name in classes.names()}
    for number, page in enumerate(pages):
        for name, box in _boxes(page, classes, classes.gold):
            gold[name][number].append(box)
        for name, box in found.get(page.image, []):
            if name in predicted:
                predicted[name][number].append(box)

    def precision(name: str, *, most: int = 1000, areas: tuple[float, float] = (0.0, 1e10)) -> np.ndarray | None:
        return average_precision(gold[name], predicted[name], most=most, areas=areas)

    whole = {name: precision(name) for name in classes.names()}
    headline = [values for name in classes.names() if (values := precision(name, most=100)) is not None]
    scored = [values for values in whole.values() if values is not None]
    return DetectionScores(
        mean=_mean([float(values.mean()) for values in headline]),
        at_50=_mean([float(values[0]) for values in scored]),
        at_75=_mean([float(values[5]) for values in scored]),
        by_area={
            area: _mean(
                [float(v.mean()) for name in classes.names() if (v := precision(name, areas=limits)) is not None]
            )
            for area, limits in _AREAS.items()
        },
        by_class={name: None if values is None else float(values.mean()) for name, values in whole.items()},
    )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _boxes(page: GoldPage, classes: Classes, mapping: Mapping[str, str]) -> Iterator[tuple[str, Box]]:
    for block in page.blocks:
        if (name := mapping.get(block.category, block.category)) in classes.block_level:
            yield name, _box(page, block)
        for span in block.spans:
            if (name := mapping.get(span.category, span.category)) in classes.span_level:
                yield name, _box(page, span)


def _box(page: GoldPage, block: GoldBlock) -> Box:
    """Take the box from the outline's first point and the third: left and right, top and bottom, in either order."""
    if len(block.polygon) < 6:
        raise GoldError(f"page {page.image}: {block.category} {block.id}: poly must have 8 numbers")
    left, top, right, bottom = (block.polygon[index] for index in (0, 1, 2, 5))
    score = block.predicted.get("score")
    weight = float(score) if isinstance(score, int | float) and score else 1.0
    return Box(min(left, right), min(top, bottom), max(left, right), max(top, bottom), weight)
