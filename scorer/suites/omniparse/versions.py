"""The two released behaviours of OmniParseBench as modes of this suite, and all that differs between them.

| | 1.0.0rc1 | 1.0.0 |
|---|---|---|
| an output the parser cannot produce | its tests are `unsupported` and leave the score | its tests fail |
| neighbours of a table cell cut short by a wider one | from the span it declares | from the slots it holds |
| summary | headline, families, outputs, suites, derivations | headline and families |
| headline without a scored test in a family | none | that family counts 0 |
| sample of n pages | turns over the suites | evenly spaced rows |
| prediction file | `{"html": …, "blocks": …}` | `{"pages": [{"html": …, "blocks": …}]}` |
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from scorer.suites.omniparse.cells import Neighbours
from scorer.suites.omniparse.neighbours import from_declared_span, from_held_slots
from scorer.suites.omniparse.summary import Line, summarize_rc1, summarize_v1_0_0


class HasSuite(Protocol):
    """A page as sampling sees it."""

    @property
    def suite(self) -> str:
        """The part of the dataset the page is in."""


PageT = TypeVar("PageT", bound=HasSuite)


@dataclass(frozen=True, slots=True)
class Version:
    """One released behaviour; `name` is what follows `omniparse@`, `release` the package's version."""

    name: str
    release: str
    knows_unsupported: bool
    neighbours: Neighbours
    summarize: Callable[[Iterable[Line]], dict[str, Any]]

    def sample(self, pages: Sequence[PageT], count: int) -> list[PageT]:
        """Return the reference's own `count` pages of a dataset, in the dataset's order."""
        return _by_turns(pages, count) if self.knows_unsupported else _evenly(pages, count)


RC1 = Version("rc1", "1.0.0rc1", True, from_declared_span, summarize_rc1)
V1_0_0 = Version("1.0.0", "1.0.0", False, from_held_slots, summarize_v1_0_0)
VERSIONS = {version.name: version for version in (RC1, V1_0_0)}


def version_of(name: str) -> Version:
    """Return a released behaviour by name, the suite's before it or not; 1.0.0rc1, the leaderboard's, for none.

    Raises:
        ValueError: there is no such version.
    """
    name = name.removeprefix("omniparse@")
    if name and name not in VERSIONS:
        raise ValueError(f"omniparse has no version {name!r}; it has {', '.join(VERSIONS)}")
    return VERSIONS[name or RC1.name]


def _by_turns(pages: Sequence[PageT], count: int) -> list[PageT]:
    """Take pages evenly spaced within each suite, suites in turn."""
    if not pages or count <= 0:
        return list(pages) if count == 0 else []
    by_suite: dict[str, list[int]] = {}
    for index, page in enumerate(pages):
        by_suite.setdefault(page.suite, []).append(index)
    each = -(-count // len(by_suite))
    spread = [
        [indices[i * len(indices) // min(each, len(indices))] for i in range(min(each, len(indices)))]
        for indices in by_suite.values()
    ]
    turns = [indices[turn] for turn in range(each) for indices in spread if turn < len(indices)]
    return [pages[index] for index in sorted(turns[:count])]


def _evenly(pages: Sequence[PageT], count: int) -> list[PageT]:
    """Take rows i·N//n."""
    if count == 0 or count >= len(pages):
        return list(pages)
    return [pages[i * len(pages) // count] for i in range(count)]
