"""Predictions made elsewhere become a run of the store."""

import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from docassay.v1 import scorer_pb2 as pb
from scorer import grading
from scorer.grading import omniparse
from scorer.omniparse import read_run
from scorer.report import boards
from scorer.scoring.steps import Progress, Scored, ScoringFailed
from scorer.store.artifacts import Artifacts
from scorer.store.database import FILE, Database
from tests.scorer.omniparse.made import dataset, predictions

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty store."""
    opened = Database(tmp_path / FILE)
    yield opened
    opened.close()


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A dataset of four pages of two documents, nine tests."""
    return dataset(tmp_path / "dataset")


def asked(made: Path, folders: dict[str, Path], unsupported: dict[str, list[str]] | None = None, **more: Any) -> Any:
    """Return a request to grade folders by name."""
    given = [
        pb.Predictions(parser=name, folder=str(folder), unsupported=(unsupported or {}).get(name, []))
        for name, folder in folders.items()
    ]
    wanted = pb.OmniparseGrading(dataset=str(made), predictions=given, **more)
    return pb.GradeRequest(run=pb.Run(machine_json="{}", machine_digest="m", commit="c"), omniparse=wanted)


def _grade(database: Database, request: pb.GradeRequest, stop: threading.Event) -> Iterator[Progress | Scored]:
    folder = database.path.parent
    return grading.grade(database, Artifacts(folder / "artifacts"), request, cache=folder, now=NOW, stop=stop)


def graded(database: Database, request: pb.GradeRequest) -> Scored:
    """Grade to the end."""
    steps = list(_grade(database, request, threading.Event()))
    assert isinstance(steps[-1], Scored)
    return steps[-1]


