"""The exact tree edit distance (Zhang and Shasha 1989), insertions and deletions 1, a row of all subtrees at a time.

The recurrence is Zhang and Shasha's. What makes it fast: one postorder walk over the first tree fills, for every node,
the forest-distance rows against *all* keyroot subtrees of the second tree at once, as numpy vectors; insertions along a
row are a running minimum; and a leaf's distance to every subtree is a closed form (all of the subtree but the cheapest
node to rename). Memory grows with the depth of the first tree times the size of the second, never with their product.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from scorer.suites.levenshtein import CELLS, levenshtein
from scorer.suites.teds.tree import Flat, Node, flatten

__all__ = ["BUDGET", "Distance", "edit_distance"]

Vector = NDArray[np.float64]

BUDGET = 1_600_000_000
"""Entries of the forests' distance rows up to which a distance is exact: two tables of 950 rows by 20 cells fit in it.

A table's rows are filled twice, in the row's subtree and in the table's; what is nested deeper, once more a level."""

_BLOCK = 1 << 21  # entries of the rename-cost matrix held at a time


@dataclass(frozen=True, slots=True)
class Distance:
    """An edit distance: `lower` equals `upper` unless the trees were past the work budget (`exact` is false)."""

    lower: float
    upper: float
    exact: bool


def edit_distance(first: Node, second: Node, *, budget: int = BUDGET) -> Distance:
    """Count the cheapest insertions (1), deletions (1) and renames (`Node`) that turn one tree into the other.

    Beyond `budget` entries, or `CELLS` of the comparisons of texts, two bounds are given instead, in linear time; no
    clock is consulted.
    """
    a, b = flatten(first), flatten(second)
    if a.kinds == b.kinds and a.texts == b.texts and np.array_equal(a.leftmost, b.leftmost):
        return Distance(0.0, 0.0, exact=True)
    if a.entries() * b.entries() > budget or a.characters() * b.characters() > CELLS:
        return Distance(_lower_bound(a, b), _upper_bound(first, second), exact=False)
    value = _Walk(a, b).distance()
    return Distance(value, value, exact=True)


def _lower_bound(a: Flat, b: Flat) -> float:
    """Nodes paired within their kind cost at least 0, all others at least 1 each."""
    common = (Counter(a.kinds) & Counter(b.kinds)).total()
    return float(max(len(a), len(b)) - common)


def _upper_bound(first: Node, second: Node) -> float:
    """Price one valid edit script: pair children by position, delete or insert the rest."""
    total = 0.0
    stack = [(first, second)]
    while stack:
        a, b = stack.pop()
        longest = max(len(a.text), len(b.text), 1)
        total += levenshtein(a.text, b.text).upper / longest if a.kind == b.kind else 1.0
        shared = min(len(a.children), len(b.children))
        stack.extend(zip(a.children[:shared], b.children[:shared], strict=True))
        total += _count((*a.children[shared:], *b.children[shared:]))
    return total


def _count(trees: Sequence[Node]) -> int:
    """Count the nodes of trees."""
    count = 0
    stack = list(trees)
    while stack:
        node = stack.pop()
        count += 1
        stack.extend(node.children)
    return count


@dataclass(slots=True)
class _Context:
    """A keyroot of the first tree being filled: per group of the second, the last row and the rows still to be read.

    Rows are stored less their column number, plus the second tree's size: an insertion then costs nothing, so that a
    running minimum is the recurrence, and no entry is negative.
    """

    root: int
    first: int
    previous: list[Vector]
    saved: dict[int, list[Vector]] = field(default_factory=dict)


