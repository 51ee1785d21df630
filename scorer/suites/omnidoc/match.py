"""Which gold block is compared with which predicted pieces (v1.5).

Source: OmniDocBench v1.5, `quick_match`. Its 30-second limit does not exist here: pages finish. A page of so many
pieces that a step would be past its work budget is matched without that step, and says so.
Named quirks: PIECE_IN_TWO_ROWS, SET_ORDER, VANISHING_PIECES.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from scipy.optimize import linear_sum_assignment

from scorer.suites.levenshtein import levenshtein
from scorer.suites.omnidoc.runs import Run, join_runs
from scorer.suites.omnidoc.window import fits
from scorer.suites.omnidoc.work import CELLS, OverBudget, Work

__all__ = ["Pair", "QuickMatch", "assign", "distances", "quick_match"]

_IGNORED = 0.25
_REJECTED = 0.7
_FUZZY = 0.4
_ENTRY = 1 << 14  # cells' worth of an entry of the cost matrix, beside those of its comparison
_STEP = 8  # the same of a step of the assignment


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
    """The rows of a page, and the pieces that ignored gold (captions, headers, …) took out of the pool.

    `bounded` says that a step was past its work budget: the method might have made other rows.
    """

    pairs: tuple[Pair, ...]
    ignored_pieces: frozenset[int]
    bounded: bool = False


def distances(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
    """Return the Levenshtein distance of every pair over the longer length; 0 for two empty texts."""
    if not first or not second:
        return np.zeros((len(first), len(second)))
    costs = np.asarray(cdist(first, second, scorer=Levenshtein.distance, dtype=np.float64), dtype=np.float64)
    lengths = np.fromiter(map(len, second), np.int64, len(second))
    for row, text in enumerate(first):  # in place: a page may have a million pieces
        costs[row] /= np.maximum(lengths, max(len(text), 1))
    return costs


def assign(costs: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Solve the assignment problem."""
    rows, columns = linear_sum_assignment(costs)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def quick_match(
    gold: Sequence[str], ignored: Sequence[bool], pieces: Sequence[str], *, budget: int = CELLS
) -> QuickMatch:
    """Match normalised texts, none of them empty; `ignored` marks gold that only removes pieces from the pool.

    `budget` is that of each step, in cells.
    """
    if not gold:
        return QuickMatch(tuple(Pair((), (index,), 1.0) for index in range(len(pieces))), frozenset())
    if not pieces:
        return QuickMatch(tuple(Pair((index,), (), 1.0) for index in range(len(gold))), frozenset())
    if len(gold) == len(pieces) == 1:
        return QuickMatch((Pair((0,), (0,), _distance(gold[0], pieces[0])),), frozenset())
    gold_at = [index for index, skip in enumerate(ignored) if not skip]
    try:
        Work(budget).spend(_matrix_work(gold, pieces))
    except OverBudget:
        rows, gone = _equal_texts(gold, ignored, pieces)
        # Of the same texts on both sides the assignment makes the same rows: nothing is nearer than an equal.
        same = not any(ignored) and all(row.gold and row.pieces for row in rows)
        return QuickMatch(tuple(rows), gone, bounded=not same)
    near_ignored = distances([text for text, skip in zip(gold, ignored, strict=True) if skip], pieces) < _IGNORED
    gone = frozenset(np.flatnonzero(near_ignored.any(axis=0)).tolist())
    piece_at = [index for index in range(len(pieces)) if index not in gone]
    rows, bounded = _match_pool([gold[index] for index in gold_at], [pieces[index] for index in piece_at], budget)
    return QuickMatch(
        tuple(
            Pair(tuple(gold_at[index] for index in row.gold), tuple(piece_at[index] for index in row.pieces), row.edit)
            for row in rows
        ),
        gone,
        bounded,
    )


def _matrix_work(gold: Sequence[str], pieces: Sequence[str]) -> int:
    """Count the cells of all comparisons of gold with pieces, and what the matrix and its assignment cost beside."""
    fewer, more = sorted((len(gold), len(pieces)))
    return sum(map(len, gold)) * sum(map(len, pieces)) + fewer * more * (_ENTRY + _STEP * fewer)


