"""Predictions made elsewhere, graded: one JSON file a page, in either released version's shape.

Source: OmniParseBench 1.0.0rc1 and 1.0.0, grading of a folder of predictions.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.counting import counted
from scorer.omniparse.dataset import Dataset, DatasetError, DatasetPage
from scorer.omniparse.files import UnreadableError, read_json
from scorer.suites.omniparse.gold import Test
from scorer.suites.omniparse.verdicts import Verdict, grade
from scorer.suites.omniparse.versions import RC1, VERSIONS, Version
from scorer.suites.omniparse.vocabulary import OUTPUT_TYPES


@dataclass(frozen=True, slots=True)
class GradedPage:
    """One page's score lines; `answered`: there was a prediction that could be read; `failed`: an output asked for,
    and not declared unsupported, was missing, null or malformed; `reason`: why it was not answered or failed, or ""."""

    page: DatasetPage
    lines: tuple[dict[str, Any], ...]
    answered: bool
    failed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Graded:
    """A folder of predictions graded: the version, what the parser declared, the pages, and remarks for a person."""

    version: Version
    unsupported: tuple[str, ...]
    pages: tuple[GradedPage, ...]
    remarks: tuple[str, ...]

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield every score line, page by page; in 1.0.0 a page without prediction has none."""
        for page in self.pages:
            if self.version.knows_unsupported or page.answered:
                yield from page.lines

    def summary(self) -> dict[str, Any]:
        """Return the summary of all score lines, as the version makes it."""
        return self.version.summarize(self.lines())


def grade_predictions(
    dataset: Dataset,
    predictions: Path,
    *,
    version: Version = RC1,
    unsupported: Collection[str] = (),
    sample: int = 0,
) -> Graded:
    """Grade `<predictions>/<page_id>.json` for every page of a dataset, or for the reference's own sample of it.

    A missing, unreadable or malformed prediction fails its page's tests. Both prediction shapes are read in
    either version: `{"html", "blocks"}` and `{"pages": [{"html", "blocks"}]}`.

    Args:
        dataset: The pages and their gold.
        predictions: The folder.
        version: The released behaviour to reproduce.
        unsupported: Output types the parser declares it cannot produce (1.0.0rc1 only).
        sample: How many pages; 0 for all.

    Raises:
        DatasetError: when no file of the folder is named for a page, which is a slip and no score of 0.
        GoldError: when the gold breaks a rule.
        ValueError: when `unsupported` or `sample` cannot be.
    """
    jobs = page_jobs(dataset, [Given(predictions, tuple(unsupported))], version=version, sample=sample)
    graded = tuple(grade_page(job)[0] for job in jobs)
    return graded_of(dataset, Given(predictions, tuple(unsupported)), graded, version)


@dataclass(frozen=True, slots=True)
class Given:
    """A folder of predictions, and the output types its parser declares it cannot produce."""

    folder: Path
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageJob:
    """A page to be graded for every folder of predictions at once: its gold is read and rendered once."""

    page: DatasetPage
    given: tuple[Given, ...]
    version: str

    def __str__(self) -> str:
        return f"page {self.page.page_id}"


def page_jobs(dataset: Dataset, given: Sequence[Given], *, version: Version, sample: int = 0) -> list[PageJob]:
    """Return the pages to grade, all of the dataset or the version's own sample.

    Raises:
        DatasetError: when no file of a folder is named for a page.
        ValueError: when `sample` is below 0.
    """
    if sample < 0:
        raise ValueError(f"sample counts pages, so it cannot be {sample}; 0 takes all")
    named = {f"{page.page_id}.json" for page in dataset.pages}
    for one in given:
        if not (listed := _listed(one.folder)) & named:
            raise DatasetError(
                f"{one.folder} holds {counted(len(listed), 'file')}, and none is named for a page of the dataset "
                f"(e.g. {dataset.pages[0].page_id}.json); are folder and dataset the right ones?"
            )
    return [PageJob(page, tuple(given), version.name) for page in version.sample(dataset.pages, sample)]


