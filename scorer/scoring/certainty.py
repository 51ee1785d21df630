"""How sure a run's figures are: intervals of every headline, gaps, and ranks that claim only what the documents show.

A headline is the composite, an axis, or a KPI. Parsers are compared where the conditions of that headline agree, each
headline over the documents that count for it. See docs/method/statistics.md.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from scorer.scoring.inputs import ABSENT, Inputs
from scorer.stats import DEFAULT_RESAMPLES, DEFAULT_SEED, Interval, Pair, Standing, Sums, bootstrap
from scorer.stats import pairs as every_pair
from scorer.stats import standings as every_standing
from scorer.suites.bizdoc import composite, coverage
from scorer.suites.bizdoc.kpis import AXES, KPIS, QUALITY_AXES
from scorer.suites.bizdoc.sums import COMPOSITE, Rows, headline, sums

Figures = Mapping[str, Mapping[str, Mapping[str, float | None]]]
"""KPIs of one parser by axis, document and name; None where the gold does not define one."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The 95 % intervals of a figure; None where the documents say nothing of how it varies, or are not few."""

    percentile: Interval | None
    small_sample: Interval | None


@dataclass(frozen=True, slots=True)
class Placed:
    """A parser's standing on a headline: the places it may have, and how many documents count."""

    headline: str
    standing: Standing
    rank: int
    last_rank: int
    documents: int
    few: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """Two parsers on a headline; the one with the higher score is first."""

    headline: str
    pair: Pair
    documents: int


@dataclass(slots=True)
class Certainty:
    """What is known of a run: intervals by parser and figure, standings, and pairs; with what it was drawn."""

    seed: int
    resamples: int
    intervals: dict[tuple[str, str], Ends] = field(default_factory=dict)
    standings: list[Placed] = field(default_factory=list)
    pairs: list[Compared] = field(default_factory=list)


def rows(given: Inputs, parser: str, figures: Figures) -> Rows:
    """Return a parser's rows as the suite averages them. What the gold does not define is None in the figures."""
    undefined: dict[str, set[str]] = {}
    for by_document in figures.values():
        for document, kpis in by_document.items():
            undefined.setdefault(document, set()).update(kpi for kpi, value in kpis.items() if value is None)
    measured = {document.id: given.measured.get((parser, document.id), ABSENT) for document in given.documents}
    return Rows(
        documents=tuple(
            composite.Document(
                id=document.id,
                format=document.format,
                pages=document.pages,
                annotations=frozenset(document.annotations),
                undefined=frozenset(undefined.get(document.id, ())),
            )
            for document in given.documents
        ),
        parses=tuple(
            composite.ParseRow(
                document=document,
                status=coverage.PARSED if m.parsed else coverage.ASSISTED if m.assisted else "failed",
                seconds=m.seconds,
            )
            for document, m in measured.items()
        ),
        axes={
            axis: tuple(composite.AxisRow(document, kpis) for document, kpis in figures.get(axis, {}).items())
            for axis in QUALITY_AXES
        },
    )


