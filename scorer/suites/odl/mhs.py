"""MHS, and MHS-S without the texts: the tree edit distance of the headings and what stands under each.

Source: opendataloader-bench, heading-level evaluator. All levels are alike: the headings are siblings.
"""

import re

from scorer.suites.odl.similarity import NONE, Similarity, of_trees
from scorer.suites.teds import Node

__all__ = ["mhs"]

_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")


def mhs(gold: str, predicted: str) -> tuple[Similarity, Similarity] | None:
    """Compare two texts whose pipe tables are HTML already: MHS and MHS-S, or None when the gold has no heading."""
    gold_tree = _tree(gold)
    if gold_tree is None:
        return None
    predicted_tree = _tree(predicted)
    if predicted_tree is None:
        return NONE, NONE
    return _similarity(gold_tree, predicted_tree), _similarity(_bare(gold_tree), _bare(predicted_tree))


def _tree(text: str) -> Node | None:
    """Build document → headings → content; None for a text without headings."""
    preface: list[str] = []
    headings: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if match := _HEADING.match(line):
            headings.append((_collapse([match[2]]), []))
        elif line.strip():
            (headings[-1][1] if headings else preface).append(line.strip())
    if not headings:
        return None
    nodes = [Node("content", _collapse(preface))] if preface else []
    nodes += [Node("heading", title, (Node("content", _collapse(body)),) if body else ()) for title, body in headings]
    return Node("document", "", tuple(nodes))


def _collapse(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _bare(tree: Node) -> Node:
    return Node(tree.kind, "", tuple(_bare(child) for child in tree.children))


def _count(tree: Node) -> int:
    return 1 + sum(_count(child) for child in tree.children)


def _similarity(gold: Node, predicted: Node) -> Similarity:
    found = of_trees(gold, predicted, max(_count(gold), _count(predicted)))
    return Similarity(*(min(max(bound, 0.0), 1.0) for bound in (found.lower, found.upper)))
