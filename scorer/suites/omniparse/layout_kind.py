"""`layout_kind`: the block that holds a place carries the right label.

Source: OmniParseBench 1.0.0rc1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.suites.omniparse.blocks import Block, Box
from scorer.suites.omniparse.content import Mark, Text, mark

_LEAST_SHARE = 0.5
_PASSING = {"text": ("text", "list", "form")}
"""Kinds for which more labels than their own pass: lists and forms are running text too."""


@dataclass(frozen=True, slots=True)
class LayoutKind:
    """The place to look up (`content.place`; its text is never compared) and the label expected there."""

    content: Text
    kind: str


def layout_kind(test: LayoutKind, blocks: Sequence[Block]) -> Mark:
    """Tell whether the block holding the place has the label; for `text`, list and form blocks are text too."""
    block = holder(test.content.place, blocks)
    if block is None:
        return False, f"no block covers {_LEAST_SHARE:.0%} of its place"
    passing = _PASSING.get(test.kind, (test.kind,))
    return mark(
        block.label in passing, f"its block is labelled {block.label!r}, not {test.kind!r}: {block.text[:60]!r}"
    )


def holder(place: Sequence[Box], blocks: Sequence[Block]) -> Block | None:
    """Return the smallest block covering at least half of the place's area (the first of equals), or None."""
    whole = sum(_overlap(box, box) for box in place)
    smallest: tuple[float, Block] | None = None
    for block in blocks if whole else ():
        size = _overlap(block.bbox, block.bbox)
        if sum(_overlap(box, block.bbox) for box in place) / whole >= _LEAST_SHARE:
            smallest = (size, block) if smallest is None or size < smallest[0] else smallest
    return smallest[1] if smallest else None


def _overlap(one: Box, other: Box) -> float:
    """Return the area two boxes share: with itself, a box's own, which is 0 when its corners are inverted."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width * height if width > 0 and height > 0 else 0.0
