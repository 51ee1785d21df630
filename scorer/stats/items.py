"""What the statistics work on: items scored for several systems, gathered by document and component.

An item is the smallest thing scored: a yes/no test of a page, or one axis of one document. Components are what a
headline averages: families of tests, or axes. A component's score is the sum of its items' values over their
number; a headline is the weighted mean of the components' scores. Documents are what is resampled, whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Scale:
    """How a component's ratio becomes its score, where that is not the ratio itself.

    `value` and `slope` (its derivative) are functions of ratios, element by element; `empty` is the score where nothing
    is counted; `lowest` and `highest` are the ends of what `value` can give.
    """

    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    empty: float
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Scores of S systems on T items.

    `values` (S x T) holds numbers, NaN where an item has no score for a system; `document` and `component` (T)
    index into `documents` and `components`; `weights` are the components' weights in the headline.
    """

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    components: tuple[str, ...]
    values: Floats
    document: Ints
    component: Ints
    weights: Floats

    def __post_init__(self) -> None:
        count = self.document.shape[0]
        if self.values.shape != (len(self.systems), count) or self.component.shape != (count,):
            raise ValueError(
                f"{len(self.systems)} systems and {count} items need values of shape "
                f"{(len(self.systems), count)}, got {self.values.shape}"
            )
        if self.weights.shape != (len(self.components),) or bool((self.weights < 0).any()):
            raise ValueError(f"{len(self.components)} components need as many weights of 0 or more, got {self.weights}")
        if np.isinf(self.values).any():
            raise ValueError("values must be finite, or NaN where an item has no score")

    def select(self, chosen: Bools) -> Items:
        """Return the chosen items alone, over the same systems, documents and components."""
        return Items(
            self.systems,
            self.documents,
            self.components,
            self.values[:, chosen],
            self.document[chosen],
            self.component[chosen],
            self.weights,
        )

    def sums(self) -> Sums:
        """Gather the items by document and component."""
        shape = (len(self.systems), len(self.documents), len(self.components))
        cell = self.document * shape[2] + self.component
        present = np.isfinite(self.values)
        values = np.where(present, self.values, 0.0)
        size = shape[1] * shape[2]
        total = np.array([np.bincount(cell, weights=row, minlength=size) for row in values], dtype=np.float64)
        count = np.array([np.bincount(cell[row], minlength=size) for row in present], dtype=np.float64)
        return Sums(
            self.systems, self.documents, self.components, total.reshape(shape), count.reshape(shape), self.weights
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Items gathered: `total` and `count` (S x D x K), the sum of the values and how many there are.

    A component's score is total over count over all documents. A component named in `scales` has that ratio's value on
    its scale, and one even where nothing is counted.
    """

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    components: tuple[str, ...]
    total: Floats
    count: Floats
    weights: Floats
    scales: Mapping[str, Scale] = field(default_factory=dict)

    def component_scores(self) -> Floats:
        """Return each system's score on each component (S x K), NaN where it has no item."""
        return self.scaled(ratio(self.total.sum(axis=1), self.count.sum(axis=1)))

    def headlines(self) -> Floats:
        """Return each system's headline (S): NaN where a component that some system has is missing."""
        return combine(self.component_scores(), self.used_weights())

    def used_weights(self) -> Floats:
        """Return the weights with those of components that no system has at 0."""
        return np.where((self.count.sum(axis=(0, 1)) > 0) | self.is_scaled(), self.weights, 0.0)

    def is_scaled(self) -> Bools:
        """Return which components have a scale (K)."""
        return np.array([name in self.scales for name in self.components], dtype=np.bool_)

    def scaled(self, ratios: Floats) -> Floats:
        """Return the scores of ratios, components along the last axis; NaN stays NaN without a scale."""
        scores = ratios.copy()
        for k, name in enumerate(self.components):
            if scale := self.scales.get(name):
                counted = np.isfinite(ratios[..., k])
                scores[..., k] = np.where(counted, scale.value(np.where(counted, ratios[..., k], 0.0)), scale.empty)
        return scores

    def slopes(self, ratios: Floats) -> Floats:
        """Return what a score gains for a little more of its ratio: 1 without a scale, 0 where nothing was counted."""
        slopes = np.ones(ratios.shape)
        for k, name in enumerate(self.components):
            if scale := self.scales.get(name):
                counted = np.isfinite(ratios[..., k])
                slopes[..., k] = np.where(counted, scale.slope(np.where(counted, ratios[..., k], 0.0)), 0.0)
        return slopes

    def of_component(self, name: str) -> Sums:
        """Return the sums with one component as the headline.

        Raises:
            KeyError: when there is no such component.
        """
        if name not in self.components:
            raise KeyError(f"no component {name!r}; there are {list(self.components)}")
        alone = np.array([float(component == name) for component in self.components])
        return self.reweighted(alone)

    def reweighted(self, weights: Floats) -> Sums:
        """Return the sums under other component weights."""
        return replace(self, weights=weights)

    def narrowed(self) -> Sums:
        """Return the sums without the components of no weight, and without the documents that have no item then.

        Documents that say nothing of the headline must not count as evidence. All stay when none has an item.
        """
        components = np.flatnonzero(self.used_weights() > 0)
        counted = (self.count[:, :, components] > 0).any(axis=(0, 2))
        documents = np.flatnonzero(counted if counted.any() else ~counted)
        kept = np.ix_(np.arange(len(self.systems)), documents, components)
        return replace(
            self,
            documents=tuple(self.documents[d] for d in documents),
            components=tuple(self.components[k] for k in components),
            total=self.total[kept],
            count=self.count[kept],
            weights=self.weights[components],
        )


def combine(scores: Floats, weights: Floats) -> Floats:
    """Return the weighted mean over the last axis; a component of weight 0 counts nowhere, even when it is NaN."""
    used = weights > 0
    if not used.any():
        return np.full(scores.shape[:-1], np.nan)
    weighted = scores[..., used] * weights[used]
    return np.asarray(weighted.sum(axis=-1) / weights[used].sum(), dtype=np.float64)


def ratio(total: Floats, count: Floats) -> Floats:
    """Return total over count, NaN where nothing was counted."""
    quotient = np.full(total.shape, np.nan)
    np.divide(total, count, out=quotient, where=count > 0)
    return quotient


def weighted_sums(weights: Floats, columns: Floats) -> Floats:
    """Return the sums of columns (D x C) under each row of whole document weights (B x D), exact in any order.

    Values are rounded to a grid so fine that it moves no score by 1e-9, and so coarse that no sum is rounded. An
    exact sum does not depend on the order of its terms, so resampled scores are the same on any number of cores.
    Columns that repeat are summed once: systems scored on the same items have the same counts.
    """
    bounds = np.abs(columns).max(axis=0, initial=0.0) * float(weights.sum(axis=1).max(initial=0.0))
    bound = float(bounds.max(initial=0.0))
    whole = not (columns % 1).any()
    if not whole:
        # Each column has its own grid: seconds and pages must not make that of a score coarse.
        step = 2.0 ** (np.ceil(np.log2(np.where(bounds > 0, bounds, 1.0))) - 50)
        columns = np.round(columns / step) * step
    places: dict[bytes, int] = {}
    place = [places.setdefault(column.tobytes(), len(places)) for column in columns.T]
    distinct = np.empty((columns.shape[0], len(places)))
    distinct[:, place] = columns
    if whole and bound < 2**24:
        sums = (weights.astype(np.float32) @ distinct.astype(np.float32)).astype(np.float64)
    else:
        sums = weights @ distinct
    return np.asarray(sums[:, place], dtype=np.float64)
