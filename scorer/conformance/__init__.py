"""Recorded answers against what the measures say today: what ``docassay verify`` runs, one module a suite.

Each suite's ``verify`` yields an ``Outcome`` a case as it goes, so that a caller can show progress; ``report`` adds
them up.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

TOLERANCE = 1e-12
"""Floats agree within this much; everything else agrees exactly."""


class ConformanceError(ValueError):
    """A file of recorded answers cannot be used; the message names the file, the place and what was found."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that is not what was recorded: the case's id, the field, the recorded value and ours."""

    case: str
    field: str
    expected: object
    got: object


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case; it passed when nothing differs."""

    case: str
    differences: tuple[Difference, ...]

    @property
    def passed(self) -> bool:
        """Whether every value is what was recorded."""
        return not self.differences


@dataclass(frozen=True, slots=True)
class Report:
    """How many cases passed and failed, and every difference."""

    passed: int
    failed: int
    differences: tuple[Difference, ...]


def report(outcomes: Iterable[Outcome]) -> Report:
    """Add outcomes up."""
    passed = failed = 0
    differences: list[Difference] = []
    for outcome in outcomes:
        passed += outcome.passed
        failed += not outcome.passed
        differences += outcome.differences
    return Report(passed, failed, tuple(differences))


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
                yield Difference(case, place, expected.get(key, "absent"), got.get(key, "absent"))
    elif _is_list(expected) and _is_list(got) and len(expected) == len(got):
        for index, pair in enumerate(zip(expected, got, strict=True)):
            yield from _differences(case, f"{field}[{index}]", *pair, tolerance)
    elif not _same(expected, got, tolerance):
        yield Difference(case, field, expected, got)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _same(expected: object, got: object, tolerance: float) -> bool:
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if isinstance(expected, int | float) and isinstance(got, int | float):
        if isinstance(expected, int) and isinstance(got, int):
            return expected == got
        return math.isclose(expected, got, rel_tol=0.0, abs_tol=tolerance)
    return expected == got
