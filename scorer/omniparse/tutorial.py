"""OmniParseBench's founding tutorial, step by step, on the data at hand.

Each step is a function that returns what it found; `tutorial` runs them all and, where a step's data is absent,
says so and goes on.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from scorer.omniparse import hand_built_page
from scorer.omniparse.dataset import Dataset, DatasetError, read_dataset
from scorer.omniparse.grading import grade_predictions
from scorer.omniparse.leaderboard import card_differences, leaderboard
from scorer.omniparse.published import Published, PublishedError, read_published
from scorer.omniparse.text_layer import predict_text_layer
from scorer.stats import Slice, agreement, bootstrap, differences, slices, standings
from scorer.stats.resampling import DEFAULT_RESAMPLES, DEFAULT_SEED
from scorer.suites.omniparse.gold import GoldError
from scorer.suites.omniparse.vocabulary import FAMILIES, is_language, is_script

ClaimStatus = Literal["held", "did not hold", "not checkable"]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the tutorial: what it shows, line by line; `skipped` says which data it lacks."""

    title: str
    lines: tuple[str, ...]
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about the published verdicts, and how to check it: None when the verdicts cannot tell."""

    text: str
    check: Callable[[Published], bool | None]


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim and what the verdicts say of it."""

    text: str
    status: ClaimStatus


def count_tests(dataset: Dataset) -> dict[str, dict[str, int]]:
    """Return how many tests a dataset has by type, family, derivation, tag, language and script."""
    counts: dict[str, Counter[str]] = {
        name: Counter() for name in ("type", "family", "derivation", "tag", "language", "script")
    }
    for tests in dataset.all_tests().values():
        for test in tests:
            counts["type"][test.test_type] += 1
            counts["family"][FAMILIES[test.test_type]] += 1
            counts["derivation"][test.derivation] += 1
            for tag in test.tags:
                kind = "language" if is_language(tag) else "script" if is_script(tag) else "tag"
                counts[kind][tag] += 1
    return {name: dict(counter.most_common()) for name, counter in counts.items()}


def led_by_others(parts: Sequence[Slice], leader: str) -> list[Slice]:
    """Return the slices in which another system than the overall leader leads or shares the lead."""
    return [part for part in parts if part.leaders and part.leaders != (leader,)]


def check_claims(published: Published, claims: Iterable[Claim]) -> list[CheckedClaim]:
    """Check each claim against the verdicts."""
    words: dict[bool | None, ClaimStatus] = {True: "held", False: "did not hold", None: "not checkable"}
    return [CheckedClaim(claim.text, words[claim.check(published)]) for claim in claims]


def tutorial(
    *,
    dataset: str | Path | None = None,
    results: Path | None = None,
    predictions: Mapping[str, Path] | None = None,
    card: Mapping[str, Mapping[str, float | None]] | None = None,
    claims: Sequence[Claim] = (),
    work: Path | None = None,
    seed: int = DEFAULT_SEED,
    resamples: int = DEFAULT_RESAMPLES,
) -> Iterator[Step]:
    """Yield the tutorial's steps as they are done.

    Args:
        dataset: A dataset's folder or address.
        results: Published verdicts, a `results.parquet`.
        predictions: Folders of predictions by system, to grade and to compare with the published verdicts.
        card: The published leaderboard, system to figure to per cent.
        claims: Statements to check against the verdicts.
        work: A folder to write the text layer's predictions into.
        seed: Of the bootstrap.
        resamples: Of the bootstrap.
    """
    yield _hand_built()
    data, why_not = _open_dataset(dataset)
    published, why_unpublished = _open_results(results)
    yield _counts(data) if data else Step("What the dataset holds", (), why_not)
    for title, show in (
        ("The leaderboard, rebuilt", lambda found: _leaderboard(found, card)),
        ("How sure the leaderboard is", lambda found: _bootstrap(found, resamples, seed)),
        ("Where others lead", _slices),
        ("Differences between derivations", _differences),
        ("Claims, checked", lambda found: _claims(found, claims)),
    ):
        yield Step(title, tuple(show(published))) if published else Step(title, (), why_unpublished)
    yield _own_parser(data, work) if data else Step("Bring your own parser", (), why_not)
    yield _agreement(data, published, predictions or {})


def _open_dataset(dataset: str | Path | None) -> tuple[Dataset | None, str]:
    if dataset is None:
        return None, "no dataset was given"
    try:
        return read_dataset(dataset), ""
    except DatasetError as error:
        return None, str(error)


def _open_results(results: Path | None) -> tuple[Published | None, str]:
    if results is None:
        return None, "no results.parquet was given"
    try:
        return read_published(results), ""
    except PublishedError as error:
        return None, str(error)


def _hand_built() -> Step:
    count = Counter(verdict.result for verdict in hand_built_page.verdicts())
    declared = Counter(v.result for v in hand_built_page.verdicts(unsupported=("blocks",)))
    lines = [f"as it stands: {count['pass']} of {sum(count.values())} tests pass"]
    for made in hand_built_page.changes():
        flipped = ", ".join(made.flipped) or "nothing"
        lines.append(f"{made.change.name}: flips {flipped}" + ("" if made.as_expected else " (NOT as expected)"))
    lines.append(f"blocks declared unsupported: {declared['unsupported']} tests leave the score")
    return Step("The scorer on one hand-built page", tuple(lines))


