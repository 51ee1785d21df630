"""The odl measures against the published evaluations, where these are at hand."""

import json
import os
from pathlib import Path

import pytest

from scorer.conformance import ConformanceError, odl, report


@pytest.fixture
def oracle() -> Path:
    """Return the folder of the published evaluations."""
    if not os.environ.get("DOCASSAY_ORACLES"):
        pytest.skip("DOCASSAY_ORACLES is not set: the published evaluations are not at hand")
    return Path(os.environ["DOCASSAY_ORACLES"]) / "opendataloader-bench"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return an engine's folder with one document, recorded right but for NID."""
    (tmp_path / "gold").mkdir()
    (tmp_path / "engine" / "markdown").mkdir(parents=True)
    for folder in ("gold", "engine/markdown"):
        (tmp_path / folder / "1.md").write_text("same", encoding="utf-8")
    means = dict.fromkeys(("teds_mean", "teds_s_mean", "mhs_mean", "mhs_s_mean"), 0.0)
    counts = {"nid_count": 1, "teds_count": 0, "mhs_count": 0, "missing_predictions": 0}
    scores = {"overall": 1.0, "nid": 0.5, "teds": None}
    recorded = {
        "metrics": {"score": {**means, "overall_mean": 1.0, "nid_mean": 1.0, "nid_s_mean": 1.0}, **counts},
        "documents": [{"document_id": "1", "scores": scores}],
    }
    (tmp_path / "engine" / "evaluation.json").write_text(json.dumps(recorded), encoding="utf-8")
    return tmp_path


class TestVerify:
    def test_published(self, oracle: Path) -> None:
        """Every stored value of every engine at hand is reproduced."""
        found = report(odl.verify(oracle / "prediction", gold=oracle / "ground-truth"))
        assert found.differences == ()
        assert found.passed == 603

    def test_nul(self, small: Path) -> None:
        """A NUL is read as grading reads it."""
        (small / "gold" / "1.md").write_text("same\0", encoding="utf-8")
        (small / "engine" / "markdown" / "1.md").write_text("same\ufffd", encoding="utf-8")
        recorded = json.loads((small / "engine" / "evaluation.json").read_text(encoding="utf-8"))
        recorded["documents"][0]["scores"]["nid"] = 1.0
        (small / "engine" / "evaluation.json").write_text(json.dumps(recorded), encoding="utf-8")
        found = report(odl.verify(small / "engine", gold=small / "gold"))
        assert (found.differences, found.passed) == ((), 2)

    def test_difference(self, small: Path) -> None:
        """A value that differs is told with what was recorded and what is computed."""
        found = report(odl.verify(small / "engine", gold=small / "gold"))
        assert [(d.case, d.field, d.expected, d.got) for d in found.differences] == [("engine/1", "nid", 0.5, 1.0)]
        assert (found.passed, found.failed) == (1, 1)

    def test_nothing_there(self, tmp_path: Path) -> None:
        """A folder without evaluations is refused."""
        with pytest.raises(ConformanceError, match=r"no evaluation\.json"):
            list(odl.verify(tmp_path, gold=tmp_path))

    def test_no_gold(self, small: Path) -> None:
        """A document without gold is a fault by name, and the summary, which needs it, is not compared."""
        (small / "gold" / "1.md").unlink()
        found = report(odl.verify(small / "engine", gold=small / "gold"))
        assert (found.passed, found.failed, found.skipped) == (0, 0, 1)
        assert "no gold for document 1" in found.faults[0]

    def test_no_text(self, small: Path) -> None:
        """A prediction that is no UTF-8 is a fault by its path."""
        (small / "engine" / "markdown" / "1.md").write_bytes(b"\xff")
        [fault] = report(odl.verify(small / "engine", gold=small / "gold")).faults
        assert fault.endswith("1.md: not UTF-8 at byte 0; save it as UTF-8")

    def test_nothing_recorded(self, small: Path) -> None:
        """A document without recorded scores is skipped, never passed."""
        path = small / "engine" / "evaluation.json"
        recorded = json.loads(path.read_text())
        recorded["documents"][0]["scores"] = {}
        path.write_text(json.dumps(recorded))
        found = report(odl.verify(small / "engine", gold=small / "gold"))
        assert (found.passed, found.failed, found.skipped) == (1, 0, 1)

    def test_a_broken_evaluation(self, small: Path) -> None:
        """An engine's evaluation out of format is a fault; the other engines are compared."""
        (small / "aside").mkdir()
        (small / "aside" / "evaluation.json").write_text('{"documents": []}')
        found = report(odl.verify(small, gold=small / "gold"))
        assert (found.passed, found.failed) == (1, 1)
        assert 'not an evaluation of opendataloader-bench: the key "metrics" is missing' in found.faults[0]
