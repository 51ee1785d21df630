"""Recorded answers against what the measures say today: what ``docassay verify`` runs, one module a suite.

Each suite's ``verify`` yields an ``Outcome`` a case as it goes, so that a caller can show progress; ``report`` adds
them up. A line or a file that cannot be read is an outcome, too, so that it never hides the others.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

TOLERANCE = 1e-12
"""Floats agree within this much; everything else agrees exactly."""

NOTHING_RECORDED = "nothing is recorded to compare it with"


class ConformanceError(ValueError):
    """Recorded answers that cannot be used; the message names the file, the place, what was found and what to do."""


class Words(str):
    """What a difference says where there is no recorded or computed value."""

    __slots__ = ()


ABSENT = Words("absent")


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that is not what was recorded: the case's id, the field, the recorded value and ours.

    Both are JSON values, or ``Words`` where there is none.
    """

    case: str
    field: str
    expected: object
    got: object

    def __str__(self) -> str:
        place = f"{self.case}: {self.field}" if self.field else self.case
        return f"{place}: expected {written(self.expected)}, got {written(self.got)}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case; it passed when something was compared and nothing differs.

    Attributes:
        case: its id; of a fault, empty.
        differences: what is not as recorded.
        skipped: why nothing was compared; empty when something was.
        fault: why the recording could not be read, with file and line; empty when it could.
    """

    case: str
    differences: tuple[Difference, ...] = ()
    skipped: str = ""
    fault: str = ""

    @property
    def passed(self) -> bool:
        """Whether something was compared and every value is what was recorded."""
        return not (self.differences or self.skipped or self.fault)


@dataclass(frozen=True, slots=True)
class Report:
    """How many cases passed and failed, every difference, how many were not compared, and what could not be read."""

    passed: int
    failed: int
    differences: tuple[Difference, ...] = ()
    skipped: int = 0
    faults: tuple[str, ...] = ()


def report(outcomes: Iterable[Outcome]) -> Report:
    """Add outcomes up."""
    passed = failed = skipped = 0
    differences: list[Difference] = []
    faults: list[str] = []
    for outcome in outcomes:
        passed += outcome.passed
        failed += bool(outcome.differences)
        skipped += bool(outcome.skipped)
        differences += outcome.differences
        faults += [outcome.fault] if outcome.fault else []
    return Report(passed, failed, tuple(differences), skipped, tuple(faults))


def guarded(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Yield the outcomes of one file or line; the error that ends them becomes the last, so that others go on."""
    try:
        yield from outcomes
    except ConformanceError as error:
        yield Outcome("", fault=str(error))


def lines(path: Path, evaluate: Callable[[dict[str, Any], str], Outcome]) -> Iterator[Outcome]:
    """Yield the outcome of every line of a file of JSON objects; blank lines are none.

    Args:
        path: JSON lines, UTF-8.
        evaluate: takes the object and its place, ``FILE, line N``; what it raises as ConformanceError is the outcome.

    Raises:
        ConformanceError: the file cannot be read.
    """
    try:
        with path.open("rb") as source:
            for number, line in enumerate(source, 1):
                if line.strip():
                    yield from guarded(_line(line, f"{path}, line {number}", evaluate))
    except OSError as error:
        raise ConformanceError(f"{path}: cannot be read: {error.strerror}; mend the path or its permissions") from error


def _line(line: bytes, place: str, evaluate: Callable[[dict[str, Any], str], Outcome]) -> Iterator[Outcome]:
    yield evaluate(json_object(line, place), place)


def file_bytes(path: Path) -> bytes:
    """Return what a file holds.

    Raises:
        ConformanceError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConformanceError(f"{path}: cannot be read: {error.strerror}; mend the path or its permissions") from error


def file_text(path: Path) -> str:
    """Return the text of a UTF-8 file.

    Raises:
        ConformanceError: it cannot be read, or is not UTF-8.
    """
    try:
        return file_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise ConformanceError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error


def json_object(data: bytes, place: str) -> dict[str, Any]:
    """Return a JSON object.

    Raises:
        ConformanceError: it is none; the message begins with its place.
    """
    try:
        value = json.loads(data)
    except RecursionError as error:
        raise ConformanceError(f"{place}: not JSON that can be read: nested too deeply") from error
    except UnicodeDecodeError as error:
        raise ConformanceError(f"{place}: not UTF-8; save it as UTF-8") from error
    except ValueError as error:
        raise ConformanceError(f"{place}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ConformanceError(f"{place}: must be a JSON object, found {written(value)}")
    return value


def malformed(error: Exception) -> str:
    """Return in plain words how an input is not in its format, told by the error that reading it met."""
    if isinstance(error, KeyError):
        return f"the key {written(error.args[0])} is missing" if error.args else "a key is missing"
    if isinstance(error, IndexError):
        return "a list is shorter than the format has it"
    if isinstance(error, TypeError | AttributeError):
        return f"a value is of another kind than the format has it ({error})"
    return str(error)


_SHOWN = 500


def written(value: object) -> str:
    """Return a value as a message shows it: words as they are, all else as JSON; a long one shortened."""
    text = value if isinstance(value, Words) else json.dumps(value, ensure_ascii=False, default=str)
    # A recording can hold half of a surrogate pair, which no terminal takes.
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def compare(case: str, expected: object, got: object, *, tolerance: float = TOLERANCE) -> Outcome:
    """Compare two JSON values of a case; numbers within ``tolerance`` when either is a float."""
    return Outcome(case, tuple(_differences(case, "", expected, got, tolerance)))


def _differences(case: str, field: str, expected: object, got: object, tolerance: float) -> Iterator[Difference]:
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        for key in dict.fromkeys((*expected, *got)):
            place = f"{field}.{key}" if field else str(key)
            if key in expected and key in got:
                yield from _differences(case, place, expected[key], got[key], tolerance)
            else:
                yield Difference(case, place, expected.get(key, ABSENT), got.get(key, ABSENT))
    elif _is_list(expected) and _is_list(got) and len(expected) == len(got):
        for index, pair in enumerate(zip(expected, got, strict=True)):
            yield from _differences(case, f"{field}[{index}]", *pair, tolerance)
    elif not _same(expected, got, tolerance):
        yield Difference(case, field, expected, got)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _same(expected: object, got: object, tolerance: float) -> bool:
    if isinstance(expected, Words) or isinstance(got, Words):
        return False
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if isinstance(expected, int | float) and isinstance(got, int | float):
        if isinstance(expected, int) and isinstance(got, int):
            return expected == got
        return math.isclose(expected, got, rel_tol=0.0, abs_tol=tolerance)
    return expected == got
