"""The closed list of the suite's axes and KPIs, and what one KPI of one document is.

Source: BizDocBench, axes and KPIs; decisions R6 and R46.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

BUDGETS = (2000, 8000, 32000)
"""Characters of retrieved text at which recall is taken."""

KPIS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "coverage": ("coverage",),
        "speed": ("speed",),
        "hierarchy": ("heading_recall", "heading_precision", "parent_chain_accuracy"),
        "faithfulness": ("nid",),
        "tables": (
            "table_detection_recall",
            "table_detection_precision",
            "table_record_match",
            "table_header_accuracy",
        ),
        "retrieval": tuple(f"recall@{budget}" for budget in BUDGETS),
    }
)
"""Every axis with its KPIs, in the order of a leaderboard."""

AXES = tuple(KPIS)

ANNOTATION: Mapping[str, str] = MappingProxyType(
    {"hierarchy": "hierarchy", "faithfulness": "content", "tables": "tables", "retrieval": "qa"}
)
"""The annotation each quality axis needs, by axis: the axes a document without it does not take part in."""

QUALITY_AXES = tuple(ANNOTATION)

SUPPLEMENTARY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"faithfulness": ("hallucination_rate", "omission_rate")}
)
"""Figures of a document that stand beside an axis' KPIs and enter neither axis nor composite; less is better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kpi:
    """One KPI of one document.

    Attributes:
        value: in 0..1; None when the gold does not define the KPI.
        reason: why ``value`` is None, or what is special about it; empty otherwise.
        lower: with ``upper``, bounds that certainly hold the exact value, when that was too dear to compute. ``value``
            is then the lower one, so that no text gains by being too long to score.
        upper: see ``lower``.
    """

    value: float | None
    reason: str = ""
    lower: float | None = None
    upper: float | None = None

    def __post_init__(self) -> None:
        if self.value is None and not self.reason:
            raise ValueError("reason of a KPI without a value must say why, got an empty text")
        if (self.lower is None) != (self.upper is None):
            raise ValueError(f"lower and upper must be given together, got {self.lower} and {self.upper}")

    @property
    def bounded(self) -> bool:
        """Whether only bounds are known."""
        return self.lower is not None
