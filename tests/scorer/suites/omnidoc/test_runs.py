"""Joining the pieces of a block that was broken up, against the method's rule word by word."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from scorer.suites.omnidoc.match import distances
from scorer.suites.omnidoc.runs import Run, _compatible, join_runs
from scorer.suites.omnidoc.work import CELLS, OverBudget, Work

_pieces = st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=8)


def _ratio(first: str, second: str) -> float:
    return Levenshtein.distance(first, second) / max(len(first), len(second))


def _window(text: str, block: str) -> float:
    """Return the least distance of a text to a window of its length, over that length; 2 for a longer text."""
    windows = [block[at : at + len(text)] for at in range(len(block) - len(text) + 1)]
    return min((_ratio(text, window) for window in windows), default=2.0)


def _nearest_run(block: str, pieces: list[str], taken: list[bool]) -> tuple[Run, float]:
    """Grow a run from every start that is free, and return the nearest; of equals, the first."""
    found: list[tuple[Run, float]] = []
    for start in range(len(pieces)):
        if taken[start]:
            continue
        run, text, cost = [start], pieces[start], _ratio(block, pieces[start])
        for index in range(start + 1, len(pieces)):
            if taken[index] or any(_window(pieces[member], block) > 0.6 for member in run):
                break
            longer = f"{text} {pieces[index]}"
            if not _window(pieces[index], block) < 0.6 or _ratio(block, longer) > cost:
                break
            run, text, cost = [*run, index], longer, _ratio(block, longer)
            if len(text) > len(block):
                break
        found.append((tuple(run), cost))
    return min(found, key=lambda item: item[1])


def _chains(chosen: list[tuple[Run, float]]) -> list[Run]:
    """Group overlapping runs and take the cheapest path of each group, by sets of their pieces."""
    chains: list[list[tuple[Run, float]]] = []
    for item in sorted(chosen, key=lambda item: item[0][0]):
        if chains and any(set(item[0]) & set(other[0]) for other in chains[-1]):
            chains[-1].append(item)
        else:
            chains.append([item])
    kept: list[Run] = []
    for chain in chains:
        paths: list[dict[Run, float]] = []
        for run, cost in chain:
            fitting = [path for path in paths if run in path or not any(set(run) & set(other) for other in path)]
            for path in fitting:
                path[run] = min(cost, path.get(run, cost))
            if not fitting:
                paths.append({run: cost})
        kept += min(paths, key=lambda path: sum(path.values()) / len(path))
    return kept


class TestJoinRuns:
    @settings(max_examples=300)
    @given(st.lists(st.text("abc", min_size=1, max_size=20), min_size=1, max_size=3), _pieces)
    def test_rule(self, gold: list[str], pieces: list[str]) -> None:
        """All starts grown at once are grown as each would be alone."""
        costs = distances(gold, pieces)
        settled = costs < 0.25
        taken = settled.any(axis=0).tolist()
        open_gold = [block for block, row in zip(gold, settled.any(axis=1), strict=True) if not row]
        chosen = [] if all(taken) else [_nearest_run(block, pieces, taken) for block in open_gold]
        joined = {run[0]: run for run in _chains(chosen)}
        expected: list[Run] = []
        while (at := sum(map(len, expected))) < len(pieces):
            expected.append(joined.get(at, (at,)))
        assert join_runs(costs, gold, pieces, Work(CELLS)) == expected

    @given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 4), st.sampled_from((0.1, 0.2, 0.3))), max_size=9))
    def test_chains(self, drawn: list[tuple[int, int, float]]) -> None:
        """Runs of neighbours overlap, and paths are built, as sets of pieces would say."""
        chosen = [(tuple(range(start, start + length)), cost) for start, length, cost in drawn]
        assert _compatible(chosen) == _chains(chosen)

    def test_budget(self) -> None:
        """Past the budget nothing is joined: the caller is told."""
        gold, pieces = ["abcdef"], ["abc", "def"]
        with pytest.raises(OverBudget):
            join_runs(distances(gold, pieces), gold, pieces, Work(10))
