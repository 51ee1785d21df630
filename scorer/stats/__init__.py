"""Statistics for every suite: intervals, ranks, slices, comparisons. Pure functions over arrays, no database.

Build `Items` (what was scored, for which system, in which document), gather them with `Items.sums()`, and ask:
`bootstrap` for intervals, `standings` for ranks and gaps, `slices` for parts, `differences` for
difference-in-differences, `without_each_document` and `under_weights` for stability, `agreement` for two runs.
See docs/method/statistics.md.
"""

from scorer.stats.agreement import Agreement, Place, agreement
from scorer.stats.bootstrap import FEW_DOCUMENTS, Bootstrap, Interval, bootstrap
from scorer.stats.comparison import Pair, Standing, beyond_doubt_ranks, holm, pairs, standings
from scorer.stats.differences import DifferenceInDifferences, differences
from scorer.stats.items import Items, Scale, Sums
from scorer.stats.resampling import DEFAULT_RESAMPLES, DEFAULT_SEED
from scorer.stats.slices import SMALL_SLICE, Slice, intersection, slice_of, slices
from scorer.stats.stability import RankRange, under_weights, undone_without, without_each_document

__all__ = [
    "DEFAULT_RESAMPLES",
    "DEFAULT_SEED",
    "FEW_DOCUMENTS",
    "SMALL_SLICE",
    "Agreement",
    "Bootstrap",
    "DifferenceInDifferences",
    "Interval",
    "Items",
    "Pair",
    "Place",
    "RankRange",
    "Scale",
    "Slice",
    "Standing",
    "Sums",
    "agreement",
    "beyond_doubt_ranks",
    "bootstrap",
    "differences",
    "holm",
    "intersection",
    "pairs",
    "slice_of",
    "slices",
    "standings",
    "under_weights",
    "undone_without",
    "without_each_document",
]
