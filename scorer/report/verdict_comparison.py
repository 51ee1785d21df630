"""Two runs of yes/no tests compared: headline and families by a paired test, and test by test where they differ.

Parsers that occur in both runs are compared over the tests both have, of pages whose file and gold are the same.
"""

import json
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scorer.omniparse.items import items_of
from scorer.report.changes import (
    AFTER,
    BEFORE,
    MOST_REGRESSED,
    Change,
    Regressed,
    Turned,
    change_of,
    matches,
    not_compared,
)
from scorer.report.page_comparison import answer, pages_of, shared_pages
from scorer.scoring import inputs
from scorer.scoring.inputs import ABSENT, Inputs
from scorer.scoring.verdicts import COMPOSITE
from scorer.stats import agreement
from scorer.store.database import Database
from scorer.store.errors import Unknown
from scorer.suites.omniparse.vocabulary import FAMILIES, FAMILY_ORDER

MOST_PLACES = 8
"""Places listed where two runs differ, the most different first."""

_OF_THE_PAGES = ("axis", "scope", "gold")

Lines = Mapping[str, Mapping[str, Any]]
"""Score lines by test."""


def comparison(database: Database, before: str, after: str, *, suite: str) -> dict[str, Any]:
    """Return how two runs of a suite of tests differ, ready for JSON.

    Each pair of parsers has ``tests`` beside them: how many are shared and have the same result, how results changed,
    and ``places``, the tags and types in which they differ most.

    Raises:
        Unknown: there is no such run, or it was not scored.
        ValueError: they share no page or no parser.
    """
    earlier, later = (_Run(database, run_id, suite) for run_id in (before, after))
    shared = shared_pages(earlier.pages, later.pages)
    matched = matches(earlier.parsers(), later.parsers())
    differing = list(_differing(earlier, later, matched))
    barred = {parser for found in differing for parser in found["parsers"]}
    pairs = [_Pair(earlier, later, *pair, frozenset(shared)) for pair in matched]
    return answer(
        earlier,
        later,
        suite=suite,
        shared=shared,
        matched=matched,
        changed=[(pair, pair.barred() if pair.second in barred else pair.changes()) for pair in pairs],
        differing=differing,
    )


class _Run:
    """A run scored by tests: its pages by id (the digests of file and gold), and each parser's score lines."""

    def __init__(self, database: Database, run_id: str, suite: str) -> None:
        self.given: Inputs = inputs.read(database, run_id)
        if not database.rows("select 1 from scorings where run_id = ? and suite = ?", [run_id, suite]):
            raise Unknown(f"run {run_id} was not scored with {suite} yet: score it first")
        self.pages = pages_of(self.given)
        self.lines: dict[str, dict[str, dict[str, Any]]] = {}
        words = {True: "pass", False: "fail", None: "unsupported"}
        for row in database.rows("select * from verdicts where run_id = ? and suite = ?", [run_id, suite]):
            self.lines.setdefault(row["parser"], {})[row["test"]] = {
                "page_id": row["document"],
                "document": row["source"],
                "test_id": row["test"],
                "test_type": row["kind"],
                "result": words[row["passed"]],
                "tags": row["tags"],
            }
        self.conditions = {
            row["parser"]: json.loads(row["content"])["conditions"]
            for row in database.rows(
                "select k.parser, s.content from kpis k join signatures s on s.signature = k.signature"
                " where k.run_id = ? and k.suite = ? and k.kpi = ?",
                [run_id, suite, COMPOSITE],
            )
        }

    def parsers(self) -> dict[str, tuple[str, str]]:
        """Return name and setting of the parsers that were scored."""
        return {
            row["parser"]: (row["name"], row["setting"]) for row in self.given.parsers if row["parser"] in self.lines
        }


