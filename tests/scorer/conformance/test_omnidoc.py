"""The omnidoc measures against the reference's recorded answers, where these are at hand."""

import json
import os
from pathlib import Path

import pytest

from scorer.conformance import ConformanceError, omnidoc, report
from scorer.renderers import FormulaRenderer, RendererError


@pytest.fixture
def oracle() -> Path:
    """Return the folder of the recorded answers."""
    if not os.environ.get("DOCASSAY_ORACLES"):
        pytest.skip("DOCASSAY_ORACLES is not set: the recorded answers are not at hand")
    return Path(os.environ["DOCASSAY_ORACLES"]) / "omnidocbench"


class TestVerify:
    def test_all_but_cdm(self, oracle: Path) -> None:
        """Every case, every value of every result file and every published Overall is reproduced."""
        found = report(omnidoc.verify(oracle))
        assert found.differences == ()
        assert found.passed == 146
        assert found.faults == ()

    def test_cdm(self, oracle: Path, tmp_path: Path) -> None:
        """With a renderer, CDM too is within its tolerance, sample by sample and on average."""
        try:
            renderer = FormulaRenderer(cache=tmp_path)
        except RendererError as fault:
            pytest.skip(str(fault))
        found = report(omnidoc.verify(oracle, formula_scorer=renderer))
        assert found.differences == ()
        assert found.passed == 148

    def test_difference(self, tmp_path: Path) -> None:
        """A value that differs is told by case and field."""
        case = {
            "id": "text/1",
            "kind": "text_norm",
            "input": {"text": "a b"},
            "expected": {"textblock2unicode": "a b", "clean_string": "a_b"},
        }
        path = tmp_path / "cases.jsonl"
        path.write_text(json.dumps(case) + "\n", encoding="utf-8")
        found = report(omnidoc.verify(path))
        assert [(d.case, d.field, d.expected, d.got) for d in found.differences] == [
            ("text/1", "clean_string", "a_b", "ab")
        ]

    def test_leaderboard(self, tmp_path: Path) -> None:
        """An Overall that does not follow from its parts is told."""
        row = {"method": "m", "overall": 90.0, "text_edit": 0.1, "table_teds": 80.0, "formula_cdm": 70.0}
        path = tmp_path / "leaderboard.json"
        path.write_text(json.dumps({"v1.5": {"rows": [row]}}), encoding="utf-8")
        [difference] = report(omnidoc.verify(path)).differences
        assert (difference.case, difference.got) == ("v1.5/m", pytest.approx(80.0))

    def test_a_row_without_its_parts(self, tmp_path: Path) -> None:
        """A row that was published without its parts is skipped, saying so, and a broken one hides no other."""
        row = {"method": "m", "overall": 80.0, "text_edit": 0.1, "table_teds": 80.0, "formula_cdm": 70.0}
        path = tmp_path / "leaderboard.json"
        lacking = {**row, "formula_cdm": None}
        path.write_text(json.dumps({"v": {"rows": [{}, lacking, {**row, "overall": "?", "text_edit": "?"}, row]}}))
        found = report(omnidoc.verify(path))
        assert (found.passed, found.failed, found.skipped) == (1, 0, 1)
        assert [fault.partition(" of OmniDocBench")[0] for fault in found.faults] == [
            f"{path}, v, row {number}: not a row of a leaderboard" for number in (1, 3)
        ]

    def test_not_a_case(self, tmp_path: Path) -> None:
        """Every line that is no case is a fault by its number, and hides no other."""
        case = {"id": "n", "kind": "text_norm", "input": {"text": "a b"}, "expected": {"clean_string": "ab"}}
        case["expected"] = {"textblock2unicode": "a b", "clean_string": "ab"}
        broken = (b"{}", b"\xff", b"[1]", json.dumps({**case, "kind": ["page"]}).encode(), b'{"id": "x"}')
        (tmp_path / "cases.jsonl").write_bytes(b"\n".join([*broken, b"", json.dumps(case).encode()]))
        found = report(omnidoc.verify(tmp_path))
        assert (found.passed, found.failed) == (1, 0)
        messages = ('not a case of omnidoc: the key "id" is missing', "not UTF-8", "must be a JSON object, found [1]")
        messages += ("kind must be one of", 'not a case of omnidoc: the key "kind" is missing')
        for number, (fault, message) in enumerate(zip(found.faults, messages, strict=True), 1):
            assert f"cases.jsonl, line {number}: {message}" in fault

    def test_nothing_there(self, tmp_path: Path) -> None:
        """A folder without recorded answers is refused."""
        with pytest.raises(ConformanceError, match=r"no cases\.jsonl"):
            list(omnidoc.verify(tmp_path))
