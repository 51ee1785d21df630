"""Every task of a configuration becomes a run of the store, and result files that are read back."""

import json
import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from orchestrator.cli import render_figures
from scorer.conformance import omnidoc as conformance
from scorer.grading.omnidoc import GradingError
from scorer.report import boards
from scorer.scoring.score import Request, score
from scorer.scoring.steps import Progress, ScoringFailed
from tests.scorer.grading.shop import LETTERS_B, NOW, TABLE, Shop
from tests.scorer.suites.omnidoc.pages import LONG, block, data

Config = dict[str, Any]


def _markdown(*, kind: str = "md2md_dataset", gold: str = "gold_md", **more: Any) -> Config:
    """A configuration that compares markdown, with every metric."""
    metrics = {
        "text_block": ["Edit_dist", "BLEU"],
        "display_formula": ["Edit_dist"],
        "table": ["TEDS", "Edit_dist"],
        "reading_order": ["Edit_dist"],
    }
    dataset = {
        "dataset_name": kind,
        "ground_truth": {"data_path": gold},
        "prediction": {"data_path": "md"},
        "match_method": "quick_match",
        **more,
    }
    return {
        "end2end_eval": {"metrics": {name: {"metric": asked} for name, asked in metrics.items()}, "dataset": dataset}
    }


def _recognition(kind: str, key: str, metrics: list[str], category: str, gold: str = "blocks.json") -> Config:
    return {
        "recogition_eval": {
            "metrics": metrics,
            "dataset": {
                "dataset_name": "omnidocbench_single_module_dataset",
                "ground_truth": {"data_path": gold, "data_key": key, "category_filter": [category]},
                "prediction": {"data_key": "pred"},
                "category_type": kind,
            },
        }
    }


def _blocks(shop: Shop, *pages: list[dict[str, object]]) -> None:
    """Write an annotation file of gold and predictions, a page a list of blocks."""
    found = []
    for number, blocks in enumerate(pages):
        page: Any = data(*blocks)
        page["page_info"]["image_path"] = f"p{number}.jpg"
        page["page_info"]["page_attribute"] = {"layout": "x" if number else "y"}
        found.append(page)
    (shop.folder / "blocks.json").write_text(json.dumps(found), encoding="utf-8")


def _box(category: str, left: int, top: int, right: int, bottom: int, **more: object) -> dict[str, object]:
    return block(category, 1, 1, **more) | {"poly": [left, top, right, top, right, bottom, left, bottom]}


DETECTION: Config = {
    "detection_eval": {
        "metrics": ["COCODet"],
        "dataset": {
            "dataset_name": "detection_dataset_simple_format",
            "ground_truth": {"data_path": "blocks.json"},
            "prediction": {"data_path": "boxes.json"},
        },
        "categories": {
            "eval_cat": {"block_level": ["text"], "span_level": ["inline"]},
            "gt_cat_mapping": {"text_block": "text", "equation_inline": "inline"},
            "pred_cat_mapping": {"plain": "text", "formula": "inline"},
        },
    }
}


def _detection(shop: Shop) -> None:
    """Two pages of text with a span each: both texts are found, one span is, and one box is of nothing."""
    spans = [_box("equation_inline", 10, 10, 30, 20)]
    _blocks(
        shop,
        [_box("text_block", 0, 0, 100, 50, line_with_spans=spans)],
        [_box("text_block", 0, 0, 80, 40, line_with_spans=spans), _box("figure", 0, 60, 80, 90)],
    )
    boxes = [("p0", [0, 0, 100, 50], 1, 0.9), ("p1", [0, 0, 80, 40], 1, 0.8), ("p1", [0, 60, 80, 90], 1, 0.1)]
    boxes += [("p0", [10, 10, 30, 20], 2, 0.7)]
    results = [
        {"image_name": image, "bbox": box, "category_id": category, "score": score}
        for image, box, category, score in boxes
    ]
    file = {"results": results, "categories": {"1": "plain", "2": "formula"}}
    (shop.folder / "boxes.json").write_text(json.dumps(file), encoding="utf-8")


