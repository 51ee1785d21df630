"""Folders of predicted markdown become a run of the store, scored."""

import json
import os
import re
import threading
from functools import partial
from pathlib import Path

import pytest

from scorer.conformance import omnidoc as conformance
from scorer.grading.omnidoc import GradingError
from scorer.renderers import FormulaRenderer, RendererError
from scorer.report import boards
from scorer.scoring.omnidoc import pages
from scorer.scoring.score import Request, score
from scorer.scoring.steps import Progress, ScoringFailed
from scorer.store.artifacts import scratch
from scorer.store.database import Database
from scorer.suites.omnidoc.evaluation import score_page
from scorer.suites.omnidoc.versions import UnsupportedVersionError
from tests.scorer.grading.shop import INVENTED, LETTERS_B, MARKDOWN, NOW, TABLE, Shop
from tests.scorer.suites.omnidoc.pages import LONG, block, data


@pytest.mark.usefixtures("no_latex")
class TestStored:
    def test_samples_metrics_and_matches(self, shop: Shop) -> None:
        """Every gold block has its sample, its scores and the piece it was paired with."""
        shop.grade("md")
        rows = shop.database.rows(
            "select page, element, metric, value from omnidoc_metrics where metric in ('Edit_dist', 'TEDS')"
            " order by all"
        )
        assert [tuple(row.values()) for row in rows] == [
            ("a.jpg", "display_formula", "Edit_dist", 0.0),
            ("a.jpg", "reading_order", "Edit_dist", 0.0),
            ("a.jpg", "table", "Edit_dist", 0.0),
            ("a.jpg", "table", "TEDS", 1.0),
            ("a.jpg", "text_block", "Edit_dist", 0.0),
            ("b.jpg", "reading_order", "Edit_dist", 0.0),
            ("b.jpg", "text_block", "Edit_dist", pytest.approx(1 / LETTERS_B)),
        ]
        matches = shop.database.rows(
            "select page, gold_block, gold_position, piece_index is not null as paired, distance from omnidoc_matches"
            " where element = 'text_block' order by page"
        )
        assert [tuple(row.values()) for row in matches] == [
            ("a.jpg", "11", 1.0, True, 0.0),
            ("b.jpg", "21", 1.0, True, pytest.approx(1 / LETTERS_B)),
        ]
        assert (
            shop.one("select predicted from omnidoc_samples where page = 'b.jpg' and element = 'text_block'")
            == (MARKDOWN["b.md"])
        )

    def test_text_without_a_home(self, shop: Shop) -> None:
        """What no gold block answers to is listed page by page, and its share stands beside the scores."""
        shop.grade("md")
        letters = len(INVENTED.replace(" ", ""))
        assert shop.database.rows("select page, text, characters from omnidoc_homeless") == [
            {"page": "a.jpg", "text": INVENTED, "characters": letters}
        ]
        assert shop.one("select sum(homeless_characters) from omnidoc_pages") == letters
        share = letters / float(shop.one("select sum(characters) from omnidoc_pages"))
        assert shop.one("select homeless from omnidoc_leaderboard") == pytest.approx(share)

    def test_a_page_without_prediction(self, shop: Shop) -> None:
        """It leaves every average, and is listed with what was looked for."""
        shop.grade("md")
        [page] = shop.database.rows("select page, reason from omnidoc_pages where not predicted")
        assert page == {"page": "c.jpg", "reason": "error: there is no c.md or the like"}
        assert shop.one("select count(*) from omnidoc_samples where page = 'c.jpg'") == 0
        [row] = shop.database.rows("select text_edit, pages, unpredicted from omnidoc_leaderboard")
        assert row == {"text_edit": pytest.approx(1 / LETTERS_B / 2), "pages": 3, "unpredicted": 1}

    def test_the_three_averages(self, shop: Shop) -> None:
        """Over pages, over all characters, and over samples: side by side under their names."""
        shop.predictions("long", {"a.md": "", "b.md": MARKDOWN["b.md"], "c.md": LONG[2]})
        shop.grade("long")
        [row] = shop.database.rows(
            "select page_average, pooled, sample_average, pages, samples from omnidoc_averages"
            " where element = 'text_block'"
        )
        letters = [len(text.replace(" ", "")) for text in LONG]
        assert row["page_average"] == pytest.approx((1 + 1 / LETTERS_B) / 3)
        assert row["pooled"] == pytest.approx((letters[0] + 1) / sum(letters))
        assert row["sample_average"] == pytest.approx((1 + 1 / LETTERS_B) / 3)
        assert (row["pages"], row["samples"]) == (3, 3)

    def test_by_attribute(self, shop: Shop) -> None:
        """Blocks by their attributes, pages by theirs; listed values that name a table are left out."""
        shop.grade("md")
        rows = shop.database.rows("select attribute, value, sample_average, samples from omnidoc_by_attribute")
        assert [tuple(row.values()) for row in rows] == [("text_language", "en", pytest.approx(1 / LETTERS_B / 2), 2)]
        values = shop.database.rows(
            "select attribute, value, pages from omnidoc_by_page_attribute where element = 'text_block' order by all"
        )
        assert [tuple(row.values()) for row in values] == [
            ("data_source", "book", 2),
            ("layout", "x", 2),
            ("special_issue", "faint", 2),
        ]

    def test_no_latex(self, shop: Shop) -> None:
        """Without LaTeX the rest is scored; CDM and Overall are null, with what is missing, and the run is partial."""
        done = shop.grade("md")
        assert done.warnings == ("no CDM and no Overall: formulas cannot be drawn: missing xelatex",)
        [row] = shop.database.rows("select overall, reason, formula_cdm, table_teds, partial from omnidoc_leaderboard")
        assert row == {
            "overall": None,
            "reason": "display_formula: formulas cannot be drawn: missing xelatex",
            "formula_cdm": None,
            "table_teds": 100.0,
            "partial": True,
        }

    def test_gold_without_latex(self, shop: Shop) -> None:
        """A page of LaTeX tables, for which the gold has only HTML, costs that table and no other folder anything."""
        tabular = r"\begin{tabular}{ll}1 & 2\end{tabular}"
        shop.predictions("tex", {**MARKDOWN, "a.md": MARKDOWN["a.md"].replace(TABLE, tabular)})
        shop.grade("md", "tex")
        rows = shop.tuples(
            "select parser, value, error is not null from omnidoc_metrics join omnidoc_samples"
            " using (run_id, suite, parser, page, element, sample) where metric = 'TEDS' order by parser"
        )
        assert rows == [("md", 1.0, False), ("tex", 0.0, True)]

    def test_intervals_and_ranks(self, shop: Shop) -> None:
        """Parsers graded together are ranked by what the pages show, every figure with its interval."""
        pages = {f"p{number}.jpg": number for number in range(12)}
        gold = [
            data(block("text_block", 1, 1, text=LONG[number % 3]), block("table", 2, 2, html=TABLE))
            for number in pages.values()
        ]
        for image, page in zip(pages, gold, strict=True):
            page["page_info"] |= {"image_path": image}  # type: ignore[operator]
        shop.gold.write_text(json.dumps(gold), encoding="utf-8")
        shop.predictions("good", {f"p{n}.md": f"{LONG[n % 3]}\n\n{TABLE}" for n in pages.values()})
        shop.predictions("poor", {f"p{n}.md": LONG[n % 3][: 20 + n] for n in pages.values()})
        shop.grade("good", "poor")
        rows = shop.database.rows(
            "select parser, rank, last_rank from standings where headline = 'text_block' order by rank"
        )
        assert [tuple(row.values()) for row in rows] == [("good", 1, 1), ("poor", 2, 2)]
        [row] = shop.database.rows(
            "select page_average, page_average_lower as lower, page_average_upper as upper from omnidoc_averages"
            " where parser = 'poor' and element = 'text_block'"
        )
        assert row["lower"] < row["page_average"] < row["upper"]
        assert shop.one("select count(*) from pairwise where axis = 'text_block' and better = 12") == 1

    def test_scored_again(self, shop: Shop) -> None:
        """Scoring the stored run once more gives the same rows, not twice as many."""
        done = shop.grade("md")
        before = shop.database.rows("from omnidoc_metrics order by all")
        again = Request(run_id=done.run_id, jobs=1, cache=shop.folder)
        steps = score(shop.database, shop.artifacts, again, now=NOW, stop=threading.Event())
        assert list(steps)[-1] == done
        assert shop.database.rows("from omnidoc_metrics order by all") == before
        assert shop.one("select count(*) from scorings") == 1

    def test_processes(self, shop: Shop) -> None:
        """Two processes store what one does."""
        shop.grade("md")
        shop.grade("md", jobs=2)
        rows = shop.database.rows("select distinct * exclude (run_id) from omnidoc_metrics")
        assert len(rows) * 2 == shop.one("select count(*) from omnidoc_metrics")

    def test_leaderboard(self, shop: Shop) -> None:
        """The leaderboard as data has the averages of every element by parser."""
        shop.grade("md")
        board = boards.board(shop.database)
        [row] = board["parsers"]
        assert (row["parser"], row["pages"], row["unpredicted"]) == ("md", 3, 1)
        assert row["averages"]["table"]["TEDS"]["pooled"] == 1.0
        json.dumps(board)


