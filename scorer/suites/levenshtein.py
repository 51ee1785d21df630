"""The Levenshtein distance of two texts: exact within a fixed amount of work, else between certified bounds."""

from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from scorer.suites.bizdoc import longest_common_subsequence

__all__ = ["CELLS", "Edits", "levenshtein"]

CELLS = 1_000_000_000_000
"""The work budget: cells of the exact computation. Two texts of a million characters fit in it whatever they say, and
longer ones that are nearly the same."""


@dataclass(frozen=True, slots=True)
class Edits:
    """Bounds on a number of edits; equal when it is exact."""

    lower: int
    upper: int


def levenshtein(a: str, b: str, *, cells: int = CELLS) -> Edits:
    """Count the insertions, deletions and replacements between two texts; what decides is `cells`, never a clock."""
    if len(a) * len(b) <= cells:
        exact = Levenshtein.distance(a, b)
        return Edits(exact, exact)
    longer = max(len(a), len(b))
    band = cells // (2 * longer)  # as many edits as the budget pays for
    found = Levenshtein.distance(a, b, score_cutoff=band)
    if found <= band:
        return Edits(found, found)
    common = longest_common_subsequence.length(a, b, cells=cells)
    # Characters that are kept are a common subsequence; the others of the longer text cost an edit each.
    return Edits(max(found, longer - common.upper), min(longer, len(a) + len(b) - 2 * common.lower))
