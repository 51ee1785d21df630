"""Runs and gradings of OmniParseBench's pages by the command line, real processes throughout."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator import local
from orchestrator.cli import tutorials
from scorer.omniparse.tutorial import SAMPLE
from scorer.stats.differences import DIFFERENCES_RESAMPLES, DIFFERENCES_SEED
from scorer.stats.resampling import DEFAULT_RESAMPLES, DEFAULT_SEED
from tests.orchestrator.command import Command, reading_pages
from tests.scorer.omniparse.made import dataset, predictions

PAGES = ("a-0", "a-1", "a-2", "b-0")


@pytest.fixture(name="made")
def _made(tmp_path: Path) -> Path:
    """A dataset whose pages are PDFs that hold their text as it is."""
    folder = dataset(tmp_path / "dataset")
    (folder / "pages").mkdir()
    for page in PAGES:
        content = f"BT /F1 12 Tf (page {page}) Tj ET"
        parts = (
            "<</Type/Catalog/Pages 2 0 R>>",
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
            f"<</Length {len(content)}>>stream\n{content}\nendstream",
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        )
        objects = "".join(f"{number} 0 obj{part}endobj\n" for number, part in enumerate(parts, start=1))
        (folder / "pages" / f"{page}.pdf").write_text(f"%PDF-1.4\n{objects}trailer<</Root 1 0 R>>\n%%EOF")
    return folder


@pytest.fixture(name="command")
def _command(tmp_path: Path) -> Command:
    return reading_pages(tmp_path)


class TestRun:
    def test_pages_in_verdicts_out(self, command: Command, made: Path) -> None:
        """Every page is parsed, every test has its verdict, the leaderboard shows families; blocks are unsupported."""
        code, out, err = command.run("run", "--local", "--suite", "omniparse", "--dataset", str(made), "--json")
        assert code == 0, err
        board = json.loads(out)
        assert board["suite"] == "omniparse@rc1"
        [row] = board["parsers"]
        assert (row["families"]["text"]["score"], row["families"]["tables"]["score"]) == (1.0, 0.0)
        assert (row["families"]["layout"]["unsupported"], row["headline"]) == (1, None)
        assert command.rows("select count(*) as n from verdicts") == [{"n": 9}]

    def test_a_sample_is_the_benchmarks_own(self, command: Command, made: Path) -> None:
        """Two pages, one of each part; the run is partial."""
        code, _, err = command.run(
            "run", "--local", "--suite", "omniparse", "--dataset", str(made), "--sample", "2", "--json"
        )
        assert code == 0, err
        assert [row["document"] for row in command.rows("select document from documents order by all")] == [
            "a-0",
            "b-0",
        ]
        assert command.rows("select partial from scorings") == [{"partial": True}]

    def test_a_larger_sample_and_a_parser_that_reads_none_of_the_pages(self, command: Command, made: Path) -> None:
        """All are taken, which is said, and the leaderboard says why the parser has nothing."""
        toml = command.services / "faulty_parser" / "parser.toml"
        toml.write_text(toml.read_text().replace('"pdf", ', ""))
        code, out, err = command.run("run", "--local", "--suite", "omniparse", "--dataset", str(made), "--sample", "99")
        assert code == 0, err
        assert "a sample of 99 pages was asked for, the dataset has 4: all are taken" in err
        assert command.rows("select partial from scorings") == [{"partial": False}]
        [line] = [line for line in out.splitlines() if line.startswith("parsed nothing: ")]
        assert ", of 4 documents: unsupported, e.g. a-0: " in line

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("--suite", "omniparse"), "needs --dataset"),
            (("--suite", "other"), "no suite 'other'"),
            (("--suite", "omniparse@3", "--dataset", "DATASET"), "no version '3'"),
            (("--suite", "omniparse", "--dataset", "DATASET", "--sample", "1", "--ids", "a-0"), "leave --ids"),
            (("--suite", "omniparse", "--dataset", "DATASET", "--ids", "zz"), "zz"),
            (("--suite", "omniparse", "--dataset", "/nowhere"), "no dataset folder /nowhere"),
            (("--dataset", "DATASET"), "for --suite omniparse"),
        ],
    )
    def test_what_cannot_be_is_refused(
        self, command: Command, made: Path, words: tuple[str, ...], message: str
    ) -> None:
        """Exit code 2 and what to do."""
        code, _, err = command.run("run", "--local", *(word.replace("DATASET", str(made)) for word in words))
        assert (code, message in err) == (2, True), err

    def test_a_page_without_file_is_named(self, command: Command, made: Path) -> None:
        """The page, the file and what to do."""
        (made / "pages" / "a-1.pdf").unlink()
        code, _, err = command.run("run", "--local", "--suite", "omniparse", "--dataset", str(made))
        assert code == 2
        assert "page a-1" in err
        assert "a-1.pdf" in err


class TestGrade:
    def test_predictions_of_two_parsers(self, command: Command, made: Path, tmp_path: Path) -> None:
        """One leaderboard of both, and run folders beside it."""
        folder = predictions(tmp_path / "p")
        other = predictions(tmp_path / "q", without=("a-2",), newer=True)
        code, out, err = command.run(
            *("grade", "omniparse", "--dataset", str(made), "--json"),
            *("--predictions", f"mine={folder}", "--predictions", str(other), "--unsupported", "q=blocks"),
            *("--run-folders", str(tmp_path / "runs")),
        )
        assert code == 0, err
        assert [row["parser"] for row in json.loads(out)["parsers"]] == ["mine", "q"]
        assert "no prediction that can be read for 1 page, e.g.: " in err
        assert len(list((tmp_path / "runs").iterdir())) == 2
        for words in (("leaderboard",), ("sql", "from verdict_tags"), ("runs",)):
            assert command.run(*words)[0] == 0

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("--predictions", "NONE"), "there is no folder"),
            (("--predictions", "a=FOLDER", "--predictions", "a=FOLDER"), "two folders of predictions are named a"),
            (("--predictions", "=FOLDER"), "names nobody"),
            (("--predictions", "a=FOLDER", "--unsupported", "b=blocks"), "no predictions are named 'b'"),
            (("--predictions", "FOLDER", "--unsupported", "markdown"), "no output types: ['markdown']"),
            (("--predictions", "FOLDER", "--version", "2"), "no version '2'"),
            (("--predictions", "DATASET"), "is named for a page of the dataset"),
        ],
    )
    def test_what_cannot_be_is_refused(
        self, command: Command, made: Path, tmp_path: Path, words: tuple[str, ...], message: str
    ) -> None:
        """Exit code 2 and what to do."""
        folder = predictions(tmp_path / "p")
        given = [word.replace("FOLDER", str(folder)).replace("DATASET", str(made)) for word in words]
        code, _, err = command.run("grade", "omniparse", "--dataset", str(made), *given)
        assert (code, message in err) == (2, True), err

    def test_gold_that_breaks_a_rule_is_refused_with_test_and_rule(
        self, command: Command, made: Path, tmp_path: Path
    ) -> None:
        """Nothing is stored."""
        page = made / "gold" / "a-0.json"
        page.write_text(page.read_text().replace('"max_diffs": 0', '"max_diffs": true', 1))
        code, _, err = command.run(
            "grade", "omniparse", "--dataset", str(made), "--predictions", str(predictions(tmp_path / "p"))
        )
        assert code == 2
        assert "a-0_text" in err
        assert "max_diffs" in err
        assert command.rows("from runs") == []


class TestTutorial:
    def test_every_step_is_shown_and_absent_data_said(self, command: Command, made: Path) -> None:
        """Ten steps; those without published verdicts say so, and the command ends well."""
        tutorial = ("tutorial", "omniparse", "--dataset", str(made), "--sample", "1")
        done = subprocess.run(
            [sys.executable, "-m", "tests.orchestrator.drive", command.services, *tutorial, "--json"],
            capture_output=True,
            text=True,
            cwd=local.ROOT,
            check=True,
        )
        steps = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(steps) == 10
        assert steps[8]["lines"][1] == "text: 100.0 % of 4 tests"
        assert steps[2]["skipped"] == "no results.parquet was given"

    def test_the_seeds_are_those_of_the_founding_tutorial(self) -> None:
        """The command's defaults are the statistics' own."""
        defaults = inspect.signature(tutorials.omniparse).parameters
        assert (defaults["seed"].default, defaults["resamples"].default) == (DEFAULT_SEED, DEFAULT_RESAMPLES)
        assert defaults["differences_seed"].default == DIFFERENCES_SEED
        assert defaults["differences_resamples"].default == DIFFERENCES_RESAMPLES
        assert defaults["sample"].default == SAMPLE