def _differing(earlier: _Run, later: _Run, matched: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield each condition that is not the same in both runs, and the parsers it bars."""
    barred: dict[tuple[str, str, str], list[str]] = {}
    for first, second in matched:
        was, now = earlier.conditions[first], later.conditions[second]
        for name in {**was, **now}:
            if name not in _OF_THE_PAGES and was.get(name) != now.get(name):
                key = (name, json.dumps(was.get(name)), json.dumps(now.get(name)))
                barred.setdefault(key, []).append(second)
    for (name, was_text, now_text), parsers in barred.items():
        yield {
            "condition": name,
            "axes": [COMPOSITE],
            "parsers": parsers,
            "before": json.loads(was_text),
            "after": json.loads(now_text),
        }


class _Pair:
    """A parser of either run, and the tests both have of the shared pages."""

    def __init__(self, earlier: _Run, later: _Run, first: str, second: str, shared: Collection[str]) -> None:
        self._runs = (earlier, later)
        self.first, self.second = first, second
        was, now = (_of_pages(run.lines[name], shared) for run, name in ((earlier, first), (later, second)))
        self._was: Lines = {test: line for test, line in was.items() if test in now}
        self._now: Lines = {test: line for test, line in now.items() if test in was}
        self._shared = shared

    def barred(self) -> list[Change]:
        """Return that nothing is compared."""
        return [not_compared(COMPOSITE, "other conditions")]

    def changes(self) -> list[Change]:
        """Return the headline's change and every family's, not yet corrected."""
        if not self._now:
            return [not_compared(COMPOSITE, "the runs share no test")]
        gathered = items_of({AFTER: self._now.values(), BEFORE: self._was.values()}).sums()
        families = [change_of(family, gathered.of_component(family)) for family in gathered.components]
        if any(change.verdict == "not compared" for change in families):
            reason = "a family has no score: a mean over fewer families is another number"
            return [not_compared(COMPOSITE, reason), *families]
        return [change_of(COMPOSITE, gathered), *families]

    def data(self, changes: Sequence[Change]) -> dict[str, Any]:
        """Return the pair as data."""
        was, now = ({test: line["result"] for test, line in lines.items()} for lines in (self._was, self._now))
        where = {test: (line["test_type"], *line["tags"]) for test, line in self._now.items()}
        found = agreement(was, now, where)
        regressed, failed, mended = self._pages()
        return {
            "before": self.first,
            "after": self.second,
            "changes": [asdict(change) for change in changes],
            "regressed": [asdict(page) for page in regressed],
            "newly_failed": [asdict(page) for page in failed],
            "mended": [asdict(page) for page in mended],
            "tests": {
                "shared": found.shared,
                "same": found.same,
                "kappa": found.kappa,
                "changed": [
                    {"before": was, "after": now, "tests": count} for (was, now), count in sorted(found.changes.items())
                ],
                "places": [asdict(place) for place in found.places[:MOST_PLACES]],
            },
        }

    def _pages(self) -> tuple[list[Regressed], list[Turned], list[Turned]]:
        """Return the pages that lost most tests, those that newly fail, and those mended."""
        measured = [run.given.measured for run in self._runs]
        lost, failed, mended = [], [], []
        rates = [_page_rates(lines) for lines in (self._was, self._now)]
        for page in sorted(self._shared):
            was = measured[0].get((self.first, page), ABSENT)
            now = measured[1].get((self.second, page), ABSENT)
            if was.parsed and not now.parsed:
                failed.append(Turned(page, now.failure))
            elif now.parsed and not was.parsed:
                mended.append(Turned(page, was.failure))
            elif was.parsed and page in rates[0] and page in rates[1]:
                families = {
                    family: (rates[0][page][family], rates[1][page][family])
                    for family in FAMILY_ORDER
                    if family in rates[0][page] and family in rates[1][page]
                }
                change = math.fsum(new - old for old, new in families.values()) / len(families) if families else 0.0
                if change < 0:
                    differing = {family: pair for family, pair in families.items() if pair[0] != pair[1]}
                    lost.append(Regressed(page, change, differing))
        return sorted(lost, key=lambda found: found.change)[:MOST_REGRESSED], failed, mended


def _of_pages(lines: Lines, shared: Collection[str]) -> Lines:
    return {test: line for test, line in lines.items() if line["page_id"] in shared}


def _page_rates(lines: Lines) -> dict[str, dict[str, float]]:
    """Return each page's pass rate by family."""
    passed: Counter[tuple[str, str]] = Counter()
    scored: Counter[tuple[str, str]] = Counter()
    for line in lines.values():
        if line["result"] != "unsupported":
            key = (line["page_id"], FAMILIES[line["test_type"]])
            scored[key] += 1
            passed[key] += line["result"] == "pass"
    rates: dict[str, dict[str, float]] = {}
    for (page, family), count in scored.items():
        rates.setdefault(page, {})[family] = passed[page, family] / count
    return rates
