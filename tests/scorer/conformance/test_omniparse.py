"""The omniparse measures against the recorded answers, where these are at hand, and what a bad file is told."""

import json
import os
import shutil
from pathlib import Path

import pytest

from scorer.conformance import ConformanceError, report
from scorer.conformance.omniparse import verify
from scorer.omniparse import grade_predictions, read_dataset, write_run
from scorer.suites.omniparse import RC1, V1_0_0
from tests.scorer.omniparse.made import dataset, predictions

UNITS = {
    "fold": 92,
    "text_view": 465,
    "number_parse": 41,
    "katex_symbols": 246,
    "math_spans": 104,
    "latex_plain": 123,
    "table_grids": 85,
    "markdown_to_html": 45,
    "gold_validation": 68,
    "select_rc1": 10,
    "summaries_rc1": 5,
}


@pytest.fixture(scope="module")
def oracle() -> Path:
    """Return the folder of the recorded answers."""
    if not os.environ.get("DOCASSAY_ORACLES"):
        pytest.skip("DOCASSAY_ORACLES is not set: the recorded answers are not at hand")
    return Path(os.environ["DOCASSAY_ORACLES"]) / "omniparsebench"


class TestRecorded:
    def test_cases(self, oracle: Path) -> None:
        """Every recorded case gives its verdicts, reasons and summary, in both released modes."""
        done = report(verify(oracle / "cases.jsonl"))
        assert (done.passed, done.failed, done.differences) == (325, 0, ())

    @pytest.mark.parametrize("name", UNITS)
    def test_units(self, oracle: Path, name: str) -> None:
        """Every recorded unit of each kind is the same."""
        done = report(verify(oracle / "units" / f"{name}.jsonl"))
        assert (done.passed, done.failed, done.differences) == (UNITS[name], 0, ())

    def test_a_folder_with_dataset_gold_and_runs(self, oracle: Path) -> None:
        """Invariants hold for every gold file, and recorded runs graded again are the same, line by line."""
        done = report(verify(oracle))
        assert (done.failed, done.differences) == (0, ())
        assert done.passed > 325 + sum(UNITS.values())


TEST = {
    "id": "t",
    "test_type": "present",
    "output_type": "html",
    "derivation": "authored",
    "tags": [],
    "args": {"content": {"text": "Total due", "max_diffs": 0}},
    "settings": {},
}
FAMILIES = {"text": {"score": 1.0, "tests": 1, "documents": 1}}
CASE = {
    "name": "a case",
    "version": "1.0.0rc1",
    "page": {"page_id": "p", "document": "d", "suite": "s"},
    "tests": [TEST],
    "prediction": {"html": "<p>Total due: 40</p>"},
    "unsupported": [],
    "expected": {"t": {"result": "pass", "why": ""}},
    "expected_summary": {
        "headline": 1.0,
        "families": FAMILIES,
        "documents": 1,
        "html": {
            "score": 1.0,
            "tests": 1,
            "unsupported": 0,
            "documents": 1,
            "per_test_type": {"present": 1.0},
            "per_tag": {},
        },
        "per_suite": {"s": {"headline": 1.0, "score": 1.0}},
        "per_derivation": {"authored": 1.0},
    },
    "expected_1_0_0": {"summary": {"headline": 1.0, "families": FAMILIES}},
}


def recorded_runs(folder: Path) -> dict[str, Path]:
    """Write a dataset and a run folder of it in either version; return the run folders."""
    data = read_dataset(dataset(folder / "dataset"))
    given = predictions(folder / "given", without=("a-2",))
    runs = {}
    for version in (RC1, V1_0_0):
        runs[version.name] = folder / "runs_sample" / version.name
        graded = grade_predictions(data, given, version=version)
        write_run(runs[version.name], graded, provider="me", dataset="d", manifest="m", predictions=given)
    return runs


