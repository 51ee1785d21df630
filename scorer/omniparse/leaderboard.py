"""The leaderboard rebuilt from verdicts: headline and families by system.

The headline is the mean of the families' pass rates, so the number of tests in a family does not set its weight;
the pooled pass rate, which it does set, stands beside it. A family without a scored test is none, and so is then
the headline: a mean over fewer families is another number.

Source: OmniParseBench 1.0.0rc1, summary; its tutorial, leaderboard.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scorer.omniparse.published import Published


@dataclass(frozen=True, slots=True)
class Entry:
    """One system: headline, families and pooled pass rate in 0..1, None where nothing was scored.

    `scored` and `unsupported` count its tests; `lacking` are those that others have verdicts of and it has none: its
    figures leave them out.
    """

    system: str
    headline: float | None
    families: dict[str, float | None]
    pooled: float | None
    scored: int
    unsupported: int
    lacking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CardDifference:
    """A figure of a published card that the verdicts do not give: both in per cent, to one decimal."""

    system: str
    figure: str
    published: float | None
    rebuilt: float | None


def leaderboard(published: Published) -> list[Entry]:
    """Return every system's entry, the highest headline first; without a headline last, by pooled rate."""
    items = published.items
    sums = items.sums()
    scores, headlines = sums.component_scores(), sums.headlines()
    passed, scored = sums.total.sum(axis=(1, 2)), sums.count.sum(axis=(1, 2))
    entries = [
        Entry(
            system=system,
            headline=_number(headlines[s]),
            families={name: _number(scores[s, k]) for k, name in enumerate(items.components)},
            pooled=float(passed[s] / scored[s]) if scored[s] else None,
            scored=int(scored[s]),
            unsupported=items.values.shape[1] - int(scored[s]) - len(lacking),
            lacking=lacking,
        )
        for s, system in enumerate(items.systems)
        for lacking in (published.lacking(system),)
    ]
    return sorted(entries, key=lambda e: (e.headline is None, -(e.headline or 0.0), -(e.pooled or 0.0), e.system))


def card_differences(entries: list[Entry], card: Mapping[str, Mapping[str, float | None]]) -> list[CardDifference]:
    """Compare entries with a published card, each figure rounded to one decimal of a per cent.

    Args:
        entries: The rebuilt leaderboard.
        card: System to figure ("headline" or a family) to per cent, None where the card has none.

    Returns:
        What differs; a system that the card alone has counts as all its figures.
    """
    rebuilt = {entry.system: {"headline": entry.headline, **entry.families} for entry in entries}
    return [
        CardDifference(system, figure, published, ours)
        for system, figures in card.items()
        for figure, published in figures.items()
        if (ours := _per_cent(rebuilt.get(system, {}).get(figure)))
        != (None if published is None else round(published, 1))
    ]


def _per_cent(score: float | None) -> float | None:
    return None if score is None else round(100 * score, 1)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