class TestMarkdown:
    def test_stored(self, shop: Shop) -> None:
        """Pages, matches, averages with their names, text without a home; the result files have the same figures."""
        shop.predictions("gold_md", {f"{name}.md": text for name, text in zip("abc", LONG, strict=True)})
        done = shop.task(_markdown(), parser="mine")
        assert shop.tuples(
            "select run_id, suite, parser, page, predicted, reason from omnidoc_pages order by page"
        ) == [
            (done.run_id, "omnidoc-md2md@v1.5", "mine", "a.jpg", True, None),
            (done.run_id, "omnidoc-md2md@v1.5", "mine", "b.jpg", True, None),
            (done.run_id, "omnidoc-md2md@v1.5", "mine", "c.jpg", False, "there is no c.md"),
        ]
        [row] = shop.tuples(
            "select page_average, pooled, sample_average, pages, samples from omnidoc_averages"
            " where element = 'text_block' and metric = 'Edit_dist'"
        )
        letters = [len(text.replace(" ", "")) for text in LONG]
        assert row == (pytest.approx(1 / LETTERS_B / 2), pytest.approx(1 / sum(letters[:2])), row[2], 2, 2)
        written = json.loads((shop.folder / "result" / "md_quick_match_metric_result.json").read_text(encoding="utf-8"))
        text = written["text_block"]["all"]
        assert row[:3] == tuple(text["Edit_dist"][name] for name in ("ALL_page_avg", "edit_whole", "edit_sample_avg"))
        assert shop.one("select pooled from omnidoc_averages where metric = 'BLEU'") == text["BLEU"]["all"]
        assert shop.one("select count(*) from omnidoc_matches where piece_index is not null") == 2
        assert shop.tuples("select page from omnidoc_homeless") == [("a.jpg",)] * 3
        [board] = boards.board(shop.database)["parsers"]
        assert (board["overall"], board["unpredicted"], board["homeless"] > 0) == (None, 1, True)
        assert board["reason"] == "display_formula: the configuration does not ask for CDM"

    def test_nul(self, shop: Shop) -> None:
        """NULs of gold and prediction are named by file, and the result files are read back."""
        shop.predictions("gold_md", {"a.md": f"\0{LONG[0]}", "b.md": LONG[1]})
        (shop.folder / "md" / "b.md").write_text(f"{LONG[1]} \0", encoding="utf-8")
        done = shop.task(_markdown())
        assert [text.partition(", is a NUL")[0] for text in done.warnings] == [
            f"md: a.jpg: {shop.folder / 'gold_md' / 'a.md'}, line 1: byte 0",
            f"md: b.jpg: {shop.folder / 'md' / 'b.md'}, line 1: byte {len(LONG[1]) + 1}",
        ]
        outcomes = list(conformance.verify(shop.folder / "result"))
        assert outcomes
        assert [
            (outcome.differences, outcome.fault) for outcome in outcomes if outcome.differences or outcome.fault
        ] == []

    def test_folders_for_files(self, shop: Shop) -> None:
        """A folder named as a prediction is none; one named as gold is refused."""
        shop.predictions("gold_md", {"a.md": LONG[0], "b.md": LONG[1]})
        (shop.folder / "md" / "b.md").unlink()
        (shop.folder / "md" / "b.md").mkdir()
        shop.task(_markdown())
        assert shop.tuples("select page, reason from omnidoc_pages where not predicted") == [
            ("b.jpg", "b.md is a folder, no file")
        ]
        (shop.folder / "gold_md" / "c.md").mkdir()
        with pytest.raises(GradingError, match=r"gold_md/c\.md: expected a file of gold markdown, found a folder"):
            shop.task(_markdown())

    def test_by_page_attribute(self, shop: Shop) -> None:
        """Pages of markdown have the attributes of the annotations that the configuration names."""
        shop.predictions("gold_md", {f"{name}.md": text for name, text in zip("abc", LONG, strict=True)})
        config = _markdown()
        config["end2end_eval"]["dataset"]["ground_truth"]["page_info"] = "gold.json"
        shop.task(config)
        assert shop.tuples(
            "select attribute, value, pages from omnidoc_by_page_attribute where element = 'text_block' order by all"
        ) == [("data_source", "book", 2), ("layout", "x", 2), ("special_issue", "faint", 2)]


