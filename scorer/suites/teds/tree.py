"""Ordered labelled trees, as callers build them and as the distance reads them (arrays in postorder)."""

import sys
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["Flat", "Group", "Node", "cell_kind", "flatten"]


@dataclass(frozen=True, slots=True)
class Node:
    """A node: renaming costs 1 across kinds, within one the normalised Levenshtein distance of the texts."""

    kind: Hashable
    text: str = ""
    children: tuple["Node", ...] = ()


@lru_cache
def cell_kind(colspan: str, rowspan: str) -> tuple[str, int, int]:
    """Return the kind of a table cell, one object for a million cells.

    The spans are as a cell's attributes have them. Raises ValueError for one that is no whole number, or has more
    digits than Python reads.
    """
    for name, span in (("colspan", colspan), ("rowspan", rowspan)):
        try:
            int(span)
        except ValueError:
            if len(span) > (most := sys.get_int_max_str_digits()):
                what = f"has {len(span)} characters, expected a whole number of {most} digits at most"
            else:
                what = f"is {span!r:.80}, expected a whole number"
            raise ValueError(f"a cell's {name} {what}") from None
    return "td", int(colspan), int(rowspan)


@dataclass(frozen=True, slots=True)
class Group:
    """Subtrees of one nesting level and of similar size, laid out as the rows of a matrix.

    `columns[k, j]` is the postorder index of the j-th node of subtree k. Columns past a subtree's end repeat its last
    node: a row is filled from left to right, so nothing reads them. A distance row has one column more, the empty
    forest first; the other arrays are positions in such a matrix laid flat: of the nodes that are no leaves
    (`inner`), of the column before each one's leftmost leaf (`jump`), and of the nodes whose leftmost leaf is their
    subtree's own (`spine`).
    """

    columns: NDArray[np.intp]
    inner: NDArray[np.intp]
    inner_nodes: NDArray[np.intp]
    jump: NDArray[np.intp]
    spine: NDArray[np.intp]
    spine_nodes: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Flat:
    """A tree in postorder: kinds, texts, and the leftmost leaf, size and keyroot flag of every node."""

    kinds: tuple[Hashable, ...]
    texts: tuple[str, ...]
    leftmost: NDArray[np.intp]
    sizes: NDArray[np.intp]
    keyroots: NDArray[np.bool_]

    def __len__(self) -> int:
        """Count the nodes."""
        return len(self.kinds)

    def entries(self) -> int:
        """Count the nodes of all subtrees whose distance rows are filled, each node as often as it is in one."""
        return int(self.sizes[self.keyroots & (self.sizes > 1)].sum()) or 1

    def characters(self) -> int:
        """Count the characters of all texts."""
        return sum(map(len, self.texts))

    def groups(self) -> list[Group]:
        """Lay out the subtrees of the keyroots that are not leaves, inner ones before the ones that hold them."""
        roots = [int(node) for node in np.flatnonzero(self.keyroots) if self.leftmost[node] < node]
        levels: dict[int, int] = {}
        open_roots: list[int] = []
        for root in roots:
            level = 0
            while open_roots and open_roots[-1] >= self.leftmost[root]:
                level = max(level, levels[open_roots.pop()] + 1)
            levels[root] = level
            open_roots.append(root)
        groups: list[Group] = []
        batch: list[int] = []
        for root in sorted(roots, key=lambda node: (levels[node], self.sizes[node])):
            if batch and (levels[batch[0]] != levels[root] or self.sizes[root] > 2 * self.sizes[batch[0]]):
                groups.append(self._group(batch))
                batch = []
            batch.append(root)
        if batch:
            groups.append(self._group(batch))
        return groups

    def _group(self, roots: list[int]) -> Group:
        first = self.leftmost[roots]
        last = np.asarray(roots, dtype=np.intp)
        width = int((last - first).max()) + 1
        columns = np.minimum(first[:, None] + np.arange(width), last[:, None])
        before = self.leftmost[columns] - first[:, None]
        start = np.arange(len(roots))[:, None] * (width + 1)
        place = start + np.arange(1, width + 1)
        inner = self.sizes[columns] > 1
        spine = (before == 0) & (first[:, None] + np.arange(width) <= last[:, None])
        return Group(
            columns=columns,
            inner=place[inner],
            inner_nodes=columns[inner],
            jump=(start + before)[inner],
            spine=place[spine],
            spine_nodes=columns[spine],
        )


def flatten(root: Node) -> Flat:
    """Put a tree in postorder."""
    kinds: list[Hashable] = []
    texts: list[str] = []
    leftmost: list[int] = []
    for node, first in _postorder(root):
        kinds.append(node.kind)
        texts.append(node.text)
        leftmost.append(first)
    left = np.asarray(leftmost, dtype=np.intp)
    last = np.full(len(kinds), -1, dtype=np.intp)
    last[left] = np.arange(len(kinds))  # of several nodes with one leftmost leaf the last stays
    keyroots = np.zeros(len(kinds), dtype=bool)
    keyroots[last[last >= 0]] = True
    return Flat(tuple(kinds), tuple(texts), left, np.arange(len(kinds)) - left + 1, keyroots)


def _postorder(root: Node) -> Iterator[tuple[Node, int]]:
    """Yield each node with the postorder index of its leftmost leaf; no recursion: cells nest as files like."""
    count = 0
    stack: list[tuple[Node, int, int]] = [(root, 0, 0)]
    while stack:
        node, child, first = stack.pop()
        children = node.children
        while child < len(children) and not children[child].children:  # most nodes of a table are leaves
            first = first if child else count
            yield children[child], count
            count += 1
            child += 1
        if child < len(children):
            stack.append((node, child + 1, first if child else count))
            stack.append((children[child], 0, count))
        else:
            yield node, first if children else count
            count += 1
