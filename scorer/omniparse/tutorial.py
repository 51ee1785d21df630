"""OmniParseBench's founding tutorial, step by step, on the data at hand.

Each step is a function that returns what it found; `tutorial` runs them all and, where a step's data was not given,
says so and goes on. What was given and cannot be used is an error before the first step.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scorer.omniparse import hand_built_page, ocr
from scorer.omniparse.claims import Card, Claim, check_claims
from scorer.omniparse.dataset import Dataset, read_dataset, remark_on_sample
from scorer.omniparse.grading import Given, grade_predictions, page_jobs
from scorer.omniparse.leaderboard import Entry, card_differences, leaderboard
from scorer.omniparse.published import Published, read_published
from scorer.omniparse.text_layer import predict_text_layer
from scorer.stats import Interval, Slice, agreement, bootstrap, differences, slices, standings
from scorer.stats.differences import DIFFERENCES_RESAMPLES, DIFFERENCES_SEED
from scorer.stats.resampling import DEFAULT_RESAMPLES, DEFAULT_SEED
from scorer.suites.omniparse.versions import RC1
from scorer.suites.omniparse.vocabulary import FAMILIES, is_language, is_script

SAMPLE = 50
"""Pages that the founding tutorial reads by OCR."""

_COUNTS = "What the dataset holds"
_OCR = "Tesseract on a sample of pages"
_OWN_PARSER = "Bring your own parser"
_DERIVATION = "derivation:"
_NO_DATASET = "no dataset was given"
_NO_RESULTS = "no results.parquet was given"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the tutorial: what it shows, line by line; `skipped` says which data it lacks."""

    title: str
    lines: tuple[str, ...]
    skipped: str | None = None


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


def tutorial(
    *,
    dataset: str | Path | None = None,
    results: Path | None = None,
    predictions: Mapping[str, Path] | None = None,
    card: Card | None = None,
    claims: Sequence[Claim] = (),
    work: Path,
    sample: int = SAMPLE,
    seed: int = DEFAULT_SEED,
    resamples: int = DEFAULT_RESAMPLES,
    differences_seed: int = DIFFERENCES_SEED,
    differences_resamples: int = DIFFERENCES_RESAMPLES,
) -> Iterator[Step]:
    """Read what is given; return the tutorial's steps, each done when it is asked for.

    Args:
        dataset: A dataset's folder or address.
        results: Published verdicts, a `results.parquet`.
        predictions: Folders of predictions by system, to grade and to compare with the published verdicts.
        card: The published leaderboard, to check the rebuilt one against.
        claims: Statements to check against the verdicts.
        work: A folder to write predictions into.
        sample: How many pages, the benchmark's own sample, are read by OCR; 0 for all.
        seed: Of the bootstrap.
        resamples: Of the bootstrap.
        differences_seed: Of the difference-in-differences.
        differences_resamples: Of the difference-in-differences.

    Raises:
        DatasetError: there is no such dataset, or no prediction of a folder is named for a page of it.
        GoldError: a page's tests break a rule.
        PublishedError: the published verdicts cannot be used.
    """
    data = None if dataset is None else read_dataset(dataset)
    counts = None if data is None else count_tests(data)
    published = None if results is None else read_published(results)
    given = predictions or {}
    if data is not None:
        page_jobs(data, [Given(folder) for folder in given.values()], version=RC1)
    of_published: tuple[tuple[str, Callable[[Published], Iterator[str]]], ...] = (
        ("The leaderboard, rebuilt", lambda found: _leaderboard(found, card)),
        ("How sure the leaderboard is", lambda found: _bootstrap(found, resamples, seed)),
        ("Where others lead", _slices),
        (
            "Differences between derivations",
            lambda found: _differences(found, differences_resamples, differences_seed),
        ),
        ("Claims, checked", lambda found: _claims(found, claims)),
    )

    def steps() -> Iterator[Step]:
        yield _hand_built()
        yield _counts(data, counts) if data and counts else Step(_COUNTS, (), _NO_DATASET)
        for title, show in of_published:
            yield Step(title, tuple(show(published))) if published else Step(title, (), _NO_RESULTS)
        read = work / ocr.COMMAND
        yield _ocr(data, read, sample) if data else Step(_OCR, (), _NO_DATASET)
        yield _own_parser(data, work / "text_layer") if data else Step(_OWN_PARSER, (), _NO_DATASET)
        own = {ocr.COMMAND: read} if read.is_dir() else {}
        yield _agreement(data, published, given, own, sample)

    return steps()


