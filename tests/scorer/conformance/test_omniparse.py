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
            ("[]", "an object, found list"),
            ('{"what": 1}', "unknown kind of recorded answer with the keys ['what']"),
            ('{"lines": [{}], "summary": {}}', "cannot be read as"),
        ],
    )
    def test_what_is_no_recorded_answer_is_named(self, tmp_path: Path, text: str, message: str) -> None:
        """File, line and what was found."""
        path = tmp_path / "cases.jsonl"
        path.write_text(text + "\n")
        with pytest.raises(ConformanceError) as caught:
            list(verify(path))
        assert message in str(caught.value)
        assert str(path) in str(caught.value)

    def test_a_folder_of_nothing_is_refused(self, tmp_path: Path) -> None:
        """An empty folder proves nothing, and says so."""
        with pytest.raises(ConformanceError, match="holds no recorded answers"):
            list(verify(tmp_path))
