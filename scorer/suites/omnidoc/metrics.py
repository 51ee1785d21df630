"""From rows to scores: edit distance, TEDS, and how they are averaged (v1.5).

Source: OmniDocBench v1.5, metrics and result tables.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from scorer.suites.levenshtein import Edits, levenshtein
from scorer.suites.omnidoc.sample import OrderSample, Sample
from scorer.suites.omnidoc.table import TableScore, teds
from scorer.suites.teds import BUDGET

__all__ = [
    "EditSummary",
    "attribute_means",
    "edit_distances",
    "edit_summary",
    "group_means",
    "page_means",
    "page_scores",
    "per_page_edit",
    "table_scores",
]

Scored = Sample | OrderSample


@dataclass(frozen=True, slots=True)
class EditSummary:
    """The three averages of an element's edit distance: over pages, over all characters, and over samples.

    The page average (`ALL_page_avg`) is the published one. None where there is nothing to average.
    """

    page_average: float | None
    whole: float | None
    sample_average: float | None


def edit_distances(samples: Iterable[Sample]) -> list[Sample]:
    """Score samples by Levenshtein over the longer text; one with nothing on either side gets no score."""
    scored: list[Sample] = []
    for sample in samples:
        gold, predicted = sample.compared
        longest = max(len(gold), len(predicted))
        if not longest:
            scored.append(sample)
            continue
        edits = Edits(0, longest) if sample.unknown else levenshtein(predicted, gold)
        metric = {**sample.metric, "Edit_dist": edits.upper / longest}
        bounds = dict(sample.bounds)
        if edits.lower < edits.upper:
            bounds["Edit_dist"] = (edits.lower / longest, edits.upper / longest)
        scored.append(replace(sample, metric=metric, edits=edits.upper, longest=longest, bounds=bounds))
    return scored


def table_scores(samples: Iterable[Sample], *, budget: int = BUDGET) -> list[Sample]:
    """Score samples by TEDS and TEDS of the structure alone."""
    scored: list[Sample] = []
    for sample in samples:
        score = TableScore(0.0, 0.0) if sample.unknown else teds(*sample.compared, budget=budget)
        metric = {**sample.metric, "TEDS": score.teds, "TEDS_structure_only": score.teds_structure_only}
        bounds = sample.bounds
        if score.upper is not None:
            scores = (score.teds, score.teds_structure_only)
            named = zip(("TEDS", "TEDS_structure_only"), scores, score.upper, strict=True)
            bounds = {name: (lower, upper) for name, lower, upper in named if lower < upper}
        scored.append(replace(sample, metric=metric, error=score.error or sample.error, bounds=bounds))
    return scored


def edit_summary(samples: Sequence[Scored]) -> EditSummary:
    """Average edit distances the three ways; samples without a score do not count."""
    counted = [sample for sample in samples if sample.edits is not None and sample.longest]
    if not counted:
        return EditSummary(None, None, None)
    return EditSummary(
        page_average=fmean(per_page_edit(counted).values()),
        whole=sum(sample.edits or 0 for sample in counted) / sum(sample.longest for sample in counted),
        sample_average=fmean((sample.edits or 0) / sample.longest for sample in counted),
    )


def per_page_edit(samples: Iterable[Scored]) -> dict[str, float]:
    """Return each page's edits over the sum of its samples' longer lengths, by image name."""
    edits: dict[str, int] = {}
    lengths: dict[str, int] = {}
    for sample in samples:
        if sample.edits is not None and sample.longest:
            edits[sample.image] = edits.get(sample.image, 0) + sample.edits
            lengths[sample.image] = lengths.get(sample.image, 0) + sample.longest
    return {image: edits[image] / lengths[image] for image in sorted(edits)}


def group_means(samples: Iterable[Sample], metric: str) -> float | None:
    """Return the mean of a metric over the samples that have it (the reference's `all`)."""
    values = [sample.metric[metric] for sample in samples if metric in sample.metric]
    return sum(values) / len(values) if values else None


def attribute_means(samples: Iterable[Sample]) -> dict[str, dict[str, float]]:
    """Return, by metric and then by `name: value` of the gold's attributes, sample means, and `sample_count`."""
    values: dict[str, dict[str, list[float]]] = {}
    for sample in samples:
        labels = {f"{name}: {value}" for attribute in sample.attributes for name, value in attribute.items()}
        for label in labels:
            for metric, score in sample.metric.items():
                values.setdefault(metric, {}).setdefault(label, []).append(score)
    means = {
        metric: {label: sum(scores) / len(scores) for label, scores in sorted(labels.items())}
        for metric, labels in sorted(values.items())
    }
    counts = {label: len(scores) for labels in values.values() for label, scores in labels.items()}
    return {**means, "sample_count": dict(sorted(counts.items()))}


def page_means(samples: Iterable[Scored], pages: Mapping[str, Mapping[str, object]]) -> dict[str, dict[str, float]]:
    """Return, by metric and then by page attribute (`ALL` for every page), the mean over pages.

    `special_issue` values that name a table are skipped.
    """
    return {name: _by_attribute(scores, pages) for name, scores in page_scores(samples).items()}


def page_scores(samples: Iterable[Scored]) -> dict[str, dict[str, float]]:
    """Return each page's figure, by metric and then by image: edit distances weighted by length, else a plain mean."""
    by_page: dict[str, dict[str, list[tuple[float, int]]]] = {}
    for sample in samples:
        for name, score in sample.metric.items():
            by_page.setdefault(name, {}).setdefault(sample.image, []).append((score, sample.longest))
    return {
        name: {image: _average(name)(scores) for image, scores in images.items()}
        for name, images in sorted(by_page.items())
    }


def _average(metric: str) -> Callable[[list[tuple[float, int]]], float]:
    if metric == "Edit_dist":
        return lambda scores: sum(score * length for score, length in scores) / sum(length for _, length in scores)
    return lambda scores: fmean(score for score, _ in scores)


def _by_attribute(scores: Mapping[str, float], pages: Mapping[str, Mapping[str, object]]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for image, score in scores.items():
        labels = ["ALL"]
        for name, value in pages.get(image, {}).items():
            if isinstance(value, list):
                labels += [str(issue) for issue in value if "table" not in str(issue)]
            else:
                labels.append(f"{name}: {value}")
        for label in dict.fromkeys(labels):
            values.setdefault(label, []).append(score)
    return {label: fmean(found) for label, found in sorted(values.items())}
