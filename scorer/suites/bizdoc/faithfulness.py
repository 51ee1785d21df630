"""The Faithfulness axis: nid.

The similarity of two whole texts on purpose: page furniture that a tool leaves out costs its share of characters.

Source: BizDocBench, Faithfulness; decisions R11 and R52.
"""

from dataclasses import dataclass

from scorer.suites.bizdoc import longest_common_subsequence as lcs
from scorer.suites.bizdoc import text

LONGEST = 64_000_000
"""Characters read of one text at most; beyond it nothing is known of nid but that it lies in 0..1."""


@dataclass(frozen=True, slots=True)
class Nid:
    """Bounds on the similarity, in 0..1; equal when it is exact."""

    lower: float
    upper: float

    @property
    def bounded(self) -> bool:
        """Whether the exact value was too dear to compute."""
        return self.lower != self.upper


UNKNOWN = Nid(0.0, 1.0)
"""Of texts that are not read."""


def nid(gold: str, pred: str, *, cells: int = lcs.CELLS, longest: int = LONGEST) -> Nid:
    """Return how alike a tool's text and the gold's content are after normalising both.

    Equal to ``fuzz.ratio(gold, pred) / 100`` of rapidfuzz 3 on the normal forms; 1 for two empty texts.

    Args:
        gold: content of the gold.
        pred: the tool's text.
        cells: work budget of the comparison, in cells of the exact computation.
        longest: characters read of one text at most.
    """
    normalised = text.normalise(gold)
    if not readable(normalised, pred, longest=longest):
        return UNKNOWN
    return similarity(normalised, text.normalise(pred), cells=cells)


def readable(gold: str, pred: str, *, longest: int = LONGEST) -> bool:
    """Return whether the gold's normal form and a tool's text are both short enough to be read."""
    return max(len(gold), len(pred)) <= longest


def similarity(a: str, b: str, *, cells: int = lcs.CELLS) -> Nid:
    """Return the normalised indel similarity of two texts as they are."""
    total = len(a) + len(b)
    if not total:
        return Nid(1.0, 1.0)
    common = lcs.length(a, b, cells=cells)
    return Nid(1 - (total - 2 * common.lower) / total, 1 - (total - 2 * common.upper) / total)
