"""The Tables axis.

Source: BizDocBench, Tables; decisions R18 to R26, R41.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A table row in plain text; a merged cell's text stands once, at its top left, covered positions are empty."""

    header: bool
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the gold or of a tool; a tool's rows may differ in width."""

    rows: tuple[Row, ...]
