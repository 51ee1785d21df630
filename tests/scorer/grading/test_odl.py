"""Folders of markdown graded as opendataloader-bench does, into the store."""

import json
import os
import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from docassay.v1 import scorer_pb2 as pb
from scorer import grading
from scorer.report import boards
from scorer.scoring import inputs
from scorer.scoring.steps import Scored, ScoringFailed
from tests.scorer.grading.shop import NOW, Shop

TEXT = "Pack my box with five dozen liquor jugs"
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"
GOLD = {"one.md": TEXT, "two.md": f"# Title\n\n{TEXT}", "three.md": f"{TEXT}\n\n{TABLE}"}


def _steps(shop: Shop, *folders: str, stop: threading.Event | None = None, **named: str) -> Iterator[Any]:
    given = {name: shop.folder / name for name in folders} | {name: Path(path) for name, path in named.items()}
    asked = pb.OdlGrading(
        gold=str(shop.folder / "gold"),
        predictions=[pb.Predictions(parser=name, folder=str(path)) for name, path in given.items()],
    )
    request = pb.GradeRequest(run=pb.Run(machine_json="{}", machine_digest="m", commit="c"), odl=asked)
    return grading.grade(
        shop.database, shop.artifacts, request, cache=shop.folder, now=NOW, stop=stop or threading.Event()
    )


def _grade(shop: Shop, *folders: str, **named: str) -> str:
    *_, last = _steps(shop, *folders, **named)
    assert isinstance(last, Scored)
    return last.run_id


@pytest.fixture(name="bench")
def _bench(shop: Shop) -> Shop:
    """Three documents of gold, and predictions that equal it."""
    shop.predictions("gold", GOLD)
    shop.predictions("same", GOLD)
    return shop


class TestStored:
    def test_means(self, bench: Shop) -> None:
        """Every measure is a mean over the documents whose gold has it; a missing prediction is scored as empty."""
        bench.predictions("less", {"one.md": TEXT, "three.md": GOLD["three.md"]})
        _grade(bench, "same", "less")
        rows = bench.database.rows(
            "select parser, kpi, value from kpis where document is null and in_axis order by all"
        )
        assert [tuple(row.values()) for row in rows] == [
            ("less", "composite", pytest.approx(2 / 3)),
            ("less", "mhs", 0.0),
            ("less", "nid", pytest.approx(2 / 3)),
            ("less", "teds", 1.0),
            *(("same", name, 1.0) for name in ("composite", "mhs", "nid", "teds")),
        ]
        assert bench.one("select value from kpis where parser = 'less' and kpi = 'overall_readme'") == pytest.approx(
            (2 / 3 + 0 + 1) / 3
        )
        assert bench.tuples("select parser, document, reason from parses where status = 'error'") == [
            ("less", "two", "there is no two.md")
        ]
        assert bench.tuples(
            "select document from kpis where parser = 'same' and kpi = 'teds' and document is not null"
        ) == [("three",)]

    def test_a_table_that_cannot_be_compared(self, bench: Shop) -> None:
        """It scores 0, and why stands beside it."""
        odd = GOLD["three.md"].replace(TABLE, "<table><tr><td colspan='x'>1</td></tr></table>")
        bench.predictions("odd", GOLD | {"three.md": odd})
        _grade(bench, "odd")
        [(value, reason)] = bench.tuples("select value, reason from kpis where kpi = 'teds' and document = 'three'")
        assert (value, "x" in reason) == (0.0, True)

    def test_gold_that_cannot_be_compared(self, bench: Shop) -> None:
        """It defines no TEDS, and why stands in its place; the document's overall is of the rest."""
        odd = GOLD["three.md"].replace(TABLE, "<table><tr><td colspan='x'>1</td></tr></table>")
        (bench.folder / "gold" / "three.md").write_text(odd, encoding="utf-8")
        _grade(bench, "same")
        rows = bench.tuples("select value, reason from kpis where axis = 'teds' and document = 'three'")
        assert rows == [(None, "gold: a cell's colspan is 'x', expected a whole number")] * 2
        [(overall, nid)] = bench.tuples(
            "select max(value) filter (kpi = 'composite'), max(value) filter (kpi = 'nid')"
            " from kpis where document = 'three'"
        )
        assert overall == nid < 1
        json.dumps(boards.board(bench.database), allow_nan=False)

    def test_a_folder_for_a_prediction(self, bench: Shop) -> None:
        """A folder where a document's prediction was looked for is none, and is named."""
        (bench.folder / "same" / "one.md").unlink()
        (bench.folder / "same" / "one.md").mkdir()
        _grade(bench, "same")
        assert bench.tuples("select document, reason from parses where status = 'error'") == [
            ("one", "one.md is a folder, no file")
        ]

    def test_board(self, bench: Shop) -> None:
        """The leaderboard lists every figure of every parser, the headline first."""
        _grade(bench, "same")
        board = boards.board(bench.database)
        assert board["figures"][0]["figure"] == "composite"
        assert {figure["figure"] for figure in board["figures"]} >= {"nid", "nid_s", "teds_s", "overall_readme"}
        json.dumps(board, allow_nan=False)

    def test_compared(self, bench: Shop) -> None:
        """Two runs are compared headline by headline, each over the documents that have it."""
        first = _grade(bench, mine=str(bench.folder / "same"))
        bench.predictions("cut", {name: text[:20] for name, text in GOLD.items()})
        found = boards.comparison(bench.database, first, _grade(bench, mine=str(bench.folder / "cut")))
        [pair] = found["parsers"]
        changes = {change["headline"]: change for change in pair["changes"]}
        assert changes.keys() == {"composite", "nid", "teds", "mhs"}
        assert (changes["composite"]["documents"], changes["teds"]["documents"]) == (3, 1)
        assert (changes["teds"]["difference"], changes["teds"]["interval"]) == (-1.0, None)
        assert changes["composite"]["before"] == 1.0
        assert len(pair["regressed"]) == 3
        json.dumps(found, allow_nan=False)


