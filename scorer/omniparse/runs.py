"""Run folders as the reference writes and reads them, of both released versions.

1.0.0rc1: `settings.json`, `predictions/<page_id>.json`, `scores.jsonl` (a line a test), `summary.json`.
1.0.0: `predictions/<page_id>.json`, `unit_tests/summary.json`, `unit_tests/scores.jsonl` (a line a page),
`unit_tests/details/<page_id>.jsonl` (a line a test).

Source: OmniParseBench 1.0.0rc1 and 1.0.0, runs.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.omniparse.files import UnreadableError, parsed_json, read_text, write_json, write_json_lines
from scorer.omniparse.grading import Graded, GradedPage, read_outputs
from scorer.omniparse.run_summary import page_lines, run_summary, scorer_name
from scorer.suites.omniparse.versions import RC1, V1_0_0, Version
from scorer.suites.omniparse.vocabulary import DERIVATIONS, FAMILIES, OUTPUT_TYPES, READS

_TEXTS = ("page_id", "suite", "document", "test_id", "test_type", "output_type", "derivation", "result", "why")


class RunError(ValueError):
    """A run folder that cannot be read or written; names the file, the line and what was found."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A graded run folder: the version that made it, its name, score lines and summary.

    `unsupported` is what it declares so (1.0.0rc1), `pages` its line of each page (1.0.0).
    """

    version: Version
    name: str
    lines: tuple[dict[str, Any], ...]
    summary: Mapping[str, Any]
    unsupported: tuple[str, ...] = ()
    pages: tuple[dict[str, Any], ...] = ()

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
        lines = tuple(line for path in details for line in _read_lines(path, line_fault))
        pages = tuple(_read_lines(newer / "scores.jsonl", _page_fault))
        return StoredRun(V1_0_0, folder.name, lines, _read_object(newer / "summary.json"), pages=pages)
    if (folder / "scores.jsonl").is_file():
        lines = tuple(_read_lines(folder / "scores.jsonl", line_fault))
        unsupported = _unsupported(folder / "settings.json")
        return StoredRun(RC1, folder.name, lines, _read_object(folder / "summary.json"), unsupported)
    raise RunError(
        f"{folder} is no graded run: it has neither scores.jsonl (1.0.0rc1) nor unit_tests/summary.json (1.0.0)"
    )


def is_run(folder: Path) -> bool:
    """Tell whether a folder is laid out as a graded run, whole or not; the scores inside a run of 1.0.0 are none."""
    newer = "unit_tests"
    return (folder / newer).is_dir() or (folder.name != newer and (folder / "scores.jsonl").is_file())


def line_fault(line: Any) -> str | None:
    """Return what keeps a value from being a score line: the field and what was found; None for nothing."""
    if not isinstance(line, dict):
        return f"found {_shown(line)}, expected an object"
    if lacking := [key for key in (*_TEXTS, "tags") if key not in line]:
        return f"no score line: it lacks {', '.join(lacking)}"
    for key in _TEXTS:
        if not isinstance(line[key], str):
            return f"{key}: found {_shown(line[key])}, expected a string"
    if not isinstance(line["tags"], list) or not all(isinstance(tag, str) for tag in line["tags"]):
        return f"tags: found {_shown(line['tags'])}, expected a list of strings"
    known = {"result": ("pass", "fail", "unsupported"), "test_type": tuple(FAMILIES), "derivation": DERIVATIONS}
    for key, expected in known.items():
        if line[key] not in expected:
            return f"{key}: found {_shown(line[key])}, expected one of {', '.join(expected)}"
    if line["output_type"] != READS[line["test_type"]]:
        return f"output_type: found {_shown(line['output_type'])}, expected {READS[line['test_type']]}"
    return None


def check_runs_folder(folder: Path) -> None:
    """Make the folder that run folders go into, before anything is graded for them.

    Raises:
        RunError: it cannot be made, or nothing can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise RunError(f"no run folder can be written in {folder}: {error.strerror}; name another folder") from None


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
    summary = run_summary(graded, run=folder.name, provider=provider)
    if graded.version is V1_0_0:
        out = folder / "unit_tests"
        (out / "details").mkdir(parents=True, exist_ok=True)
        for page in graded.pages:
            if page.answered:
                write_json_lines(out / "details" / f"{page.page.page_id}.jsonl", page.lines)
        write_json_lines(out / "scores.jsonl", page_lines(graded))
        write_json(out / "summary.json", summary, indent=2)
        return summary
    declared = {"unsupported": list(graded.unsupported), "dataset": dataset, "manifest": manifest}
    stamp = {"run": folder.name, "provider": provider}
    write_json(folder / "settings.json", declared, indent=2)
    write_json_lines(
        folder / "scores.jsonl", (stamp | line | {"scorer": scorer_name(graded)} for line in graded.lines())
    )
    write_json(folder / "summary.json", summary, indent=2)
    return summary


def _write_prediction(folder: Path, page: GradedPage, predictions: Path, version: Version) -> None:
    name = f"{page.page.page_id}.json"
    if not page.answered:
        if predictions.resolve() != (folder / "predictions").resolve():  # one of an earlier grading is stale
            (folder / "predictions" / name).unlink(missing_ok=True)
        return
    found = read_outputs(predictions / name) or {}
    outputs = {output: found.get(output) for output in OUTPUT_TYPES}
    shaped = outputs if version.knows_unsupported else {"pages": [outputs]}
    write_json(folder / "predictions" / name, shaped)


def _read_lines(path: Path, fault_of: Callable[[Any], str | None]) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(_read_text(path).split("\n"), start=1):
        if not text.strip():
            continue
        try:
            line = parsed_json(text)
        except UnreadableError as error:
            raise RunError(f"{path}, line {number} {error}; grade the run again") from None
        if fault := fault_of(line):
            raise RunError(f"{path}, line {number}: {fault}")
        yield line


def _page_fault(line: Any) -> str | None:
    return None if isinstance(line, dict) and isinstance(line.get("id"), str) else "no line of a page with an id"


def _read_object(path: Path) -> dict[str, Any]:
    try:
        found = parsed_json(_read_text(path))
    except UnreadableError as error:
        raise RunError(f"{path} {error}; grade the run again") from None
    if not isinstance(found, dict):
        raise RunError(f"{path} holds {_shown(found)}, expected an object")
    return found


def _read_text(path: Path) -> str:
    try:
        return read_text(path)
    except UnreadableError as error:
        raise RunError(f"{path} {error}; grade the run again") from None


def _unsupported(settings: Path) -> tuple[str, ...]:
    """Return what a run's settings declare unsupported: nothing without settings."""
    found = _read_object(settings).get("unsupported", []) if settings.is_file() else []
    if not isinstance(found, list) or not all(output in OUTPUT_TYPES for output in found):
        raise RunError(f"{settings}: unsupported: found {_shown(found)}, expected a list of {', '.join(OUTPUT_TYPES)}")
    return tuple(found)


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