class TestStored:
    def test_verdicts_headline_and_families(self, database: Database, made: Path, tmp_path: Path) -> None:
        """Nine verdicts; text 4 of 4, tables 3 of 4, layout 1 of 1; the headline is their mean."""
        done = graded(database, asked(made, {"mine@2": predictions(tmp_path / "p")}))
        assert database.rows("select count(*) as n, count(*) filter (passed) as p from verdicts") == [{"n": 9, "p": 8}]
        found = database.rows("select kpi, value from kpis where run_id = ? and in_axis order by kpi", [done.run_id])
        assert {row["kpi"]: row["value"] for row in found} == {
            "composite": pytest.approx((1 + 3 / 4 + 1) / 3),
            "text": 1.0,
            "tables": 0.75,
            "layout": 1.0,
        }
        [run] = database.rows("select suite, mode, scope, finished_at is not null as finished from runs")
        assert run == {"suite": "omniparse@rc1", "mode": "graded", "scope": None, "finished": True}
        assert database.rows("select name, version from parsers") == [{"name": "mine", "version": "2"}]

    def test_a_page_without_prediction_is_a_failure_with_a_reason(
        self, database: Database, made: Path, tmp_path: Path
    ) -> None:
        """Its tests fail, and the page is listed among the failures."""
        graded(database, asked(made, {"mine": predictions(tmp_path / "p", without=("a-2",))}))
        failures = database.rows("select document, status, reason from failures")
        assert [(row["document"], row["status"]) for row in failures] == [("a-2", "error")]
        assert "a-2.json" in failures[0]["reason"]
        assert database.rows("select count(*) as n from verdicts where why = 'no html output'") == [{"n": 2}]

    def test_slices_by_tag(self, database: Database, made: Path, tmp_path: Path) -> None:
        """Tests by tag, part and derivation, family by family; two documents are few."""
        graded(database, asked(made, {"mine": predictions(tmp_path / "p")}))
        rows = database.rows("select tag, family, score, tests, documents, few_documents from verdict_tags")
        of_part = {(row["tag"], row["family"]): row for row in rows}
        assert of_part["part:a", "tables"]["score"] == pytest.approx(2 / 3)
        assert of_part["part:a", "tables"]["documents"] == 2
        assert of_part["table", "tables"]["tests"] == 4
        assert all(row["few_documents"] for row in rows)

    def test_the_documented_query_asks_of_one_run_and_tells_parsers_apart(
        self, database: Database, made: Path, tmp_path: Path
    ) -> None:
        """Of two runs the newest; a row a parser and tag."""
        folder = predictions(tmp_path / "p")
        graded(database, asked(made, {"older": folder}))
        graded(database, asked(made, {"a": folder, "b": folder}))
        said = re.search(r'docassay sql "(.* verdict_tags .*)"', (ROOT / "docs/method/omniparse.md").read_text())
        assert said is not None
        rows = database.rows(said[1])
        assert {row["parser"] for row in rows} == {"a", "b"}
        assert len({(row["parser"], row["tag"]) for row in rows}) == len(rows)

    def test_unsupported_blocks_leave_no_headline_and_no_rank(
        self, database: Database, made: Path, tmp_path: Path
    ) -> None:
        """The parser without blocks stands last, without headline, and says why; it is ranked on text all the same."""
        folder = predictions(tmp_path / "p")
        done = graded(database, asked(made, {"a": folder, "b": folder}, {"a": ["blocks"]}))
        board = boards.board(database, run_id=done.run_id)
        assert [row["parser"] for row in board["parsers"]] == ["b", "a"]
        last = board["parsers"][1]
        assert (last["headline"], last["rank"]) == (None, None)
        assert "layout" in last["reason"]
        assert last["families"]["layout"]["unsupported"] == 1
        assert last["families"]["text"]["rank"] == 1
        json.dumps(board)

    def test_the_other_version_multiplies_by_coverage(self, database: Database, made: Path, tmp_path: Path) -> None:
        """1.0.0: of four pages three are answered, without a failure but one cell of three."""
        request = asked(made, {"mine": predictions(tmp_path / "p", without=("a-2",))}, version="1.0.0")
        done = graded(database, request)
        [row] = database.rows("select value from kpis where run_id = ? and kpi = 'composite'", [done.run_id])
        assert row["value"] == pytest.approx(0.75 * (1 + 2 / 3 + 1) / 3)

    def test_a_sample_is_partial(self, database: Database, made: Path, tmp_path: Path) -> None:
        """The reference's two pages, one of each part, and a word that this is not the whole."""
        graded(database, asked(made, {"mine": predictions(tmp_path / "p")}, sample=2))
        assert [row["document"] for row in database.rows("select document from documents order by all")] == [
            "a-0",
            "b-0",
        ]
        assert database.rows("select partial from scorings") == [{"partial": True}]

    def test_a_sample_of_more_pages_than_there_are_is_remarked(
        self, database: Database, made: Path, tmp_path: Path
    ) -> None:
        """All four are taken, so the run is whole."""
        done = graded(database, asked(made, {"mine": predictions(tmp_path / "p")}, sample=99))
        remark = "a sample of 99 pages was asked for, the dataset has 4: all are taken"
        assert done.warnings == (remark,)
        assert database.rows("select text from warnings") == [{"text": remark}]
        assert database.rows("select partial from scorings") == [{"partial": False}]

    def test_text_that_no_table_can_hold(self, database: Database, made: Path, tmp_path: Path) -> None:
        """Half of a surrogate pair in a text, a block's label and a value of the wrong kind: stored as any failure."""
        folder = predictions(tmp_path / "p")
        (folder / "a-0.json").write_text('{"html": "\\ud800 $\\ud800$"}')
        (folder / "a-1.json").write_text('{"html": ["\\ud800"]}')
        (folder / "b-0.json").write_text('{"html": "page b-0", "blocks": [{"label": "\\udfff", "bbox": [0, 0, 1, 1]}]}')
        done = graded(database, asked(made, {"mine": folder}, runs_folder=str(tmp_path / "runs")))
        [written] = (tmp_path / "runs").iterdir()
        assert json.loads((written / "predictions" / "a-0.json").read_text())["html"] == "\ud800 $\ud800$"
        stored = {row["test"]: row["why"] for row in database.rows("from verdicts")}
        assert stored == {line["test_id"]: line["why"] for line in read_run(written).lines}
        assert "udfff" in stored["b-0_kind"]
        json.dumps(boards.board(database, run_id=done.run_id)).encode()

    def test_a_parser_that_answered_no_page_says_why(self, database: Database, made: Path, tmp_path: Path) -> None:
        """Of four pages none can be read; the other parser, which failed on one, is not listed."""
        bad = predictions(tmp_path / "bad")
        for path in bad.iterdir():
            path.write_text("null")
        good = predictions(tmp_path / "good", without=("a-2",))
        done = graded(database, asked(made, {"bad": bad, "good": good}))
        assert boards.board(database, run_id=done.run_id)["nothing_parsed"] == [
            {
                "parser": "bad",
                "documents": 4,
                "statuses": ["error"],
                "document": "a-0",
                "reason": "a-0.json must hold an object with html and blocks, found null",
            }
        ]

    @pytest.mark.parametrize("version", ["rc1", "1.0.0"])
    def test_a_run_folder_for_the_benchmarks_tools(
        self, database: Database, made: Path, tmp_path: Path, version: str
    ) -> None:
        """One a parser, named as theirs, its results those of the store."""
        request = asked(
            made, {"org/mine": predictions(tmp_path / "p")}, version=version, runs_folder=str(tmp_path / "runs")
        )
        graded(database, request)
        [folder] = (tmp_path / "runs").iterdir()
        assert folder.name.startswith("org__mine-")
        stored = {row["test"]: "pass" if row["passed"] else "fail" for row in database.rows("from verdicts")}
        assert read_run(folder).results() == stored

    def test_processes_change_nothing(
        self, database: Database, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The same rows from this process as from two others."""
        request = asked(made, {"mine": predictions(tmp_path / "p")})
        first = graded(database, request)
        monkeypatch.setattr(omniparse, "PAGES_A_PROCESS", 1)
        monkeypatch.setattr(omniparse.os, "sched_getaffinity", lambda _: {0, 1})
        second = graded(database, request)
        rows = [
            database.rows("select * exclude (run_id) from verdicts where run_id = ? order by all", [one.run_id])
            for one in (first, second)
        ]
        assert rows[0] == rows[1] != []


class TestRefused:
    def test_bad_requests_name_what_to_do(self, database: Database, made: Path, tmp_path: Path) -> None:
        """An unknown version or output, a stranger's folder, one name twice, unsupported under 1.0.0."""
        given = predictions(tmp_path / "p")
        (tmp_path / "stray").mkdir()
        twice = asked(made, {"mine": given})
        twice.omniparse.predictions.append(pb.Predictions(parser="mine", folder=str(given)))
        for request, message in (
            (asked(made, {"mine": given}, version="2"), "no version '2'"),
            # What was mistyped is said before a dataset is read, or fetched.
            (asked(tmp_path / "none", {"mine": given}, {"mine": ["chunks"]}), "no output types.*chunks"),
            (asked(made, {"mine": given}, {"mine": ["blocks"]}, version="1.0.0"), "no unsupported outputs"),
            (asked(made, {"mine": tmp_path / "stray"}), "is named for a page of the dataset"),
            (asked(tmp_path / "none", {"mine": given}), "no dataset folder"),
            (asked(made, {"mine": given}, sample=-1), "cannot be -1"),
            (asked(made, {"mine": given}, runs_folder=str(made / "manifest.parquet")), "no run folder can be written"),
            (twice, "a name of its own"),
            (pb.GradeRequest(), "names no suite"),
        ):
            with pytest.raises(ValueError, match=message):
                graded(database, request)
        assert database.rows("from runs") == []

    def test_a_test_id_used_on_two_pages(self, database: Database, made: Path, tmp_path: Path) -> None:
        """Its verdicts could not be told apart."""
        page = made / "gold" / "a-0.json"
        page.write_text(page.read_text().replace("a-0_cell", "a-1_cell"))
        with pytest.raises(ValueError, match=r"more than once.*a-1_cell"):
            graded(database, asked(made, {"mine": predictions(tmp_path / "p")}))

    def test_a_stop_stores_nothing(self, database: Database, made: Path, tmp_path: Path) -> None:
        """Given up after the first page, the store is as it was."""
        stop = threading.Event()
        steps = _grade(database, asked(made, {"mine": predictions(tmp_path / "p")}), stop)
        while next(steps) != Progress("pages", 1, 4, "a-0"):
            pass
        stop.set()
        with pytest.raises(ScoringFailed, match="nothing was stored"):
            list(steps)
        assert database.rows("from runs") == []