def _equal_texts(
    gold: Sequence[str], ignored: Sequence[bool], pieces: Sequence[str]
) -> tuple[list[Pair], frozenset[int]]:
    """Match only what is the same on both sides, in order; ignored gold takes all pieces that are the same."""
    skipped = {text for text, skip in zip(gold, ignored, strict=True) if skip}
    gone = frozenset(index for index, piece in enumerate(pieces) if piece in skipped)
    wanted = set(gold)
    places: dict[str, list[int]] = {}
    for index in range(len(pieces) - 1, -1, -1):
        if pieces[index] in wanted and index not in gone:
            places.setdefault(pieces[index], []).append(index)
    rows = [
        Pair((index,), (places[text].pop(),), 0.0) if places.get(text) else Pair((index,), (), 1.0)
        for index, text in enumerate(gold)
        if not ignored[index]
    ]
    placed = gone.union(*(row.pieces for row in rows))
    left = tuple(index for index in range(len(pieces)) if index not in placed)
    return ([*rows, Pair((), left, 1.0)] if left else rows), gone


def _match_pool(gold: list[str], pieces: list[str], budget: int) -> tuple[list[Pair], bool]:
    """Match what is left when ignored gold has taken its pieces; tell whether a step was past its budget."""
    bounded = False
    costs = distances(gold, pieces)
    try:
        runs = join_runs(costs, gold, pieces, Work(budget))
    except OverBudget:
        bounded = True
        runs = [(index,) for index in range(len(pieces))]
    joined_costs = _joined_costs(costs, runs, gold, pieces)
    found: dict[Run, list[int]] = {}
    for row, column in assign(joined_costs):
        if joined_costs[row, column] <= _REJECTED:
            found.setdefault(runs[column], []).append(row)
    try:
        _attach(found, gold, pieces, Work(budget))
    except OverBudget:
        bounded = True
    return _merge_rows(_with_leftovers(found, costs, gold, pieces), len(gold)), bounded


def _joined_costs(
    costs: NDArray[np.float64], runs: Sequence[Run], gold: list[str], pieces: list[str]
) -> NDArray[np.float64]:
    """Return the distances to runs, given those to pieces."""
    joined = [column for column, run in enumerate(runs) if len(run) > 1]
    if not joined:
        return costs
    costs = costs[:, [run[0] for run in runs]]
    costs[:, joined] = distances(gold, [" ".join(pieces[index] for index in runs[column]) for column in joined])
    return costs


def _attach(found: dict[Run, list[int]], gold: list[str], pieces: list[str], work: Work) -> None:
    """Attach each block without a match to the first piece that it fits into; raises `OverBudget`."""
    matched = {row for rows in found.values() for row in rows}
    unmatched = [index for index in range(len(gold)) if index not in matched]
    shortest = min((len(gold[row]) for row in unmatched), default=0)
    for index, piece in enumerate(pieces):
        if not unmatched or len(piece) < shortest:
            continue
        inside = [row for row in unmatched if fits(gold[row], piece, _FUZZY, strict=True, work=work)]
        if inside:
            rows = found.setdefault((index,), [])
            rows += [row for row in inside if row not in matched]
            matched.update(inside)


def _with_leftovers(
    found: dict[Run, list[int]], costs: NDArray[np.float64], gold: list[str], pieces: list[str]
) -> list[Pair]:
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
    pairs = assign(costs[np.ix_(free_gold, free_pieces)])
    return rows + [Pair((free_gold[row],), (free_pieces[column],), 1.0) for row, column in pairs]


def _stored_edit(members: list[int], run: tuple[int, ...], gold: list[str], pieces: list[str]) -> float:
    """Recompute a row's distance as the reference stores it: several gold blocks against the run's first piece."""
    if not members:
        return 1.0
    text = "".join(gold[index] for index in members)
    predicted = pieces[run[0]] if len(members) > 1 else " ".join(pieces[index] for index in run)
    return _distance(text, predicted)


def _distance(gold: str, predicted: str) -> float:
    return levenshtein(gold, predicted).upper / max(len(gold), len(predicted))


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
