"""Scores on a part of the items: by tag, format, domain or attribute, and by several at once.

A slice of few documents says little however many items it has, and a lead shared is no lead: both are marked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from scorer.stats.items import Bools, Items

SMALL_SLICE = 10
"""A slice of this many documents or fewer is marked small."""


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the items.

    `rates` maps each system to its pass rate, the mean over its scored items, None without any; `leaders` are the
    systems with the highest rate.
    """

    name: str
    items: int
    documents: int
    rates: dict[str, float | None]
    leaders: tuple[str, ...]

    @property
    def small(self) -> bool:
        """Whether the slice has 10 documents or fewer."""
        return self.documents <= SMALL_SLICE

    @property
    def tied(self) -> bool:
        """Whether several systems share the lead."""
        return len(self.leaders) > 1


def slices(items: Items, attributes: Mapping[str, Bools]) -> list[Slice]:
    """Return one slice an attribute, the largest first; `attributes` maps a name to its items (T)."""
    made = [slice_of(items, name, chosen) for name, chosen in attributes.items()]
    return sorted(made, key=lambda part: (-part.items, part.name))


def intersection(items: Items, attributes: Mapping[str, Bools], names: Sequence[str]) -> Slice:
    """Return the slice of the items that have every named attribute.

    Raises:
        KeyError: when an attribute is unknown.
    """
    if unknown := [name for name in names if name not in attributes]:
        raise KeyError(f"no items are tagged {unknown}; known are {sorted(attributes)}")
    everything = np.ones(items.document.size, dtype=np.bool_)
    chosen = reduce(np.logical_and, (attributes[name] for name in names), everything)
    return slice_of(items, " + ".join(names), chosen)


def slice_of(items: Items, name: str, chosen: Bools) -> Slice:
    """Return the slice of the chosen items (T)."""
    values = items.values[:, chosen]
    scored = np.isfinite(values)
    count = scored.sum(axis=1)
    total = np.where(scored, values, 0.0).sum(axis=1)
    rates = {system: float(total[s] / count[s]) if count[s] else None for s, system in enumerate(items.systems)}
    best = max((rate for rate in rates.values() if rate is not None), default=None)
    leaders = tuple(system for system, rate in rates.items() if rate is not None and rate == best)
    return Slice(name, int(chosen.sum()), int(np.unique(items.document[chosen]).size), rates, leaders)