def certainty(
    parsers: Mapping[str, Rows],
    conditions: Mapping[str, Mapping[str, str]],
    *,
    weights: Mapping[str, float],
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Certainty:
    """Return what is known of the parsers of a run, whatever their order.

    Args:
        parsers: rows by parser.
        conditions: by parser, then by axis measured and ``composite``: parsers are compared where they agree.
        weights: of the composite, by axis.
        resamples: how many.
        seed: of the generator.
    """
    known = Certainty(seed, resamples)
    gathered: dict[tuple[tuple[str, ...], tuple[str, ...]], Sums] = {}
    for name in (COMPOSITE, *AXES):
        groups: dict[str, list[str]] = {}
        for parser in sorted(parsers):
            if name in conditions[parser]:
                groups.setdefault(conditions[parser][name], []).append(parser)
        for members in groups.values():
            axes = tuple(axis for axis in AXES if axis in conditions[members[0]]) if name == COMPOSITE else (name,)
            key = (tuple(members), axes)
            if key not in gathered:
                chosen = {parser: parsers[parser] for parser in members}
                gathered[key] = sums(chosen, weights=weights, axes=axes)
            _add(known, gathered[key], name)
    return known


def _add(known: Certainty, gathered: Sums, name: str) -> None:
    """Add one headline of parsers under the same conditions; an axis with its KPIs."""
    add_headline(known, headline(gathered, name), name)
    for kpi in KPIS.get(name, ()):
        if kpi != name:
            add_intervals(known, headline(gathered, kpi), kpi)


def add_headline(known: Certainty, part: Sums, name: str) -> None:
    """Add intervals, standings and pairs of one headline of parsers under the same conditions.

    Args:
        known: what it is added to.
        part: the sums whose headline it is, over the documents that count for it.
        name: of the headline.
    """
    if not (part.documents and part.components):
        return
    drawn = bootstrap(part, resamples=known.resamples, seed=known.seed)
    documents = int((part.count > 0).any(axis=(0, 2)).sum())
    placed, compared = every_standing(drawn), every_pair(drawn)
    beaten = dict.fromkeys(part.systems, 0)
    for pair in compared:
        if pair.differs:
            beaten[pair.first if pair.gap > 0 else pair.second] += 1
    for standing in placed:
        known.intervals[standing.system, name] = _ends(standing.interval, standing.small_sample, drawn.varies)
        if standing.rank is not None:
            last = len(placed) - beaten[standing.system]
            known.standings.append(Placed(name, standing, standing.rank, last, documents, drawn.few_documents))
    known.pairs += [Compared(name, pair.higher_first(), documents) for pair in compared if math.isfinite(pair.gap)]


def add_intervals(known: Certainty, part: Sums, kpi: str) -> None:
    """Add the intervals of a figure that nobody is ranked by."""
    if part.documents and part.components:
        drawn = bootstrap(part, resamples=known.resamples, seed=known.seed)
        percentile = drawn.percentile()
        small = drawn.studentised() if drawn.few_documents else [None] * len(percentile)
        for parser, interval, other in zip(part.systems, percentile, small, strict=True):
            known.intervals[parser, kpi] = _ends(interval, other, drawn.varies)


def _ends(percentile: Interval, small: Interval | None, known_spread: bool) -> Ends:
    if not known_spread:
        return Ends(None, None)
    return Ends(percentile.known, None if small is None else small.known)


def standing_rows(known: Certainty, key: Mapping[str, str]) -> list[dict[str, object]]:
    """Return the rows of the table ``standings``; ``key`` is run and suite."""
    return [
        {
            **key,
            "parser": placed.standing.system,
            "headline": placed.headline,
            "score": placed.standing.headline,
            "gap": placed.standing.gap,
            **_gap_ends(known, placed),
            "leads": placed.standing.leads,
            "rank": placed.rank,
            "last_rank": placed.last_rank,
            "documents": placed.documents,
            "few_documents": placed.few,
            "seed": known.seed,
            "resamples": known.resamples,
        }
        for placed in known.standings
    ]


def pair_rows(known: Certainty, key: Mapping[str, str]) -> list[dict[str, object]]:
    """Return the rows of the table ``pairs``; ``key`` is run and suite."""
    return [
        {
            **key,
            "headline": compared.headline,
            "parser": compared.pair.first,
            "other": compared.pair.second,
            "gap": compared.pair.gap,
            "gap_lower": spread.lower if spread else None,
            "gap_upper": spread.upper if spread else None,
            "p": compared.pair.p,
            "adjusted_p": compared.pair.adjusted,
            "differs": compared.pair.differs,
            "documents": compared.documents,
        }
        for compared in known.pairs
        for spread in [
            compared.pair.interval.known if _is_known(known, compared.pair.first, compared.headline) else None
        ]
    ]


def _gap_ends(known: Certainty, placed: Placed) -> dict[str, float | None]:
    is_known = _is_known(known, placed.standing.system, placed.headline)
    gap = placed.standing.gap_interval.known if is_known else None
    return {"gap_lower": gap.lower if gap else None, "gap_upper": gap.upper if gap else None}


def _is_known(known: Certainty, parser: str, headline: str) -> bool:
    return known.intervals[parser, headline].percentile is not None
