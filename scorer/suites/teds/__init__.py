"""The tree edit distance behind every TEDS and MHS: exact, and in seconds for thousands of cells."""

from scorer.suites.teds.distance import BUDGET, Distance, edit_distance
from scorer.suites.teds.tree import Node, cell_kind

__all__ = ["BUDGET", "Distance", "Node", "cell_kind", "edit_distance"]
