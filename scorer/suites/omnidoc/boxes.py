"""Average precision of predicted boxes, as COCO defines it.

Source: the COCO detection evaluation (Lin et al. 2014), with the settings of OmniDocBench v1.5's evaluator: 101 recall
points, IoU 0.50 to 0.95 in steps of 0.05, at most 100 detections a class and page for the headline mAP and 1000 else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["IOU_THRESHOLDS", "Box", "Matched", "match_boxes", "pairs"]

Array = NDArray[np.float64]

IOU_THRESHOLDS = np.linspace(0.5, 0.95, 10)
_RECALL_POINTS = np.linspace(0.0, 1.0, 101)
_CELLS_AT_ONCE = 50_000
"""Pages drawn anew times predictions summed together: as many as fit the cache, roughly."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box in pixels (left, top, right, bottom); `score` orders predictions, gold has none."""

    left: float
    top: float
    right: float
    bottom: float
    score: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """One class's predictions on P pages, best first, and which of them are right at each IoU threshold.

    `page` (N) is each prediction's page; `right` and `wrong` (T x N) leave out what counts for nothing; `gold` (P) is
    how many gold boxes count on each page.
    """

    page: NDArray[np.int64]
    right: NDArray[np.bool_]
    wrong: NDArray[np.bool_]
    gold: Array

    def precision(self, counts: Array) -> Array:
        """Return the AP at each IoU threshold (B x T), pages taken as often as `counts` (B x P) says.

        NaN where the pages taken have no gold that counts.
        """
        found = np.full((len(counts), len(IOU_THRESHOLDS)), np.nan)
        total = counts @ self.gold
        at_once = max(1, _CELLS_AT_ONCE // max(1, len(self.page)))
        for start in range(0, len(counts), at_once):
            part = slice(start, start + at_once)
            weight = counts[part][:, self.page]
            for threshold, (right, wrong) in enumerate(zip(self.right, self.wrong, strict=True)):
                # precision is highest, and recall grows, at right predictions alone
                true = np.cumsum(weight * right, axis=1)[:, right]
                seen = true + np.cumsum(weight * wrong, axis=1)[:, right]
                found[part, threshold] = _interpolated(true, seen, total[part])
        found[total == 0] = np.nan
        return found


def match_boxes(
    gold: Sequence[Sequence[Box]],
    predicted: Sequence[Sequence[Box]],
    *,
    most: int,
    areas: tuple[float, float] = (0.0, 1e10),
) -> Matched:
    """Match one class's boxes, page by page at each IoU threshold.

    `gold` and `predicted` hold the boxes of each page; of a page's predictions the `most` best count. Gold outside of
    `areas` (square pixels, inclusive) is ignored, and so are unmatched predictions outside of it.
    """
    pages = [_match_page(*boxes, most, areas) for boxes in zip(gold, predicted, strict=True)]
    scores = np.concatenate([page.scores for page in pages])
    order = np.argsort(-scores, kind="mergesort")
    hit = np.concatenate([page.partner >= 0 for page in pages], axis=1)[:, order]
    skip = np.concatenate([page.skip for page in pages], axis=1)[:, order]
    number = np.repeat(np.arange(len(pages)), [len(page.scores) for page in pages])
    return Matched(number[order], hit & ~skip, ~hit & ~skip, np.array([page.counted for page in pages], np.float64))


def pairs(gold: Sequence[Box], predicted: Sequence[Box]) -> list[tuple[int, int, float]]:
    """Return one page's pairs of one class at IoU 0.50: places of prediction and gold, and their IoU."""
    page = _match_page(gold, predicted, len(predicted), (0.0, 1e10))
    return [
        (ranked, int(partner), float(page.overlaps[row, partner]))
        for row, (ranked, partner) in enumerate(zip(page.ranked, page.partner[0], strict=True))
        if partner >= 0
    ]


def _interpolated(true: Array, seen: Array, total: Array) -> Array:
    """Average, over the recall points, the best precision at that recall or a higher one (B).

    `true` and `seen` (B x R) count the right and all predictions up to each right one, `total` (B) the gold boxes.
    """
    precision = np.divide(true, seen, out=np.zeros_like(seen), where=seen > 0)
    best_from_here = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    recall = np.divide(true, total[:, None], out=np.zeros_like(true), where=total[:, None] > 0)
    reached = np.searchsorted(_RECALL_POINTS, recall.ravel(), side="right").reshape(recall.shape)
    points = np.diff(reached, axis=1, prepend=0)
    return np.asarray((best_from_here * points).sum(axis=1) / len(_RECALL_POINTS))


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    """A page's predictions, best first: places, scores, gold partners by threshold (-1: none), what is skipped."""

    ranked: list[int]
    scores: Array
    overlaps: Array
    partner: NDArray[np.int64]
    skip: NDArray[np.bool_]
    counted: int


def _match_page(gold: Sequence[Box], predicted: Sequence[Box], most: int, areas: tuple[float, float]) -> _Page:
    """Give each prediction, best first, the free gold box it overlaps most; one within the areas goes before others."""
    boxes = _array(gold)
    outside = _outside(boxes, areas)
    ranked = sorted(range(len(predicted)), key=lambda place: -predicted[place].score)[:most]
    found = _array([predicted[place] for place in ranked])
    overlaps = _overlaps(found, boxes)
    partner = np.full((len(IOU_THRESHOLDS), len(ranked)), -1)
    skip = np.zeros(partner.shape, dtype=bool)
    for row, threshold in enumerate(IOU_THRESHOLDS):
        free = np.ones(len(boxes), dtype=bool)
        for column, overlap in enumerate(overlaps):
            near = free & (overlap >= threshold)
            candidates = np.flatnonzero(near & ~outside) if (near & ~outside).any() else np.flatnonzero(near)
            if len(candidates):
                nearest = overlap[candidates] == overlap[candidates].max()
                best = candidates[nearest][-1]
                free[best] = False
                partner[row, column] = best
                skip[row, column] = outside[best]
    skip |= (partner < 0) & _outside(found, areas)
    scores = np.array([predicted[place].score for place in ranked], dtype=np.float64)
    return _Page(ranked, scores, overlaps, partner, skip, int((~outside).sum()))


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
