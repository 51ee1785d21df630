"""Which gold block is compared with which predicted pieces (v1.5).

Source: OmniDocBench v1.5, `quick_match`. Its 30-second limit does not exist here: pages finish.
Named quirks: SET_ORDER, VANISHING_PIECES.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from scipy.optimize import linear_sum_assignment

from scorer.suites.omnidoc.runs import join_runs
from scorer.suites.omnidoc.window import fits

__all__ = ["Pair", "QuickMatch", "assign", "distances", "quick_match"]

_IGNORED = 0.25
_REJECTED = 0.7
_FUZZY = 0.4


@dataclass(frozen=True, slots=True)
class Pair:
    """Gold blocks and predicted pieces compared with each other, as indices; one side is empty when missing.

    `edit` is the distance the matching stored. It is not the score: metrics compare the texts of the whole row anew.
    """

    gold: tuple[int, ...]
    pieces: tuple[int, ...]
    edit: float


@dataclass(frozen=True, slots=True)
class QuickMatch:
    """The rows of a page, and the pieces that ignored gold (captions, headers, …) took out of the pool."""

    pairs: tuple[Pair, ...]
    ignored_pieces: frozenset[int]


def distances(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
    """Return the Levenshtein distance of every pair over the longer length; 0 for two empty texts."""
    if not first or not second:
        return np.zeros((len(first), len(second)))
    raw = cdist(first, second, scorer=Levenshtein.distance, dtype=np.int64)
    lengths = np.maximum.outer([len(text) for text in first], [len(text) for text in second])
    return np.asarray(raw / np.maximum(lengths, 1), dtype=np.float64)


def assign(costs: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Solve the assignment problem."""
    rows, columns = linear_sum_assignment(costs)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def quick_match(gold: Sequence[str], ignored: Sequence[bool], pieces: Sequence[str]) -> QuickMatch:
    """Match normalised texts, none of them empty; `ignored` marks gold that only removes pieces from the pool."""
    if not gold:
        return QuickMatch(tuple(Pair((), (index,), 1.0) for index in range(len(pieces))), frozenset())
    if not pieces:
        return QuickMatch(tuple(Pair((index,), (), 1.0) for index in range(len(gold))), frozenset())
    if len(gold) == len(pieces) == 1:
        return QuickMatch((Pair((0,), (0,), float(distances(gold, pieces)[0, 0])),), frozenset())
    near_ignored = distances([text for text, skip in zip(gold, ignored, strict=True) if skip], pieces) < _IGNORED
    gone = frozenset(np.flatnonzero(near_ignored.any(axis=0)).tolist())
    gold_at = [index for index, skip in enumerate(ignored) if not skip]
    piece_at = [index for index in range(len(pieces)) if index not in gone]
    rows = _match_pool([gold[index] for index in gold_at], [pieces[index] for index in piece_at])
    return QuickMatch(
        tuple(
            Pair(tuple(gold_at[index] for index in row.gold), tuple(piece_at[index] for index in row.pieces), row.edit)
            for row in rows
        ),
        gone,
    )


def _match_pool(gold: list[str], pieces: list[str]) -> list[Pair]:
    """Match what is left when ignored gold has taken its pieces."""
    costs = distances(gold, pieces)
    runs = join_runs(costs, gold, pieces)
    joined = [" ".join(pieces[index] for index in run) for run in runs]
    joined_costs = costs if len(runs) == len(pieces) else distances(gold, joined)
    found: dict[tuple[int, ...], list[int]] = {}
    for row, column in assign(joined_costs):
        if joined_costs[row, column] <= _REJECTED:
            found.setdefault(runs[column], []).append(row)
    matched = {row for rows in found.values() for row in rows}
    unmatched = [index for index in range(len(gold)) if index not in matched]
    for index, piece in enumerate(pieces):
        inside = [
            row for row in unmatched if len(piece) >= len(gold[row]) and fits(gold[row], piece, _FUZZY, strict=True)
        ]
        if inside:
            rows = found.setdefault((index,), [])
            rows += [row for row in inside if row not in matched]
            matched.update(inside)
    return _merge_rows(_with_leftovers(found, gold, pieces), len(gold))


def _with_leftovers(found: dict[tuple[int, ...], list[int]], gold: list[str], pieces: list[str]) -> list[Pair]:
    """List the matches, one row a gold block, and pair what neither side has matched, whatever the distance."""
    rows: list[Pair] = []
    for run, members in found.items():
        edit = _stored_edit(sorted(members), run, gold, pieces)
        rows += [Pair((index,), run, edit) for index in sorted(members)]
    # The reference goes through these as Python sets, and ties of the assignment follow their order.
    free_gold = list(set(range(len(gold))) - set().union(*[set(members) for members in found.values()]))
    free_pieces = list(set(range(len(pieces))) - {index for run in found for index in run})
    if not free_pieces:
        return rows + [Pair((index,), (), 1.0) for index in free_gold]
    if not free_gold:
        return [*rows, Pair((), tuple(free_pieces), 1.0)]
    costs = distances([gold[index] for index in free_gold], [pieces[index] for index in free_pieces])
    return rows + [Pair((free_gold[row],), (free_pieces[column],), 1.0) for row, column in assign(costs)]


def _stored_edit(members: list[int], run: tuple[int, ...], gold: list[str], pieces: list[str]) -> float:
    """Recompute a row's distance as the reference stores it: several gold blocks against the run's first piece."""
    if not members:
        return 1.0
    text = "".join(gold[index] for index in members)
    predicted = pieces[run[0]] if len(members) > 1 else " ".join(pieces[index] for index in run)
    return Levenshtein.distance(text, predicted) / max(len(text), len(predicted))


def _merge_rows(rows: list[Pair], gold_count: int) -> list[Pair]:
    """Join rows with the same pieces into one, and add a row for every gold block that has none."""
    merged: dict[tuple[int, ...], list[Pair]] = {}
    for row in rows:
        if row.pieces:
            merged.setdefault(row.pieces, []).append(row)
    out = [
        Pair(tuple(index for row in group for index in row.gold), run, group[0].edit) for run, group in merged.items()
    ]
    placed = {index for row in out for index in row.gold}
    return out + [Pair((index,), (), 1.0) for index in range(gold_count) if index not in placed]
