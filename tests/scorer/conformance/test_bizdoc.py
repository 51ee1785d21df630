"""The bizdoc measures against the recorded answers, where these are at hand."""

import json
import os
import re
from pathlib import Path

import pytest

from scorer.conformance import ConformanceError, Report, bizdoc, report

AXES = (
    "heading_normalise",
    "heading_match",
    "hierarchy",
    "nid_normalise",
    "faithfulness",
    "cell_normalise",
    "tables",
    "retrieval",
    "speed",
    "coverage",
    "composite",
)


@pytest.fixture(scope="module")
def oracle() -> Path:
    """Return the folder of the recorded answers."""
    if not os.environ.get("DOCASSAY_ORACLES"):
        pytest.skip("DOCASSAY_ORACLES is not set: the recorded answers are not at hand")
    return Path(os.environ["DOCASSAY_ORACLES"]) / "bizdocbench"


@pytest.fixture(scope="module")
def corpus() -> Path:
    """Return the corpus the recorded outputs were scored against."""
    if not os.environ.get("DOCASSAY_CORPUS"):
        pytest.skip("DOCASSAY_CORPUS is not set: the gold of the recorded outputs is not at hand")
    return Path(os.environ["DOCASSAY_CORPUS"]) / "real"


class TestRecorded:
    @pytest.mark.parametrize("axis", AXES)
    def test_cases(self, oracle: Path, axis: str, tmp_path: Path) -> None:
        """Every recorded case of the axis gives its recorded values."""
        cases = (oracle / "cases.jsonl").read_bytes().splitlines(keepends=True)
        lines = [line for line in cases if json.loads(line)["axis"] == axis]
        path = tmp_path / "cases.jsonl"
        path.write_bytes(b"".join(lines))
        assert report(bizdoc.verify(path)) == Report(len(lines), 0, ())
        assert lines

    @pytest.mark.parametrize("parser", ["markitdown", "opendataloader"])
    def test_real_output(self, oracle: Path, corpus: Path, parser: str) -> None:
        """Every recorded output of the parser gets its recorded KPIs."""
        folder = oracle / "real" / parser
        recorded = [json.loads(path.read_bytes())["expected"] for path in folder.iterdir()]
        told = sum(bool(expected) for expected in recorded)
        assert report(bizdoc.verify(folder, corpus=corpus)) == Report(told, 0, (), skipped=len(recorded) - told)
        assert told == 53

    def test_published(self, oracle: Path) -> None:
        """The published run of eight tools obeys the formulas of composite, speed and coverage."""
        assert report(bizdoc.verify(oracle / "published.json")) == Report(8, 0, ())


CASE = {
    "id": "h-1",
    "axis": "heading_match",
    "input": {"a": "Scope", "b": "Scopes"},
    "expected": {"distance": 1, "match": True},
    "note": "",
}
REFUSED = {"id": "s-1", "axis": "speed", "expected": {"error": "seconds"}}
PARSE = {"status": "ok", "format": "pdf", "pages": 1, "seconds": 0.0}
PUBLISHED = {
    "documents": 4,
    "columns": [
        *("composite", "coverage", "speed", "hierarchy", "faithfulness", "tables", "retrieval"),
        "pages_per_sec_aggregate",
    ],
    "rows": {"one": [0.625, 0.75, 1.0, 0.5, 0.5, 0.5, 0.5, 50.0]},
}


def write(path: Path, *values: object) -> Path:
    """Write JSON lines."""
    path.write_text("\n".join(json.dumps(value) for value in values))
    return path


class TestCases:
    def test_a_wrong_value_is_a_difference(self, tmp_path: Path) -> None:
        """A value that is not the recorded one is told with its case, field and both values."""
        wrong = {**CASE, "expected": {"distance": 2, "match": True}}
        found = report(bizdoc.verify(write(tmp_path / "c.jsonl", CASE, wrong)))
        assert (found.passed, found.failed) == (1, 1)
        [difference] = found.differences
        assert (difference.case, difference.field, difference.expected, difference.got) == ("h-1", "distance", 2, 1)

    def test_a_refusal(self, tmp_path: Path) -> None:
        """Input that must be refused passes when it is, and fails when it is not."""
        refused = {**REFUSED, "input": {"rows": [PARSE]}}
        taken = {**REFUSED, "input": {"rows": [{**PARSE, "seconds": 1.0}]}}
        found = report(bizdoc.verify(write(tmp_path / "c.jsonl", refused, taken)))
        assert (found.passed, found.failed) == (1, 1)
        assert found.differences[0].got == "not refused"

    def test_an_unexpected_refusal(self, tmp_path: Path) -> None:
        """Input that is refused though it has recorded values fails with the reason."""
        case = {**REFUSED, "input": {"rows": [PARSE]}, "expected": {"speed": 1.0}}
        [difference] = report(bizdoc.verify(write(tmp_path / "c.jsonl", case))).differences
        assert "seconds of a parsed document" in str(difference.got)

    @pytest.mark.parametrize(
        ("seconds", "got"),
        [(0.0, "refused for another reason: seconds of a parsed document must be finite and above 0, got 0.0")],
    )
    def test_another_refusal(self, tmp_path: Path, seconds: float, got: str) -> None:
        """A refusal for another reason than the recorded one, which begins with the field at fault, fails."""
        case = {**REFUSED, "input": {"rows": [{**PARSE, "seconds": seconds}]}, "expected": {"error": "pages below 0"}}
        [difference] = report(bizdoc.verify(write(tmp_path / "c.jsonl", case))).differences
        assert (difference.field, difference.expected, difference.got) == ("error", "pages below 0", got)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("{", "not JSON"),
            ("[]", r"must be a JSON object, found \[\]"),
            ('{"id": "x"}', ".* axis, input, expected is missing"),
            (json.dumps({**CASE, "id": 7}), "id must be text, found 7"),
            (json.dumps({**CASE, "axis": "beauty"}), 'axis must be one of .*, found "beauty"'),
            (json.dumps({**CASE, "axis": ["beauty"]}), r'axis must be one of .*, found \["beauty"\]'),
            (
                json.dumps({**CASE, "input": {"a": "x"}}),
                'the input is not in the format of heading_match cases: the key "b" is missing',
            ),
            (json.dumps({**CASE, "input": None}), "the input is not in the format of heading_match"),
            (json.dumps({**CASE, "expected": {"error": None}}), "a recorded error must begin with .*, found null"),
        ],
    )
    def test_a_malformed_line(self, tmp_path: Path, line: str, message: str) -> None:
        """Every line out of format is a fault with its place and what was found; the good lines are compared."""
        path = write(tmp_path / "c.jsonl", CASE)
        path.write_text(f"{line}\n{path.read_text()}\n\n{line}\n{path.read_text()}")
        found = report(bizdoc.verify(path))
        assert (found.passed, found.failed, len(found.faults)) == (2, 0, 2)
        for fault, number in zip(found.faults, (1, 4), strict=True):
            assert re.match(f"{re.escape(str(path))}, line {number}: {message}", fault)