@pytest.mark.usefixtures("no_latex")
class TestEndToEnd:
    def test_filtered(self, shop: Shop) -> None:
        """A configuration's run is that of its folder: over the pages of its filter, and partial for it."""
        config = _markdown(kind="end2end_dataset", gold="gold.json", filter={"layout": "x"})
        done = shop.task(config)
        assert shop.tuples("select run_id, suite, parser, pages, text_edit, partial from omnidoc_leaderboard") == [
            (done.run_id, "omnidoc@v1.5", "md", 2, pytest.approx(1 / LETTERS_B / 2), True)
        ]
        assert shop.one("select scope from runs") == ["a.jpg", "b.jpg"]

    def test_no_page(self, shop: Shop) -> None:
        """A filter that no page passes is refused with what it asks for."""
        config = _markdown(kind="end2end_dataset", gold="gold.json", filter={"layout": "z"})
        with pytest.raises(GradingError, match=r"gold\.json: none of 3 pages has layout: z"):
            shop.task(config)

    def test_cdm_without_latex(self, shop: Shop) -> None:
        """A configuration that asks for CDM is not run without LaTeX: it says what is missing, and stores nothing."""
        config = _markdown(kind="end2end_dataset", gold="gold.json")
        config["end2end_eval"]["metrics"]["display_formula"]["metric"].append("CDM")
        with pytest.raises(ScoringFailed, match=r"config\.yaml asks for CDM: .* missing xelatex"):
            shop.task(config)
        assert shop.one("select count(*) from runs") == 0


