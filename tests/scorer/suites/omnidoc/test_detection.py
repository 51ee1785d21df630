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

from scorer.stats.resampling import draws
from scorer.suites.omnidoc.boxes import Box, match_boxes
from scorer.suites.omnidoc.detection import Classes, Detected, detect, match_classes, read_results
from scorer.suites.omnidoc.detection_certainty import gaps, intervals
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
        [ours] = match_boxes(gold, predicted, most=100, areas=areas).precision(np.ones((1, len(gold))))
        theirs = _reference(gold, predicted, areas)
        assert bool(np.isnan(ours).all()) == (theirs is None)
        if theirs is not None:
            assert ours == pytest.approx(theirs, abs=1e-9)

    @settings(max_examples=40)
    @given(st.integers(0, 10_000), st.integers(0, 10_000))
    def test_pages_drawn_anew(self, seed: int, draw: int) -> None:
        """A page that counts several times is as many copies of it; one that counts 0 times is not there."""
        gold, predicted = _scene(seed)
        counts = np.random.default_rng(draw).integers(0, 3, len(gold))
        copies = [page for page, count in enumerate(counts) for _ in range(count)]
        [ours] = match_boxes(gold, predicted, most=100).precision(counts[None].astype(float))
        many, again = [gold[page] for page in copies], [predicted[page] for page in copies]
        theirs = _reference(many, again, (0.0, 1e10))
        assert bool(np.isnan(ours).all()) == (theirs is None)
        if theirs is not None:
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
        figures = detect([gold], read_results(file, classes), classes).figures()
        named = {"abandon_precision": 1.0, "inline_precision": 0.0, "block_level": 1.0, "span_level": 0.0}
        assert {name: float(figures[name][0]) for name in named} == pytest.approx(named)
        assert float(figures["bbox_mAP"][0]) == pytest.approx(0.5)

    def test_only_the_best(self) -> None:
        """Of a crowded page the 100 best boxes of a class count for the mean, and the 1000 best for everything else."""
        wrong = [Box(500, 500, 510, 510, 0.9)] * 100
        found = match_classes(
            ["p"],
            Classes(block_level=("text",)),
            {"text": [[Box(0, 0, 9, 9)]]},
            {"text": [[*wrong, Box(0, 0, 9, 9, 0.1)]]},
        )
        figures = found.figures()
        assert float(figures["bbox_mAP"][0]) == 0.0
        assert float(figures["text_precision"][0]) == pytest.approx(1 / 101)

    def test_fault(self) -> None:
        """A result that does not fit is refused by its place."""
        with pytest.raises(GoldError, match=r"results\[0\]: expected image_name"):
            read_results({"results": [{"bbox": [1]}], "categories": {}}, Classes())


def _detected(wrong: int, *, pages: int = 12) -> Detected:
    """A box a page, of which the first `wrong` pages' are not found, and on the first page one of a rare class."""
    gold = [[Box(0, 0, 100, 100)] for _ in range(pages)]
    found = [
        [Box(0, 0, 100, 100, 0.5 + page / 100) if page >= wrong else Box(200, 200, 210, 210, 0.9)]
        for page in range(pages)
    ]
    rare = [[Box(0, 0, 50, 50)], *([] for _ in range(pages - 1))]
    names = [f"p{page}" for page in range(pages)]
    classes = Classes(block_level=("text",), span_level=("rare",))
    return match_classes(names, classes, {"text": gold, "rare": rare}, {"text": found, "rare": rare})


class TestCertainty:
    def test_interval(self) -> None:
        """The ends of an interval are quantiles of the figure over copies of pages drawn with the seed."""
        detected = _detected(4)
        counts = draws(np.zeros(12, dtype=np.int64), resamples=40, seed=7)  # every page has the class: one stratum
        drawn = [np.repeat(np.arange(12), times.astype(int)) for times in counts]
        gold, predicted = detected.gold["text"], detected.predicted["text"]
        values = [
            match_boxes([gold[p] for p in pages], [predicted[p] for p in pages], most=1000).precision(np.ones((1, 12)))
            for pages in drawn
        ]
        found = intervals(detected, resamples=40, seed=7)["text_precision"]
        assert found is not None
        assert (found.lower, found.upper) == pytest.approx(
            tuple(np.quantile([v.mean() for v in values], (0.025, 0.975)))
        )

    def test_rests_on_one_page(self) -> None:
        """Of a class that one page has, nothing is known, nor of a mean that it is in."""
        found = intervals(_detected(4), resamples=40)
        assert {name for name, interval in found.items() if interval is None} == {
            *("bbox_mAP", "bbox_mAP_50", "bbox_mAP_75", "bbox_mAP_s", "bbox_mAP_m", "bbox_mAP_l"),
            *("rare_precision", "span_level"),
        }

    def test_gap(self) -> None:
        """A detector that loses eight of twelve boxes is worse beyond doubt, the same one is not, nor who loses one."""
        first = _detected(0)
        lost, none, one = (gaps(first, _detected(wrong), resamples=200)["text_precision"] for wrong in (8, 0, 1))
        assert (lost.first, lost.p < 0.01, lost.interval and lost.interval.upper < 0) == (
            pytest.approx(1.0),
            True,
            True,
        )
        assert (none.second, none.p) == (none.first, 1.0)
        assert one.p > 0.05
