"""Populations and items made for the tests."""

import numpy as np

from scorer.stats import Items


def means(values: np.ndarray, systems: tuple[str, ...] | None = None) -> Items:
    """One component, one value a document: the headline is the plain mean of each row."""
    count, documents = values.shape
    return Items(
        systems=systems or tuple(f"s{i}" for i in range(count)),
        documents=tuple(f"d{i}" for i in range(documents)),
        components=("score",),
        values=values.astype(np.float64),
        document=np.arange(documents),
        component=np.zeros(documents, dtype=np.int64),
        weights=np.ones(1),
    )


def axes(values: np.ndarray, weights: tuple[float, ...]) -> Items:
    """Several axes: `values` is systems x documents x axes, NaN where a document is not annotated."""
    systems, documents, components = values.shape
    return Items(
        systems=tuple(f"s{i}" for i in range(systems)),
        documents=tuple(f"d{i}" for i in range(documents)),
        components=tuple(f"axis{i}" for i in range(components)),
        values=values.reshape(systems, -1).astype(np.float64),
        document=np.repeat(np.arange(documents), components),
        component=np.tile(np.arange(components), documents),
        weights=np.array(weights),
    )
