"""Predicted pieces that are one gold block broken up: which runs of neighbours are joined before the assignment (v1.5).

Source: OmniDocBench v1.5, quick match, truncated merge.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from scorer.suites.omnidoc.window import WORD, fits, least_anywhere, most_edits

__all__ = ["Run", "join_runs"]

_TAKEN = 0.25
_FIT = 0.6

Run = tuple[int, ...]


def join_runs(costs: NDArray[np.float64], gold: Sequence[str], pieces: Sequence[str]) -> list[Run]:
    """Group the pieces into runs, most of one piece, in their order.

    `costs` is the distance of every gold block to every piece; blocks and pieces with any distance below 0.25 are
    settled and take no part.
    """
    settled = costs < _TAKEN
    open_gold = np.flatnonzero(~settled.any(axis=1)).tolist()
    taken = np.asarray(settled.any(axis=0))
    starts = np.flatnonzero(~taken).tolist()
    short = [index for index in starts if len(pieces[index]) <= WORD]
    bounds = least_anywhere([pieces[index] for index in short], [gold[block] for block in open_gold])
    chosen: list[tuple[Run, float]] = []
    for row, block in enumerate(open_gold):
        best: tuple[Run, float] | None = None
        grow = _grower(gold[block], pieces, taken, dict(zip(short, bounds[row].tolist(), strict=True)))
        for start in starts:
            run, cost = grow(start, float(costs[block, start]))
            if best is None or cost < best[1]:
                best = run, cost
        if best is not None:
            chosen.append(best)
    joined = {run[0]: run for run in _compatible(chosen)}
    out: list[Run] = []
    index = 0
    while index < len(pieces):
        run = joined.get(index, (index,))
        out.append(run)
        index += len(run)
    return out


def _grower(
    block: str, pieces: Sequence[str], taken: NDArray[np.bool_], bounds: Mapping[int, int]
) -> Callable[[int, float], tuple[Run, float]]:
    """Make the function that grows the run from a start for one gold block; `bounds` are least edits of some pieces."""
    known: dict[tuple[str, bool], bool] = {}

    def fit(index: int, *, strict: bool) -> bool:
        piece = pieces[index]
        if (piece, strict) not in known:
            possible = bounds.get(index, 0) <= most_edits(len(piece), _FIT, strict=strict)
            known[piece, strict] = possible and fits(piece, block, _FIT, strict=strict)
        return known[piece, strict]

    def grow(start: int, cost: float) -> tuple[Run, float]:
        end = start + 1
        text = pieces[start]
        while end < len(pieces) and not taken[end]:
            if not fit(end - 1, strict=False) or not fit(end, strict=True):
                break
            longer = f"{text} {pieces[end]}"
            longer_cost = Levenshtein.distance(block, longer) / max(len(block), len(longer))
            if longer_cost > cost:
                break
            text, cost = longer, longer_cost
            end += 1
            if len(text) > len(block):
                break
        return tuple(range(start, end)), cost

    return grow


def _compatible(chosen: list[tuple[Run, float]]) -> list[Run]:
    """Keep runs that share no piece: of each chain of overlaps, the set with the lowest mean cost."""
    if not chosen:
        return []
    ordered = sorted(chosen, key=lambda item: item[0][0])
    chains: list[list[tuple[Run, float]]] = [[ordered[0]]]
    for item in ordered[1:]:
        if any(not set(item[0]).isdisjoint(other[0]) for other in chains[-1]):
            chains[-1].append(item)
        else:
            chains.append([item])
    return [run for chain in chains for run in _cheapest_path(chain)]


def _cheapest_path(chain: list[tuple[Run, float]]) -> list[Run]:
    """Build paths of runs without a common piece, each run in every path it fits, and take the cheapest on average.

    A run that several gold blocks chose keeps its lowest cost. One that fits no path opens a path of its own.
    """
    paths: list[dict[Run, float]] = []
    for run, cost in chain:
        members = set(run)
        fitting = [path for path in paths if run in path or all(members.isdisjoint(other) for other in path)]
        for path in fitting:
            path[run] = min(cost, path.get(run, cost))
        if not fitting:
            paths.append({run: cost})
    cheapest: dict[Run, float] = min(paths, key=lambda path: sum(path.values()) / len(path))
    return list(cheapest)
