"""A page's layout blocks, read and checked.

Source: OmniParseBench 1.0.0rc1, `blocks` output.
"""

from dataclasses import dataclass
from typing import Any

from scorer.suites.omniparse.vocabulary import LABELS

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 as fractions of the page, origin at the top left."""

_REQUIRED = frozenset({"label", "bbox"})
_KEYS = _REQUIRED | {"text"}


class MalformedOutputError(ValueError):
    """An output whose shape cannot be read: the parser's fault, so the output's tests fail with this reason."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block: a label of `LABELS`, its box, and its text ("" when not given; never compared)."""

    label: str
    bbox: Box
    text: str


def read_blocks(raw: Any) -> tuple[Block, ...]:
    """Read a `blocks` output; one bad block makes the whole output malformed.

    Raises:
        MalformedOutputError: naming the first bad block and what is wrong with it.
    """
    if not isinstance(raw, list):
        raise MalformedOutputError(f"blocks must be a list, not {type(raw).__name__}: {raw!r:.80}")
    return tuple(_read_block(index, block) for index, block in enumerate(raw))


def _read_block(index: int, raw: Any) -> Block:
    if not isinstance(raw, dict) or not (_REQUIRED.issubset(raw) and _KEYS.issuperset(raw)):
        raise MalformedOutputError(f"block {index} isn't an object of label, bbox and text: {raw!r:.80}")
    label, box, text = raw["label"], as_box(raw["bbox"]), raw.get("text")
    if label not in LABELS:
        raise MalformedOutputError(f"block {index}: label {label!r} isn't one of {LABELS}")
    if box is None:
        raise MalformedOutputError(f"block {index}: bbox {raw['bbox']!r:.80} isn't four numbers from 0 to 1")
    if text is not None and not isinstance(text, str):
        raise MalformedOutputError(f"block {index}: its text is neither a string nor null: {text!r:.80}")
    return Block(label, box, text or "")


def as_box(raw: Any) -> Box | None:
    """Return four numbers from 0 to 1 as a box, its corners in any order; None for anything else."""
    if not isinstance(raw, list | tuple) or len(raw) != 4:
        return None
    for number in raw:
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 1:
            return None
    x0, y0, x1, y1 = map(float, raw)
    return x0, y0, x1, y1
