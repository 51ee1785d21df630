"""Average precision of predicted boxes, as COCO defines it.

Source: the COCO detection evaluation (Lin et al. 2014), with the settings of OmniDocBench v1.5's evaluator: 101 recall
points, IoU 0.50 to 0.95 in steps of 0.05, at most 100 detections a class and page for the headline mAP and 1000 else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["IOU_THRESHOLDS", "Box", "average_precision"]

Array = NDArray[np.float64]

IOU_THRESHOLDS = np.linspace(0.5, 0.95, 10)
_RECALL_POINTS = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True, slots=True)
class Box:
    """A box in pixels (left, top, right, bottom); `score` orders predictions, gold has none."""

    left: float
    top: float
    right: float
    bottom: float
    score: float = 1.0


def average_precision(
    gold: Sequence[Sequence[Box]],
    predicted: Sequence[Sequence[Box]],
    *,
    most: int,
    areas: tuple[float, float] = (0.0, 1e10),
) -> Array | None:
    """Return the AP of one class at each IoU threshold, or None when no page has gold of it within the areas.

    `gold` and `predicted` hold the boxes of each page; of a page's predictions the `most` best count. Gold outside of
    `areas` (square pixels, inclusive) is ignored, and so are unmatched predictions outside of it.
    """
    scores: list[Array] = []
    hits: list[NDArray[np.bool_]] = []
    skipped: list[NDArray[np.bool_]] = []
    total = 0
    for page_gold, page_predicted in zip(gold, predicted, strict=True):
        page_hits, page_skipped, page_scores, count = _match_page(page_gold, page_predicted, most, areas)
        total += count
        scores.append(page_scores)
        hits.append(page_hits)
        skipped.append(page_skipped)
    if total == 0:
        return None
    order = np.argsort(-np.concatenate(scores), kind="mergesort")
    hit = np.concatenate(hits, axis=1)[:, order]
    skip = np.concatenate(skipped, axis=1)[:, order]
    true = np.cumsum(hit & ~skip, axis=1, dtype=np.float64)
    false = np.cumsum(~hit & ~skip, axis=1, dtype=np.float64)
    return np.array([_interpolated(true[row], false[row], total) for row in range(len(IOU_THRESHOLDS))])


def _interpolated(true: Array, false: Array, total: int) -> float:
    """Average, over the recall points, the best precision at that recall or a higher one."""
    seen = true + false
    precision = np.divide(true, seen, out=np.zeros_like(seen), where=seen > 0)
    best_from_here = np.maximum.accumulate(precision[::-1])[::-1]
    reached = np.searchsorted(true / total, _RECALL_POINTS, side="left")
    return float(np.append(best_from_here, 0.0)[reached].mean())


def _match_page(
    gold: Sequence[Box], predicted: Sequence[Box], most: int, areas: tuple[float, float]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Array, int]:
    """Give each prediction, best first, the free gold box it overlaps most; one within the areas goes before others."""
    boxes = _array(gold)
    outside = _outside(boxes, areas)
    ranked = sorted(predicted, key=lambda box: -box.score)[:most]
    found = _array(ranked)
    overlaps = _overlaps(found, boxes)
    shape = (len(IOU_THRESHOLDS), len(ranked))
    hit, skip = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for row, threshold in enumerate(IOU_THRESHOLDS):
        free = np.ones(len(boxes), dtype=bool)
        for column, overlap in enumerate(overlaps):
            near = free & (overlap >= threshold)
            candidates = np.flatnonzero(near & ~outside) if (near & ~outside).any() else np.flatnonzero(near)
            if len(candidates):
                nearest = overlap[candidates] == overlap[candidates].max()
                best = candidates[nearest][-1]
                free[best] = False
                hit[row, column] = True
                skip[row, column] = outside[best]
    skip |= ~hit & _outside(found, areas)
    return hit, skip, np.array([box.score for box in ranked], dtype=np.float64), int((~outside).sum())


def _array(boxes: Sequence[Box]) -> Array:
    return np.array([(b.left, b.top, b.right, b.bottom) for b in boxes], dtype=np.float64).reshape(-1, 4)


def _areas(boxes: Array) -> Array:
    return np.asarray((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]))


def _outside(boxes: Array, areas: tuple[float, float]) -> NDArray[np.bool_]:
    size = _areas(boxes)
    return np.asarray((size < areas[0]) | (size > areas[1]))


def _overlaps(first: Array, second: Array) -> Array:
    """Return intersection over union of every pair."""
    width = np.minimum.outer(first[:, 2], second[:, 2]) - np.maximum.outer(first[:, 0], second[:, 0])
    height = np.minimum.outer(first[:, 3], second[:, 3]) - np.maximum.outer(first[:, 1], second[:, 1])
    shared = np.clip(width, 0, None) * np.clip(height, 0, None)
    union = _areas(first)[:, None] + _areas(second)[None, :] - shared
    return np.asarray(shared / np.where(union > 0, union, 1))