def _hand_built() -> Step:
    count = Counter(verdict.result for verdict in hand_built_page.verdicts())
    declared = Counter(v.result for v in hand_built_page.verdicts(unsupported=("blocks",)))
    lines = [f"as it stands: {count['pass']} of {sum(count.values())} tests pass"]
    for made in hand_built_page.changes():
        flipped = ", ".join(made.flipped) or "nothing"
        lines.append(f"{made.change.name}: flips {flipped}" + ("" if made.as_expected else " (NOT as expected)"))
    lines.append(f"blocks declared unsupported: {declared['unsupported']} tests leave the score")
    return Step("The scorer on one hand-built page", tuple(lines))


def _counts(data: Dataset, counts: Mapping[str, Mapping[str, int]]) -> Step:
    lines = [f"{len(data.pages)} pages of {len({page.document for page in data.pages})} documents"]
    lines += [
        f"{name}: " + (", ".join(f"{value} {count}" for value, count in by.items()) or "none")
        for name, by in counts.items()
    ]
    return Step(_COUNTS, tuple(lines))


def _leaderboard(published: Published, card: Card | None) -> Iterator[str]:
    entries = leaderboard(published)
    if short := [entry for entry in entries if entry.lacking]:
        yield (
            f"warning: {len(short)} of {len(entries)} systems have no verdict on tests that others have, "
            "and their figures leave these out"
        )
    for entry in entries:
        families = ", ".join(f"{name} {_per_cent(score)}" for name, score in entry.families.items())
        pooled = _per_cent(entry.pooled)
        yield f"{entry.system}: {_per_cent(entry.headline)} ({families}); pooled {pooled}{_without(entry)}"
    if card is None:
        yield "no published card was given to check against"
        return
    wrong = card_differences(entries, card)
    yield f"the card's figures, to one decimal: {len(wrong)} differ"
    yield from (f"{d.system}, {d.figure}: published {d.published}, rebuilt {d.rebuilt}" for d in wrong)


def _without(entry: Entry) -> str:
    """Return what to say beside the figures of a system that lacks verdicts; nothing of any other."""
    count = len(entry.lacking)
    return f"; without {count} {'test' if count == 1 else 'tests'}, e.g. {entry.lacking[0]}" if count else ""


def _bootstrap(published: Published, resamples: int, seed: int) -> Iterator[str]:
    made = bootstrap(published.items.sums(), resamples=resamples, seed=seed)
    beside = {entry.system: _without(entry) for entry in leaderboard(published)}
    if not made.varies:
        yield "no intervals: a family rests on a single document, which says nothing of others"
    elif made.few_documents:
        yield f"{len(published.items.documents)} documents are few: the headlines' intervals are studentised"
    for standing in standings(made):
        if standing.rank is None:
            yield f"{standing.system}: none (a family has no scored test){beside[standing.system]}"
            continue
        ends = _brackets(standing.small_sample or standing.interval) if made.varies else ""
        gap_ends = _brackets(standing.gap_interval) if made.varies else ""
        yield (
            f"{standing.rank}. {standing.system}: {_per_cent(standing.headline)}{ends}, "
            f"behind the leader by {_per_cent(standing.gap)}{gap_ends}, "
            f"leads {_per_cent(standing.leads)} of resamples{beside[standing.system]}"
        )


def _brackets(interval: Interval) -> str:
    return f" [{_per_cent(interval.lower)}, {_per_cent(interval.upper)}]"


def _slices(published: Published) -> Iterator[str]:
    best = leaderboard(published)[0].system
    if len(published.items.systems) == 1:
        yield f"{best} is the only system: nobody else can lead"
        return
    parts = slices(published.items, published.attributes())
    found = led_by_others(parts, best)
    if not found:
        yield f"{best}, the first overall, leads each of the {len(parts)} slices alone"
    for part in found:
        marks = ", ".join(mark for mark, applies in (("tie", part.tied), ("few documents", part.small)) if applies)
        rate = part.rates[part.leaders[0]]
        yield (
            f"{part.name} ({part.items} tests, {part.documents} documents): {', '.join(part.leaders[:3])} "
            f"{_per_cent(rate)}" + (f" ({marks})" if marks else "")
        )


