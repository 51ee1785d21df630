"""Average precision against pycocotools, and the classes of a configuration."""

import contextlib
import io
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from scorer.suites.omnidoc.boxes import Box, average_precision
from scorer.suites.omnidoc.detection import Classes, detect, read_results
from scorer.suites.omnidoc.gold import GoldError
from tests.scorer.suites.omnidoc.pages import block, page


def _scene(seed: int) -> tuple[list[list[Box]], list[list[Box]]]:
    source = random.Random(seed)
    gold: list[list[Box]] = []
    predicted: list[list[Box]] = []
    for _ in range(source.randint(1, 4)):
        page_gold = []
        page_predicted = []
        for _ in range(source.randint(0, 4)):
            x, y, w, h = source.randint(0, 60), source.randint(0, 60), source.randint(5, 120), source.randint(5, 120)
            page_gold.append(Box(x, y, x + w, y + h))
            for _ in range(source.randint(0, 2)):
                dx, dy = source.randint(-8, 8), source.randint(-8, 8)
                page_predicted.append(Box(x + dx, y + dy, x + w, y + h, source.random()))
        gold.append(page_gold)
        predicted.append(page_predicted)
    return gold, predicted


def _reference(gold: list[list[Box]], predicted: list[list[Box]], areas: tuple[float, float]) -> np.ndarray | None:
    boxes = [(image, box) for image, found in enumerate(gold) for box in found]
    if not any(areas[0] <= (box.right - box.left) * (box.bottom - box.top) <= areas[1] for _, box in boxes):
        return None
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {
            "info": {},
            "images": [{"id": image} for image in range(len(gold))],
            "categories": [{"id": 1}],
            "annotations": [
                {
                    "id": number + 1,
                    "image_id": image,
                    "category_id": 1,
                    "iscrowd": 0,
                    "bbox": [box.left, box.top, box.right - box.left, box.bottom - box.top],
                    "area": (box.right - box.left) * (box.bottom - box.top),
                }
                for number, (image, box) in enumerate(boxes)
            ],
        }
        coco.createIndex()
        found = [
            {
                "image_id": image,
                "category_id": 1,
                "score": box.score,
                "bbox": [box.left, box.top, box.right - box.left, box.bottom - box.top],
            }
            for image, boxes_ in enumerate(predicted)
            for box in boxes_
        ]
        if not found:
            return np.zeros(10)
        run = COCOeval(coco, coco.loadRes(found), "bbox")
        run.params.areaRng, run.params.areaRngLbl, run.params.maxDets = [list(areas)], ["x"], [100]
        run.evaluate()
        run.accumulate()
    precision = run.eval["precision"][:, :, 0, 0, 0]
    return None if (precision == -1).all() else precision.mean(axis=1)


class TestAveragePrecision:
    @settings(max_examples=60)
    @given(st.integers(0, 10_000), st.sampled_from(((0.0, 1e10), (0.0, 32.0**2), (32.0**2, 96.0**2))))
    def test_against_pycocotools(self, seed: int, areas: tuple[float, float]) -> None:
        """At every IoU threshold, and for gold of every size, the precision is COCO's own."""
        gold, predicted = _scene(seed)
        ours, theirs = average_precision(gold, predicted, most=100, areas=areas), _reference(gold, predicted, areas)
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            assert ours == pytest.approx(theirs, abs=1e-9)


class TestDetect:
    def test_mapped_and_levels(self) -> None:
        """Blocks and spans are scored by the names a configuration maps them to."""
        span = block("equation_inline", None, 1)
        gold = page(block("header", 1, 0, line_with_spans=[span]))
        classes = Classes(
            block_level=("abandon",),
            span_level=("inline",),
            gold={"header": "abandon", "equation_inline": "inline"},
            predicted={"plain": "abandon"},
        )
        file = {
            "results": [{"image_name": "small", "bbox": [0, 0, 9, 9], "category_id": 3, "score": 0.9}],
            "categories": {"3": "plain"},
        }
        scores = detect([gold], read_results(file, classes), classes)
        assert dict(scores.by_class) == {"abandon": pytest.approx(1.0), "inline": 0.0}
        assert scores.mean == pytest.approx(0.5)

    def test_fault(self) -> None:
        """A result that does not fit is refused by its place."""
        with pytest.raises(GoldError, match=r"results\[0\]: expected image_name"):
            read_results({"results": [{"bbox": [1]}], "categories": {}}, Classes())
