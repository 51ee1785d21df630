"""The tutorial's steps on published verdicts: each yields what it shows, line by line."""

from collections.abc import Iterator, Sequence

import numpy as np

from scorer.counting import counted, listed
from scorer.omniparse.claims import Card, Claim, check_claims
from scorer.omniparse.leaderboard import Entry, card_differences, leaderboard
from scorer.omniparse.published import Published
from scorer.stats import DifferenceInDifferences, Interval, Slice, bootstrap, differences, slices, standings

_DERIVATION = "derivation:"
_SHOWN = 3
"""Systems that a line names; it counts the others."""


def of_leaderboard(published: Published, card: Card | None) -> Iterator[str]:
    """Yield each system's figures, and what a published card has otherwise."""
    entries = leaderboard(published)
    if short := [entry for entry in entries if entry.lacking]:
        yield (
            f"warning: {len(short)} of {counted(len(entries), 'system')} {'has' if len(short) == 1 else 'have'} no "
            "verdict on tests that others have, and their figures leave these out"
        )
    for entry in entries:
        families = ", ".join(f"{name} {per_cent(score)}" for name, score in entry.families.items())
        pooled = per_cent(entry.pooled)
        yield f"{entry.system}: {per_cent(entry.headline)} ({families}); pooled {pooled}{_without(entry)}"
    if card is None:
        yield "no published card was given to check against"
        return
    yield from _of_card(entries, card)


def _of_card(entries: list[Entry], card: Card) -> Iterator[str]:
    names = [entry.system for entry in entries]
    known = {system: figures for system, figures in card.items() if system in names}
    wrong = card_differences(entries, known)
    figures = counted(sum(map(len, known.values())), "figure")
    yield f"the card's figures, to one decimal: {len(wrong)} of {figures} {'differs' if len(wrong) == 1 else 'differ'}"
    for found in wrong:
        of_card, ours = ("none" if value is None else value for value in (found.published, found.rebuilt))
        yield f"{found.system}, {found.figure}: published {of_card}, rebuilt {ours}"
    for system in card:
        if system not in known:
            yield f"{system}: unknown, the card alone has it; the verdicts are of {listed(names, _SHOWN)}"


def _without(entry: Entry) -> str:
    """Return what to say beside the figures of a system that lacks verdicts; nothing of any other."""
    count = len(entry.lacking)
    return f"; without {counted(count, 'test')}, e.g. {entry.lacking[0]}" if count else ""


def of_bootstrap(published: Published, resamples: int, seed: int) -> Iterator[str]:
    """Yield each system's rank, its headline and its gap to the leader, with intervals."""
    made = bootstrap(published.items.sums(), resamples=resamples, seed=seed)
    beside = {entry.system: _without(entry) for entry in leaderboard(published)}
    found = standings(made)
    ranked = any(standing.rank is not None for standing in found)
    if ranked and not made.varies:
        yield "no intervals: a family rests on a single document, which says nothing of others"
    elif ranked and made.few_documents:
        documents = len(published.items.documents)
        few = f"{counted(documents, 'document')} {'is' if documents == 1 else 'are'} few"
        yield f"{few}: the headlines' intervals are studentised"
    for standing in found:
        if standing.rank is None:
            yield f"{standing.system}: none (a family has no scored test){beside[standing.system]}"
            continue
        ends = _brackets(standing.small_sample or standing.interval) if made.varies else ""
        gap_ends = _brackets(standing.gap_interval) if made.varies else ""
        yield (
            f"{standing.rank}. {standing.system}: {per_cent(standing.headline)}{ends}, "
            f"behind the leader by {per_cent(standing.gap)}{gap_ends}, "
            f"leads {per_cent(standing.leads)} of resamples{beside[standing.system]}"
        )


def _brackets(interval: Interval) -> str:
    return f" [{per_cent(interval.lower)}, {per_cent(interval.upper)}]"


def of_slices(published: Published) -> Iterator[str]:
    """Yield the slices that others lead than who is first overall, or that these share the lead of."""
    entries = leaderboard(published)
    if len(entries) == 1:
        yield f"{entries[0].system} is the only system: nobody else can lead"
        return
    first = [entry.system for entry in entries if entry.headline is not None and entry.headline == entries[0].headline]
    if not first:
        yield "no system has a headline, so nobody is first overall: in every family it needs a scored test"
    parts = [part for part in slices(published.items, published.attributes()) if part.leaders]
    if not parts:
        yield "no test is scored, so nobody leads a slice"
        return
    found = [part for part in parts if set(part.leaders) != set(first)]
    if not found:
        each = f"each of the {counted(len(parts), 'slice')}" if len(parts) > 1 else "the one slice"
        yield (
            f"{first[0]}, the first overall, leads {each} alone"
            if len(first) == 1
            else f"{listed(first, _SHOWN)} are first overall together, and so in {each}"
        )
    yield from map(_of_slice, found)


def _of_slice(part: Slice) -> str:
    marks = ", ".join(mark for mark, applies in (("tie", part.tied), ("few documents", part.small)) if applies)
    return (
        f"{part.name} ({counted(part.items, 'test')}, {counted(part.documents, 'document')}): "
        f"{listed(part.leaders, _SHOWN)} {per_cent(part.rates[part.leaders[0]])}" + (f" ({marks})" if marks else "")
    )


def of_differences(published: Published, resamples: int, seed: int) -> Iterator[str]:
    """Yield, derivation by derivation, the systems that stand out on its tests: effect, placebo and their intervals."""
    if len(published.items.systems) == 1:
        yield f"{published.items.systems[0]} is the only system: there is no other to compare its differences with"
        return
    derivations = {name: chosen for name, chosen in published.attributes().items() if name.startswith(_DERIVATION)}
    if len(derivations) == 1:
        yield f"every test has the {next(iter(derivations))}: there is no rest to compare it with"
        return
    if not np.isfinite(published.items.values).any():
        yield "no test is scored, so there is nothing to compare"
        return
    yield (
        "in percentage points: how much better a system is on these tests than on the rest, less the same of the "
        f"others' mean, with its 95 % interval ({counted(resamples, 'resample')} of the documents, seed {seed})"
    )
    yield (
        "placebo: the same between two random halves of the rest's documents, where nothing should show; a system "
        "stands out when its interval leaves out 0 and the placebo's does not"
    )
    for name, chosen in derivations.items():
        found = differences(published.items, chosen, resamples=resamples, seed=seed)
        if not any(np.isfinite(one.interval.lower) for one in found):
            yield f"{name}: it, or the rest, rests on a single document or is scored for one system alone"
            continue
        apart = "; ".join(_of_difference(one) for one in found if one.stands_out)
        yield f"{name}: {apart or 'nobody stands out'}"


def _of_difference(found: DifferenceInDifferences) -> str:
    return f"{found.system} {_points(found.effect, found.interval)}, placebo " + (
        _points(found.placebo, found.placebo_interval)
        if np.isfinite(found.placebo_interval.lower)
        else "unknown (too few documents)"
    )


def _points(effect: float, interval: Interval) -> str:
    return f"{100 * effect:+.1f} [{100 * interval.lower:+.1f}, {100 * interval.upper:+.1f}]"


def of_claims(published: Published, claims: Sequence[Claim]) -> Iterator[str]:
    """Yield each claim and whether it held."""
    checked = check_claims(published, claims)
    yield from (f"{claim.status}: {claim.text}" for claim in checked)
    if not checked:
        yield "no claims were given"


def per_cent(score: float | None) -> str:
    """Return a score (0..1) in per cent to one decimal; none without one."""
    return "none" if score is None or np.isnan(score) else f"{100 * score:.1f} %"
