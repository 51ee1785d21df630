"""Two runs of yes/no tests compared: what changed is found, what cannot be compared is said."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scorer.report import boards
from scorer.store.database import FILE, Database
from scorer.store.errors import Unknown
from tests.scorer.grading.test_omniparse import asked, graded
from tests.scorer.omniparse.made import dataset, predictions


@pytest.fixture(name="database")
def _database(tmp_path: Path) -> Iterator[Database]:
    """An empty store."""
    opened = Database(tmp_path / FILE)
    yield opened
    opened.close()


@pytest.fixture(name="made")
def _made(tmp_path: Path) -> Path:
    """A dataset of four pages of two documents, nine tests."""
    return dataset(tmp_path / "dataset")


def compared(database: Database, before: str, after: str) -> dict[str, Any]:
    """Return the comparison as a client gets it."""
    found: dict[str, Any] = json.loads(json.dumps(boards.comparison(database, before, after)))
    return found


class TestCompared:
    def test_changes_test_by_test(self, database: Database, made: Path, tmp_path: Path) -> None:
        """Another version of the tool: two tests lost with a page, one family changed, where they sit is named."""
        was = graded(database, asked(made, {"mine@1": predictions(tmp_path / "p")})).run_id
        now = graded(database, asked(made, {"mine@2": predictions(tmp_path / "q", without=("a-2",))})).run_id
        found = compared(database, was, now)
        [pair] = found["parsers"]
        assert (pair["before"], pair["after"]) == ("mine@1", "mine@2")
        assert [turned["document"] for turned in pair["newly_failed"]] == ["a-2"]
        assert (pair["tests"]["shared"], pair["tests"]["same"]) == (9, 7)
        assert pair["tests"]["changed"] == [{"before": "pass", "after": "fail", "tests": 2}]
        assert {"name": "part:a", "tests": 6, "different": 2} in pair["tests"]["places"]
        figures = {change["headline"]: (change["before"], change["after"]) for change in pair["changes"]}
        assert figures["text"] == (1.0, 0.75)
        assert figures["tables"] == (0.75, 0.5)
        assert figures["composite"] == (pytest.approx(2.75 / 3), pytest.approx(2.25 / 3))
        assert found["worse"] == []

    def test_the_same_predictions_differ_in_nothing(self, database: Database, made: Path, tmp_path: Path) -> None:
        """Nothing regressed, every test the same."""
        folder = predictions(tmp_path / "p")
        runs = [graded(database, asked(made, {"mine": folder})).run_id for _ in range(2)]
        [pair] = compared(database, *runs)["parsers"]
        assert pair["tests"]["same"] == 9
        assert (pair["regressed"], pair["newly_failed"], pair["mended"]) == ([], [], [])
        assert {change["verdict"] for change in pair["changes"]} == {"no difference shown"}

    def test_pages_whose_gold_changed_are_left_out(self, database: Database, made: Path, tmp_path: Path) -> None:
        """Their verdicts are of other tests."""
        folder = predictions(tmp_path / "p")
        was = graded(database, asked(made, {"mine": folder})).run_id
        gold = made / "gold" / "a-1.json"
        gold.write_text(gold.read_text().replace("cell a-1", "other"))
        now = graded(database, asked(made, {"mine": folder})).run_id
        found = compared(database, was, now)
        assert (found["documents"], found["other_files"]) == (3, ["a-1"])
        assert found["parsers"][0]["tests"]["shared"] == 7

    def test_a_family_that_one_run_lacks_is_not_compared(self, database: Database, made: Path, tmp_path: Path) -> None:
        """Blocks declared unsupported: no layout, and so no headline."""
        folder = predictions(tmp_path / "p")
        was = graded(database, asked(made, {"mine": folder})).run_id
        now = graded(database, asked(made, {"mine": folder}, {"mine": ["blocks"]})).run_id
        [pair] = compared(database, was, now)["parsers"]
        verdicts = {change["headline"]: change["verdict"] for change in pair["changes"]}
        assert verdicts == {
            "composite": "not compared",
            "text": "no difference shown",
            "tables": "no difference shown",
            "layout": "not compared",
        }
        assert pair["tests"]["changed"] == [{"before": "pass", "after": "unsupported", "tests": 1}]

    def test_without_headline_in_both_runs_there_is_none_to_compare(
        self, database: Database, made: Path, tmp_path: Path
    ) -> None:
        """A mean over the families that are left would be another number."""
        folder = predictions(tmp_path / "p")
        runs = [graded(database, asked(made, {"mine": folder}, {"mine": ["blocks"]})).run_id for _ in range(2)]
        [pair] = compared(database, *runs)["parsers"]
        assert pair["changes"][0]["headline"] == "composite"
        assert pair["changes"][0]["verdict"] == "not compared"

    def test_what_cannot_be_compared_is_refused(self, database: Database, made: Path, tmp_path: Path) -> None:
        """No such run, another version, other parsers, other pages."""
        folder = predictions(tmp_path / "p")
        was = graded(database, asked(made, {"mine": folder})).run_id
        with pytest.raises(Unknown, match="there is no run 'x'"):
            boards.comparison(database, was, "x")
        newer = graded(database, asked(made, {"mine": folder}, version="1.0.0")).run_id
        with pytest.raises(Unknown, match=r"was not scored with omniparse@1\.0\.0"):
            boards.comparison(database, was, newer)
        other = graded(database, asked(made, {"theirs": folder})).run_id
        with pytest.raises(ValueError, match="no parser occurs in both runs"):
            boards.comparison(database, was, other)
        for path in (made / "gold").iterdir():
            path.write_text(path.read_text() + "\n")
        moved = graded(database, asked(made, {"mine": folder})).run_id
        with pytest.raises(ValueError, match="share no page"):
            boards.comparison(database, was, moved)
