"""Two runs over pages compared: which differences are real, and what bars a comparison."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docassay.v1 import scorer_pb2 as pb
from scorer.renderers import RendererError, latex
from scorer.report import boards
from scorer.store.errors import Unknown
from tests.scorer.grading.shop import TABLE, Shop
from tests.scorer.suites.omnidoc.pages import LONG, block, data

PAGES = 12


@pytest.fixture(name="shop")
def _shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    """Twelve pages of a text and a table; predictions that have both, and some whose text is cut; no LaTeX."""

    def missing() -> None:
        raise RendererError("formulas cannot be drawn: missing xelatex")

    monkeypatch.setattr(latex, "check_environment", missing)
    shop = Shop(tmp_path)
    write_gold(shop)
    shop.predictions("whole", {f"p{n}.md": f"{LONG[n % 3]}\n\n{TABLE}" for n in range(PAGES)})
    shop.predictions("cut", {f"p{n}.md": f"{LONG[n % 3][: 20 + n]}\n\n{TABLE}" for n in range(PAGES)})
    yield shop
    shop.database.close()


def write_gold(shop: Shop, *, other: int = PAGES) -> None:
    """Write the annotations; page `other` has a text of its own."""
    pages: list[Any] = []
    for number in range(PAGES):
        text = "Another text" if number == other else LONG[number % 3]
        page: Any = data(block("text_block", 1, 1, text=text), block("table", 2, 2, html=TABLE))
        page["page_info"]["image_path"] = f"p{number}.jpg"
        pages.append(page)
    shop.gold.write_text(json.dumps(pages), encoding="utf-8")


def run(shop: Shop, folder: str, *, name: str = "mine") -> str:
    """Grade a folder under a name and return the run."""
    predictions = [pb.Predictions(parser=name, folder=str(shop.folder / folder))]
    return shop.grade(predictions=predictions).run_id


def changes(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the changes of the only pair by headline."""
    [pair] = found["parsers"]
    return {change["headline"]: change for change in pair["changes"]}


def share(number: int) -> float:
    """Return the share of a page's text that the cut prediction has, without blanks."""
    text = LONG[number % 3]
    return len(text[: 20 + number].replace(" ", "")) / len(text.replace(" ", ""))


class TestCompared:
    def test_worse(self, shop: Shop) -> None:
        """Text that was cut is worse beyond doubt, by the mean of what each page lost; equal tables are not."""
        found = boards.comparison(shop.database, run(shop, "whole"), run(shop, "cut"))
        text, table = changes(found)["text_block"], changes(found)["table"]
        mean = sum(share(number) for number in range(PAGES)) / PAGES
        assert (text["before"], text["after"], text["difference"]) == pytest.approx((1.0, mean, mean - 1))
        assert text["verdict"] == "worse"
        assert text["interval"]["lower"] < text["difference"] < text["interval"]["upper"] < 0
        assert (table["difference"], table["verdict"]) == (0.0, "no difference shown")
        assert found["worse"] == [{"parser": "mine", "headline": "text_block"}]
        worst = min(range(PAGES), key=share)
        [pair] = found["parsers"]
        assert pair["regressed"][0]["document"] == f"p{worst}.jpg"
        assert pair["regressed"][0]["kpis"] == {"text_block": (1.0, pytest.approx(share(worst)))}
        json.dumps(found, allow_nan=False)

    def test_no_overall(self, shop: Shop) -> None:
        """Overall is compared only with all of its parts, and says which is missing."""
        found = changes(boards.comparison(shop.database, run(shop, "whole"), run(shop, "cut")))
        assert found["composite"]["verdict"] == "not compared"
        assert found["composite"]["reason"] == "display_formula cannot be compared"

    def test_a_page_less(self, shop: Shop) -> None:
        """A page that one run has no prediction of is named; its figures leave that run's mean alone."""
        first = run(shop, "whole")
        (shop.folder / "cut" / "p0.md").unlink()
        found = boards.comparison(shop.database, first, run(shop, "cut"))
        [pair] = found["parsers"]
        assert [turned["document"] for turned in pair["newly_failed"]] == ["p0.jpg"]
        mean = sum(share(number) for number in range(1, PAGES)) / (PAGES - 1)
        assert changes(found)["text_block"]["after"] == pytest.approx(mean)

    def test_nothing_left(self, shop: Shop) -> None:
        """An element that one run has of few pages has no interval where resamples may miss them all."""
        first = run(shop, "whole")
        for number in range(PAGES - 2):
            (shop.folder / "cut" / f"p{number}.md").unlink()
        found = boards.comparison(shop.database, first, run(shop, "cut"))
        assert changes(found)["table"]["interval"] is None
        json.dumps(found, allow_nan=False)

    def test_other_gold(self, shop: Shop) -> None:
        """A page whose gold is another is named and left out; the others are compared."""
        first = run(shop, "whole")
        write_gold(shop, other=3)
        found = boards.comparison(shop.database, first, run(shop, "cut"))
        assert (found["documents"], found["other_files"]) == (PAGES - 1, ["p3.jpg"])
        assert changes(found)["text_block"]["documents"] == PAGES - 1

    def test_refused(self, shop: Shop) -> None:
        """Runs of other parsers, and of other suites, cannot be compared, and say why."""
        first, other = run(shop, "whole"), run(shop, "cut", name="theirs")
        with pytest.raises(ValueError, match="no parser occurs in both runs: the first has mine, the second theirs"):
            boards.comparison(shop.database, first, other)
        with pytest.raises(Unknown, match=r"was not scored with omnidoc-md2md@v1\.5 yet"):
            boards.comparison(shop.database, first, other, suite="omnidoc-md2md@v1.5")


