"""What a renderer hands over: the file, and a record of what it set down where."""

from dataclasses import dataclass, replace
from typing import Literal

from annotations.generator.model import Row

Format = Literal["pdf", "docx", "pptx", "html"]


@dataclass(frozen=True, slots=True)
class HeadingPiece:
    """A heading as it stands in the document; ``page`` from 1, None where the format has no pages."""

    text: str
    level: int
    page: int | None = None


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Any other text: paragraph, list item, footnote, caption, running header or footer."""

    text: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class TablePiece:
    """A table, or the part of one that stands on one page.

    Attributes:
        id: the source table's.
        header: the header rows as printed with this part.
        body: the data rows of this part.
        continues: whether it carries on the table of the same id begun on an earlier page.
    """

    id: str
    header: tuple[Row, ...]
    body: tuple[Row, ...]
    continues: bool = False
    page: int | None = None


Piece = HeadingPiece | TextPiece | TablePiece


@dataclass(frozen=True, slots=True)
class Rendition:
    """A rendered document: its bytes, its pieces in reading order, its page count where the format has pages."""

    format: Format
    content: bytes
    pieces: tuple[Piece, ...]
    pages: int | None


def on_page(piece: Piece, page: int) -> Piece:
    """The piece, placed."""
    return replace(piece, page=page)
