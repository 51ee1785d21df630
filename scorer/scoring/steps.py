"""What a scoring tells while it goes on, and how it fails."""

from dataclasses import dataclass


class ScoringFailed(Exception):
    """A run could not be scored; its earlier figures are as they were."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is, and what its last completed step was about."""

    stage: str
    completed: int
    total: int
    current: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """The end: how many figures were written, and remarks."""

    run_id: str
    kpis: int
    warnings: tuple[str, ...]
