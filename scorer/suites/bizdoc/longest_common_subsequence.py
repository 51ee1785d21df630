"""The longest common subsequence of two long texts: exact within a fixed amount of work, else between certified bounds.

The plain computation fills every cell of a table of one text against the other. Of that table only a band matters once
a lower bound is known: an alignment that leaves the band has too few cells left to reach it. So a lower bound is found
first, cheaply, by chaining stretches the texts share; the band it leaves is then computed exactly. When even that band
holds more cells than the budget, the widest band the budget allows is computed instead. If the answer lies in it, it is
exact all the same; if not, that proves an upper bound.

What decides is the number of cells and never a clock, so the same texts give the same answer on every machine.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

CELLS = 1_500_000_000_000
"""The work budget: cells of the exact computation. Two texts of 1.2 million characters fit in it whatever they say;
two of 5 million when they are at least 97 % alike."""

_DIRECT_CELLS = 1_000_000_000
"""Below this the plain computation is cheaper than the search for a lower bound."""

_SHINGLE = 32
_STRIDE = 8
_GAP = 4096
# The library's band is one column short of what its cutoff needs: a subsequence of exactly that length can be missed. A
# word of slack costs next to nothing.
_SLACK = 64

_Codes = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Length:
    """Bounds on a length in characters; equal when it is exact."""

    lower: int
    upper: int

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.upper:
            raise ValueError(f"lower must be within 0..upper ({self.upper}), got {self.lower}")


def length(a: str, b: str, *, cells: int = CELLS) -> Length:
    """Return the length of the longest common subsequence of two texts.

    Args:
        a: one text.
        b: the other.
        cells: the work budget.

    Raises:
        ValueError: the budget is negative.
    """
    if cells < 0:
        raise ValueError(f"cells must be at least 0, got {cells}")
    if a == b:
        return Length(len(a), len(a))
    if len(a) * len(b) <= min(cells, _DIRECT_CELLS):
        exact = int(LCSseq.similarity(a, b))
        return Length(exact, exact)
    shared, left, right = _strip_ends(_codes(a), _codes(b))
    left, right = _only_shared(left, right)
    common = _bag(left, right)
    if len(left) < len(right):
        left, right = right, left
    if not common:
        return Length(shared, shared)
    packed_left, packed_right = _pack(left, right)
    lower = _chain(left, right, packed_left, packed_right)
    del left, right
    decided = max(lower, _affordable(len(packed_left), len(packed_right), cells))
    if decided > common or lower == common:
        return Length(shared + lower, shared + common)
    cutoff = max(0, decided - _SLACK)
    found = int(LCSseq.similarity(packed_right, packed_left, score_cutoff=cutoff))
    if found >= decided or not cutoff:
        return Length(shared + found, shared + found)
    return Length(shared + max(lower, found), shared + decided - 1)


def _affordable(longer: int, shorter: int, cells: int) -> int:
    """Return the smallest length whose band fits into the budget; beyond ``shorter`` when none does."""
    if longer * shorter <= cells:
        return 0
    width = cells // longer
    return max(0, -((width - longer - shorter - 2 * _SLACK) // 2))


def _codes(text: str) -> _Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _strip_ends(a: _Codes, b: _Codes) -> tuple[int, _Codes, _Codes]:
    """Return how many characters the two share at their ends, and what lies between: no loss to the subsequence."""
    size = min(len(a), len(b))
    differs = np.flatnonzero(a[:size] != b[:size])
    head = int(differs[0]) if differs.size else size
    size -= head
    differs = np.flatnonzero(a[len(a) - size :][::-1] != b[len(b) - size :][::-1])
    tail = int(differs[0]) if differs.size else size
    return head + tail, a[head : len(a) - tail], b[head : len(b) - tail]


def _only_shared(a: _Codes, b: _Codes) -> tuple[_Codes, _Codes]:
    """Drop the characters that occur in one text alone: they are in no common subsequence, and widen the band."""
    counts_a, counts_b = _counts(a, b)
    both = (counts_a > 0) & (counts_b > 0)
    return a[both[a]], b[both[b]]


def _bag(a: _Codes, b: _Codes) -> int:
    """Return how many characters the texts share in any order: an upper bound."""
    return int(np.minimum(*_counts(a, b)).sum())


def _counts(a: _Codes, b: _Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    size = 1 + max(int(a.max(initial=0)), int(b.max(initial=0)))
    return np.bincount(a, minlength=size), np.bincount(b, minlength=size)


def _pack(a: _Codes, b: _Codes) -> tuple[bytes | str, bytes | str]:
    """Return both texts in one byte a character when their alphabet allows: several times faster to compare."""
    alphabet = np.flatnonzero(_counts(a, b)[0])
    if len(alphabet) > 256:
        return (
            a.tobytes().decode("utf-32-le", "surrogatepass"),
            b.tobytes().decode("utf-32-le", "surrogatepass"),
        )
    table = np.zeros(int(alphabet[-1]) + 1, dtype=np.uint8)
    table[alphabet] = np.arange(len(alphabet), dtype=np.uint8)
    return table[a].tobytes(), table[b].tobytes()


def _chain(a: _Codes, b: _Codes, packed_a: bytes | str, packed_b: bytes | str) -> int:
    """Return a lower bound: the shared stretches of one order, and what the gaps between them share."""
    total = at_a = at_b = 0
    for start_a, start_b, size in _stretches(a, b):
        skip = max(at_a - start_a, at_b - start_b, 0)
        if skip >= size:
            continue
        start_a, start_b, size = start_a + skip, start_b + skip, size - skip
        # Shingles are found by hash; only what is truly equal may count.
        if packed_a[start_a : start_a + size] != packed_b[start_b : start_b + size]:
            continue
        total += _gap(packed_a[at_a:start_a], packed_b[at_b:start_b]) + size
        at_a, at_b = start_a + size, start_b + size
    return total + _gap(packed_a[at_a:], packed_b[at_b:])


def _gap(a: bytes | str, b: bytes | str) -> int:
    """Return what two gaps share at least; a large pair is cut into pieces side by side."""
    pieces = -(-max(len(a), len(b)) // _GAP)
    if pieces <= 1:
        return int(LCSseq.similarity(a, b)) if a and b else 0
    return sum(
        int(
            LCSseq.similarity(
                a[len(a) * piece // pieces : len(a) * (piece + 1) // pieces],
                b[len(b) * piece // pieces : len(b) * (piece + 1) // pieces],
            )
        )
        for piece in range(pieces)
    )


def _stretches(a: _Codes, b: _Codes) -> Iterator[tuple[int, int, int]]:
    """Yield start in ``a``, start in ``b`` and size of stretches that are shared (by hash), in the order of both."""
    if min(len(a), len(b)) < _SHINGLE:
        return
    places_a, places_b = _unique_shingles(a, b)
    kept = _longest_increasing(places_b)
    places_a, places_b = places_a[kept], places_b[kept]
    if not len(places_a):
        return
    # Overlapping or touching shingles on one diagonal are one stretch.
    joined = (np.diff(places_a) <= _SHINGLE) & (np.diff(places_a) == np.diff(places_b))
    starts = np.flatnonzero(np.concatenate(([True], ~joined)))
    ends = np.concatenate((starts[1:], [len(places_a)])) - 1
    sizes = places_a[ends] - places_a[starts] + _SHINGLE
    yield from zip(places_a[starts].tolist(), places_b[starts].tolist(), sizes.tolist(), strict=True)


def _unique_shingles(a: _Codes, b: _Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of the shingles that occur once among the sampled ones of ``a`` and once in all of ``b``."""
    sampled, places, counts = np.unique(_hashes(a)[::_STRIDE], return_index=True, return_counts=True)
    hashes = _hashes(b)
    found = np.searchsorted(sampled, hashes)
    found[found == len(sampled)] = 0
    hits = np.flatnonzero(sampled[found] == hashes)
    found = found[hits]
    once = (counts == 1) & (np.bincount(found, minlength=len(sampled)) == 1)
    places_b = np.zeros(len(sampled), dtype=np.int64)
    places_b[found] = hits
    places_a, places_b = places[once] * _STRIDE, places_b[once]
    order = np.argsort(places_a)
    return places_a[order], places_b[order]


def _hashes(codes: _Codes) -> NDArray[np.uint64]:
    """Return the hash of the shingle at every place, doubling the shingles' size step by step."""
    values = codes.astype(np.uint64)
    base, size = 0x9E3779B97F4A7C15, 1
    while size < _SHINGLE:
        values = values[:-size] * np.uint64(base) + values[size:]
        base, size = base * base % (1 << 64), 2 * size
    return values


def _longest_increasing(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indexes of a longest increasing subsequence."""
    tails: list[int] = []
    tail_indexes: list[int] = []
    before = [-1] * len(values)
    for index, value in enumerate(values.tolist()):
        at = bisect_left(tails, value)
        if at:
            before[index] = tail_indexes[at - 1]
        if at == len(tails):
            tails.append(value)
            tail_indexes.append(index)
        else:
            tails[at], tail_indexes[at] = value, index
    kept = np.empty(len(tails), dtype=np.int64)
    index = tail_indexes[-1] if tail_indexes else -1
    for place in range(len(tails) - 1, -1, -1):
        kept[place] = index
        index = before[index]
    return kept
