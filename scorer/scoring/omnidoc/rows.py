"""A page's scored rows as rows of the store's tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from scorer.scoring.omnidoc.staging import Staging
from scorer.suites.omnidoc.gold import GoldPage
from scorer.suites.omnidoc.page import PageMatch, Stray
from scorer.suites.omnidoc.sample import OrderSample, Sample
from services.runtime.form import Repair

__all__ = ["TABLES", "Rows", "page_attributes"]

TABLES = (
    "omnidoc_pages",
    "omnidoc_page_attributes",
    "omnidoc_samples",
    "omnidoc_matches",
    "omnidoc_homeless",
    "omnidoc_metrics",
    "omnidoc_attributes",
    "omnidoc_boxes",
    "omnidoc_detection_slices",
)

Row = dict[str, Any]


class Rows:
    """Stages one parser's rows; samples are numbered within page and element in the order in which they are added.

    Args:
        staging: where they go.
        key: run and suite.
        parser: name@version:setting.
    """

    def __init__(self, staging: Staging, key: Mapping[str, str], parser: str) -> None:
        self._staging = staging
        self._key = {**key, "parser": parser}
        self._numbers: dict[tuple[str, str], int] = {}

    def unpredicted(self, page: str, reason: str) -> None:
        """Add a page of which nothing was predicted."""
        self._staging.add("omnidoc_pages", [{**self._key, "page": page, "predicted": False, "reason": reason}])

    def answered(self, page: str) -> None:
        """Add a page with predictions for single blocks, where no text can be without a home."""
        self._staging.add("omnidoc_pages", [{**self._key, "page": page, "predicted": True}])

    def page(self, match: PageMatch) -> None:
        """Add a page with its predicted texts that have no home."""
        row = {
            **self._key,
            "page": match.image,
            "predicted": True,
            "characters": match.predicted,
            "homeless_characters": sum(stray.characters for stray in match.homeless),
        }
        self._staging.add("omnidoc_pages", [row])
        self._staging.add("omnidoc_homeless", list(self._homeless(match.image, match.homeless)))

    def samples(self, element: str, samples: Iterable[Sample | OrderSample]) -> None:
        """Add samples with their matches, metrics and attributes."""
        rows: dict[str, list[Row]] = {f"omnidoc_{name}": [] for name in ("samples", "matches", "metrics", "attributes")}
        for sample in samples:
            number = self._numbers.get((sample.image, element), 0)
            self._numbers[sample.image, element] = number + 1
            key = {**self._key, "page": sample.image, "element": element, "sample": number}
            if isinstance(sample, OrderSample):
                rows["omnidoc_samples"].append({**key, **_order(sample)})
                rows["omnidoc_metrics"] += [{**key, **metric} for metric in _metrics(sample)]
                continue
            rows["omnidoc_samples"].append({**key, **_sample(sample)})
            rows["omnidoc_matches"] += [{**key, **match} for match in _matches(sample)]
            rows["omnidoc_metrics"] += [{**key, **metric} for metric in _metrics(sample)]
            labels = {(name, _text(value)) for block in sample.attributes for name, value in block.items()}
            rows["omnidoc_attributes"] += [{**key, "attribute": name, "value": value} for name, value in sorted(labels)]
        for table, found in rows.items():
            self._staging.add(table, found)

    def _homeless(self, page: str, strays: Sequence[Stray]) -> Iterator[Row]:
        for number, stray in enumerate(strays):
            yield {
                **self._key,
                "page": page,
                "number": number,
                "text": _text(stray.text),
                "characters": stray.characters,
            }


def page_attributes(key: Mapping[str, str], pages: Iterable[GoldPage]) -> list[Row]:
    """Return the rows of the pages' attributes, a row a listed value."""
    return [
        {**key, "page": page.image, "attribute": name, "value": text, "listed": isinstance(value, list)}
        for page in pages
        for name, value in page.attributes.items()
        for text in dict.fromkeys(_text(item) for item in (value if isinstance(value, list) else [value]))
    ]


def _order(sample: OrderSample) -> Row:
    gold, predicted = (" ".join(map(str, positions)) for positions in (sample.gold, sample.predicted))
    return {
        "gold": gold,
        "predicted": predicted,
        "gold_compared": gold,
        "predicted_compared": predicted,
        "longest": sample.longest,
    }


def _sample(sample: Sample) -> Row:
    gold, predicted = sample.compared
    return {
        "gold_category": sample.gold_category,
        "predicted_category": sample.piece_category,
        "gold": _text(sample.gold),
        "predicted": _text(sample.predicted),
        "gold_compared": _text(gold),
        "predicted_compared": _text(predicted),
        "longest": sample.longest,
        "error": None if sample.error is None else _text(sample.error),
    }


def _matches(sample: Sample) -> Iterator[Row]:
    gold = zip(sample.gold_index, sample.gold_ids, sample.gold_position, strict=True)
    for (index, identifier, position), piece in product(gold, sample.piece_index or (None,)):
        yield {
            "gold_index": index,
            "gold_block": None if identifier is None else _text(identifier),
            "gold_position": position,
            "piece_index": piece,
            "piece_start": sample.piece_position,
            "distance": sample.edit,
        }


def _metrics(sample: Sample | OrderSample) -> Iterator[Row]:
    for name, value in sample.metric.items():
        lower, upper = sample.bounds.get(name, (None, None))
        yield {"metric": name, "value": value, "bounded": name in sample.bounds, "lower": lower, "upper": upper}


def _text(value: object) -> str:
    """Return a value as text that can be stored: an annotation file can escape half of a surrogate pair."""
    return Repair()(str(value))
