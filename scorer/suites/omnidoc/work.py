"""The work a page's matching may take: counted in what is computed, never in seconds."""

__all__ = ["CELLS", "OverBudget", "Work"]

CELLS = 500_000_000_000
"""Cells of comparisons up to which a step of the matching is exact: of 50 blocks against 100,000 short pieces, say."""

_CALL = 1 << 14
"""What a comparison costs beside its cells."""


class OverBudget(Exception):
    """A step would take more work than it may."""


class Work:
    """What is left of a step's budget."""

    def __init__(self, cells: int) -> None:
        self._left = cells

    def compare(self, first: int, second: int, *, times: int = 1) -> None:
        """Pay for comparing a text of one length with others of a total length; raises `OverBudget`."""
        self.spend(first * second + times * _CALL)

    def spend(self, cells: int) -> None:
        """Pay for cells; raises `OverBudget`."""
        self._left -= cells
        if self._left < 0:
            raise OverBudget
