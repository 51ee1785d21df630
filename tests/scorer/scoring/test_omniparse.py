"""A run over a dataset's pages, scored by their tests."""

import json
from pathlib import Path

import pytest

from docassay.v1 import parser_pb2
from docassay.v1 import scorer_pb2 as pb
from scorer.report import boards
from scorer.suites.omniparse import GoldError
from services.runtime import form
from tests.scorer import small
from tests.scorer.conftest import Store
from tests.scorer.omniparse.made import dataset

PAGES = ("a-0", "a-1", "a-2", "b-0")
WITH_BLOCKS, MARKDOWN = "layouts@1", "markdown@1"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A dataset of four pages of two documents, nine tests."""
    return dataset(tmp_path / "dataset")


def request(made: Path, suite: str = "omniparse@rc1") -> pb.OpenRunRequest:
    """Open a run of two parsers over the dataset; one tells blocks apart."""
    run = pb.Run(
        suite=suite,
        mode="local",
        plan_digest="plan",
        machine_json="{}",
        machine_digest="machine",
        commit="commit",
        timeout_seconds=60,
        memory_bytes=1 << 30,
        cpus=[0],
        corpus_name="dataset",
        corpus_path=str(made),
    )
    asked = pb.OpenRunRequest(run=run)
    for parser in (MARKDOWN, WITH_BLOCKS):
        one = small.run_parser(parser)
        one.description.capabilities.extend(["text", *(["blocks"] if parser == WITH_BLOCKS else [])])
        asked.parsers.append(one)
    asked.documents.extend(
        pb.RunDocument(document_id=page, domain="d", format="pdf", pages=1, sha256=page, annotations=["html"])
        for page in PAGES
    )
    return asked


def output(page: str, parser: str) -> bytes:
    """Return what a parser made of a page: markdown, or HTML with blocks; the cell of a-1 is wrong."""
    cell = "other" if page == "a-1" else f"cell {page}"
    if parser == MARKDOWN:
        parsed = form.Parsed(f"page {page}\n\n| h |\n|---|\n| {cell} |\n", "markdown")
        return b"".join(form.output_lines(parsed, form.Collected(), form.Repair()))
    parsed = form.Parsed(f"<p>page {page}</p><table><tr><td>{cell}</td></tr></table>", "html")
    blocks = [form.Block(1, "heading", (0.0, 0.0, 1.0, 1.0)), form.Block(2, "text", (0.0, 0.0, 1.0, 1.0))]
    return b"".join(form.output_lines(parsed, form.Collected(pages=1, blocks=blocks), form.Repair()))


def parsed_run(store: Store, made: Path, suite: str = "omniparse@rc1") -> str:
    """Store a whole run; the parser of blocks fails on a-2."""
    run_id = store.run(request(made, suite))
    for parser in (MARKDOWN, WITH_BLOCKS):
        for page in PAGES:
            first = small.record(run_id, parser, page, seconds=1.0)
            if (parser, page) == (WITH_BLOCKS, "a-2"):
                first.done.status, first.done.reason = parser_pb2.PARSE_STATUS_CRASH, "it crashed"
                store.submit(small.parts(first))
            else:
                store.submit(small.parts(first, output(page, parser)))
    store.close_run(run_id)
    return run_id


class TestScored:
    def test_html_markdown_and_blocks(self, store: Store, made: Path) -> None:
        """HTML as it is, markdown converted, blocks where a parser gives them, else unsupported; a crash fails."""
        done = store.score(parsed_run(store, made))
        rows = {(r["parser"], r["test"]): r["passed"] for r in store.database.rows("from verdicts")}
        assert len(rows) == 18
        assert {test for (parser, test), passed in rows.items() if parser == MARKDOWN and not passed} == {
            "a-1_cell",
            "b-0_kind",
        }
        assert rows[MARKDOWN, "b-0_kind"] is None
        assert rows[WITH_BLOCKS, "b-0_kind"] is True
        assert {test for (parser, test), passed in rows.items() if parser == WITH_BLOCKS and passed is False} == {
            "a-1_cell",
            "a-2_text",
            "a-2_cell",
        }
        assert any("on page 2 of a single page" in warning for warning in done.warnings)
        board = boards.board(store.database)
        first, last = board["parsers"]
        assert first["parser"] == WITH_BLOCKS
        assert first["headline"] == pytest.approx((3 / 4 + 2 / 4 + 1) / 3)
        assert (first["failed"], last["failed"], last["headline"]) == (1, 0, None)
        assert not board["partial"]

    def test_processes_change_nothing(self, store: Store, made: Path) -> None:
        """Every row that a scoring writes is the same from two processes as from one."""
        run_id = parsed_run(store, made)
        written = []
        for jobs in (1, 2):
            store.score(run_id, jobs=jobs)
            tables = ("verdicts", "kpis", "standings", "pairs", "warnings", "signatures")
            written.append([store.database.rows(f"from {table} order by all") for table in tables])
        assert written[0] == written[1]
        assert all(written[0])

    def test_the_other_version(self, store: Store, made: Path) -> None:
        """1.0.0 knows no unsupported output: the layout test fails, and only answered pages count."""
        store.score(parsed_run(store, made, "omniparse@1.0.0"))
        [row] = store.database.rows("select passed from verdicts where parser = ? and test = 'b-0_kind'", [MARKDOWN])
        assert row["passed"] is False
        [row] = store.database.rows("select value from kpis where parser = ? and kpi = 'composite'", [WITH_BLOCKS])
        assert row["value"] == pytest.approx(0.75 * (1 + 2 / 3 + 1) / 3)

    def test_scoring_again_replaces(self, store: Store, made: Path) -> None:
        """Corrected gold changes the verdicts in place."""
        run_id = parsed_run(store, made)
        store.score(run_id)
        gold = made / "gold" / "a-1.json"
        gold.write_text(gold.read_text().replace("cell a-1", "other"))
        store.score(run_id)
        rows = store.database.rows("select passed from verdicts where test = 'a-1_cell'")
        assert [row["passed"] for row in rows] == [True, True]

    def test_broken_gold_leaves_the_earlier_verdicts(self, store: Store, made: Path) -> None:
        """The page, the test and the rule are named."""
        run_id = parsed_run(store, made)
        store.score(run_id)
        page = made / "gold" / "a-0.json"
        tests = json.loads(page.read_text())
        tests["tests"][0]["args"]["content"]["max_diffs"] = 99
        page.write_text(json.dumps(tests))
        with pytest.raises(GoldError, match="a-0_text"):
            store.score(run_id)
        assert len(store.database.rows("from verdicts")) == 18

    def test_another_dataset_or_suite_is_refused(self, store: Store, made: Path, tmp_path: Path) -> None:
        """A dataset without the run's pages, axes, weights and another suite."""
        run_id = parsed_run(store, made)
        asked = request(made)
        asked.run.plan_digest = "other"
        asked.documents.append(pb.RunDocument(document_id="c-9", domain="d", format="pdf", sha256="c"))
        with pytest.raises(ValueError, match=r"lacks 1 page of the run, e\.g\. c-9"):
            store.score(store.run(asked, day=1))
        with pytest.raises(ValueError, match="leave --axis and --weights out"):
            store.score(run_id, axes=("tables",))
        with pytest.raises(ValueError, match=r"made for omniparse@rc1, it cannot be scored with 'bizdoc'"):
            store.score(run_id, suite="bizdoc")
