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
from scorer.suites.omniparse.vocabulary import FAMILY_ORDER

FIGURES = ("headline", "pooled", *FAMILY_ORDER)
"""What a card and a claim can name."""


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

    def figure(self, name: str) -> float | None:
        """Return one of `FIGURES`; None also for a family that nobody has a test of."""
        of_all = {"headline": self.headline, "pooled": self.pooled}
        return of_all[name] if name in of_all else self.families.get(name)


@dataclass(frozen=True, slots=True)
class CardDifference:
    """A figure of a published card that the verdicts do not give: both in per cent, ours to one decimal."""

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
    """Compare entries with a published card, each figure to one decimal of a per cent.

    Args:
        entries: The rebuilt leaderboard.
        card: System to figure ("headline" or a family) to per cent, None where the card has none.

    Returns:
        What differs; a system that the card alone has counts as all its figures.
    """
    rebuilt = {entry.system: {name: entry.figure(name) for name in FIGURES} for entry in entries}
    return [
        CardDifference(system, figure, published, None if ours is None else round(100 * ours, 1))
        for system, figures in card.items()
        for figure, published in figures.items()
        for ours in [rebuilt.get(system, {}).get(figure)]
        if not is_published(ours, published)
    ]


def is_published(score: float | None, published: float | None) -> bool:
    """Tell whether a score (0..1) is a published figure (per cent) to one decimal.

    Of a score half way between two decimals it is either: tools round such a one up, down or to the even digit.
    """
    if score is None or published is None:
        return score is published
    return abs(100 * score - round(published, 1)) <= _HALF_A_DECIMAL


_HALF_A_DECIMAL = 0.05 + 1e-9


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
