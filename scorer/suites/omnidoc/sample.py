"""A scored row: what was compared with what, and what the metrics made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scorer.suites.omnidoc.pieces import Attribute, Position

__all__ = ["UNKNOWN", "Element", "OrderSample", "Sample"]

Element = str
"""`text_block`, `display_formula`, `table` or `reading_order`: what a page is scored on."""


UNKNOWN: Mapping[str, tuple[float, float]] = dict.fromkeys(
    ("Edit_dist", "TEDS", "TEDS_structure_only", "CDM"), (0.0, 1.0)
)
"""The bounds of a row that the method might have made otherwise, had its page's matching stayed within its budget.

Such a row's scores are the worst there are: what it was compared with says nothing of what the method would have.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A gold text (one block or several joined) and its prediction, raw and normalised, with where each came from.

    `gold_ids` are the annotation's ids of the blocks, None where it gives none (a piece of gold markdown).
    `edit` is the distance the matching stored; `metric` holds the scores, by the reference's names. `error` says why a
    metric that could not be computed scored 0. `bounds` holds, per metric, the least and the most an exact score could
    be where a work budget was met.
    """

    image: str
    gold: str
    predicted: str
    norm_gold: str
    norm_predicted: str
    gold_index: tuple[int, ...] = ()
    gold_ids: tuple[object, ...] = ()
    piece_index: tuple[int, ...] = ()
    gold_category: str = ""
    piece_category: str = ""
    gold_position: tuple[Position, ...] = ()
    piece_position: int | None = None
    attributes: tuple[Attribute, ...] = ()
    edit: float = 1.0
    blanked: bool = False
    metric: Mapping[str, float] = field(default_factory=dict)
    edits: int | None = None
    longest: int = 0
    error: str | None = None
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def unknown(self) -> bool:
        """Tell whether the method might have compared something else, as its page's matching was cut short."""
        return self.bounds == UNKNOWN

    @property
    def compared(self) -> tuple[str, str]:
        """Return gold and prediction as the metrics see them: normalised, or raw where normalising leaves nothing."""
        return self.norm_gold or self.gold, self.norm_predicted or self.predicted

    def scored(self, **metric: float) -> "Sample":
        """Return the sample with scores added."""
        return replace(self, metric={**self.metric, **metric})


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderSample:
    """A page's reading order: the gold positions in gold order, and the same in the order of their predictions.

    `bounds` are those of the rows that it is read from.
    """

    image: str
    gold: tuple[int | float, ...]
    predicted: tuple[int | float, ...]
    edits: int
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def metric(self) -> Mapping[str, float]:
        """Return the score, by the reference's name."""
        return {"Edit_dist": self.edit}

    @property
    def longest(self) -> int:
        """Return the longer of the two lists' lengths."""
        return max(len(self.gold), len(self.predicted))

    @property
    def edit(self) -> float:
        """Return the edits over the longer list's length."""
        return self.edits / self.longest
