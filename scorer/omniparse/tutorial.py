"""OmniParseBench's founding tutorial, step by step, on the data at hand.

Each step is a function that returns what it found; `tutorial` runs them all and, where a step's data was not given,
says so and goes on. What was given and cannot be used is an error before the first step.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.counting import counted, listed
from scorer.omniparse import hand_built_page, ocr
from scorer.omniparse.claims import Card, Claim
from scorer.omniparse.dataset import Dataset, read_dataset, remark_on_sample
from scorer.omniparse.grading import Given, grade_predictions, page_jobs
from scorer.omniparse.published import Published, read_published
from scorer.omniparse.text_layer import predict_text_layer
from scorer.omniparse.verdict_steps import of_bootstrap, of_claims, of_differences, of_leaderboard, of_slices, per_cent
from scorer.stats import agreement
from scorer.stats.differences import DIFFERENCES_RESAMPLES, DIFFERENCES_SEED
from scorer.stats.resampling import DEFAULT_RESAMPLES, DEFAULT_SEED
from scorer.suites.omniparse.versions import RC1
from scorer.suites.omniparse.vocabulary import FAMILIES, is_language, is_script

SAMPLE = 50
"""Pages that the founding tutorial reads by OCR."""

_COUNTS = "What the dataset holds"
_OCR = "Tesseract on a sample of pages"
_OWN_PARSER = "Bring your own parser"
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
        ("The leaderboard, rebuilt", lambda found: of_leaderboard(found, card)),
        ("How sure the leaderboard is", lambda found: of_bootstrap(found, resamples, seed)),
        ("Where others lead", of_slices),
        (
            "Differences between derivations",
            lambda found: of_differences(found, differences_resamples, differences_seed),
        ),
        ("Claims, checked", lambda found: of_claims(found, claims)),
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
    documents = len({page.document for page in data.pages})
    lines = [f"{counted(len(data.pages), 'page')} of {counted(documents, 'document')}"]
    lines += [
        f"{name}: " + (", ".join(f"{value} {count}" for value, count in by.items()) or "none")
        for name, by in counts.items()
    ]
    return Step(_COUNTS, tuple(lines))


def _ocr(data: Dataset, work: Path, sample: int) -> Step:
    title = _OCR
    if not ocr.installed():
        return Step(title, (), ocr.REMEDY)
    written = ocr.predict_ocr(RC1.sample(data.pages, sample), work)
    if not written:
        return Step(title, (), "no page's file of the dataset is at hand")
    remark = remark_on_sample(sample, len(data.pages))
    said = f"{ocr.version()} on {counted(written, 'page')}, graded with blocks unsupported"
    return _graded(title, f"{said} ({remark})" if remark else said, data, work, sample)


def _own_parser(data: Dataset, work: Path) -> Step:
    title = _OWN_PARSER
    written = predict_text_layer(data, work)
    if not written:
        return Step(title, (), "the dataset holds no PDF pages")
    said = f"the text layer of {counted(written, 'PDF page')}, graded with blocks unsupported"
    return _graded(title, said, data, work, 0)


def _graded(title: str, line: str, data: Dataset, predictions: Path, sample: int) -> Step:
    graded = grade_predictions(data, predictions, unsupported=("blocks",), sample=sample)
    lines = [line]
    for name, family in graded.summary()["families"].items():
        lines.append(f"{name}: {per_cent(family['score'])} of {counted(family['tests'], 'test')}")
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
        sits = listed([f"{place.name} {place.different} of {place.tests}" for place in found.places], 5)
        same = f"{found.same} of {counted(found.shared, 'verdict')} the same"
        lines.append(f"{system}: {same}" + (f" ({sits})" if sits else ""))
    return Step(title, tuple(lines))