PAGE = Path(__file__).resolve().parents[3] / "docs" / "method" / "omnidoc.md"
QUESTIONS = re.findall(r"^```sql\n(.+?)```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.usefixtures("no_latex")
class TestQuestions:
    def test_each_is_answered_with_rows(self, shop: Shop) -> None:
        """Every query of the suite's page gives rows on a graded run."""
        shop.grade("md")
        assert len(QUESTIONS) >= 6
        assert all(shop.database.rows(sql) for sql in QUESTIONS)


@pytest.mark.usefixtures("no_latex")
class TestRefused:
    def _nothing(self, shop: Shop) -> bool:
        return shop.one("select count(*) from runs") == 0 and shop.one("select count(*) from parses") == 0

    def test_no_matching_names(self, shop: Shop) -> None:
        """A folder without a prediction of any page is refused with what was looked for and what is there."""
        shop.predictions("other", {"z.md": "x"})
        with pytest.raises(
            GradingError, match=r"other: no prediction for any of 3 pages; looked for a\.md, .*; found z\.md"
        ):
            shop.grade("other")
        assert self._nothing(shop)

    def test_newer_version(self, shop: Shop) -> None:
        """The newer evaluator is refused with the reason."""
        with pytest.raises(UnsupportedVersionError, match="no recorded answers"):
            shop.grade("md", version="v1.6")

    def test_bad_gold(self, shop: Shop) -> None:
        """An annotation that does not fit is refused by page and field."""
        shop.gold.write_text('[{"page_info": {"image_path": "a.jpg"}}]', encoding="utf-8")
        with pytest.raises(GradingError, match=r"gold\.json: page 0 \(a\.jpg\): expected the field 'layout_dets'"):
            shop.grade("md")
        assert self._nothing(shop)

    def test_two_pages_of_one_name(self, shop: Shop) -> None:
        """Two pages whose images share a name cannot be told apart by predictions, and are refused."""
        pages = json.loads(shop.gold.read_text(encoding="utf-8"))
        pages[1]["page_info"]["image_path"] = "elsewhere/a.jpg"
        shop.gold.write_text(json.dumps(pages), encoding="utf-8")
        with pytest.raises(GradingError, match=r"pages 0 and 1 .*a\.jpg"):
            shop.grade("md")

    def test_given_up(self, shop: Shop) -> None:
        """A grading that is given up before anything is stored leaves no run."""
        stop = threading.Event()
        stop.set()
        with pytest.raises(ScoringFailed, match="nothing was stored"):
            shop.grade("md", stop=stop)
        assert self._nothing(shop)

    def test_another_suite(self, shop: Shop) -> None:
        """A run is scored by the suite it was made for, and refused by another."""
        done = shop.grade("md")
        request = Request(run_id=done.run_id, suite="bizdoc", cache=shop.folder)
        with pytest.raises(ValueError, match="made for omnidoc"):
            list(score(shop.database, shop.artifacts, request, now=NOW, stop=threading.Event()))


@pytest.mark.usefixtures("no_latex")
class TestBrokenOff:
    _RUNS = "select finished_at is not null, (select count(*) from scorings) from runs"

    def _break_off(self, shop: Shop, *, killed: bool) -> None:
        """Leave a grading while its pages are scored: by a signal that it sees, or as if the scorer were killed."""
        stop = threading.Event()
        steps = shop.steps("md", stop=stop)
        for step in steps:
            if isinstance(step, Progress) and step.stage == "pages":
                break
        if killed:
            steps.close()  # type: ignore[attr-defined]  # a generator
            return
        stop.set()
        with pytest.raises(ScoringFailed, match="stopped"):
            list(steps)

    @pytest.mark.parametrize("killed", [False, True])
    def test_goes_on(self, shop: Shop, killed: bool) -> None:
        """The run is not finished and has no figure; the same predictions graded again finish it, as one never left."""
        self._break_off(shop, killed=killed)
        assert shop.tuples(self._RUNS) == [(False, 0)]
        [(broken,)] = shop.tuples("select run_id from runs")
        assert shop.grade("md").run_id == broken
        assert shop.tuples(self._RUNS) == [(True, 1)]
        assert shop.one("select count(*) from parses") == 3
        figures = shop.tuples("select * exclude (run_id) from omnidoc_metrics order by all")
        assert shop.grade("md").run_id != broken
        again = "select * exclude (run_id) from omnidoc_metrics where run_id = (from newest_run) order by all"
        assert shop.tuples(again) == figures
        assert shop.one("select count(*) from scorings where partial_reasons = ['display_formula has no CDM']") == 2

    def test_other_predictions(self, shop: Shop) -> None:
        """Predictions that were changed meanwhile are another run's."""
        self._break_off(shop, killed=True)
        (shop.folder / "md" / "c.md").write_text(LONG[2], encoding="utf-8")
        shop.grade("md")
        assert shop.tuples("select finished_at is not null from runs order by run_id") == [(False,), (True,)]

    def test_nothing_is_left_on_disk(self, shop: Shop) -> None:
        """What a killed scorer had on its way into the store goes when the next one starts."""
        with scratch(shop.folder) as name:
            left = Path(name).rename(f"{name}-left")
        (left / "rows.arrow").write_bytes(b"half of them")
        shop.artifacts.clear()
        assert not left.exists()


@pytest.mark.usefixtures("no_latex")
class TestFiles:
    def test_verified(self, shop: Shop) -> None:
        """Result files of folders are those of the matching that is stored, and verify reads them back."""
        shop.predictions("other", {"a.md": LONG[0]})
        shop.grade("md", "other", files_folder=str(shop.folder / "result"))
        written = (shop.folder / "result" / "md" / "md_quick_match_metric_result.json").read_text(encoding="utf-8")
        assert json.loads(written)["text_block"]["all"]["Edit_dist"]["ALL_page_avg"] == pytest.approx(1 / LETTERS_B / 2)
        outcomes = list(conformance.verify(shop.folder / "result"))
        assert len(outcomes) >= 2 * 8
        assert all(outcome.passed for outcome in outcomes)

    def test_matched_once(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """Files and store are of one matching."""
        seen: list[str] = []
        real = pages.score_page
        monkeypatch.setattr(pages, "score_page", lambda match: seen.append(match.image) or real(match))
        shop.grade("md", files_folder=str(shop.folder / "result"))
        assert seen == ["a.jpg", "b.jpg"]

    def test_no_place(self, shop: Shop) -> None:
        """A folder that cannot be made is named before anything is stored, with what to do."""
        (shop.folder / "result").write_text("a file")
        with pytest.raises(GradingError, match=r"result: the result files cannot be written .*--files"):
            shop.grade("md", files_folder=str(shop.folder / "result"))
        assert shop.one("select count(*) from runs") == 0


@pytest.mark.usefixtures("no_latex")
class TestNotUtf8:
    def test_is_named(self, shop: Shop) -> None:
        """File, line, byte and value; it is scored, as the method has it, and the remark survives scoring again."""
        (shop.folder / "md" / "b.md").write_bytes(b"# Caf\xc3\xa9\n\nna\xefve text\n")
        done = shop.grade("md")
        [remark] = [text for text in done.warnings if "UTF-8" in text]
        assert remark.startswith(f"md: b.jpg: {shop.folder / 'md' / 'b.md'}, line 3: byte 11, 0xef, is no UTF-8")
        again = Request(run_id=done.run_id, jobs=1, cache=shop.folder)
        list(score(shop.database, shop.artifacts, again, now=NOW, stop=threading.Event()))
        assert shop.tuples("select parser, document from warnings where text like '%UTF-8%'") == [("md", "b.jpg")]
        assert shop.one("select count(*) from omnidoc_samples where page = 'b.jpg' and element = 'text_block'") == 1


@pytest.mark.usefixtures("no_latex")
class TestNul:
    def test_result_files_are_read_back(self, shop: Shop) -> None:
        """A NUL is read as U+FFFD in grading and in verifying, and a remark names file, line and byte."""
        shop.predictions("nul", {"a.md": MARKDOWN["a.md"].replace("x^2", "x\0^2"), "b.md": "\n" + LONG[1] + " \0 end"})
        done = shop.grade("nul", files_folder=str(shop.folder / "result"))
        remarks = [text for text in done.warnings if "NUL" in text]
        assert [text.partition(", is a NUL")[0] for text in remarks] == [
            f"nul: a.jpg: {shop.folder / 'nul' / 'a.md'}, line 3: byte {MARKDOWN['a.md'].index('x^2') + 1}",
            f"nul: b.jpg: {shop.folder / 'nul' / 'b.md'}, line 2: byte {len(LONG[1]) + 2}",
        ]
        outcomes = list(conformance.verify(shop.folder / "result"))
        assert outcomes
        assert not any(outcome.differences or outcome.fault for outcome in outcomes)
        assert shop.one("select sum(repaired_code_points) from parses") == 2


@pytest.mark.usefixtures("no_latex")
class TestBadInput:
    def test_a_table_beyond_the_budget(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where the exact distance is too dear, both bounds are stored, and row, average and leaderboard say so."""
        monkeypatch.setattr(pages, "score_page", partial(score_page, budget=1))
        shop.predictions("two", {"a.md": MARKDOWN["a.md"].replace("<td>2", "<td>3 4</td><td>2"), "b.md": LONG[1]})
        shop.grade("two")
        [row] = shop.database.rows("select value, bounded, lower, upper from omnidoc_metrics where metric = 'TEDS'")
        assert row["bounded"] is True
        assert row["lower"] == row["value"] < row["upper"]
        assert shop.one("select bounded from omnidoc_averages where metric = 'TEDS'") is True
        assert shop.one("select bounded from omnidoc_leaderboard") is True
        assert shop.one("select bounded from kpis where kpi = 'text_block' and document is null") is False

    def test_a_table_that_cannot_be_parsed(self, shop: Shop) -> None:
        """It scores 0 and says why; nothing else suffers."""
        shop.predictions("odd", {"a.md": MARKDOWN["a.md"].replace("<td>1", "<td colspan='x'>1"), "b.md": LONG[1]})
        shop.grade("odd")
        assert shop.one("select value from omnidoc_metrics where metric = 'TEDS'") == 0.0
        assert "'x'" in shop.one("select error from omnidoc_samples where element = 'table'")
        assert shop.one("select errors from omnidoc_leaderboard") == 1
        assert shop.one("select text_edit from omnidoc_leaderboard") == 0.0

    def test_ten_megabytes(self, shop: Shop) -> None:
        """A page of 10 MB is matched in full; what the gold has not is without a home."""
        shop.predictions("long", {"a.md": MARKDOWN["a.md"].replace(INVENTED, "gibberish " * 1_000_000)})
        shop.grade("long")
        assert shop.one("select value from omnidoc_metrics where page = 'a.jpg' and element = 'text_block'") == 0.0
        assert shop.one("select max(characters) from omnidoc_homeless") == 9_000_000

    def test_half_a_surrogate_pair(self, shop: Shop) -> None:
        """What JSON can escape and no file can hold is stored repaired."""
        text = shop.gold.read_text(encoding="utf-8").replace("The quick", "\\ud800 quick").replace("x^2", "\\u0000^2")
        shop.gold.write_text(text, encoding="utf-8")
        shop.grade("md")
        assert shop.one("select gold from omnidoc_samples where page = 'a.jpg' and element = 'text_block'").startswith(
            "\ufffd quick"
        )

    def test_a_block_without_its_text(self, shop: Shop) -> None:
        """A block that lacks what it is compared by is refused by file, page, block and field."""
        shop.gold.write_text(shop.gold.read_text(encoding="utf-8").replace('"text": "Pack', '"txt": "Pack'))
        with pytest.raises(
            GradingError, match=r"gold\.json: page b\.jpg: block 21 \(text_block\): expected the field 'text'"
        ):
            shop.grade("md")
        assert shop.one("select count(*) from runs") == 0


class TestWithLatex:
    def test_a_formula_that_cannot_be_drawn(self, shop: Shop) -> None:
        """It scores 0 with its reason, never silently; one that was not predicted scores 0 without being an error."""
        try:
            FormulaRenderer(cache=shop.folder / "cache" / "formulas")
        except RendererError as fault:
            pytest.skip(str(fault))
        shop.predictions("odd", {"a.md": MARKDOWN["a.md"].replace("x^2+y", r"x^2+y\input{secret}"), "b.md": LONG[1]})
        shop.predictions("none", {"a.md": f"{LONG[0]}\n\n{TABLE}", "b.md": LONG[1]})
        shop.grade("odd", "md", "none")
        rows = shop.database.rows(
            "select s.parser, m.value, s.error is not null as failed from omnidoc_metrics m"
            " join omnidoc_samples s using (run_id, suite, parser, page, element, sample) where m.metric = 'CDM'"
            " order by all"
        )
        assert [tuple(row.values()) for row in rows] == [("md", 1.0, False), ("none", 0.0, False), ("odd", 0.0, True)]

    def test_overall(self, shop: Shop) -> None:
        """Overall is the mean of text, table and formula, each its page average; the pooled one has its own name."""
        try:
            FormulaRenderer(cache=shop.folder / "cache" / "formulas")
        except RendererError as fault:
            pytest.skip(str(fault))
        shop.grade("md")
        [row] = shop.database.rows("select overall, overall_pooled, formula_cdm, partial from omnidoc_leaderboard")
        letters = sum(len(text.replace(" ", "")) for text in LONG[:2])
        assert row["overall"] == pytest.approx(100 * (1 - 1 / LETTERS_B / 2 + 1 + 1) / 3)
        assert row["overall_pooled"] == pytest.approx(100 * (1 - 1 / letters + 1 + 1) / 3)
        assert (row["formula_cdm"], row["partial"]) == (100.0, False)


@pytest.mark.usefixtures("no_latex")
class TestRecorded:
    def test_views_equal_the_reference(self, shop: Shop) -> None:
        """By attribute, by page attribute and over all: the views give what the reference wrote of its demo."""
        if not os.environ.get("DOCASSAY_ORACLES"):
            pytest.skip("DOCASSAY_ORACLES is not set: the recorded answers are not at hand")
        oracle = Path(os.environ["DOCASSAY_ORACLES"]) / "omnidocbench"
        (shop.folder / "pred_md").symlink_to(oracle / "demo" / "pred_md")
        shop.grade("pred_md", gold=str(oracle / "demo" / "gt" / "OmniDocBench_demo.json"))
        results = oracle / "results" / "end2end_quick_match" / "end2end_quick_match_metric_result.json"
        recorded = json.loads(results.read_text(encoding="utf-8"))
        groups, pages = _groups(shop.database), _pages(shop.database)
        for element, found in recorded.items():
            averages = _averages(shop.database, element)
            assert averages == pytest.approx(found["all"]["Edit_dist"], abs=1e-9)
            for metric, values in found["group"].items():
                if metric not in ("CDM", "sample_count"):
                    assert groups[element, metric] == pytest.approx(values, abs=1e-9)
            for metric, values in found["page"].items():
                if metric != "CDM":
                    assert pages[element, metric] == pytest.approx(values, abs=1e-9)


def _averages(database: Database, element: str) -> dict[str, float]:
    [row] = database.rows(
        "select page_average as ALL_page_avg, pooled as edit_whole, sample_average as edit_sample_avg"
        f" from omnidoc_averages where element = '{element}' and metric = 'Edit_dist'"
    )
    return row


def _groups(database: Database) -> dict[tuple[str, str], dict[str, float]]:
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in database.rows("from omnidoc_by_attribute"):
        found.setdefault((row["element"], row["metric"]), {})[f"{row['attribute']}: {row['value']}"] = row[
            "sample_average"
        ]
    return found


def _pages(database: Database) -> dict[tuple[str, str], dict[str, float]]:
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in database.rows("from omnidoc_by_page_attribute"):
        listed = row["attribute"] == "special_issue"
        label = row["value"] if listed else f"{row['attribute']}: {row['value']}"
        found.setdefault((row["element"], row["metric"]), {})[label] = row["page_average"]
    for row in database.rows("from omnidoc_averages"):
        found.setdefault((row["element"], row["metric"]), {})["ALL"] = row["page_average"]
    return found
