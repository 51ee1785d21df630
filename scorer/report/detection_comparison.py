"""Two detections of the same pages compared, from the boxes in the store."""

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.report.changes import Change, not_compared
from scorer.stats import FEW_DOCUMENTS
from scorer.store.database import Database
from scorer.suites.omnidoc.boxes import Box
from scorer.suites.omnidoc.detection import FIGURE, LEVELS, Classes, Detected, match_classes
from scorer.suites.omnidoc.detection_certainty import Gap, gaps

__all__ = ["box_changes"]

_COMPARED = (FIGURE, *LEVELS)


def box_changes(
    database: Database,
    pages: Sequence[str],
    conditions: Mapping[str, Any],
    *,
    before: tuple[str, str, str],
    after: tuple[str, str, str],
) -> list[Change]:
    """Return the changes of mAP, of its levels where there are two, and of every class, not yet corrected.

    Args:
        database: the store.
        pages: those compared.
        conditions: of the figures: which classes there are.
        before: run, suite and parser.
        after: the same of the later run.
    """
    classes = Classes(block_level=tuple(conditions["block_level"]), span_level=tuple(conditions["span_level"]))
    sides = [_detected(database, pages, classes, key) for key in (before, after)]
    names = [*(_COMPARED if classes.block_level and classes.span_level else _COMPARED[:1])]
    names += [f"{name}_precision" for name in classes.names()]
    found = gaps(*sides)
    return [_change(name, found.get(name), len(pages)) for name in names]


def _change(name: str, gap: Gap | None, pages: int) -> Change:
    if gap is None:
        return not_compared(name, "no gold box of the shared pages counts for it")
    return Change(
        headline=name,
        verdict="no difference shown",
        documents=pages,
        few_documents=pages < FEW_DOCUMENTS,
        before=gap.first,
        after=gap.second,
        difference=gap.second - gap.first,
        interval=gap.interval,
        p=gap.p,
    )


def _detected(database: Database, pages: Sequence[str], classes: Classes, key: tuple[str, str, str]) -> Detected:
    """Match the boxes of a parser anew, on some of its run's pages."""
    place = {page: index for index, page in enumerate(pages)}
    boxes: dict[bool, dict[str, list[list[Box]]]] = {
        side: {name: [[] for _ in pages] for name in classes.names()} for side in (True, False)
    }
    for row in database.rows(
        "select * from omnidoc_boxes where run_id = ? and suite = ? and parser = ? order by page, class, gold, number",
        key,
    ):
        if row["page"] in place:
            box = Box(row["x_min"], row["y_min"], row["x_max"], row["y_max"], 1.0 if row["gold"] else row["score"])
            boxes[row["gold"]][row["class"]][place[row["page"]]].append(box)
    return match_classes(pages, classes, boxes[True], boxes[False])
