"""A detection's boxes and figures as rows of the store's tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from scorer.scoring.certainty import Certainty
from scorer.scoring.signatures import Signature
from scorer.scoring.writing import KPI_ROWS, settle
from scorer.stats import DEFAULT_RESAMPLES, DEFAULT_SEED
from scorer.store.database import Writer
from scorer.suites.omnidoc.boxes import Box, pairs
from scorer.suites.omnidoc.detection import AXIS, FIGURE, LEVELS, Detected
from scorer.suites.omnidoc.detection_certainty import intervals

__all__ = ["BoxSheet", "box_rows", "slice_rows"]

Row = dict[str, Any]


def box_rows(key: Mapping[str, str], detected: Detected) -> Iterator[Row]:
    """Yield every box whose class is scored; `key` is run, suite and parser."""
    for level in LEVELS:
        for name in getattr(detected.classes, level):
            for image, gold, predicted in zip(
                detected.images, detected.gold[name], detected.predicted[name], strict=True
            ):
                paired = pairs(gold, predicted)
                of_gold = {right: (left, overlap) for left, right, overlap in paired}
                of_predicted = {left: (right, overlap) for left, right, overlap in paired}
                common = {**key, "page": image, "class": name, "level": level}
                for number, box in enumerate(gold):
                    yield {**common, "gold": True, **_box(number, box, of_gold.get(number))}
                for number, box in enumerate(predicted):
                    row = _box(number, box, of_predicted.get(number))
                    yield {**common, "gold": False, **row, "score": box.score}


def _box(number: int, box: Box, partner: tuple[int, float] | None) -> Row:
    return {
        "number": number,
        "x_min": box.left,
        "y_min": box.top,
        "x_max": box.right,
        "y_max": box.bottom,
        "partner": partner and partner[0],
        "overlap": partner and partner[1],
    }


def slice_rows(key: Mapping[str, str], detected: Detected, attributes: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return the figures by page attribute; `attributes` are the pages' rows of `omnidoc_page_attributes`."""
    members: dict[tuple[str, str], set[str]] = {}
    for row in attributes:
        if not (row["listed"] and "table" in row["value"]):
            members.setdefault((row["attribute"], row["value"]), set()).add(row["page"])
    counts = np.array([[float(image in pages) for image in detected.images] for pages in members.values()])
    if not members:
        return []
    figures = detected.figures(counts)
    names = (FIGURE, "bbox_mAP_50", "bbox_mAP_75")
    return [
        {**key, "attribute": attribute, "value": value, "pages": len(pages)}
        | {name: _finite(figures[name][place]) for name in names}
        for place, ((attribute, value), pages) in enumerate(members.items())
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxSheet:
    """A detection's figures over a run and by page, to be written.

    Attributes:
        key: run and suite.
        parser: whose boxes they are.
        detected: the boxes.
        signature: of the figures.
        scoring: the columns of `scorings` that the file at hand says: partial and its reasons, where the gold lay, its
            digest.
        now: the time, UTC.
    """

    key: Mapping[str, str]
    parser: str
    detected: Detected
    signature: Signature
    scoring: Mapping[str, Any]
    now: datetime

    def write(self, writer: Writer) -> int:
        """Write them, and return how many rows there are."""
        rows = list(self._rows())
        writer.insert_arrow("kpis", pa.Table.from_pylist(rows, schema=KPI_ROWS))
        fixed = {"scored_at": self.now, "axes": [AXIS], "embedder": None, "weights": json.dumps({})}
        settle(
            writer,
            self.key,
            known=Certainty(DEFAULT_SEED, DEFAULT_RESAMPLES),
            signatures=[self.signature],
            remarks=(),
            scoring={**fixed, **self.scoring},
        )
        return len(rows)

    def _rows(self) -> Iterator[Row]:
        common = {**self.key, "parser": self.parser, "axis": AXIS, "bounded": False}
        common["signature"] = self.signature.signature
        ends = intervals(self.detected)
        for name, values in self.detected.figures().items():
            if name not in ends:  # a level without a class
                continue
            value, interval = _finite(values[0]), ends[name]
            yield {
                **common,
                "kpi": AXIS if name == FIGURE else name,
                "value": value,
                "reason": "no gold box counts for it" if value is None else None,
                "in_axis": name == FIGURE,
                "lower": interval and interval.lower,
                "upper": interval and interval.upper,
            }
        alone = self.detected.figures(np.eye(len(self.detected.images)))[FIGURE]
        for image, value in zip(self.detected.images, alone, strict=True):
            if (known := _finite(value)) is not None:
                yield {**common, "document": image, "kpi": AXIS, "value": known, "in_axis": True}


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