PAGE = Path(__file__).resolve().parents[3] / "docs" / "method" / "odl.md"
QUESTIONS = re.findall(r"^```sql\n(.+?)```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


class TestQuestions:
    def test_each_is_answered_with_rows(self, bench: Shop) -> None:
        """Every query of the suite's page gives rows on a graded run."""
        _grade(bench, "same")
        assert QUESTIONS
        assert all(bench.database.rows(sql) for sql in QUESTIONS)


class TestBrokenOff:
    def test_goes_on(self, bench: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """A run without figures is not finished, and the same command finishes it."""

        def killed(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(inputs, "read", killed)
            with pytest.raises(KeyboardInterrupt):
                _grade(bench, "same")
        assert bench.tuples("select finished_at is not null from runs") == [(False,)]
        _grade(bench, "same")
        assert bench.tuples("select finished_at is not null, (select count(*) from scorings) from runs") == [(True, 1)]


class TestNotUtf8:
    def test_is_named(self, bench: Shop) -> None:
        """A prediction, and the gold once for all parsers, each by file and place; both are scored."""
        bench.predictions("odd", GOLD)
        (bench.folder / "odd" / "one.md").write_bytes(b"na\xefve\n")
        (bench.folder / "gold" / "two.md").write_bytes(b"# a\n\n\xff\n")
        *_, done = _steps(bench, "same", "odd")
        assert [text.partition(", is no UTF-8")[0] for text in done.warnings] == [
            f"two: {bench.folder / 'gold' / 'two.md'}, line 3: byte 5, 0xff",
            f"odd: one: {bench.folder / 'odd' / 'one.md'}, line 1: byte 2, 0xef",
        ]
        assert bench.tuples("select parser, document from warnings order by all") == [("odd", "one"), (None, "two")]
        assert bench.one("select count(*) from kpis where kpi = 'nid' and document is not null") == 6

    def test_nul(self, bench: Shop) -> None:
        """A NUL is named alike, and scored as the character that stands for it."""
        bench.predictions("odd", GOLD | {"one.md": TEXT.replace("P", "\0"), "two.md": GOLD["two.md"]})
        bench.predictions("repaired", GOLD | {"one.md": TEXT.replace("P", "\ufffd")})
        *_, done = _steps(bench, "odd", "repaired")
        assert done.warnings == (
            f"odd: one: {bench.folder / 'odd' / 'one.md'}, line 1: byte 0, is a NUL; NULs were read as U+FFFD: take "
            "them out of the file",
        )
        assert bench.one("select count(distinct value) from kpis where kpi = 'nid' and document = 'one'") == 1

    def test_what_was_graded(self, bench: Shop) -> None:
        """Markdown, and no file that it may have come from."""
        _grade(bench, "same")
        assert bench.one("select distinct format from documents") == "markdown"


class TestRefused:
    @pytest.mark.parametrize(
        ("gold", "folder", "message"),
        [
            ({}, GOLD, "gold: expected a folder of gold markdown, found no"),
            (GOLD, {"other.md": "x"}, r"mine: no prediction for any of 3 documents; looked for .*as one\.md"),
        ],
    )
    def test_nothing_there(self, shop: Shop, gold: Mapping[str, str], folder: Mapping[str, str], message: str) -> None:
        """A folder without gold or without predictions is refused, with what was looked for; nothing is stored."""
        shop.predictions("gold", gold)
        shop.predictions("mine", folder)
        with pytest.raises(ValueError, match=message):
            _grade(shop, "mine")
        assert shop.one("select count(*) from runs") == 0

    def test_a_folder_in_the_gold(self, bench: Shop) -> None:
        """A folder that is named as a file of gold is refused, with what to do."""
        (bench.folder / "gold" / "dir.md").mkdir()
        with pytest.raises(
            ValueError, match=r"gold/dir\.md: expected a file of gold markdown, found a folder: take it"
        ):
            _grade(bench, "same")
        assert bench.one("select count(*) from runs") == 0

    def test_given_up(self, bench: Shop) -> None:
        """A grading that is given up leaves no run."""
        stop = threading.Event()
        with pytest.raises(ScoringFailed, match="nothing was stored"):
            for _ in _steps(bench, "same", stop=stop):
                stop.set()
        assert bench.one("select count(*) from runs") == 0


class TestRecorded:
    def test_published(self, shop: Shop) -> None:
        """The store has every mean of a published evaluation."""
        if not os.environ.get("DOCASSAY_ORACLES"):
            pytest.skip("DOCASSAY_ORACLES is not set: the published evaluations are not at hand")
        oracle = Path(os.environ["DOCASSAY_ORACLES"]) / "opendataloader-bench"
        (shop.folder / "gold").symlink_to(oracle / "ground-truth")
        engine = oracle / "prediction" / "opendataloader"
        _grade(shop, mine=str(engine))
        recorded = json.loads((engine / "evaluation.json").read_text(encoding="utf-8"))
        figures = dict(shop.tuples("select kpi, value from kpis where document is null"))
        names = {
            "overall_mean": "composite",
            **{f"{name}_mean": name for name in ("nid", "teds", "mhs", "nid_s", "mhs_s")},
        }
        for name, kpi in names.items():
            assert figures[kpi] == pytest.approx(recorded["metrics"]["score"][name], abs=1e-9)
