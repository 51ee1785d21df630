"""The omniparse measures against the recorded answers, where these are at hand, and what a bad file is told."""

import json
import os
from pathlib import Path

import pytest

from scorer.conformance import ConformanceError, report
from scorer.conformance.omniparse import verify

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
            ('{"what": 1}', "line 1: unknown kind of recorded answer with the keys what; known are"),
            ('{"lines": [{}], "summary": {}}', "line 1: cannot be read as lines, summary: the key"),
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
        assert nothing.startswith(f"{tmp_path / 'dataset'}: ")

    def test_a_folder_of_nothing_is_refused(self, tmp_path: Path) -> None:
        """An empty folder proves nothing, and says so."""
        with pytest.raises(ConformanceError, match="holds no recorded answers"):
            list(verify(tmp_path))