class TestBadFiles:
    def test_a_difference_names_case_and_field(self, tmp_path: Path) -> None:
        """A recorded answer that is not ours fails, with both values."""
        path = tmp_path / "units.jsonl"
        path.write_text(json.dumps({"token": "1,240", "parsed": None}) + "\n")
        done = report(verify(path))
        assert (done.passed, done.failed) == (0, 1)
        assert done.differences[0].got == {"core": "1240", "negative": False, "percent": False}

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("{", "line 1: not JSON"),
            ("[]", "line 1: must be a JSON object, found []"),
            ('{"what": 1}', 'line 1: no recorded answer: it has the fields "what", and none of those that tell'),
            ("[" * 100_000, "line 1: not JSON that can be read: nested too deeply"),
            ('{"lines": [{}], "summary": {}}', "line 1: lines[0]: no score line: it lacks page_id"),
            ('{"token": 1240, "parsed": null}', "line 1: token: found 1240, expected a string"),
            ('{"token": "1", "parsed": {}}', "line 1: parsed: the field core is missing; found none"),
            ('{"token": "1", "parsed": []}', "line 1: parsed: found [], expected an object or null"),
            (
                '{"token": "1", "parsed": null, "note": ""}',
                'line 1: unknown field "note"; expected token, parsed, name',
            ),
            ('{"html": "", "spans": [["x", 1]]}', "line 1: spans[0][1]: found 1, expected true or false"),
            ('{"html": "", "spans": [["x"]]}', 'line 1: spans[0]: found ["x"], expected a list of at least 2'),
        ],
    )
    def test_what_is_no_recorded_answer_is_named(self, tmp_path: Path, text: str, message: str) -> None:
        """File, line and what was found; the good lines are compared."""
        path = tmp_path / "cases.jsonl"
        good = json.dumps({"input": "A b", "fold": "a b", "squeeze": "ab"})
        path.write_text(f"{text}\n{good}\n{text}\n")
        done = report(verify(path))
        assert done.passed + done.failed == 1
        first, second = done.faults
        assert first.startswith(f"{path}, ")
        assert message in first
        assert second == first.replace("line 1", "line 3")

    def test_a_broken_file_hides_no_other(self, tmp_path: Path) -> None:
        """In a folder, a gold file or a run that cannot be read is a fault, and the other files are compared."""
        (tmp_path / "invariants").mkdir()
        (tmp_path / "invariants" / "a.json").write_text("{")
        (tmp_path / "dataset").mkdir()
        (tmp_path / "units.jsonl").write_text(json.dumps({"token": "x", "parsed": None}))
        done = report(verify(tmp_path))
        assert done.passed == 1
        broken, nothing = done.faults
        assert f"{tmp_path / 'invariants' / 'a.json'}: not JSON" in broken
        assert nothing.startswith(f"{tmp_path / 'dataset'} has no manifest manifest.parquet")

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("expected_summary", ..., "the field expected_summary is missing; found"),
            ("expected_summary", None, "expected_summary: found null, expected an object"),
            ("version", "9.9", 'version: found "9.9", expected "1.0.0rc1"'),
            ("unsupported", "blocks", 'unsupported: found "blocks", expected a list'),
            ("unsupported", ["markdown"], 'unsupported[0]: found "markdown", expected one of "html", "blocks"'),
            ("unsupported", ["html", "html"], 'unsupported: found ["html", "html"], expected each once'),
            ("unsuported", [], 'unknown field "unsuported"; expected name, version'),
            ("name", "", 'name: found "", expected a string that is not empty'),
            ("page", {"page_id": "p"}, 'page: the field document is missing; found "page_id"'),
            ("page", None, "page: found null, expected an object"),
            ("tests", [], "tests: found [], expected a list of at least 1"),
            ("tests", [{}], "tests: refused as gold: p: test None lacks"),
            ("prediction", None, "prediction: found null, expected an object"),
            ("expected", {"t": {"result": "passed", "why": ""}}, 'expected.t.result: found "passed", expected one of'),
            ("expected", {"t": {"result": "pass"}}, "expected.t: the field why is missing"),
            ("expected_1_0_0", {"expected": {}}, "expected_1_0_0: the field summary is missing"),
            ("expected_1_0_0", None, "expected_1_0_0: found null, expected an object"),
        ],
    )
    def test_a_case_out_of_its_format_is_a_fault(self, tmp_path: Path, field: str, value: object, message: str) -> None:
        """The file, the line, the field and what was found: nothing is compared in part."""
        path = tmp_path / "cases.jsonl"
        case = {key: one for key, one in {**CASE, field: value}.items() if one is not ...}
        path.write_text(f"{json.dumps(CASE)}\n{json.dumps(case)}\n")
        done = report(verify(path))
        assert (done.passed, done.failed, done.skipped) == (1, 0, 0)
        [fault] = done.faults
        assert fault.startswith(f"{path}, line 2: {message}")

    def test_a_run_is_compared_whole(self, tmp_path: Path) -> None:
        """A page's line, the coverage and a summary that lacks a figure are differences, not left out."""
        made = recorded_runs(tmp_path)
        done = report(verify(tmp_path))
        assert (done.failed, done.differences, done.faults) == (0, (), ())
        for path, key, field in (
            (made["1.0.0"] / "unit_tests" / "summary.json", "coverage", "summary.coverage"),
            (made["rc1"] / "summary.json", "per_derivation", "summary.per_derivation"),
            (made["rc1"] / "summary.json", "failed", "summary.failed"),
            (made["1.0.0"] / "unit_tests" / "scores.jsonl", "passed", "pages.a-0.passed"),
        ):
            before = path.read_text()
            first, *rest = before.splitlines() if path.suffix == ".jsonl" else [before]
            changed = {name: value for name, value in json.loads(first).items() if name != key}
            path.write_text("\n".join([json.dumps(changed), *rest]))
            assert [one.field for one in report(verify(tmp_path)).differences] == [field]
            path.write_text(before)

    def test_a_broken_run_or_dataset_is_named_by_its_path(self, tmp_path: Path) -> None:
        """Runs without their dataset, a run without predictions, settings of another form."""
        made = recorded_runs(tmp_path)
        (made["rc1"] / "settings.json").write_text('{"unsupported": "blocks"}')
        shutil.rmtree(made["1.0.0"] / "predictions")
        of_newer, of_rc1 = report(verify(tmp_path)).faults
        assert of_rc1.startswith(f"{made['rc1'] / 'settings.json'}: unsupported: found")
        assert f"{made['1.0.0'] / 'predictions'} holds 0 files, and none is named" in of_newer
        shutil.rmtree(tmp_path / "dataset")
        [nothing] = report(verify(tmp_path)).faults
        assert nothing.startswith(f"there is no dataset folder {tmp_path / 'dataset'}")
        for runs in (made["rc1"], made["rc1"].parent):
            with pytest.raises(ConformanceError, match=f"no {tmp_path / 'dataset'} that they were graded on; put the"):
                list(verify(runs))

    def test_runs_by_themselves(self, tmp_path: Path) -> None:
        """One, or a folder of them whatever its name, is graded on the dataset beside; what is no run is a fault."""
        made = recorded_runs(tmp_path)
        for path in made.values():
            done = report(verify(path))
            assert (done.passed, done.failed, done.faults) == (1, 0, ())
        runs = made["rc1"].parent.rename(tmp_path / "runs")
        done = report(verify(runs))
        assert (done.passed, done.failed, done.faults) == (2, 0, ())
        (runs / "other").mkdir()
        done = report(verify(runs))
        assert (done.passed, done.failed) == (2, 0)
        [fault] = done.faults
        assert fault.startswith(f"{runs / 'other'} is no graded run")

    def test_a_runs_scores_alone_are_refused_once(self, tmp_path: Path) -> None:
        """Its tests' or its pages', not line by line: the run's folder has what they were made of."""
        made = recorded_runs(tmp_path)
        newer = made["1.0.0"] / "unit_tests"
        for path in (made["rc1"] / "scores.jsonl", newer / "scores.jsonl", newer / "details" / "a-0.jsonl"):
            with pytest.raises(ConformanceError, match=f"^{path} holds the scores of a run.* give the run's folder"):
                list(verify(path))
        [fault] = report(verify(newer)).faults
        assert fault.startswith(f"{newer / 'scores.jsonl'} holds the scores of a run")

    def test_a_dataset_alone(self, tmp_path: Path) -> None:
        """Its gold is checked."""
        done = report(verify(dataset(tmp_path / "dataset")))
        assert (done.passed, done.failed, done.faults) == (9, 0, ())
        with pytest.raises(ConformanceError, match=r"manifest\.parquet is a table.* give the folder of its dataset"):
            list(verify(tmp_path / "dataset" / "manifest.parquet"))

    def test_a_folder_of_nothing_is_refused(self, tmp_path: Path) -> None:
        """An empty folder proves nothing, and says so."""
        with pytest.raises(ConformanceError, match="holds no recorded answers"):
            list(verify(tmp_path))
