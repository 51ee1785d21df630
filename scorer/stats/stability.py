"""How much an order of systems owes to one document or to the weights."""

from dataclasses import dataclass, replace

import numpy as np

from scorer.stats.bootstrap import leave_one_out
from scorer.stats.items import Floats, Ints, Sums, combine


@dataclass(frozen=True, slots=True)
class RankRange:
    """A system's place by headline (1 is best, equals share the better place), and the places it can take.

    `changed_by` names the documents, or the weightings, under which its place is not the usual one.
    """

    system: str
    place: int
    best: int
    worst: int
    changed_by: tuple[str, ...]


def without_each_document(sums: Sums) -> list[RankRange]:
    """Return each system's places when each document in turn is left out."""
    return _ranges(sums, places(leave_one_out(sums)), sums.documents)


def under_weights(sums: Sums, *, factor: float = 2.0) -> list[RankRange]:
    """Return each system's places when each component's weight in turn is multiplied and divided by `factor`.

    Raises:
        ValueError: when `factor` is not above 1.
    """
    if factor <= 1:
        raise ValueError(f"factor must be above 1, got {factor}")
    scores, weights = sums.component_scores(), sums.used_weights()
    names, rows = [], []
    for k in np.flatnonzero(weights > 0):
        for label, by in (
            (f"{sums.components[k]} × {factor:g}", factor),
            (f"{sums.components[k]} ÷ {factor:g}", 1 / factor),
        ):
            changed = weights.copy()
            changed[k] *= by
            names.append(label)
            rows.append(combine(scores, changed))
    table = np.stack(rows) if rows else np.empty((0, len(sums.systems)))
    return _ranges(sums, places(table), tuple(names))


def undone_without(sums: Sums, first: str, second: str) -> tuple[str, ...]:
    """Return documents without which the first of two systems is no longer ahead of the second.

    The one that holds up the gap most is left out first, then the next of those that remain: as few as that finds, not
    always the fewest. A document that alone speaks of a component stays. Empty when the first is not ahead, and when
    it is ahead on what must stay.

    Raises:
        ValueError: one of the systems is unknown.
    """
    a, b = sums.systems.index(first), sums.systems.index(second)
    if not _gap(sums.headlines(), a, b) > 0:
        return ()
    left_out: list[str] = []
    while True:
        gaps = _gap(leave_one_out(sums), a, b)
        if not np.isfinite(gaps).any():
            return ()
        worst = int(np.nanargmin(gaps))
        left_out.append(sums.documents[worst])
        if gaps[worst] <= 0:
            return tuple(left_out)
        kept = [d for d in range(len(sums.documents)) if d != worst]
        sums = replace(
            sums,
            documents=tuple(sums.documents[d] for d in kept),
            total=sums.total[:, kept],
            count=sums.count[:, kept],
        )


def _gap(headlines: Floats, first: int, second: int) -> Floats:
    return np.asarray(headlines[..., first] - headlines[..., second], dtype=np.float64)


def places(headlines: Floats) -> Ints:
    """Return places along the last axis: 1 plus the number of strictly higher headlines; NaN comes last."""
    filled = np.where(np.isnan(headlines), -np.inf, headlines)
    return np.asarray(1 + (filled[..., None, :] > filled[..., :, None]).sum(axis=-1), dtype=np.int64)


def _ranges(sums: Sums, table: Ints, names: tuple[str, ...]) -> list[RankRange]:
    usual = places(sums.headlines())
    return [
        RankRange(
            system=system,
            place=int(usual[s]),
            best=int(min(usual[s], table[:, s].min(initial=usual[s]))),
            worst=int(max(usual[s], table[:, s].max(initial=usual[s]))),
            changed_by=tuple(name for name, place in zip(names, table[:, s], strict=True) if place != usual[s]),
        )
        for s, system in enumerate(sums.systems)
    ]
