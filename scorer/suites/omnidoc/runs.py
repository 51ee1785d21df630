"""Predicted pieces that are one gold block broken up: which runs of neighbours are joined before the assignment (v1.5).

Source: OmniDocBench v1.5, quick match, truncated merge.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from scorer.suites.omnidoc.window import WORD, fits, least_anywhere, most_edits
from scorer.suites.omnidoc.work import Work

__all__ = ["Run", "join_runs"]

_TAKEN = 0.25
_FIT = 0.6

Run = tuple[int, ...]
Indices = NDArray[np.intp]


def join_runs(costs: NDArray[np.float64], gold: Sequence[str], pieces: Sequence[str], work: Work) -> list[Run]:
    """Group the pieces into runs, most of one piece, in their order.

    `costs` is the distance of every gold block to every piece; blocks and pieces with any distance below 0.25 are
    settled and take no part. Raises `OverBudget`.
    """
    settled = costs < _TAKEN
    open_gold = np.flatnonzero(~settled.any(axis=1)).tolist()
    growth = _Growth(pieces, np.asarray(settled.any(axis=0)), [gold[block] for block in open_gold], work)
    chosen = [growth.best(row, costs[block]) for row, block in enumerate(open_gold) if len(growth.starts)]
    joined = {run[0]: run for run in _compatible(chosen)}
    out: list[Run] = []
    index = 0
    while index < len(pieces):
        run = joined.get(index, (index,))
        out.append(run)
        index += len(run)
    return out


class _Growth:
    """Grows runs of pieces for one gold block after the other, from all starts at once."""

    def __init__(self, pieces: Sequence[str], taken: NDArray[np.bool_], blocks: Sequence[str], work: Work) -> None:
        self.starts: Indices = np.flatnonzero(~taken)
        self._pieces, self._blocks, self._work = pieces, blocks, work
        # a run ends at a piece that is taken, as at the last
        self._open = np.append(~taken, False)
        number = {
            text: index for index, text in enumerate(dict.fromkeys(pieces[start] for start in self.starts.tolist()))
        }
        self._texts = list(number)
        self._number = np.array([number.get(piece, -1) for piece in pieces], dtype=np.intp)
        short = [index for index, text in enumerate(self._texts) if len(text) <= WORD]
        least = np.zeros((len(blocks), len(self._texts)), dtype=np.int64)
        least[:, short] = least_anywhere([self._texts[index] for index in short], blocks, work)
        self._possible = {
            strict: least <= np.array([most_edits(len(text), _FIT, strict=strict) for text in self._texts], np.int64)
            for strict in (False, True)
        }

    def best(self, row: int, costs: NDArray[np.float64]) -> tuple[Run, float]:
        """Return the nearest of the runs that grow for a block, and its distance; `costs` are those of single pieces.

        A run takes the next piece as long as both its last piece and the next fit into the block and the distance does
        not increase; it ends when it is longer than the block.
        """
        block = self._blocks[row]
        fit = _Fits(block, self._texts, {strict: rows[row] for strict, rows in self._possible.items()}, self._work)
        best = costs[self.starts]
        ends: Indices = self.starts + 1
        texts = [self._pieces[start] for start in self.starts]
        growing: Indices = np.arange(len(texts))
        self._work.compare(0, 0, times=len(texts))
        while len(growing):
            growing = growing[self._open[ends[growing]]]
            growing = growing[fit.loosely(self._number[ends[growing] - 1])]
            growing = growing[fit.strictly(self._number[ends[growing]])]
            for run, end in zip(growing.tolist(), ends[growing].tolist(), strict=True):
                texts[run] = f"{texts[run]} {self._pieces[end]}"
            lengths = np.fromiter((len(texts[run]) for run in growing.tolist()), np.int64, len(growing))
            self._work.compare(len(block), int(lengths.sum()), times=len(growing))
            longer = _edits(block, [texts[run] for run in growing.tolist()]) / np.maximum(lengths, len(block))
            near = longer <= best[growing]
            growing, lengths = growing[near], lengths[near]
            best[growing] = longer[near]
            ends[growing] += 1
            growing = growing[lengths <= len(block)]
        first = int(best.argmin())
        return tuple(range(int(self.starts[first]), int(ends[first]))), float(best[first])


class _Fits:
    """Which texts fit into a block: looked at when it is asked for, and once."""

    def __init__(
        self, block: str, texts: Sequence[str], possible: Mapping[bool, NDArray[np.bool_]], work: Work
    ) -> None:
        self._block, self._texts, self._work = block, texts, work
        self._known = {strict: np.where(rows, np.int8(-1), np.int8(0)) for strict, rows in possible.items()}

    def loosely(self, texts: Indices) -> NDArray[np.bool_]:
        """Tell which texts, by number, have a window within 0.6."""
        return self._ask(texts, strict=False)

    def strictly(self, texts: Indices) -> NDArray[np.bool_]:
        """Tell which have one below 0.6."""
        return self._ask(texts, strict=True)

    def _ask(self, texts: Indices, *, strict: bool) -> NDArray[np.bool_]:
        known = self._known[strict]
        for number in np.unique(texts[known[texts] < 0]).tolist():
            known[number] = fits(self._texts[number], self._block, _FIT, strict=strict, work=self._work)
        return np.asarray(known[texts] > 0)


def _edits(block: str, texts: Sequence[str]) -> NDArray[np.int64]:
    if not texts:
        return np.zeros(0, dtype=np.int64)
    return np.asarray(cdist([block], texts, scorer=Levenshtein.distance, dtype=np.int64)[0], dtype=np.int64)


def _compatible(chosen: list[tuple[Run, float]]) -> list[Run]:
    """Keep runs that share no piece: of each chain of overlaps, the set with the lowest mean cost."""
    chains: list[list[tuple[Run, float]]] = []
    reach = -1  # the last piece of the chain: runs are of neighbours, and come in the order of their first piece
    for item in sorted(chosen, key=lambda item: item[0][0]):
        if item[0][0] > reach:
            chains.append([])
        chains[-1].append(item)
        reach = max(reach, item[0][-1])
    return [run for chain in chains for run in _cheapest_path(chain)]


def _cheapest_path(chain: list[tuple[Run, float]]) -> list[Run]:
    """Build paths of runs without a common piece, each run in every path it fits, and take the cheapest on average.

    A run that several gold blocks chose keeps its lowest cost. One that fits no path opens a path of its own.
    """
    paths: list[dict[Run, float]] = []
    reaches: list[int] = []
    for run, cost in chain:
        fitting = [number for number, path in enumerate(paths) if run in path or reaches[number] < run[0]]
        for number in fitting:
            paths[number][run] = min(cost, paths[number].get(run, cost))
            reaches[number] = run[-1]
        if not fitting:
            paths.append({run: cost})
            reaches.append(run[-1])
    cheapest: dict[Run, float] = min(paths, key=lambda path: sum(path.values()) / len(path))
    return list(cheapest)
