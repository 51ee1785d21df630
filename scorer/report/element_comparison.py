"""Two runs whose headlines are figures of pages compared: Overall and elements, measures of a page, or boxes.

Parsers that occur in both runs are compared over the pages whose file and gold are the same, headline by headline, each
by a paired test; Holm's correction is over everything that is compared. A headline that was scored under other
conditions is named, not compared.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
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
    matches,
    not_compared,
)
from scorer.report.detection_comparison import box_changes
from scorer.report.page_comparison import answer, pages_of, shared_pages
from scorer.scoring import inputs
from scorer.scoring.inputs import ABSENT
from scorer.store.database import Database
from scorer.store.errors import Unknown
from scorer.suites.omnidoc.detection import AXIS as DETECTION
from scorer.suites.omnidoc.figures import OVERALL, PARTS, headline, sums

_OF_THE_PAGES = ("axis", "documents", "scope", "gold")
"""Conditions that each page answers for, by its file and its gold."""


def comparison(database: Database, before: str, after: str, *, suite: str) -> dict[str, Any]:
    """Return how two runs differ, ready for JSON.

    Raises:
        Unknown: there is no such run, or it was not scored.
        ValueError: they share no page or no parser.
    """
    earlier, later = (_Run(database, run_id, suite) for run_id in (before, after))
    shared = shared_pages(earlier.pages, later.pages)
    matched = matches(earlier.parsers(), later.parsers())
    pairs = [_Pair(earlier, later, *pair, shared) for pair in matched]
    return answer(
        earlier,
        later,
        suite=suite,
        shared=shared,
        matched=matched,
        changed=[(pair, pair.changes(database)) for pair in pairs],
        differing=[asdict(found) for found in _differing(pairs)],
    )


class _Run:
    """A scored run: its pages by id (the digests of file and gold); by parser and headline each page's figure."""

    def __init__(self, database: Database, run_id: str, suite: str) -> None:
        self.given = inputs.read(database, run_id)
        self.key = (run_id, suite)
        if not database.rows("select 1 from scorings where run_id = ? and suite = ?", self.key):
            raise Unknown(f"run {run_id} was not scored with {suite} yet: score it first")
        self.pages = pages_of(self.given)
        self.figures: dict[str, dict[str, dict[str, float]]] = {}
        for row in database.rows(
            "select parser, axis, document, value from kpis where run_id = ? and suite = ? and kpi = axis"
            " and document is not null and value is not null",
            self.key,
        ):
            self.figures.setdefault(row["parser"], {}).setdefault(row["axis"], {})[row["document"]] = row["value"]
        self.has_overall = False
        self.conditions: dict[str, dict[str, dict[str, Any]]] = {}
        for row in database.rows(
            "select k.parser, k.axis, k.value, s.content from kpis k join signatures s on s.signature = k.signature"
            " where k.run_id = ? and k.suite = ? and k.kpi = k.axis and k.document is null",
            self.key,
        ):
            of_parser = self.conditions.setdefault(row["parser"], {})
            if row["axis"] == OVERALL and OVERALL not in self.figures.get(row["parser"], {}):
                self.has_overall = True  # of no page: a mean of its parts
            elif row["value"] is not None:
                of_parser[row["axis"]] = json.loads(row["content"])["conditions"]

    def parsers(self) -> dict[str, tuple[str, str]]:
        """Return name and setting of the parsers that have a figure."""
        return {
            row["parser"]: (row["name"], row["setting"])
            for row in self.given.parsers
            if row["parser"] in self.conditions
        }


