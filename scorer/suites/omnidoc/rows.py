"""From matched indices to scored rows (v1.5).

Source: OmniDocBench v1.5, quick match, its last step. Named quirks: SHIFTED_POSITIONS, FREE_HALLUCINATIONS.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from scorer.suites.omnidoc.categories import FORMULA, IGNORED_TEXT
from scorer.suites.omnidoc.match import Pair, QuickMatch, quick_match
from scorer.suites.omnidoc.normalise import normalise_formula, normalise_text
from scorer.suites.omnidoc.pieces import Attribute, Block, Piece, Position
from scorer.suites.omnidoc.sample import UNKNOWN, OrderSample, Sample

__all__ = ["GoldLines", "PieceLines", "gold_lines", "piece_lines", "quick_rows", "reading_order"]


@dataclass(frozen=True, slots=True)
class GoldLines:
    """Gold texts that are not empty, with their ids; positions and attributes of *all* blocks.

    The reference drops lines without text but not the items they came from, and then looks both up by one index: a
    dropped line shifts the positions and attributes of those behind it.
    """

    raw: tuple[str, ...]
    norm: tuple[str, ...]
    categories: tuple[str, ...]
    ids: tuple[object, ...]
    positions: tuple[Position, ...]
    attributes: tuple[Attribute, ...]


@dataclass(frozen=True, slots=True)
class PieceLines:
    """Predicted texts that are not empty, and which of them are inline formulas, which stand in a text as well.

    Positions and categories are those of *all* pieces (see `GoldLines`).
    """

    raw: tuple[str, ...]
    norm: tuple[str, ...]
    inline: tuple[bool, ...]
    positions: tuple[int, ...]
    categories: tuple[str, ...]


def gold_lines(blocks: Iterable[Block]) -> GoldLines:
    """Line up the gold blocks."""
    items = tuple(blocks)
    kept = [item for item in items if item.text and item.norm]
    return GoldLines(
        raw=tuple(item.text for item in kept),
        norm=tuple(item.norm for item in kept),
        categories=tuple(item.category for item in kept),
        ids=tuple(item.id for item in kept),
        positions=tuple(item.position for item in items),
        attributes=tuple(item.attribute for item in items),
    )


def piece_lines(pieces: Iterable[Piece]) -> PieceLines:
    """Line up the predicted pieces, texts and formulas each normalised their way, tables not at all."""
    items = tuple(pieces)
    norms = [_NORMALISERS.get(item.kind, str)(item.content) for item in items]
    kept = [(item, norm) for item, norm in zip(items, norms, strict=True) if item.content and norm]
    return PieceLines(
        raw=tuple(item.content for item, _ in kept),
        norm=tuple(norm for _, norm in kept),
        inline=tuple(item.fine == "equation_inline" for item, _ in kept),
        positions=tuple(item.start for item in items),
        categories=tuple(item.category for item in items),
    )


_NORMALISERS = {"text_all": normalise_text, "equation_isolated": normalise_formula}


def quick_rows(image: str, gold: GoldLines, pieces: PieceLines) -> tuple[list[Sample], QuickMatch]:
    """Match, and build the rows that have gold."""
    ignored = [category in IGNORED_TEXT for category in gold.categories]
    match = quick_match(gold.norm, ignored, pieces.norm)
    bounds = UNKNOWN if match.bounded else {}
    return [replace(_row(image, pair, gold, pieces), bounds=bounds) for pair in match.pairs if pair.gold], match


def _row(image: str, pair: Pair, gold: GoldLines, pieces: PieceLines) -> Sample:
    categories = [gold.categories[index] for index in pair.gold]
    scored = [category for category in categories if category not in IGNORED_TEXT] or categories
    category = Counter(scored).most_common(1)[0][0]
    piece_category = pieces.categories[pair.pieces[0]] if pair.pieces else ""
    return Sample(
        image=image,
        gold=_join([gold.raw[index] for index in pair.gold], formula=category == FORMULA),
        predicted=_join([pieces.raw[index] for index in pair.pieces], formula="equation" in piece_category),
        norm_gold="".join(gold.norm[index] for index in pair.gold),
        norm_predicted="".join(pieces.norm[index] for index in pair.pieces),
        gold_index=pair.gold,
        gold_ids=tuple(gold.ids[index] for index in pair.gold),
        piece_index=pair.pieces,
        gold_category=category,
        piece_category=piece_category,
        gold_position=tuple(gold.positions[index] for index in pair.gold),
        piece_position=pieces.positions[pair.pieces[0]] if pair.pieces else None,
        attributes=tuple(gold.attributes[index] for index in pair.gold),
        edit=pair.edit,
    )


def _join(texts: Sequence[str], *, formula: bool) -> str:
    """Join the texts of a row: formulas as the lines of an array, anything else without a space."""
    if not formula or len(texts) < 2:
        return "".join(texts)
    lines = [f"{{{text.strip('$').strip(chr(10))}}}" for text in texts]
    return r"\begin{array}{l} " + r" \\ ".join(lines) + r" \end{array}"


def reading_order(image: str, rows: Iterable[Sample]) -> OrderSample | None:
    """Compare the gold positions in order with the same in the order of their predictions; None for a page without any.

    A position of 0, or none, does not count.
    """
    rows = tuple(rows)
    placed = [row for row in rows if row.gold_position != (None,)]
    gold = sorted(position for row in placed for position in row.gold_position if position)
    predicted_rows = [row for row in placed if row.piece_position is not None]
    predicted_rows.sort(key=lambda row: row.piece_position or 0)
    predicted = [position for row in predicted_rows for position in row.gold_position if position]
    if not gold and not predicted:
        return None
    unknown = any(row.unknown for row in rows)
    edits = max(len(gold), len(predicted)) if unknown else Levenshtein.distance(gold, predicted)
    bounds = UNKNOWN if unknown else {}
    return OrderSample(image=image, gold=tuple(gold), predicted=tuple(predicted), edits=edits, bounds=bounds)
