"""The tree edit distance against an independent implementation, and where exactness ends."""

from collections.abc import Callable
from functools import cache

import pytest
from apted import APTED, Config
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from scorer.suites.teds import Node, edit_distance


class _Costs(Config):
    def rename(self, first: Node, second: Node) -> float:
        if first.kind != second.kind:
            return 1.0
        return float(Levenshtein.normalized_distance(first.text, second.text))

    def children(self, node: Node) -> list[Node]:
        return list(node.children)


def _apted(first: Node, second: Node) -> float:
    """Return the distance of the package that the methods use; it is too large for some trees that no table is like."""
    return float(APTED(first, second, _Costs()).compute_edit_distance())


def _textbook(first: Node, second: Node) -> float:
    """Return the distance by its definition: of the last roots of two forests one goes, or the other, or both stay."""

    @cache
    def size(forest: tuple[Node, ...]) -> int:
        return sum(1 + size(node.children) for node in forest)

    @cache
    def distance(a: tuple[Node, ...], b: tuple[Node, ...]) -> float:
        if not a or not b:
            return size(a) + size(b)
        last, other = a[-1], b[-1]
        return min(
            distance(a[:-1] + last.children, b) + 1,
            distance(a, b[:-1] + other.children) + 1,
            distance(last.children, other.children) + distance(a[:-1], b[:-1]) + _Costs().rename(last, other),
        )

    return distance((first,), (second,))


_labels = st.tuples(st.sampled_from("ab"), st.sampled_from(("", "x", "xy", "abc", "abd")))


def _branch(children: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.builds(lambda label, below: Node(*label, tuple(below)), _labels, st.lists(children, max_size=4))


_trees = st.recursive(st.builds(lambda label: Node(*label), _labels), _branch, max_leaves=14)
_cells = st.builds(lambda text, span: Node(("td", span), text), st.text("ab1", max_size=4), st.integers(1, 2))
_rows = st.builds(lambda cells: Node("tr", "", tuple(cells)), st.lists(_cells, max_size=5))
_tables = st.builds(lambda rows: Node("table", "", tuple(rows)), st.lists(_rows, max_size=5))


def _table(rows: int, columns: int, cell: Callable[[int, int], str]) -> Node:
    return Node(
        "table",
        "",
        tuple(Node("tr", "", tuple(Node("td", cell(r, c)) for c in range(columns))) for r in range(rows)),
    )


class TestExact:
    @settings(max_examples=150)
    @given(_trees, _trees)
    def test_any_trees(self, first: Node, second: Node) -> None:
        """On trees of any shape the distance is that of the definition."""
        found = edit_distance(first, second)
        assert found.exact
        assert found.lower == found.upper == pytest.approx(_textbook(first, second), abs=1e-9)

    @settings(max_examples=150)
    @given(_tables, _tables)
    def test_tables(self, first: Node, second: Node) -> None:
        """On tables with ragged rows the distance is apted's."""
        assert edit_distance(first, second).upper == pytest.approx(_apted(first, second), abs=1e-9)

    @settings(max_examples=60)
    @given(_trees, _trees)
    def test_symmetric(self, first: Node, second: Node) -> None:
        """Neither side is favoured."""
        assert edit_distance(first, second).upper == pytest.approx(edit_distance(second, first).upper, abs=1e-9)

    @given(_trees)
    def test_identity(self, tree: Node) -> None:
        """A tree is at distance exactly 0 from itself."""
        assert edit_distance(tree, tree).upper == 0.0

    def test_by_hand(self) -> None:
        """A row inserted costs itself and its cells; half a cell's text costs a half."""
        first = Node("table", "", (Node("tr", "", (Node("td", "ab"),)),))
        second = Node("table", "", (Node("tr", "", (Node("td", "ax"),)), Node("tr", "", (Node("td"), Node("td")))))
        assert edit_distance(first, second).upper == 3.5

    def test_deep(self) -> None:
        """Thousands of levels are no obstacle."""
        deep = Node("a")
        for _ in range(3000):
            deep = Node("b", "", (deep,))
        assert edit_distance(deep, Node("a")).upper == 3000

    def test_middling_table(self) -> None:
        """A table of 60 rows by 15 cells, one row dropped, is priced to the last edit."""
        first = _table(60, 15, lambda row, column: f"r{row}c{column}")
        second = Node("table", "", first.children[:20] + first.children[21:])
        assert edit_distance(first, second).upper == pytest.approx(16.0, abs=1e-9)


class TestBudget:
    @given(_trees, _trees)
    def test_bounds(self, first: Node, second: Node) -> None:
        """Past the budget two bounds hold the exact distance between them."""
        found = edit_distance(first, second, budget=0)
        exact = edit_distance(first, second).upper
        assert found.lower <= exact + 1e-9
        assert exact <= found.upper + 1e-9

    def test_huge_table(self) -> None:
        """A table of 1,000 by 100 cells comes back bounded by the work it would take, not by any clock."""
        first = _table(1000, 100, lambda row, column: str(row * column))
        second = _table(1000, 101, lambda row, column: str(row * column))
        found = edit_distance(first, second)
        assert not found.exact
        assert found.lower == 1000
        assert found.upper == 1000

    def test_nested(self) -> None:
        """What counts is the rows that are filled: of trees nested deep, a few thousand nodes are past the budget."""

        def comb(text: str) -> Node:
            tree = Node("i", text)
            for _ in range(1000):
                tree = Node("div", "", (Node("i", text), Node("i"), tree))
            return tree

        assert not edit_distance(comb("a"), comb("b")).exact

    def test_long_texts(self) -> None:
        """So do the characters of the cells: two tables of long cells are bounded however few these are."""
        first, second = (
            _table(2, 2, lambda row, column, mark=mark: mark * 300_000 + f"{row}{column}") for mark in "ab"
        )
        found = edit_distance(first, second)
        assert not found.exact
        assert found.lower <= 4.0 <= found.upper + 1e-4