class TestRecognition:
    def test_table(self, shop: Shop) -> None:
        """Blocks are samples with their attributes; a page whose blocks have no prediction is listed, and left out."""
        other = TABLE.replace("2", "3")
        _blocks(
            shop,
            [block("table", 1, 1, html=TABLE, pred=TABLE, attribute={"line": "full"})],
            [block("table", 1, 1, html=TABLE, pred=other, attribute={"line": "less"})],
            [block("table", 1, 1, html=TABLE)],
            [block("text_block", 1, 1, text="no table")],
        )
        done = shop.task(_recognition("table", "html", ["TEDS", "Edit_dist"], "table"), parser="mine")
        nodes = 3  # below the table, a tr and two td: one cell of one character differs
        assert shop.tuples(
            "select run_id, suite, parser, metric, page_average, pooled from omnidoc_averages where metric like 'TEDS%'"
        ) == [
            (done.run_id, "omnidoc-recognition-table@v1.5", "mine", "TEDS", 1 - 1 / nodes / 2, 1 - 1 / nodes / 2),
            (done.run_id, "omnidoc-recognition-table@v1.5", "mine", "TEDS_structure_only", 1.0, 1.0),
        ]
        assert shop.tuples("select page, predicted, reason from omnidoc_pages order by page") == [
            ("p0.jpg", True, None),
            ("p1.jpg", True, None),
            ("p2.jpg", False, "none of its blocks has 'pred'"),
        ]
        assert shop.tuples(
            "select value, sample_average from omnidoc_by_attribute where metric = 'TEDS' order by all"
        ) == [
            ("full", 1.0),
            ("less", 1 - 1 / nodes),
        ]
        assert shop.tuples(
            "select value, page_average from omnidoc_by_page_attribute where metric = 'TEDS' order by all"
        ) == [("x", 1 - 1 / nodes), ("y", 1.0)]
        figures = {figure["figure"]: figure for figure in boards.board(shop.database)["figures"]}
        assert figures["table"]["headline"]
        assert figures["table.TEDS"]["parsers"][0]["interval"] is not None

    def test_text(self, shop: Shop) -> None:
        """BLEU, a figure of all samples together, stands beside the averages of the edit distance."""
        _blocks(shop, *([block("text_block", 1, 1, text=text, pred=text)] for text in LONG))
        shop.task(_recognition("text", "text", ["Edit_dist", "BLEU"], "text_block"))
        written = json.loads((shop.folder / "result" / "blocks_metric_result.json").read_text(encoding="utf-8"))
        assert shop.tuples("select element, metric, page_average, pooled, samples from omnidoc_averages") == [
            ("text_block", "BLEU", None, written["all"]["BLEU"]["all"], 3),
            ("text_block", "Edit_dist", 0.0, 0.0, 3),
        ]

    def test_formula_without_cdm(self, shop: Shop) -> None:
        """Formulas of which no CDM is asked for are ranked by their edit distance, and that is a condition."""
        _blocks(shop, [block("equation_isolated", 1, 1, latex="x+y", pred="x+z")])
        shop.task(_recognition("formula", "latex", ["Edit_dist"], "equation_isolated"))
        assert shop.one("select value from kpis where kpi = 'display_formula' and document is null") == 1 - 1 / 3
        [content] = shop.tuples("select content from signatures")
        assert json.loads(content[0])["conditions"]["ranked_by"] == "Edit_dist"

    def test_nothing_predicted(self, shop: Shop) -> None:
        """A file in which no block has a prediction is refused with the keys that were looked for."""
        _blocks(shop, [block("table", 1, 1, html=TABLE)])
        with pytest.raises(GradingError, match=r"blocks\.json: no block has both 'html' and 'pred'"):
            shop.task(_recognition("table", "html", ["TEDS"], "table"))

    def test_no_such_category(self, shop: Shop) -> None:
        """A filter that leaves no block is named, with the categories that are there."""
        formulas = [block(name, 1, 1, latex="x", pred="x") for name in ("equation_isolated", "equation_ignore")]
        _blocks(shop, [*formulas, block("title", 1, 1, text="x", pred="x")])
        message = (
            r"no block of the category_filter, 'nope', has both 'latex' and 'pred'; "
            r"those that do are 'equation_ignore', 'equation_isolated'$"
        )
        with pytest.raises(GradingError, match=message):
            shop.task(_recognition("formula", "latex", ["Edit_dist"], "nope"))

    def test_errors_are_counted(self, shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
        """Samples that scored 0 because of an error are announced with the leaderboard."""
        odd = TABLE.replace("<td>1", "<td colspan='x'>1")
        _blocks(shop, [block("table", 1, 1, html=TABLE, pred=odd), block("table", 2, 2, html=TABLE, pred=TABLE)])
        shop.task(_recognition("table", "html", ["TEDS"], "table"), parser="mine")
        board = boards.board(shop.database)
        assert board["errors"] == {"mine": 1}
        render_figures.leaderboard(board, Console(width=200))
        assert (
            "mine: 1 sample scored 0 because a metric could not be computed: see error in omnidoc_samples"
            in capsys.readouterr().out
        )

    def test_bounds_are_shown(self, shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
        """Of two bounds the worse is shown: the most of an edit distance, the least of anything else."""
        _blocks(shop, [block("text_block", 1, 1, text="x", pred="y")])
        shop.task(_recognition("text", "text", ["Edit_dist"], "text_block"))
        board = boards.board(shop.database)
        for figure in board["figures"]:
            figure["parsers"][0]["bounded"] = True
        render_figures.leaderboard(board, Console(width=200))
        assert re.findall(r"(text_block\S*)\W*?([≥≤] [01])", capsys.readouterr().out) == [
            ("text_block", "≥ 0"),
            ("text_block.Edit_dist", "≤ 1"),
        ]


class TestPaths:
    @pytest.mark.parametrize("name", ["gold_md", "md", "pages.json"])
    def test_not_there(self, shop: Shop, name: str) -> None:
        """What a configuration names and is not there is named, with the folder in which it was looked for."""
        shop.predictions("gold_md", {"a.md": LONG[0]})
        config = _markdown()
        config["end2end_eval"]["dataset"]["ground_truth"]["page_info"] = "pages.json"
        (shop.folder / "pages.json").write_bytes(shop.gold.read_bytes())
        (shop.folder / name).rename(shop.folder / "elsewhere")
        message = rf"config\.yaml: there is no {name} in {shop.folder}: a configuration's paths start where you are; go"
        with pytest.raises(GradingError, match=message):
            shop.task(config)

    def test_absolute(self, shop: Shop) -> None:
        """A path that starts nowhere else is said to be missing, no more."""
        with pytest.raises(GradingError, match=r"config\.yaml: there is no /no/such; go"):
            shop.task(_markdown(gold="/no/such"))


class TestDetection:
    def test_stored(self, shop: Shop) -> None:
        """Boxes with their partners, and every figure: means, classes, levels, and by page attribute."""
        _detection(shop)
        shop.task(DETECTION, parser="mine")
        assert shop.tuples(
            "select page, class, level, gold, score, partner, overlap from omnidoc_boxes"
            " order by page, class, gold, number"
        ) == [
            ("p0.jpg", "inline", "span_level", False, 0.7, 0, 1.0),
            ("p0.jpg", "inline", "span_level", True, None, 0, 1.0),
            ("p0.jpg", "text", "block_level", False, 0.9, 0, 1.0),
            ("p0.jpg", "text", "block_level", True, None, 0, 1.0),
            ("p1.jpg", "inline", "span_level", True, None, None, None),
            ("p1.jpg", "text", "block_level", False, 0.8, 0, 1.0),
            ("p1.jpg", "text", "block_level", False, 0.1, None, None),
            ("p1.jpg", "text", "block_level", True, None, 0, 1.0),
        ]
        half = pytest.approx(51 / 101)  # of the 101 recall points those up to one span of two
        figures = dict(shop.tuples("select figure, value from omnidoc_detection"))
        assert figures["text_precision"] == figures["block_level"] == pytest.approx(1.0)
        assert figures["inline_precision"] == figures["span_level"] == half
        assert figures["bbox_mAP"] == pytest.approx((1 + 51 / 101) / 2)
        assert shop.tuples(
            "select class, level, gold_boxes, predicted_boxes, found_boxes from omnidoc_detection"
            " where class is not null order by class"
        ) == [("inline", "span_level", 2, 1, 1), ("text", "block_level", 2, 3, 2)]
        assert shop.tuples("select attribute, value, pages, bbox_mAP from omnidoc_detection_slices order by value") == [
            ("layout", "x", 1, pytest.approx(0.5)),
            ("layout", "y", 1, pytest.approx(1.0)),
        ]
        written = json.loads((shop.folder / "result" / "boxes_metric_result.json").read_text(encoding="utf-8"))
        assert {name: figures[name] for name in written} == written
        assert shop.tuples("select status from parses") == [("ok",)] * 2

    def test_nobody_there(self, shop: Shop) -> None:
        """Predictions of other pages are refused with what was looked for."""
        _detection(shop)
        text = (shop.folder / "boxes.json").read_text(encoding="utf-8").replace('"p', '"q')
        (shop.folder / "boxes.json").write_text(text, encoding="utf-8")
        with pytest.raises(GradingError, match=r"boxes\.json: no prediction for any of 2 pages; .*as p0\.jpg"):
            shop.task(DETECTION)

    @pytest.mark.parametrize(
        ("file", "message"),
        [
            ({"results": [], "categories": [1]}, r"boxes\.json: detection predictions: expected an object"),
            ({"results": [{"bbox": None}], "categories": {}}, r"boxes\.json: .*results\[0\]: expected image_name"),
            (
                {
                    "results": [{"image_name": "p0", "bbox": [0, 0, 1, float("nan")], "category_id": 1, "score": 1}],
                    "categories": {"1": "plain"},
                },
                r"results\[0\]: expected image_name",
            ),
        ],
    )
    def test_bad_predictions(self, shop: Shop, file: object, message: str) -> None:
        """Predictions that do not fit are refused by file and place."""
        _detection(shop)
        (shop.folder / "boxes.json").write_text(json.dumps(file), encoding="utf-8")
        with pytest.raises(GradingError, match=message):
            shop.task(DETECTION)


PAGE = Path(__file__).resolve().parents[3] / "docs" / "method" / "omnidoc.md"
QUESTIONS = re.findall(r"^```sql detection\n(.+?)```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


class TestQuestions:
    def test_each_is_answered_with_rows(self, shop: Shop) -> None:
        """Every query that the suite's page has on detections gives rows on one."""
        _detection(shop)
        shop.task(DETECTION)
        assert len(QUESTIONS) >= 3
        assert all(shop.database.rows(sql) for sql in QUESTIONS)


class TestKept:
    def test_not_scored_again(self, shop: Shop) -> None:
        """A run of graded files has nothing in the store to be scored again, and says what to do."""
        _detection(shop)
        done = shop.task(DETECTION)
        again = Request(run_id=done.run_id, jobs=1, cache=shop.folder)
        with pytest.raises(ValueError, match="graded from files of its own: grade them again"):
            list(score(shop.database, shop.artifacts, again, now=NOW, stop=threading.Event()))

    def test_given_up(self, shop: Shop) -> None:
        """A grading that is given up leaves no run."""
        shop.predictions("gold_md", {f"{name}.md": text for name, text in zip("abc", LONG, strict=True)})
        stop = threading.Event()
        with pytest.raises(ScoringFailed, match="nothing was stored"):
            for step in shop.task_steps(_markdown(), stop=stop):
                assert isinstance(step, Progress)
                stop.set()
        assert shop.one("select count(*) from runs") == 0

    def test_no_place_for_the_files(self, shop: Shop) -> None:
        """Result files that cannot be written are named, with what to do, before anything is stored."""
        _detection(shop)
        (shop.folder / "result").write_text("a file")
        with pytest.raises(GradingError, match=r"result: the result files cannot be written .*--files"):
            shop.task(DETECTION)
        assert shop.one("select count(*) from runs") == 0


PLACES: Mapping[str, str] = {
    "demo_data/omnidocbench_demo/OmniDocBench_demo.json": "gt/OmniDocBench_demo.json",
    "demo_data/omnidocbench_demo/mds": "gt_md",
    "demo_data/end2end": "pred_md",
    "demo_data/detection": "detection",
    "demo_data/recognition": "recognition",
    "test/model_outputs/drawings_text_ocr.json": "recognition/OmniDocBench_demo_text_ocr.json",
    "test/model_outputs/drawings_table.json": "recognition/OmniDocBench_demo_table.json",
}
"""Where the reference's configurations look, and what of its demo lies there."""


class TestTheReferencesOwn:
    @pytest.mark.parametrize(
        ("name", "suite"),
        [
            ("end2end", "omnidoc"),
            ("md2md", "omnidoc-md2md"),
            ("layout_detection", "omnidoc-detection"),
            ("formula_detection", "omnidoc-detection"),
            ("ocr", "omnidoc-recognition-text"),
            ("table_recognition", "omnidoc-recognition-table"),
            ("formula_recognition", "omnidoc-recognition-formula"),
        ],
    )
    def test_unchanged(
        self, shop: Shop, name: str, suite: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each configuration runs as it is and is stored; its result files are read back and agree."""
        if not os.environ.get("DOCASSAY_ORACLES"):
            pytest.skip("DOCASSAY_ORACLES is not set: the reference's configurations are not at hand")
        oracle = Path(os.environ["DOCASSAY_ORACLES"]) / "omnidocbench"
        for place, target in PLACES.items():
            (shop.folder / place).parent.mkdir(parents=True, exist_ok=True)
            (shop.folder / place).symlink_to(oracle / "demo" / target)
        if name == "formula_recognition":
            _needs_latex(shop)
        else:
            request.getfixturevalue("no_latex")
        shop.task(oracle / "configs_v15" / f"{name}.yaml")
        assert shop.one("select suite from scorings") == f"{suite}@v1.5"
        monkeypatch.chdir(shop.folder)  # where the paths of a configuration start
        outcomes = list(conformance.verify(shop.folder / "result"))
        assert outcomes
        assert all(outcome.passed or "CDM alone" in (outcome.skipped or "") for outcome in outcomes)


def _needs_latex(shop: Shop) -> None:
    from scorer.renderers import FormulaRenderer, RendererError

    try:
        FormulaRenderer(cache=shop.folder / "cache" / "formulas")
    except RendererError as fault:
        pytest.skip(str(fault))
