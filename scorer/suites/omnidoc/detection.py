"""Detection of blocks and spans: mAP over the classes a configuration names (v1.5).

Source: OmniDocBench v1.5, detection datasets and COCO metric.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from scorer.suites.omnidoc.boxes import Box, Matched, match_boxes
from scorer.suites.omnidoc.gold import GoldBlock, GoldError, GoldPage

__all__ = [
    "AXIS",
    "LEVELS",
    "ClassBoxes",
    "Classes",
    "Detected",
    "detect",
    "match_classes",
    "predictions_of",
    "read_results",
]

Floats = NDArray[np.float64]

AXIS = "detection"
"""What the figures of a detection stand under in the store."""

FIGURE = "bbox_mAP"
"""The figure that a detection is ranked by."""

LEVELS = ("block_level", "span_level")

_MOST, _MOST_OF_HEADLINE = 1000, 100
"""Predictions of a class that count on a page, the best ones: in every figure but `bbox_mAP`, and in that."""

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


Found = Mapping[str, Sequence[tuple[str, Box]]]
"""Predictions: by image name, the class and box of each."""

ClassBoxes = Mapping[str, Sequence[Sequence[Box]]]
"""Boxes by class, a list a page."""


def read_results(data: object, classes: Classes) -> Found:
    """Read a prediction file in the simple format (`results`, `categories`); raises `GoldError`."""
    if not (
        isinstance(data, dict) and isinstance(data.get("results"), list) and isinstance(data.get("categories"), dict)
    ):
        raise GoldError("detection predictions: expected an object with a list 'results' and an object 'categories'")
    names = {str(number): str(name) for number, name in data["categories"].items()}
    found: dict[str, list[tuple[str, Box]]] = {}
    for index, item in enumerate(data["results"]):
        try:
            name = names.get(str(item["category_id"]), str(item["category_id"]))
            left, top, right, bottom = (float(value) for value in item["bbox"])
            box = Box(left, top, right, bottom, float(item["score"]))
            image = str(item["image_name"])
            if not all(map(math.isfinite, (left, top, right, bottom, box.score))):
                raise ValueError("a number is not finite")
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


@dataclass(frozen=True, slots=True, eq=False)
class Detected:
    """The boxes of P pages, matched: its figures can be had with each page taken any number of times."""

    images: tuple[str, ...]
    classes: Classes
    gold: ClassBoxes
    predicted: ClassBoxes
    _best: Mapping[str, Matched]
    _whole: Mapping[str, Matched]
    _by_area: Mapping[str, Mapping[str, Matched]]

    def only(self, names: Collection[str]) -> "Detected":
        """Return the detection of some of the classes, without figures by size."""
        return replace(
            self,
            classes=replace(
                self.classes,
                block_level=tuple(name for name in self.classes.block_level if name in names),
                span_level=tuple(name for name in self.classes.span_level if name in names),
            ),
            _best={name: self._best[name] for name in names},
            _whole={name: self._whole[name] for name in names},
            _by_area={},
        )

    def figures(self, counts: Floats | None = None) -> dict[str, Floats]:
        """Return every figure (B), 0 to 1, pages taken as often as `counts` (B x P) says; None: each once.

        By the reference's names: `bbox_mAP` over IoU 0.50 to 0.95, `bbox_mAP_50` and `bbox_mAP_75` at one, `_s`, `_m`
        and `_l` by size of gold box, and `NAME_precision` of each class. `block_level` and `span_level`, the parts of
        `bbox_mAP`, are ours. NaN where the pages taken have no gold.
        """
        counts = np.ones((1, len(self.images))) if counts is None else counts
        whole = {name: matched.precision(counts) for name, matched in self._whole.items()}
        best = {
            name: whole[name] if matched is self._whole[name] else matched.precision(counts)
            for name, matched in self._best.items()
        }
        overall = {name: precision.mean(axis=1) for name, precision in best.items()}
        found = {
            FIGURE: _mean(overall.values(), len(counts)),
            "bbox_mAP_50": _mean([precision[:, 0] for precision in whole.values()], len(counts)),
            "bbox_mAP_75": _mean([precision[:, 5] for precision in whole.values()], len(counts)),
        }
        for area, by_class in self._by_area.items():
            sized = [matched.precision(counts).mean(axis=1) for matched in by_class.values()]
            found[f"bbox_mAP_{area}"] = _mean(sized, len(counts))
        found |= {f"{name}_precision": precision.mean(axis=1) for name, precision in whole.items()}
        for level in LEVELS:
            found[level] = _mean([overall[name] for name in getattr(self.classes, level)], len(counts))
        return found


def detect(pages: Sequence[GoldPage], found: Found, classes: Classes) -> Detected:
    """Match predicted boxes with the pages'; a page without predictions counts as empty."""
    gold: dict[str, list[list[Box]]] = {name: [[] for _ in pages] for name in classes.names()}
    predicted: dict[str, list[list[Box]]] = {name: [[] for _ in pages] for name in classes.names()}
    for number, page in enumerate(pages):
        for name, box in _boxes(page, classes, classes.gold):
            gold[name][number].append(box)
        for name, box in found.get(page.image, []):
            if name in predicted:
                predicted[name][number].append(box)
    return match_classes([page.image for page in pages], classes, gold, predicted)


def match_classes(images: Sequence[str], classes: Classes, gold: ClassBoxes, predicted: ClassBoxes) -> Detected:
    """Match boxes by class, a list a page each."""
    names = classes.names()

    def matched(name: str, most: int, areas: tuple[float, float] = (0.0, 1e10)) -> Matched:
        return match_boxes(gold[name], predicted[name], most=most, areas=areas)

    whole = {name: matched(name, _MOST) for name in names}
    crowded = [name for name in names if any(len(page) > _MOST_OF_HEADLINE for page in predicted[name])]
    return Detected(
        images=tuple(images),
        classes=classes,
        gold=gold,
        predicted=predicted,
        _best=whole | {name: matched(name, _MOST_OF_HEADLINE) for name in crowded},
        _whole=whole,
        _by_area={area: {name: matched(name, _MOST, limits) for name in names} for area, limits in _AREAS.items()},
    )


def _mean(values: Iterable[Floats], size: int) -> Floats:
    """Average over the classes that have gold."""
    columns = np.array(list(values)).reshape(-1, size)
    known = np.isfinite(columns)
    count = known.sum(axis=0)
    total = np.where(known, columns, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(size, np.nan), where=count > 0))


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
