"""Two runs compared: which differences between them are real. A pure function over their figures.

Parsers that occur in both runs are compared over the documents both have, axis by axis, each by a paired test; Holm's
correction is over everything that is compared. An axis that was measured under other conditions is named, not compared.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scorer.report.changes import (
    AFTER,
    BEFORE,
    MOST_REGRESSED,
    Change,
    Differing,
    Regressed,
    Turned,
    change_of,
    judged,
    matches,
    not_compared,
)
from scorer.scoring import certainty
from scorer.scoring.certainty import Figures
from scorer.scoring.inputs import ABSENT, Inputs
from scorer.stats import DEFAULT_RESAMPLES, DEFAULT_SEED
from scorer.suites.bizdoc.kpis import AXES, KPIS, QUALITY_AXES
from scorer.suites.bizdoc.sums import COMPOSITE, Rows, headline, sums

PACE = 0.1
"""Two speeds are not compared when the machine's pace before them differs by more than this share."""

_OF_THE_DOCUMENTS = ("axis", "documents", "scope", "gold")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A scored run.

    Attributes:
        given: its parsers, documents and parses.
        figures: by parser.
        conditions: by parser, then by axis scored: what its signature says of the conditions.
        weights: of the composite, by axis.
        gold_as_opened: the gold that was scored is that of the opening, so each document's digest can be trusted.
    """

    given: Inputs
    figures: Mapping[str, Figures]
    conditions: Mapping[str, Mapping[str, Mapping[str, Any]]]
    weights: Mapping[str, float]
    gold_as_opened: bool

    def parser(self, key: str) -> Mapping[str, Any]:
        """Return a parser's row."""
        return next(parser for parser in self.given.parsers if parser["parser"] == key)