class _Pair:
    """A parser of either run, and what is asked of the two."""

    def __init__(self, earlier: _Run, later: _Run, first: str, second: str, shared: Sequence[str]) -> None:
        self._runs = (earlier, later)
        self.first, self.second = first, second
        self._shared = shared
        self._was, self._now = earlier.conditions[first], later.conditions[second]
        self.obstacles = {name: self._obstacles(name) for name in sorted({*self._was, *self._now})}

    def _obstacles(self, name: str) -> dict[str, tuple[Any, Any]]:
        was, now = self._was.get(name), self._now.get(name)
        if was is None or now is None:
            return {"scored": (was is not None, now is not None)}
        kept = [condition for condition in {**was, **now} if condition not in _OF_THE_PAGES]
        return {one: (was.get(one), now.get(one)) for one in kept if was.get(one) != now.get(one)}

    def changes(self, database: Database) -> list[Change]:
        """Return every headline's change, not yet corrected."""
        barred = [
            not_compared(name, f"other conditions: {', '.join(differ)}")
            for name, differ in self.obstacles.items()
            if differ
        ]
        if DETECTION in self.obstacles:
            return barred or box_changes(
                database,
                self._shared,
                self._now[DETECTION],
                before=(*self._runs[0].key, self.first),
                after=(*self._runs[1].key, self.second),
            )
        figures = {AFTER: self._of_pages(1, self.second), BEFORE: self._of_pages(0, self.first)}
        gathered = sums(figures, self._shared)
        compared = [name for name in gathered.components if not self.obstacles[name]]
        changes = [change_of(name, gathered.of_component(name)) for name in compared]
        return [*self._overall(figures), *changes, *barred]

    def _overall(self, figures: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[Change]:
        """Return the change of Overall, where it is no figure of a page but a mean of its parts."""
        if not any(run.has_overall for run in self._runs):
            return []
        lacking = [
            part
            for part in PARTS
            if self.obstacles.get(part, True) or not all(side.get(part) for side in figures.values())
        ]
        if lacking:
            reason = f"{', '.join(lacking)} cannot be compared"
            return [not_compared(OVERALL, reason)]
        return [change_of(OVERALL, headline(sums(figures, self._shared), OVERALL))]

    def _of_pages(self, side: int, parser: str) -> dict[str, dict[str, float]]:
        found = self._runs[side].figures.get(parser, {})
        shared = set(self._shared)
        return {
            name: {page: value for page, value in pages.items() if page in shared}
            for name, pages in found.items()
            if name in self.obstacles
        }

    def data(self, changes: Sequence[Change]) -> dict[str, Any]:
        """Return the pair as data."""
        regressed, failed, mended = self._documents()
        return {
            "before": self.first,
            "after": self.second,
            "changes": [asdict(change) for change in changes],
            "regressed": [asdict(page) for page in regressed],
            "newly_failed": [asdict(page) for page in failed],
            "mended": [asdict(page) for page in mended],
        }

    def _documents(self) -> tuple[list[Regressed], list[Turned], list[Turned]]:
        """Return the pages that lost most, mean change over the headlines compared; that newly fail; those mended."""
        lost, failed, mended = [], [], []
        measured = [run.given.measured for run in self._runs]
        figures = (self._of_pages(0, self.first), self._of_pages(1, self.second))
        for page in sorted(self._shared):
            was = measured[0].get((self.first, page), ABSENT)
            now = measured[1].get((self.second, page), ABSENT)
            if was.parsed and not now.parsed:
                failed.append(Turned(page, now.failure))
            elif now.parsed and not was.parsed:
                mended.append(Turned(page, was.failure))
            elif was.parsed:
                values = {
                    name: (figures[0][name][page], figures[1][name][page])
                    for name, differ in self.obstacles.items()
                    if not differ and all(page in side.get(name, {}) for side in figures)
                }
                change = math.fsum(new - old for old, new in values.values()) / len(values) if values else 0.0
                if change < 0:
                    lost.append(
                        Regressed(page, change, {name: pair for name, pair in values.items() if pair[0] != pair[1]})
                    )
        return sorted(lost, key=lambda found: found.change)[:MOST_REGRESSED], failed, mended


def _differing(pairs: Sequence[_Pair]) -> list[Differing]:
    """Return each condition that differs once, with the headlines and the parsers that it bars."""
    found: dict[str, tuple[str, Any, Any, list[str], list[str]]] = {}
    for pair in pairs:
        for name, differ in pair.obstacles.items():
            for condition, (was, now) in differ.items():
                one = found.setdefault(json.dumps([condition, was, now]), (condition, was, now, [], []))
                one[3].append(name)
                one[4].append(pair.second)
    return [
        Differing(condition, tuple(dict.fromkeys(axes)), tuple(dict.fromkeys(parsers)), was, now)
        for condition, was, now, axes, parsers in found.values()
    ]
