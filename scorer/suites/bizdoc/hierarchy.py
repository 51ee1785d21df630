"""The Hierarchy axis: heading_recall, heading_precision, parent_chain_accuracy.

Source: BizDocBench, Hierarchy; decisions R6 to R10.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from scorer.suites.bizdoc.headings import MATCH_DISTANCE, GoldHeading, Heading, normalise

_BLOCK = 4096
"""Distinct tool headings compared at once, so that a tool that calls every line a heading needs no huge matrix."""


@dataclass(frozen=True, slots=True)
class PreparedHeadings:
    """A gold heading tree, flattened: the normal form of every heading in reading order, and its parent's index."""

    normalised: tuple[str, ...]
    parents: tuple[int | None, ...]

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Parent and child of every edge; roots have none."""
        return tuple((parent, child) for child, parent in enumerate(self.parents) if parent is not None)


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The KPIs of the axis, in 0..1; None where the gold does not define one."""

    heading_recall: float | None
    heading_precision: float | None
    parent_chain_accuracy: float | None


def prepare(roots: Sequence[GoldHeading]) -> PreparedHeadings:
    """Flatten and normalise a gold tree once, for comparing it with many tools."""
    normalised: list[str] = []
    parents: list[int | None] = []
    waiting: list[tuple[GoldHeading, int | None]] = [(root, None) for root in reversed(roots)]
    while waiting:
        heading, parent = waiting.pop()
        index = len(normalised)
        normalised.append(normalise(heading.text))
        parents.append(parent)
        waiting.extend((child, index) for child in reversed(heading.children))
    return PreparedHeadings(tuple(normalised), tuple(parents))


def hierarchy(gold: PreparedHeadings, headings: Sequence[Heading]) -> Hierarchy:
    """Score a tool's headings against the gold tree.

    Recall and precision are two independent sweeps with no one-to-one assignment. An edge of the gold is right when a
    tool heading at the child's smallest distance has a parent that matches the gold parent.

    Raises:
        ValueError: a heading reports a parent that is itself or is not in the list.
    """
    kept = _with_parents(headings)
    if not gold.normalised:
        return Hierarchy(None, None, None)
    edges = gold.edges
    if not kept:
        return Hierarchy(0.0, 0.0, 0.0 if edges else None)

    rows = {text: row for row, text in enumerate(dict.fromkeys(gold.normalised))}
    texts = [text for text, _ in kept]
    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(text, []).append(place)
    best = np.full(len(rows), MATCH_DISTANCE + 1, dtype=np.uint8)
    nearest: list[list[str]] = [[] for _ in rows]
    matching: set[str] = set()
    matches: dict[str, frozenset[int]] = {}
    for distances, columns in _distances(tuple(rows), tuple(places)):
        for column, text in enumerate(columns):
            found = np.flatnonzero(distances[:, column] <= MATCH_DISTANCE)
            if not found.size:
                continue
            matching.add(text)
            matches[text] = frozenset(found.tolist())
            for row in found.tolist():
                distance = distances[row, column]
                if distance < best[row]:
                    best[row], nearest[row] = distance, [text]
                elif distance == best[row]:
                    nearest[row].append(text)

    recalled = sum(bool(nearest[rows[text]]) for text in gold.normalised)
    precise = sum(text in matching for text in texts)
    right = 0
    for parent, child in edges:
        wanted = rows[gold.normalised[parent]]
        carriers = (kept[place][1] for text in nearest[rows[gold.normalised[child]]] for place in places[text])
        right += any(carrier is not None and wanted in matches.get(texts[carrier], frozenset()) for carrier in carriers)
    return Hierarchy(
        heading_recall=recalled / len(gold.normalised),
        heading_precision=precise / len(texts),
        parent_chain_accuracy=right / len(edges) if edges else None,
    )


def _distances(rows: Sequence[str], columns: Sequence[str]) -> Iterator[tuple[NDArray[np.uint8], Sequence[str]]]:
    """Yield blocks of the distance matrix; everything beyond a match is one more than a match."""
    for start in range(0, len(columns), _BLOCK):
        block = columns[start : start + _BLOCK]
        yield (
            cdist(rows, block, scorer=Levenshtein.distance, score_cutoff=MATCH_DISTANCE, dtype=np.uint8),
            block,
        )


def _with_parents(headings: Sequence[Heading]) -> list[tuple[str, int | None]]:
    """Return normal form and parent's place of every heading that is not blank.

    The parent is the reported one, else the nearest earlier heading of a smaller level. A blank heading is passed over:
    its children go to its parent.
    """
    parents: list[int | None] = []
    open_headings: list[int] = []
    for index, heading in enumerate(headings):
        derived = None
        if heading.level is not None:
            while open_headings and _level(headings[open_headings[-1]]) >= heading.level:
                open_headings.pop()
            derived = open_headings[-1] if open_headings else None
            open_headings.append(index)
        if heading.parent is None:
            parents.append(derived)
        elif heading.parent == "ROOT":
            parents.append(None)
        elif 0 <= heading.parent < len(headings) and heading.parent != index:
            parents.append(heading.parent)
        else:
            raise ValueError(
                f"parent of heading {index} must be the index of another of the {len(headings)} headings,"
                f" 'ROOT' or None, got {heading.parent!r}"
            )

    normalised = [normalise(heading.text) for heading in headings]
    place = {index: place for place, index in enumerate(index for index, text in enumerate(normalised) if text)}
    kept: list[tuple[str, int | None]] = []
    for index in place:
        parent, passed = parents[index], set[int]()
        while parent is not None and parent not in place and parent not in passed:
            passed.add(parent)
            parent = parents[parent]
        kept.append((normalised[index], None if parent is None else place.get(parent)))
    return kept


def _level(heading: Heading) -> int:
    assert heading.level is not None
    return heading.level
