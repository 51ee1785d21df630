"""Grading from the command line: configurations of OmniDocBench and folders of opendataloader-bench."""

import json
from pathlib import Path
from typing import Any

import pytest

from scorer.store import address
from scorer.store.database import FILE, Database
from tests.orchestrator.cli.shell import docassay
from tests.scorer.suites.omnidoc.pages import LONG, block, data

CONFIG: dict[str, Any] = {
    "end2end_eval": {
        "metrics": {"text_block": {"metric": ["Edit_dist"]}},
        "dataset": {
            "dataset_name": "end2end_dataset",
            "ground_truth": {"data_path": "gold.json"},
            "prediction": {"data_path": "md"},
        },
    },
    "detection_eval": {
        "metrics": ["COCODet"],
        "dataset": {
            "dataset_name": "detection_dataset",
            "ground_truth": {"data_path": "gold.json"},
            "prediction": {"data_path": "gold.json"},
        },
        "categories": {"eval_cat": {"block_level": ["text_block"]}},
    },
}


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    """Annotations of a page, a prediction of it, and a configuration of two tasks on them."""
    blocks = [block("text_block", at + 1, at, text=text) for at, text in enumerate(LONG)]
    (tmp_path / "gold.json").write_text(json.dumps([data(*blocks)]))
    (tmp_path / "md").mkdir()
    (tmp_path / "md" / "small.md").write_text("\n\n".join(LONG))
    (tmp_path / "config.yaml").write_text(json.dumps(CONFIG))
    return tmp_path


class TestConfig:
    def test_every_task(self, folder: Path) -> None:
        """Each task is a run of the store, whose result files verify reads back and which compare takes."""
        words = ("grade", "omnidoc", "--config", "config.yaml", "--name", "mine")
        done = docassay(*words, "--json", cwd=folder)
        assert done.returncode == 0, done.stderr
        end_to_end, detection = json.loads(done.stdout)
        assert (end_to_end["suite"], end_to_end["parsers"][0]["text_edit"]) == ("omnidoc@v1.5", 0.0)
        assert detection["suite"] == "omnidoc-detection@v1.5"
        [figure] = detection["figures"][0]["parsers"]
        assert (figure["parser"], figure["value"]) == ("mine", pytest.approx(1.0))
        read = docassay("verify", "omnidoc", "result", cwd=folder)
        assert (read.returncode, "0 failed, 0 skipped, 0 faults" in read.stdout) == (0, True), read.stdout + read.stderr
        again = docassay(*words, cwd=folder)
        assert (again.returncode, "bbox_mAP" in again.stdout, "result files: result" in again.stdout) == (0, True, True)
        compared = docassay("compare", detection["run"]["run_id"], detection["run"]["run_id"], cwd=folder)
        assert (compared.returncode, "bbox_mAP" in compared.stdout) == (0, True), compared.stderr

    def test_files_of_a_folder(self, folder: Path) -> None:
        """Without a configuration, too, the result files are read back."""
        words = ("--gold", "gold.json", "--predictions", "mine=md", "--files", "out")
        done = docassay("grade", "omnidoc", *words, cwd=folder)
        assert (done.returncode, "result files: out" in done.stdout) == (0, True), done.stderr
        read = docassay("verify", "omnidoc", "out", cwd=folder)
        assert (read.returncode, " 0 failed, " in read.stdout) == (0, True), read.stdout + read.stderr

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("--config", "absent.yaml"), "absent.yaml: cannot be read (No such file or directory)"),
            (("--config", "bad.yaml"), "bad.yaml, line 3, column 1: not YAML"),
            (("--config", "config.yaml", "--gold", "gold.json"), "leave --gold and --predictions out"),
            (("--gold", "gold.json", "--predictions", "md", "--name", "x"), "--name goes with --config"),
            (("--config", "config.yaml", "--version", "v1.6"), "no recorded answers"),
            (("--config", "config.yaml", "--version", "omnidoc@v1.6"), "omnidoc@v1.6 is not available: no recorded"),
            (("--config", "config.yaml", "--version", "omnidoc@v9"), "omnidoc@v9 is not known"),
        ],
    )
    def test_refused(self, folder: Path, words: tuple[str, ...], message: str) -> None:
        """What cannot be graded is refused with 2 and one message, without a traceback."""
        (folder / "bad.yaml").write_text("a: [1,\n  2\n")
        done = docassay("grade", "omnidoc", *words, cwd=folder)
        assert (done.returncode, message in " ".join(done.stderr.split())) == (2, True), done.stderr
        assert "Traceback" not in done.stderr

    @pytest.mark.parametrize(
        ("found", "message"),
        [
            ('"gone.json"', "config.yaml: there is no gone.json in"),
            ("", "ground_truth: the field 'data_path' is there and empty; give it its value"),
            ("2024-13-45", "config.yaml: not YAML: month must be in 1..12"),
            ("9" * 5000, "config.yaml: not YAML: Exceeds the limit"),
        ],
        ids=["missing", "empty", "no date", "too long"],
    )
    def test_nothing_is_made_for_one_that_is_refused(self, folder: Path, found: str, message: str) -> None:
        """Neither a store nor result files, whatever is wrong, and in whichever task."""
        config = folder / "config.yaml"
        head, task, tail = config.read_text().partition('"detection_eval"')
        config.write_text(head + task + tail.replace('"gold.json"', found, 1))
        before = sorted(folder.iterdir())
        done = docassay("grade", "omnidoc", "--config", "config.yaml", cwd=folder)
        assert (done.returncode, message in " ".join(done.stderr.split())) == (2, True), done.stderr
        assert sorted(folder.iterdir()) == before


class TestBusy:
    def test_two_at_once(self, folder: Path) -> None:
        """Of a folder that another command writes it is said who has it, and what to do, whatever is asked of it."""
        words = ("grade", "odl", "--gold", "md", "--predictions", "mine=md")
        assert docassay(*words, cwd=folder).returncode == 0
        results = folder / "results"
        message = f"another docassay command is at work on the results folder {results}: wait until it ends, or choose"
        with address.held(results):
            held = docassay(*words, cwd=folder)
        writing = Database(results / FILE)
        try:
            asked = [docassay(*words, cwd=folder) for words in (("leaderboard",), ("runs",), ("export", "tables"))]
        finally:
            writing.close()
        for done in (held, *asked):
            told = " ".join(done.stderr.split())
            assert (done.returncode, message in told, "-m scorer" in told) == (1, True, False), done.stderr


class TestOdl:
    def test_board(self, folder: Path) -> None:
        """A folder of markdown against gold of the same names: the measures, each with its mean."""
        done = docassay("grade", "odl", "--gold", "md", "--predictions", "mine=md", cwd=folder)
        assert (done.returncode, "overall_readme" in done.stdout, "1.0000" in done.stdout) == (0, True, True), (
            done.stderr
        )
        refused = docassay("grade", "odl", "--gold", "absent", "--predictions", "mine=md", cwd=folder)
        assert (refused.returncode, "there is no folder absent" in refused.stderr) == (2, True)