RECOGNITION = {
    "recogition_eval": {
        "metrics": ["TEDS", "Edit_dist"],
        "dataset": {
            "dataset_name": "omnidocbench_single_module_dataset",
            "ground_truth": {"data_path": "blocks.json", "data_key": "html", "category_filter": "table"},
            "prediction": {"data_key": "pred"},
            "category_type": "table",
        },
    }
}


class TestTasks:
    def test_recognition(self, shop: Shop) -> None:
        """Two files of one gold and other predictions are compared block for block, under one name."""
        found = []
        for wrong in (0, PAGES):
            pages: list[Any] = json.loads(shop.gold.read_text(encoding="utf-8"))
            for number, page in enumerate(pages):
                table = page["layout_dets"][1]
                table["pred"] = TABLE.replace("2", "77") if number < wrong else TABLE
            (shop.folder / "blocks.json").write_text(json.dumps(pages), encoding="utf-8")
            found.append(shop.task(RECOGNITION, parser="mine").run_id)
        compared = changes(boards.comparison(shop.database, *found))
        assert compared["table"]["verdict"] == "worse"
        assert compared["table"]["after"] == pytest.approx(2 / 3)  # of three nodes below the table one is another

    def test_detection(self, shop: Shop) -> None:
        """Boxes that are lost are worse beyond doubt, by classes and in all."""
        config = {
            "detection_eval": {
                "dataset": {
                    "dataset_name": "detection_dataset",
                    "ground_truth": {"data_path": shop.gold.name},
                    "prediction": {"data_path": "boxes.json"},
                },
                "categories": {"eval_cat": {"block_level": ["text_block", "table"]}},
            }
        }
        found = []
        for lost in (0, 8):
            pages: list[Any] = json.loads(shop.gold.read_text(encoding="utf-8"))
            for page in pages[:lost]:
                page["layout_dets"].pop()
            (shop.folder / "boxes.json").write_text(json.dumps(pages), encoding="utf-8")
            found.append(shop.task(config, parser="mine").run_id)
        comparison = boards.comparison(shop.database, *found)
        compared = changes(comparison)
        assert {name: change["verdict"] for name, change in compared.items()} == {
            "bbox_mAP": "worse",
            "text_block_precision": "no difference shown",
            "table_precision": "worse",
        }
        assert compared["table_precision"]["after"] == pytest.approx(34 / 101)  # recall points up to 4 of 12
        assert len(comparison["parsers"][0]["regressed"]) == 8
        json.dumps(comparison, allow_nan=False)
