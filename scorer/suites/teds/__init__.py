"""The tree edit distance behind every TEDS and MHS: exact, and in seconds for thousands of cells."""

from scorer.suites.teds.distance import BUDGET, Distance, edit_distance
from scorer.suites.teds.tree import Node

__all__ = ["BUDGET", "Distance", "Node", "edit_distance"]