def _counts(data: Dataset) -> Step:
    try:
        counts = count_tests(data)
    except GoldError as error:
        return Step("What the dataset holds", (), str(error))
    lines = [f"{len(data.pages)} pages of {len({page.document for page in data.pages})} documents"]
    lines += [
        f"{name}: " + (", ".join(f"{value} {count}" for value, count in by.items()) or "none")
        for name, by in counts.items()
    ]
    return Step("What the dataset holds", tuple(lines))


def _leaderboard(published: Published, card: Mapping[str, Mapping[str, float | None]] | None) -> Iterator[str]:
    entries = leaderboard(published)
    for entry in entries:
        families = ", ".join(f"{name} {_per_cent(score)}" for name, score in entry.families.items())
        yield f"{entry.system}: {_per_cent(entry.headline)} ({families}); pooled {_per_cent(entry.pooled)}"
    if card is None:
        yield "no published card was given to check against"
        return
    wrong = card_differences(entries, card)
    yield f"the card's figures, to one decimal: {len(wrong)} differ"
    yield from (f"{d.system}, {d.figure}: published {d.published}, rebuilt {d.rebuilt}" for d in wrong)


def _bootstrap(published: Published, resamples: int, seed: int) -> Iterator[str]:
    made = bootstrap(published.items.sums(), resamples=resamples, seed=seed)
    for standing in standings(made):
        if standing.rank is None:
            yield f"{standing.system}: none (a family has no scored test)"
            continue
        low, high = standing.interval.lower, standing.interval.upper
        yield (
            f"{standing.rank}. {standing.system}: {_per_cent(standing.headline)} "
            f"[{_per_cent(low)}, {_per_cent(high)}], behind the leader by {_per_cent(standing.gap)}, "
            f"leads {_per_cent(standing.leads)} of resamples"
        )


def _slices(published: Published) -> Iterator[str]:
    best = leaderboard(published)[0].system
    for part in led_by_others(slices(published.items, published.attributes()), best):
        marks = ", ".join(mark for mark, applies in (("tie", part.tied), ("few documents", part.small)) if applies)
        rate = part.rates[part.leaders[0]]
        yield (
            f"{part.name} ({part.items} tests, {part.documents} documents): {', '.join(part.leaders[:3])} "
            f"{_per_cent(rate)}" + (f" ({marks})" if marks else "")
        )


def _differences(published: Published) -> Iterator[str]:
    for name, chosen in published.attributes().items():
        if not name.startswith("derivation:") or bool(chosen.all()):
            continue
        found = differences(published.items, chosen) if len(published.items.systems) > 1 else []
        apart = [f"{d.system} {100 * d.effect:+.1f}" for d in found if d.stands_out]
        yield f"{name}: " + (", ".join(apart) if apart else "nobody stands out")


def _claims(published: Published, claims: Sequence[Claim]) -> Iterator[str]:
    checked = check_claims(published, claims)
    yield from (f"{claim.status}: {claim.text}" for claim in checked)
    if not checked:
        yield "no claims were given"


def _own_parser(data: Dataset, work: Path | None) -> Step:
    title = "Bring your own parser"
    if work is None:
        return Step(title, (), "no folder to write predictions into was given")
    written = predict_text_layer(data, work)
    if not written:
        return Step(title, (), "the dataset holds no PDF pages")
    try:
        graded = grade_predictions(data, work, unsupported=("blocks",))
    except (DatasetError, GoldError) as error:
        return Step(title, (), str(error))
    lines = [f"the text layer of {written} PDF pages, graded with blocks unsupported"]
    for name, family in graded.summary()["families"].items():
        lines.append(f"{name}: {_per_cent(family['score'])} of {family['tests']} tests")
    return Step(title, (*lines, *graded.remarks))


def _agreement(data: Dataset | None, published: Published | None, predictions: Mapping[str, Path]) -> Step:
    title = "Our verdicts against the published ones"
    if data is None or published is None or not predictions:
        return Step(title, (), "it needs a dataset, published verdicts and the predictions they were made from")
    lines = []
    for system, folder in predictions.items():
        if system not in published.items.systems:
            lines.append(f"{system}: has no published verdicts")
            continue
        graded = grade_predictions(data, folder)
        ours = {line["test_id"]: line["result"] for line in graded.lines()}
        where = {line["test_id"]: (line["test_type"], *line["tags"]) for line in graded.lines()}
        found = agreement(published.results(system), ours, where)
        sits = "; ".join(f"{place.name} {place.different} of {place.tests}" for place in found.places[:5])
        lines.append(f"{system}: {found.same} of {found.shared} verdicts the same" + (f" ({sits})" if sits else ""))
    return Step(title, tuple(lines))


def _per_cent(score: float | None) -> str:
    return "none" if score is None or np.isnan(score) else f"{100 * score:.1f} %"
