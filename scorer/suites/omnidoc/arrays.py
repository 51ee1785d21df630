"""Formulas set as a one-column array count as one formula a line, on both sides (v1.5).

Source: OmniDocBench v1.5, array splitting.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from scorer.suites.omnidoc.categories import FORMULA
from scorer.suites.omnidoc.gold import GoldBlock
from scorer.suites.omnidoc.pieces import Piece

__all__ = ["split_gold_arrays", "split_predicted_arrays"]

_BEGIN, _END = r"\begin{array}{", r"\end{array}"


def split_gold_arrays(blocks: Iterable[GoldBlock]) -> Iterator[GoldBlock]:
    """Yield the blocks, each line of an array a block of its own, its order a tenth after the one before."""
    for block in blocks:
        body = _one_column(block.latex or "") if block.category == FORMULA else None
        if body is None:
            yield block
            continue
        for number, line in enumerate(_lines(body[1]), 1):
            yield replace(block, latex=rf"\[{line}\]", order=round(float(block.order or 0) + number / 10, 1))


def split_predicted_arrays(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces, each line of an array a piece of its own, where it stood."""
    for piece in pieces:
        found = _one_column(piece.content) if piece.kind == "equation_isolated" else None
        if found is None:
            yield piece
            continue
        offset, body = found
        cursor = 0
        for line in _lines(body):
            cursor = body.find(line, cursor)
            start = piece.start + offset + cursor
            cursor += len(line)
            yield replace(piece, content=rf"\[{line}\]", start=start, end=start + len(line) - 1)


def _one_column(latex: str) -> tuple[int, str] | None:
    """Find the body of the first array, and where it starts, if the array has a single column, ruled or not."""
    start = latex.find(_BEGIN)
    columns_end = latex.find("}", start + len(_BEGIN))
    end = latex.find(_END, columns_end)
    if min(start, columns_end, end) < 0:
        return None
    columns = "".join(latex[start + len(_BEGIN) : columns_end].replace("|", "").split())
    return (columns_end + 1, latex[columns_end + 1 : end]) if columns in {"l", "c", "r"} else None


def _lines(body: str) -> list[str]:
    return [line for raw in body.split(r"\\") if (line := raw.strip())]