def _differences(published: Published, resamples: int, seed: int) -> Iterator[str]:
    if len(published.items.systems) == 1:
        yield f"{published.items.systems[0]} is the only system: there is no other to compare its differences with"
        return
    derivations = {name: chosen for name, chosen in published.attributes().items() if name.startswith(_DERIVATION)}
    if len(derivations) == 1:
        yield f"every test has the {next(iter(derivations))}: there is no rest to compare it with"
        return
    for name, chosen in derivations.items():
        found = differences(published.items, chosen, resamples=resamples, seed=seed)
        if not any(np.isfinite(d.interval.lower) for d in found):
            yield f"{name}: it, or the rest, rests on a single document or is scored for one system alone"
            continue
        apart = [f"{d.system} {100 * d.effect:+.1f}" for d in found if d.stands_out]
        yield f"{name}: " + (", ".join(apart) if apart else "nobody stands out")


def _claims(published: Published, claims: Sequence[Claim]) -> Iterator[str]:
    checked = check_claims(published, claims)
    yield from (f"{claim.status}: {claim.text}" for claim in checked)
    if not checked:
        yield "no claims were given"


def _ocr(data: Dataset, work: Path, sample: int) -> Step:
    title = _OCR
    if not ocr.installed():
        return Step(title, (), ocr.REMEDY)
    written = ocr.predict_ocr(RC1.sample(data.pages, sample), work)
    if not written:
        return Step(title, (), "no page's file of the dataset is at hand")
    remark = remark_on_sample(sample, len(data.pages))
    said = f"{ocr.version()} on {written} pages, graded with blocks unsupported" + (f" ({remark})" if remark else "")
    return _graded(title, said, data, work, sample)


def _own_parser(data: Dataset, work: Path) -> Step:
    title = _OWN_PARSER
    written = predict_text_layer(data, work)
    if not written:
        return Step(title, (), "the dataset holds no PDF pages")
    return _graded(title, f"the text layer of {written} PDF pages, graded with blocks unsupported", data, work, 0)


def _graded(title: str, line: str, data: Dataset, predictions: Path, sample: int) -> Step:
    graded = grade_predictions(data, predictions, unsupported=("blocks",), sample=sample)
    lines = [line]
    for name, family in graded.summary()["families"].items():
        lines.append(f"{name}: {_per_cent(family['score'])} of {family['tests']} tests")
    return Step(title, (*lines, *graded.remarks))


def _agreement(
    data: Dataset | None,
    published: Published | None,
    predictions: Mapping[str, Path],
    own: Mapping[str, Path],
    sample: int,
) -> Step:
    """Compare our verdicts test by test: of predictions given, and of the OCR made here where it was published."""
    title = "Our verdicts against the published ones"
    if data is None or published is None:
        return Step(title, (), "it needs a dataset and published verdicts")
    made_here = {name: folder for name, folder in own.items() if name in published.items.systems}
    if not predictions and not made_here:
        return Step(title, (), "it needs the predictions that the published verdicts were made from")
    lines = []
    for system, folder in {**made_here, **predictions}.items():
        if system not in published.items.systems:
            lines.append(f"{system}: has no published verdicts")
            continue
        graded = grade_predictions(data, folder, sample=0 if system in predictions else sample)
        ours = {line["test_id"]: line["result"] for line in graded.lines()}
        where = {line["test_id"]: (line["test_type"], *line["tags"]) for line in graded.lines()}
        found = agreement(published.results(system), ours, where)
        sits = "; ".join(f"{place.name} {place.different} of {place.tests}" for place in found.places[:5])
        lines.append(f"{system}: {found.same} of {found.shared} verdicts the same" + (f" ({sits})" if sits else ""))
    return Step(title, tuple(lines))


def _per_cent(score: float | None) -> str:
    return "none" if score is None or np.isnan(score) else f"{100 * score:.1f} %"