class TestRealOutput:
    def test_folder_without_output(self, tmp_path: Path) -> None:
        """A folder without recorded output is an error."""
        with pytest.raises(ConformanceError, match=r"no <parser>/<document>\.json"):
            list(bizdoc.verify(tmp_path, corpus=tmp_path))

    def test_corpus_is_needed(self, tmp_path: Path) -> None:
        """Without a corpus there is no gold, and the error says so."""
        write(tmp_path / "a.json", {})
        with pytest.raises(ConformanceError, match="name the corpus's folder"):
            list(bizdoc.verify(tmp_path))

    def test_missing_gold(self, tmp_path: Path) -> None:
        """Gold that is not in the corpus is an error naming the recording and the annotation."""
        recorded: dict[str, object] = {
            "document": "d",
            "parser": "p",
            "annotations": ["tables"],
            "output": None,
            "expected": {},
        }
        write(tmp_path / "a.json", recorded)
        write(tmp_path / "b.json", {**recorded, "annotations": []})
        (tmp_path / "c.json").write_text("{")
        found = report(bizdoc.verify(tmp_path, corpus=tmp_path))
        assert (found.passed, found.failed, found.skipped) == (0, 0, 1)
        missing, broken = found.faults
        assert re.match(r".*a\.json: .*d\.tables\.json", missing)
        assert re.match(r".*c\.json: not JSON", broken)

    def test_nothing_recorded(self, tmp_path: Path) -> None:
        """Output without any recorded value is skipped, saying so: it never counts as passed."""
        recorded: dict[str, object] = {"document": "d", "parser": "p", "annotations": [], "output": None}
        write(tmp_path / "a.json", {**recorded, "expected": {}})
        [outcome] = bizdoc.verify(tmp_path, corpus=tmp_path)
        assert not outcome.passed
        assert outcome.skipped == "nothing is recorded to compare it with"

    def test_failed_parse(self, tmp_path: Path) -> None:
        """Recorded output of a failed parse gets zeros, and nulls where the gold defines nothing."""
        folder = tmp_path / "annotations" / "tables"
        folder.mkdir(parents=True)
        rows = [{"header": False, "cells": ["a", "b"]}]
        write(folder / "d.tables.json", {"document": "d", "tables": [{"id": "t", "page": 1, "rows": rows}]})
        real = tmp_path / "real" / "p"
        real.mkdir(parents=True)
        zeros = {
            "table_detection_recall": 0.0,
            "table_detection_precision": 0.0,
            "table_record_match": 0.0,
            "table_header_accuracy": None,
        }
        recorded: dict[str, object] = {"document": "d", "parser": "p", "annotations": ["tables"], "output": None}
        write(real / "d.json", {**recorded, "expected": {"tables": zeros}})
        assert report(bizdoc.verify(tmp_path / "real", corpus=tmp_path)) == Report(1, 0, ())


class TestPublished:
    def test_consistent(self, tmp_path: Path) -> None:
        """A row that obeys the formulas passes: the mean of its axes is 0.625, and 3 of 4 documents parsed."""
        assert report(bizdoc.verify(write(tmp_path / "p.json", PUBLISHED))) == Report(1, 0, ())

    @pytest.mark.parametrize(("column", "field"), [(0, "composite"), (7, "speed"), (1, "coverage")])
    def test_inconsistent(self, tmp_path: Path, column: int, field: str) -> None:
        """A figure out of line with the others is told by its name."""
        row = list(PUBLISHED["rows"]["one"])  # type: ignore[index]
        row[column] *= 0.9
        found = report(bizdoc.verify(write(tmp_path / "p.json", {**PUBLISHED, "rows": {"one": row}})))
        assert field in {difference.field for difference in found.differences}

    def test_malformed(self, tmp_path: Path) -> None:
        """A leaderboard out of format is an error naming the file."""
        with pytest.raises(ConformanceError, match=r'p.json: not in the format .*: the key "columns" is missing'):
            list(bizdoc.verify(write(tmp_path / "p.json", {"documents": 1})))

    def test_a_malformed_row(self, tmp_path: Path) -> None:
        """A row out of format is a fault by its name; the other rows are checked."""
        rows = {"short": [1.0], **PUBLISHED["rows"]}  # type: ignore[dict-item]
        found = report(bizdoc.verify(write(tmp_path / "p.json", {**PUBLISHED, "rows": rows})))
        assert found.passed == 1
        assert re.search(r'p.json, row "short": not in the format', found.faults[0])
