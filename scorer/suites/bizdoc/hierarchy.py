"""The Hierarchy axis: heading_recall, heading_precision, parent_chain_accuracy.

Source: BizDocBench, Hierarchy; decisions R6 to R10.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
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


ToolHeadings = Sequence[tuple[str, str | None]]
"""Normal form of every heading of a tool, and of its parent."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Which normal forms match.

    Attributes:
        nearest: by gold heading that has a match, the tool's headings at the smallest distance.
        gold: by tool heading that has a match, all the gold headings within the distance of a match.
    """

    nearest: Mapping[str, Sequence[str]]
    gold: Mapping[str, frozenset[str]]


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

    Raises:
        ValueError: a heading reports a parent that is itself or is not in the list.
    """
    tool = _with_parents(headings)
    matches = _matches(gold, tool)
    return Hierarchy(
        heading_recall=heading_recall(gold, matches),
        heading_precision=heading_precision(gold, tool, matches),
        parent_chain_accuracy=parent_chain_accuracy(gold, tool, matches),
    )


def heading_recall(gold: PreparedHeadings, matches: Matches) -> float | None:
    """Return the share of gold headings that match some heading of the tool; one of the tool's may serve several."""
    if not gold.normalised:
        return None
    return sum(text in matches.nearest for text in gold.normalised) / len(gold.normalised)


def heading_precision(gold: PreparedHeadings, tool: ToolHeadings, matches: Matches) -> float | None:
    """Return the share of the tool's headings that match some heading of the gold, 0 when the tool gave none."""
    if not gold.normalised:
        return None
    return sum(text in matches.gold for text, _ in tool) / len(tool) if tool else 0.0


def parent_chain_accuracy(gold: PreparedHeadings, tool: ToolHeadings, matches: Matches) -> float | None:
    """Return the share of the gold's edges that the tool has.

    An edge is there when one of the tool's headings nearest to the child has a parent that matches the gold's parent.
    """
    if not gold.edges:
        return None
    parents: dict[str, set[str]] = {}
    for text, parent in tool:
        if parent is not None:
            parents.setdefault(text, set()).add(parent)
    right = sum(
        any(
            gold.normalised[above] in matches.gold.get(parent, ())
            for child in matches.nearest.get(gold.normalised[below], ())
            for parent in parents.get(child, ())
        )
        for above, below in gold.edges
    )
    return right / len(gold.edges)


def _matches(gold: PreparedHeadings, tool: ToolHeadings) -> Matches:
    rows = tuple(dict.fromkeys(gold.normalised))
    columns = tuple(dict.fromkeys(text for text, _ in tool))
    smallest: dict[str, int] = {}
    nearest: dict[str, list[str]] = {}
    matching: dict[str, frozenset[str]] = {}
    for start in range(0, len(columns) if rows else 0, _BLOCK):
        block = columns[start : start + _BLOCK]
        # Everything beyond a match is one more than a match.
        distances = cdist(block, rows, scorer=Levenshtein.distance, score_cutoff=MATCH_DISTANCE, dtype=np.uint8)
        for place in np.flatnonzero((distances <= MATCH_DISTANCE).any(axis=1)).tolist():
            text = block[place]
            found = np.flatnonzero(distances[place] <= MATCH_DISTANCE).tolist()
            matching[text] = frozenset(rows[row] for row in found)
            for row in found:
                distance, wanted = int(distances[place, row]), rows[row]
                if distance < smallest.get(wanted, MATCH_DISTANCE + 1):
                    smallest[wanted], nearest[wanted] = distance, [text]
                elif distance == smallest[wanted]:
                    nearest[wanted].append(text)
    return Matches(nearest, matching)


def _with_parents(headings: Sequence[Heading]) -> ToolHeadings:
    """Return the normal forms of every heading that is not blank and of its parent.

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
    kept: list[tuple[str, str | None]] = []
    for text, parent in zip(normalised, parents, strict=True):
        passed = set[int]()
        while parent is not None and not normalised[parent] and parent not in passed:
            passed.add(parent)
            parent = parents[parent]
        if text:
            kept.append((text, normalised[parent] or None if parent is not None else None))
    return kept


def _level(heading: Heading) -> int:
    assert heading.level is not None
    return heading.level
