"""Run folders as the reference writes and reads them, of both released versions.

1.0.0rc1: `settings.json`, `predictions/<page_id>.json`, `scores.jsonl` (a line a test), `summary.json`.
1.0.0: `predictions/<page_id>.json`, `unit_tests/summary.json`, `unit_tests/scores.jsonl` (a line a page),
`unit_tests/details/<page_id>.jsonl` (a line a test).

Source: OmniParseBench 1.0.0rc1 and 1.0.0, runs.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.omniparse.grading import Graded, GradedPage, outputs_of, read_json
from scorer.suites.omniparse.versions import RC1, V1_0_0, Version
from scorer.suites.omniparse.vocabulary import FAMILIES, OUTPUT_TYPES

_LINE_KEYS = frozenset(
    {"page_id", "suite", "document", "test_id", "test_type", "output_type", "derivation", "tags", "result", "why"}
)


class RunError(ValueError):
    """A run folder that cannot be read or written; names the file, the line and what was found."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A graded run folder: which version made it, its name, its score lines and its summary."""

    version: Version
    name: str
    lines: tuple[dict[str, Any], ...]
    summary: Mapping[str, Any]

    def results(self) -> dict[str, str]:
        """Return each test's result."""
        return {line["test_id"]: line["result"] for line in self.lines}


def read_run(folder: Path) -> StoredRun:
    """Read a graded run folder of either version.

    Raises:
        RunError: when it is none, or a line of it is no score line.
    """
    newer = folder / "unit_tests"
    if (newer / "summary.json").is_file():
        details = sorted((newer / "details").glob("*.jsonl"))
        lines = tuple(line for path in details for line in _read_lines(path))
        return StoredRun(V1_0_0, folder.name, lines, _read_object(newer / "summary.json"))
    if (folder / "scores.jsonl").is_file():
        lines = tuple(_read_lines(folder / "scores.jsonl"))
        return StoredRun(RC1, folder.name, lines, _read_object(folder / "summary.json"))
    raise RunError(
        f"{folder} is no graded run: it has neither scores.jsonl (1.0.0rc1) nor unit_tests/summary.json (1.0.0)"
    )


def write_run(
    folder: Path,
    graded: Graded,
    *,
    provider: str,
    dataset: str,
    manifest: str,
    predictions: Path,
) -> Mapping[str, Any]:
    """Write a grading into a run folder that the reference's tools read, and return its summary.

    `summary.json` is written last and every file whole, so it never stands beside scores it does not summarise.

    Args:
        folder: The run folder; its name is the run's name.
        graded: What was graded.
        provider: Who made the predictions.
        dataset: The dataset's folder or address.
        manifest: The manifest's path inside it.
        predictions: The folder they were read from; each page's is written in the version's own shape.
    """
    (folder / "predictions").mkdir(parents=True, exist_ok=True)
    for page in graded.pages:
        _write_prediction(folder, page, predictions, graded.version)
    if graded.version is V1_0_0:
        return _write_v1_0_0(folder, graded)
    stamp = {"run": folder.name, "provider": provider}
    scorer = f"docassay omniparse@{graded.version.name}"
    lines = [stamp | line | {"scorer": scorer} for line in graded.lines()]
    summary = graded.summary()
    suites: dict[str, dict[str, int]] = {}
    for page in graded.pages:
        count = suites.setdefault(page.page.suite, {"pages": 0, "failed": 0, "pending": 0})
        count["pages"] += 1
        count["failed"] += page.failed
    written = {
        **stamp,
        "settings": {},
        "scorer": scorer,
        **summary,
        "per_suite": {suite: summary["per_suite"][suite] | suites[suite] for suite in sorted(suites)},
        "pages": len(graded.pages),
        "failed": sum(page.failed for page in graded.pages),
        "pending": 0,
        "usd": None,
        "credits": None,
    }
    declared = {"unsupported": list(graded.unsupported), "dataset": dataset, "manifest": manifest}
    _write(folder / "settings.json", _pretty(declared))
    _write(folder / "scores.jsonl", _jsonl(lines))
    _write(folder / "summary.json", _pretty(written))
    return written


def _write_prediction(folder: Path, page: GradedPage, predictions: Path, version: Version) -> None:
    if not page.answered:
        return
    name = f"{page.page.page_id}.json"
    found = outputs_of(read_json(predictions / name)) or {}
    outputs = {output: found.get(output) for output in OUTPUT_TYPES}
    shaped = outputs if version.knows_unsupported else {"pages": [outputs]}
    _write(folder / "predictions" / name, json.dumps(shaped, ensure_ascii=False))


def _write_v1_0_0(folder: Path, graded: Graded) -> Mapping[str, Any]:
    scored = [page for page in graded.pages if page.answered]
    summary = graded.summary()
    coverage = len(scored) / len(graded.pages) if graded.pages else 0.0
    lost = [page.page.page_id for page in graded.pages if not page.answered]
    written = {
        "scorer": "unit_tests",
        "options": {},
        "run": folder.name,
        "headline": None if summary["headline"] is None else summary["headline"] * coverage,
        "headline_is": "scored.headline × coverage",
        "rows": len(graded.pages),
        "failed": len(lost),
        "coverage": coverage,
        "scored": {"headline": summary["headline"], "headline_is": "the mean of the families' scores"}
        | {"families": summary["families"]},
    }
    if lost:
        written["partial"] = {"no_answer": len(lost), "not_scored": 0, "e.g.": lost[:3]}
    out = folder / "unit_tests"
    (out / "details").mkdir(parents=True, exist_ok=True)
    for page in scored:
        _write(out / "details" / f"{page.page.page_id}.jsonl", _jsonl(page.lines))
    _write(out / "scores.jsonl", _jsonl(map(_page_line, graded.pages)))
    _write(out / "summary.json", _pretty(written))
    return written


def _page_line(page: GradedPage) -> dict[str, Any]:
    row = {"document": page.page.document}
    name = page.page.page_id
    if not page.answered:
        return {"id": name, "status": "failed", "row": row, "error": f"no prediction: predictions/{name}.json"}
    families: dict[str, dict[str, int]] = {}
    for line in page.lines:
        count = families.setdefault(FAMILIES[line["test_type"]], {"tests": 0, "passed": 0})
        count["tests"] += 1
        count["passed"] += line["result"] == "pass"
    passed = sum(count["passed"] for count in families.values())
    return {"id": name, "status": "scored", "row": row} | {
        "tests": len(page.lines),
        "passed": passed,
        "per_family": families,
    }


def _read_lines(path: Path) -> Iterable[dict[str, Any]]:
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        except ValueError as error:
            raise RunError(f"{path}, line {number} isn't JSON: {error}") from None
        if not isinstance(line, dict) or not set(line) >= _LINE_KEYS:
            lacking = sorted(_LINE_KEYS - set(line)) if isinstance(line, dict) else "an object"
            raise RunError(f"{path}, line {number} is no score line: it lacks {lacking}")
        if line["result"] not in ("pass", "fail", "unsupported") or line["test_type"] not in FAMILIES:
            raise RunError(
                f"{path}, line {number}: unknown result {line['result']!r} or test type {line['test_type']!r}"
            )
        yield line


def _read_object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{path} cannot be read: {error}; grade the run again") from None
    if not isinstance(found, dict):
        raise RunError(f"{path} holds a JSON {type(found).__name__}, expected an object")
    return found


def _pretty(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _jsonl(lines: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(path.name + ".partial")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)  # noqa: PTH105 (atomic on every platform, over an existing file)
