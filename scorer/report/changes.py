"""What two runs are compared by, whichever suite scored them: headlines that changed, documents that did.

A headline is compared by a paired test over the documents both runs have; Holm's correction is over everything that is
compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from scorer.scoring.inputs import Inputs
from scorer.stats import DEFAULT_RESAMPLES, DEFAULT_SEED, Interval, Sums, bootstrap, holm, pairs

MOST_REGRESSED = 10
"""Documents listed a pair of parsers, those that lost most."""

AFTER, BEFORE = "after", "before"
"""The two systems of sums that are compared, in this order: a difference is after less before."""

Verdict = Literal["better", "worse", "no difference shown", "not compared"]

_LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A headline of a parser before and after, over the shared documents.

    ``difference`` is after less before, with its paired 95 % interval; ``p`` is two-sided, ``adjusted_p`` after Holm
    over everything compared. Where the verdict is "not compared", ``reason`` says why and the figures are None.
    """

    headline: str
    verdict: Verdict
    reason: str = ""
    documents: int = 0
    few_documents: bool = False
    before: float | None = None
    after: float | None = None
    difference: float | None = None
    interval: Interval | None = None
    p: float | None = None
    adjusted_p: float | None = None


@dataclass(frozen=True, slots=True)
class Regressed:
    """A document parsed in both runs that lost: its mean change, and the figures that changed."""

    document: str
    change: float
    kpis: dict[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Turned:
    """A document that one of the runs failed on, and why."""

    document: str
    reason: str


@dataclass(frozen=True, slots=True)
class Differing:
    """A condition that is not the same in both runs, or a pace that drifted: which axes of which parsers it bars."""

    condition: str
    axes: tuple[str, ...]
    parsers: tuple[str, ...]
    before: Any
    after: Any


def change_of(name: str, part: Sums, *, resamples: int = DEFAULT_RESAMPLES, seed: int = DEFAULT_SEED) -> Change:
    """Return a headline's change, not yet corrected: what `judged` takes.

    Args:
        name: of the headline.
        part: the sums whose headline it is, of ``AFTER`` and ``BEFORE``; the documents that count for it are compared.
        resamples: of the interval.
        seed: of the interval.
    """
    part = part.narrowed()
    if not part.components or np.isnan(part.headlines()).any():
        return not_compared(name, "one of the two runs has no score for it")
    drawn = bootstrap(part, resamples=resamples, seed=seed)
    [pair] = pairs(drawn)
    return Change(
        headline=name,
        verdict="no difference shown",
        documents=len(part.documents),
        few_documents=drawn.few_documents,
        before=float(drawn.estimates[1]),
        after=float(drawn.estimates[0]),
        difference=pair.gap,
        interval=pair.interval.known if drawn.varies else None,
        p=pair.p,
    )


def not_compared(name: str, reason: str) -> Change:
    """Return that a headline is not compared."""
    return Change(headline=name, verdict="not compared", reason=reason)


def judged(changes: Sequence[Change]) -> list[Change]:
    """Return the changes with p corrected over all of them, and what that says."""
    compared = [index for index, change in enumerate(changes) if change.p is not None]
    adjusted = holm(np.array([changes[index].p for index in compared], dtype=np.float64))
    corrected = list(changes)
    for index, value in zip(compared, adjusted, strict=True):
        change = changes[index]
        verdict = change.verdict
        if value <= _LEVEL and change.difference:
            verdict = "better" if change.difference > 0 else "worse"
        corrected[index] = replace(change, adjusted_p=float(value), verdict=verdict)
    return corrected


def matches(before: Mapping[str, tuple[str, str]], after: Mapping[str, tuple[str, str]]) -> list[tuple[str, str]]:
    """Return which parsers are compared: the same key, else the one version of the same name and setting in either run.

    Args:
        before: name and setting by key (name@version:setting).
        after: the same.

    Raises:
        ValueError: there are none.
    """
    found = [(key, key) for key in before if key in after]
    left = {key: tool for key, tool in before.items() if key not in after}
    right = {key: tool for key, tool in after.items() if key not in before}
    for key, tool in left.items():
        others = [other for other, its in right.items() if its == tool]
        if len(others) == 1 and list(left.values()).count(tool) == 1:
            found.append((key, others[0]))
    if not found:
        raise ValueError(
            f"no parser occurs in both runs: the first has {', '.join(before) or 'none'},"
            f" the second {', '.join(after) or 'none'}; one is compared with itself, or with another version of it"
        )
    return sorted(found, key=lambda pair: pair[1])


def record(given: Inputs) -> dict[str, Any]:
    """Return what a comparison says of a run: its id, start, commit and corpus."""
    names = ("run_id", "commit", "corpus_name", "corpus_version")
    return {name: given.run[name] for name in names} | {"started_at": given.run["started_at"].isoformat() + "Z"}