@dataclass(frozen=True, slots=True)
class Pairing:
    """A parser of the earlier run and the one of the later that it is compared with."""

    before: str
    after: str
    changes: tuple[Change, ...]
    regressed: tuple[Regressed, ...]
    newly_failed: tuple[Turned, ...]
    mended: tuple[Turned, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything found; documents are shared when both runs have the same file under the same id."""

    documents: int
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    other_files: tuple[str, ...]
    differing: tuple[Differing, ...]
    parsers: tuple[Pairing, ...]
    unpaired_before: tuple[str, ...]
    unpaired_after: tuple[str, ...]
    seed: int
    resamples: int

    @property
    def worse(self) -> tuple[tuple[str, str], ...]:
        """What is worse beyond doubt: parser of the later run, and headline."""
        return tuple(
            (found.after, change.headline)
            for found in self.parsers
            for change in found.changes
            if change.verdict == "worse"
        )


def compare(before: Run, after: Run, *, resamples: int = DEFAULT_RESAMPLES, seed: int = DEFAULT_SEED) -> Comparison:
    """Compare two runs.

    Raises:
        ValueError: they share no document or no parser.
    """
    earlier = {document.id: document for document in before.given.documents}
    later = {document.id: document for document in after.given.documents}
    both = [name for name in earlier if name in later]
    shared = {name for name in both if earlier[name].sha256 == later[name].sha256}
    if not shared:
        raise ValueError("the two runs share no document (the same file under the same id): nothing can be compared")
    matched = matches(_names(before), _names(after))
    differing: list[Differing] = []
    found = []
    for first, second in matched:
        obstacles = _obstacles(before, after, first, second, shared)
        _note(differing, second, obstacles)
        found.append(_Pair(before, after, first, second, shared, obstacles))
    changes = [pair.changes(resamples=resamples, seed=seed) for pair in found]
    judged_in_order = iter(judged([change for part in changes for change in part]))
    return Comparison(
        documents=len(shared),
        only_before=tuple(name for name in earlier if name not in later),
        only_after=tuple(name for name in later if name not in earlier),
        other_files=tuple(name for name in both if name not in shared),
        differing=tuple(differing),
        parsers=tuple(
            Pairing(pair.first, pair.second, tuple(next(judged_in_order) for _ in part), *pair.documents())
            for pair, part in zip(found, changes, strict=True)
        ),
        unpaired_before=tuple(name for name in _names(before) if name not in {first for first, _ in matched}),
        unpaired_after=tuple(name for name in _names(after) if name not in {second for _, second in matched}),
        seed=seed,
        resamples=resamples,
    )


def _names(run: Run) -> dict[str, tuple[str, str]]:
    """Return the parsers that were scored."""
    return {
        parser["parser"]: (parser["name"], parser["setting"])
        for parser in run.given.parsers
        if parser["parser"] in run.conditions
    }


Obstacles = dict[str, dict[str, tuple[Any, Any]]]
"""By axis: the conditions that differ, before and after; empty for an axis that can be compared."""


def _obstacles(before: Run, after: Run, first: str, second: str, shared: Collection[str]) -> Obstacles:
    found: Obstacles = {}
    for axis in AXES:
        was, now = before.conditions[first].get(axis), after.conditions[second].get(axis)
        if was is None or now is None:
            found[axis] = {} if was is now else {"scored": (was is not None, now is not None)}
            continue
        names = [name for name in {**was, **now} if name not in _OF_THE_DOCUMENTS]
        differ = {name: (was.get(name), now.get(name)) for name in names if was.get(name) != now.get(name)}
        if axis in QUALITY_AXES and not _same_gold(before, after, was, now, shared):
            differ["gold"] = (was["gold"], now["gold"])
        if axis == "retrieval":
            differ |= _chunkers(before, after, first, second)
        if axis == "speed":
            differ |= _pace(before, after, first, second, shared)
        found[axis] = differ
    return found


def _note(differing: list[Differing], parser: str, obstacles: Obstacles) -> None:
    """Add what bars a parser's axes to what bars others', each difference once."""
    for axis, conditions in obstacles.items():
        for name, (was, now) in conditions.items():
            for index, known in enumerate(differing):
                if (known.condition, known.before, known.after) == (name, was, now):
                    differing[index] = replace(
                        known,
                        axes=tuple(dict.fromkeys((*known.axes, axis))),
                        parsers=tuple(dict.fromkeys((*known.parsers, parser))),
                    )
                    break
            else:
                differing.append(Differing(name, (axis,), (parser,), was, now))


def _same_gold(
    before: Run, after: Run, was: Mapping[str, Any], now: Mapping[str, Any], shared: Collection[str]
) -> bool:
    if was["gold"] == now["gold"]:
        return True
    digests = [
        {document.id: document.gold_digest for document in run.given.documents if document.id in shared}
        for run in (before, after)
    ]
    # The digest in a signature is of all documents of a run; other documents change it, too.
    return before.gold_as_opened and after.gold_as_opened and digests[0] == digests[1] and was["scope"] != now["scope"]


def _chunkers(before: Run, after: Run, first: str, second: str) -> dict[str, tuple[Any, Any]]:
    """Return the chunkers when they differ and are not the tool's own, which is part of what is compared."""
    was, now = before.parser(first), after.parser(second)
    same = was["chunker"] == now["chunker"] or (was["native_chunker"] and now["native_chunker"])
    return {} if same else {"chunker": (was["chunker"], now["chunker"])}


def _pace(before: Run, after: Run, first: str, second: str, shared: Collection[str]) -> dict[str, tuple[Any, Any]]:
    """Return what speaks against comparing speeds, beside the conditions: the file's pages, the machine's pace."""
    was, now = before.parser(first), after.parser(second)
    pages = [
        {document.id: document.pages for document in run.given.documents if document.id in shared}
        for run in (before, after)
    ]
    found: dict[str, tuple[Any, Any]] = {}
    if pages[0] != pages[1]:
        found["pages"] = (sum(filter(None, pages[0].values())), sum(filter(None, pages[1].values())))
    if "drift" in was["flags"] or "drift" in now["flags"]:
        kept = ["drifted" if "drift" in row["flags"] else "steady" for row in (was, now)]
        found["pace"] = (kept[0], kept[1])
    seconds = (was["calibration_seconds"], now["calibration_seconds"])
    if all(seconds) and max(seconds) > min(seconds) * (1 + PACE):
        found["calibration_seconds"] = seconds
    return found


@dataclass(frozen=True, slots=True)
class _Pair:
    """A parser of either run, and what is asked of the two."""

    before: Run
    after: Run
    first: str
    second: str
    shared: Collection[str]
    obstacles: Obstacles

    def changes(self, *, resamples: int, seed: int) -> list[Change]:
        """Return the composite's change and every axis', not yet corrected; the p of each stands for its verdict."""
        axes = [axis for axis in AXES if axis in self._scored(self.before, self.first)]
        compared = [axis for axis in axes if not self.obstacles[axis]]
        rows = {
            AFTER: _restricted(self.after, self.second, self.shared),
            BEFORE: _restricted(self.before, self.first, self.shared),
        }
        gathered = sums(rows, weights=self.before.weights, axes=compared)
        found = []
        for name in (COMPOSITE, *AXES):
            reason = self._reason(name)
            part = headline(gathered, name)
            if not reason and not part.components:
                reason = "no document that both runs have has gold for it"
            found.append(
                not_compared(name, reason) if reason else change_of(name, part, resamples=resamples, seed=seed)
            )
        return found

    def documents(self) -> tuple[tuple[Regressed, ...], tuple[Turned, ...], tuple[Turned, ...]]:
        """Return the documents that lost most, those that newly fail, and those mended."""
        lost, failed, mended = [], [], []
        for name in sorted(self.shared):
            was = self.before.given.measured.get((self.first, name), ABSENT)
            now = self.after.given.measured.get((self.second, name), ABSENT)
            if was.parsed and not now.parsed:
                failed.append(Turned(name, now.failure))
            elif now.parsed and not was.parsed:
                mended.append(Turned(name, was.failure))
            elif was.parsed and (found := self._regressed(name)):
                lost.append(found)
        lost.sort(key=lambda found: found.change)
        return tuple(lost[:MOST_REGRESSED]), tuple(failed), tuple(mended)

    def _regressed(self, document: str) -> Regressed | None:
        steps: list[float] = []
        kpis: dict[str, tuple[float, float]] = {}
        for axis in QUALITY_AXES:
            was = self.before.figures[self.first].get(axis, {}).get(document, {})
            now = self.after.figures[self.second].get(axis, {}).get(document, {})
            values = {
                kpi: (old, new)
                for kpi in KPIS[axis]
                if (old := was.get(kpi)) is not None and (new := now.get(kpi)) is not None
            }
            if values and not self.obstacles[axis]:
                steps.append(math.fsum(new - old for old, new in values.values()) / len(values))
                kpis |= {kpi: pair for kpi, pair in values.items() if pair[0] != pair[1]}
        change = math.fsum(steps) / len(steps) if steps else 0.0
        return Regressed(document, change, kpis) if change < 0 else None

    def _reason(self, name: str) -> str:
        """Return why a headline is not compared; empty when it is."""
        if name != COMPOSITE:
            if name not in self._scored(self.before, self.first) and not self.obstacles[name]:
                return "it was scored in neither run"
            return f"other conditions: {', '.join(self.obstacles[name])}" if self.obstacles[name] else ""
        if dict(self.before.weights) != dict(self.after.weights):
            return "the weights differ"
        missing = [axis for axis in AXES if self.obstacles[axis] and self.before.weights.get(axis, 1.0) > 0]
        return f"{', '.join(missing)} cannot be compared" if missing else ""

    @staticmethod
    def _scored(run: Run, parser: str) -> Collection[str]:
        return run.conditions[parser].keys()


def _restricted(run: Run, parser: str, shared: Collection[str]) -> Rows:
    rows = certainty.rows(run.given, parser, run.figures[parser])
    return Rows(
        documents=tuple(document for document in rows.documents if document.id in shared),
        parses=tuple(row for row in rows.parses if row.document in shared),
        axes={axis: tuple(row for row in found if row.document in shared) for axis, found in rows.axes.items()},
    )
