"""Two runs of the same tests, test by test, and where their differences sit."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A group of shared tests (of a document, a kind, a tag) and how many of them differ."""

    name: str
    tests: int
    different: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two runs compared.

    `same` of `shared` tests have the same result; `kappa` is Cohen's, None when one result is all there is;
    `changes` counts (first, second) results that differ, `differing` names the tests, `places` says where they sit,
    the most different first; `only_first` and `only_second` are tests that one run alone has.
    """

    shared: int
    same: int
    kappa: float | None
    changes: dict[tuple[str, str], int]
    differing: tuple[str, ...]
    places: tuple[Place, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def rate(self) -> float | None:
        """The share of shared tests with the same result; None without any."""
        return self.same / self.shared if self.shared else None


def agreement(
    first: Mapping[str, str], second: Mapping[str, str], groups: Mapping[str, tuple[str, ...]] | None = None
) -> Agreement:
    """Compare results by test.

    Args:
        first: Test to result.
        second: Test to result.
        groups: Test to the names of the groups it belongs to.
    """
    shared = [test for test in first if test in second]
    differing = tuple(test for test in shared if first[test] != second[test])
    sizes: Counter[str] = Counter()
    different: Counter[str] = Counter()
    for test in shared:
        names = (groups or {}).get(test, ())
        sizes.update(names)
        if first[test] != second[test]:
            different.update(names)
    places = [Place(name, sizes[name], count) for name, count in different.items()]
    return Agreement(
        shared=len(shared),
        same=len(shared) - len(differing),
        kappa=_kappa([(first[test], second[test]) for test in shared]),
        changes=dict(Counter((first[test], second[test]) for test in differing)),
        differing=differing,
        places=tuple(sorted(places, key=lambda place: (-place.different, place.tests, place.name))),
        only_first=tuple(test for test in first if test not in second),
        only_second=tuple(test for test in second if test not in first),
    )


def _kappa(results: list[tuple[str, str]]) -> float | None:
    """Return agreement beyond what the two runs' own rates give by chance (Cohen 1960)."""
    if not results:
        return None
    size = len(results)
    left, right = Counter(a for a, _ in results), Counter(b for _, b in results)
    chance = sum(left[result] * right[result] for result in left) / size**2
    observed = sum(a == b for a, b in results) / size
    return None if chance == 1 else (observed - chance) / (1 - chance)
