"""What the matching reads: pieces of a predicted page and blocks of a gold page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Attribute", "Block", "Kind", "Piece", "Position"]

Kind = Literal["text_all", "equation_isolated", "html_table", "latex_table"]
Position = int | float | None
Attribute = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of predicted markdown: where it stood, its content, and the finer type the reference gives it."""

    kind: Kind
    start: int
    end: int
    content: str
    fine: str | None = None
    language: str | None = None

    @property
    def category(self) -> str:
        """Name the piece as a result row does: by its finer type if it has one."""
        return self.fine or self.kind


@dataclass(frozen=True, slots=True)
class Block:
    """A block to be matched: category, raw and normalised text, place in the reading order, attributes, id."""

    category: str
    text: str
    norm: str
    position: Position
    attribute: Attribute = field(default_factory=dict)
    id: object = None