class _Walk:
    """One postorder walk over the first tree against all of the second."""

    def __init__(self, a: Flat, b: Flat) -> None:
        self._a, self._b = a, b
        self._groups = b.groups()
        self._leaves = np.flatnonzero(b.sizes == 1)
        self._inner = np.flatnonzero(b.sizes > 1)
        self._last_reader = np.full(len(a) + 1, -1, dtype=np.intp)  # of the row before a leftmost leaf
        np.maximum.at(self._last_reader, a.leftmost, np.arange(len(a)))
        self._contexts: list[_Context] = []
        self._column_minima: list[tuple[int, Vector]] = []
        self._result = float("inf")

    def distance(self) -> float:
        """Walk, and return the distance of the two roots."""
        if len(self._b) == 1:  # no subtree to lay out: the other tree's leaf formula is the whole answer
            return float(len(self._a) - 1 + min(float(costs[0]) for _, costs, _ in self._costs()))
        openings: dict[int, list[int]] = {}
        for root in np.flatnonzero(self._a.keyroots)[::-1]:
            if self._a.sizes[root] > 1 or root == len(self._a) - 1:
                openings.setdefault(int(self._a.leftmost[root]), []).append(int(root))
        for node, costs, leaf_row in self._costs():
            self._contexts.extend(self._open(root, node) for root in openings.get(node, []))
            self._step(node, costs, leaf_row)
        return self._result

    def _open(self, root: int, first: int) -> _Context:
        blank = [np.full((len(g.columns), g.columns.shape[1] + 1), float(len(self._b))) for g in self._groups]
        return _Context(root, first, blank)

    def _step(self, node: int, costs: Vector, leaf_row: Vector | None) -> None:
        """Fill the rows of one node in every open keyroot, innermost first: outer ones read what inner ones find."""
        a, b = self._a, self._b
        start = int(a.leftmost[node])
        # the distance to each subtree of b, less that subtree's size: complete for a leaf, found on the way otherwise
        tree = leaf_row - b.sizes if leaf_row is not None else np.zeros(len(b))
        minima = costs[self._leaves]
        while self._column_minima and self._column_minima[-1][0] >= start:
            minima = np.minimum(minima, self._column_minima.pop()[1])
        self._column_minima.append((node, minima))
        if leaf_row is None:
            tree[self._leaves] = a.sizes[node] - 2 + minima
        gathered: list[Vector] = [] if leaf_row is None else [tree[group.columns] for group in self._groups]
        for context in reversed(self._contexts):
            if start == node:
                context.saved[node] = context.previous
            home = start == context.first
            rows: list[Vector] = []
            for number, group in enumerate(self._groups):
                near = gathered[number] if gathered else tree[group.columns]
                previous = context.previous[number]
                row = np.empty_like(previous)
                row[:, 0] = node - context.first + 1 + len(b)
                np.add(context.saved[start][number][:, :-1], near, out=row[:, 1:])
                flat = row.reshape(-1)
                flat[group.inner] = context.saved[start][number].reshape(-1)[group.jump] + tree[group.inner_nodes]
                if home:
                    flat[group.spine] = previous.reshape(-1)[group.spine - 1] + (costs[group.spine_nodes] - 1.0)
                np.minimum(row[:, 1:], previous[:, 1:] + 1.0, out=row[:, 1:])
                bits = row.view(np.int64)  # of numbers above zero, in the numbers' order and much faster to scan
                np.minimum.accumulate(bits, axis=1, out=bits)
                if home and leaf_row is None:
                    tree[group.spine_nodes] = flat[group.spine] - len(b)
                rows.append(row)
            context.previous = rows
            if self._last_reader[start] == node or node == context.root:
                del context.saved[start]
        if self._contexts and self._contexts[-1].root == node:
            context = self._contexts.pop()
            if node == len(a) - 1:
                self._result = float(context.previous[-1][-1, -1])

    def _costs(self) -> Iterator[tuple[int, Vector, Vector | None]]:
        """Yield each node of the first tree with its rename costs and, for a leaf, its distance to every subtree."""
        a, b = self._a, self._b
        labels = list(dict.fromkeys(zip(b.kinds, b.texts, strict=True)))
        number = {label: index for index, label in enumerate(labels)}
        where = np.fromiter((number[label] for label in zip(b.kinds, b.texts, strict=True)), np.intp, len(b))
        bounds = np.stack([b.leftmost[self._inner], self._inner + 1], axis=1).ravel()
        padded = np.ones(len(b) + 1)
        step = max(1, _BLOCK // len(labels))
        for start in range(0, len(a), step):
            block = list(zip(a.kinds[start : start + step], a.texts[start : start + step], strict=True))
            queries = list(dict.fromkeys(block))
            row_of = {label: index for index, label in enumerate(queries)}
            unique = _rename_costs(queries, labels)
            for node, label in enumerate(block, start):
                costs = np.take(unique[row_of[label]], where)
                if a.sizes[node] > 1:
                    yield node, costs, None
                    continue
                leaf_row: Vector = costs + (b.sizes - 1.0)
                if len(self._inner):
                    padded[:-1] = costs
                    leaf_row[self._inner] = np.minimum.reduceat(padded, bounds)[::2] + (b.sizes[self._inner] - 1)
                yield node, costs, leaf_row


def _rename_costs(first: list[tuple[Hashable, str]], second: list[tuple[Hashable, str]]) -> Vector:
    """Price every rename between two lists of labels: 1 across kinds, the distance of the texts within one."""
    lengths = np.fromiter((len(text) for _, text in first), np.float64, len(first))
    other_lengths = np.fromiter((len(text) for _, text in second), np.float64, len(second))
    costs = np.maximum(np.maximum(lengths[:, None], other_lengths), 1.0)
    texts, other_texts = [text for _, text in first], [text for _, text in second]
    np.divide(cdist(texts, other_texts, scorer=Levenshtein.distance, dtype=np.int32), costs, out=costs)
    numbers = {kind: index for index, kind in enumerate(dict.fromkeys(kind for kind, _ in (*first, *second)))}
    kinds = np.fromiter((numbers[kind] for kind, _ in first), np.intp, len(first))
    other_kinds = np.fromiter((numbers[kind] for kind, _ in second), np.intp, len(second))
    costs[kinds[:, None] != other_kinds] = 1.0
    return costs
