"""What a measure says of two documents: a similarity, or bounds on one that would be too dear to compute."""

from dataclasses import dataclass

from scorer.suites.bizdoc import longest_common_subsequence
from scorer.suites.teds import BUDGET, Node, edit_distance

__all__ = ["NONE", "UNKNOWN", "Similarity", "of_texts", "of_trees"]


@dataclass(frozen=True, slots=True)
class Similarity:
    """Bounds on a similarity, 1 at most, equal when it is exact; the lower one is the score."""

    lower: float
    upper: float


NONE = Similarity(0.0, 0.0)
UNKNOWN = Similarity(0.0, 1.0)


def of_texts(gold: str, predicted: str) -> Similarity:
    """Return the Indel similarity of two texts of which one at least is not empty."""
    total = len(gold) + len(predicted)
    common = longest_common_subsequence.length(gold, predicted)
    return Similarity(1 - (total - 2 * common.lower) / total, 1 - (total - 2 * common.upper) / total)


def of_trees(gold: Node, predicted: Node, nodes: int, *, budget: int = BUDGET) -> Similarity:
    """Return 1 less the edit distance over a number of nodes."""
    distance = edit_distance(gold, predicted, budget=budget)
    return Similarity(1.0 - distance.upper / nodes, 1.0 - distance.lower / nodes)