def grade_page(job: PageJob) -> list[GradedPage]:
    """Grade a page for each folder of predictions, in their order.

    Raises:
        GoldError: when its gold breaks a rule.
        ValueError: when what is declared unsupported cannot be.
    """
    tests = job.page.tests()
    version = VERSIONS[job.version]
    return [_page(job.page, tests, one, version) for one in job.given]


def graded_of(dataset: Dataset, given: Given, pages: Sequence[GradedPage], version: Version) -> Graded:
    """Gather the graded pages of one folder of predictions, with remarks on what was not used."""
    strays = _listed(given.folder) - {f"{page.page_id}.json" for page in dataset.pages}
    return Graded(version, tuple(sorted(given.unsupported)), tuple(pages), _remarks(strays, pages))


def read_outputs(path: Path) -> Mapping[str, Any] | None:
    """Return a prediction's outputs by type, whichever version's shape it has; None when it cannot be read."""
    found = _outputs_or_reason(path)
    return None if isinstance(found, str) else found


def _outputs_or_reason(path: Path) -> Mapping[str, Any] | str:
    try:
        prediction = read_json(path)
    except UnreadableError as error:
        return f"{path.name} {error}" if path.exists() else f"there is no {path.name}"
    if isinstance(prediction, dict) and "pages" in prediction and not set(prediction) & set(OUTPUT_TYPES):
        pages = prediction["pages"]
        if not isinstance(pages, list) or len(pages) != 1:
            held = f"{len(pages)} of them" if isinstance(pages, list) else type(pages).__name__
            return f"{path.name}: pages must be a list of one page, found {held}"
        [prediction] = pages
    if not isinstance(prediction, dict):
        return f"{path.name} must hold an object with html and blocks, found {json.dumps(prediction):.40}"
    return prediction


def score_line(page: DatasetPage, test: Test, verdict: Verdict) -> dict[str, Any]:
    """Return a verdict beside what its page and test are, in the reference's order of keys."""
    return {
        "page_id": page.page_id,
        "suite": page.suite,
        "document": page.document,
        "test_id": test.id,
        "test_type": test.test_type,
        "output_type": test.output_type,
        "derivation": test.derivation,
        "tags": list(test.tags),
        "result": verdict.result,
        "why": verdict.why,
    }


def _listed(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def _page(page: DatasetPage, tests: Sequence[Test], given: Given, version: Version) -> GradedPage:
    found = _outputs_or_reason(given.folder / f"{page.page_id}.json")
    return graded_page(page, tests, found, version=version, unsupported=given.unsupported)


def graded_page(
    page: DatasetPage,
    tests: Sequence[Test],
    outputs: Mapping[str, Any] | str,
    *,
    version: Version,
    unsupported: Collection[str],
) -> GradedPage:
    """Grade one page's outputs by type, or what stands in their place: why there are none."""
    given = {} if isinstance(outputs, str) else outputs
    verdicts = grade(tests, given, version=version, unsupported=unsupported)
    lines = tuple(score_line(page, test, verdict) for test, verdict in zip(tests, verdicts, strict=True))
    missing = [f"no {name} output" for name in page.outputs if name not in unsupported and given.get(name) is None]
    malformed = [line["why"] for line in lines if line["why"].startswith("malformed ")]
    faults = missing + malformed
    if isinstance(outputs, str):
        return GradedPage(page, lines, answered=False, failed=bool(faults), reason=outputs)
    return GradedPage(page, lines, answered=True, failed=bool(faults), reason=next(iter(faults), ""))


def _remarks(strays: Collection[str], graded: Sequence[GradedPage]) -> tuple[str, ...]:
    remarks = []
    if strays:
        remarks.append(f"left out, named for no page: {counted(len(strays), 'file')}, e.g. {sorted(strays)[0]!r}")
    unanswered = [page.reason for page in graded if not page.answered]
    if unanswered:
        remarks.append(f"no prediction that can be read for {counted(len(unanswered), 'page')}, e.g.: {unanswered[0]}")
    malformed = [line for page in graded for line in page.lines if line["why"].startswith("malformed ")]
    if malformed:
        remarks.append(
            f"a malformed output on {counted(len({line['page_id'] for line in malformed}), 'page')}, e.g. "
            f"{malformed[0]['page_id']}: {malformed[0]['why']}"
        )
    return tuple(remarks)
