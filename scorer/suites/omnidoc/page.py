"""One page: gold and predicted markdown in, matched rows out (v1.5, end to end and markdown to markdown).

Source: OmniDocBench v1.5, end-to-end and md2md datasets. Named quirks: EXTRA_TABLES, FIRST_PREDICTION, LATEX_TABLES,
FREE_HALLUCINATIONS, FORMULA_READ_AS_TEXT, RAW_GOLD_FORMULAS.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scorer.suites.levenshtein import CELLS, levenshtein
from scorer.suites.markup import Event, MarkupError, Opened, Text, read
from scorer.suites.omnidoc.arrays import split_gold_arrays, split_predicted_arrays
from scorer.suites.omnidoc.categories import FORMULA, SCORED_TEXT, TABLE
from scorer.suites.omnidoc.gold import GoldBlock, GoldPage
from scorer.suites.omnidoc.latex_text import latex_to_text
from scorer.suites.omnidoc.match import QuickMatch, assign, distances
from scorer.suites.omnidoc.normalise import clean, normalise_formula, normalise_table, normalise_text
from scorer.suites.omnidoc.pieces import Block, Piece
from scorer.suites.omnidoc.rows import PieceLines, gold_lines, piece_lines, quick_rows, reading_order
from scorer.suites.omnidoc.sample import UNKNOWN, OrderSample, Sample
from scorer.suites.omnidoc.split import split

__all__ = ["PageMatch", "Stray", "match_markdown", "match_page"]

_TAG = re.compile(r"<[^>]*>")
_NO_LATEX = (
    "the page's LaTeX tables outnumber its HTML ones, and the gold has no 'latex' of this table to match them with: "
    "it scores 0, as every table of such a page does"
)


@dataclass(frozen=True, slots=True)
class Stray:
    """A predicted text without a gold block: as it was predicted, and how many characters are left of it normalised."""

    text: str
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMatch:
    """A page's rows, by element. `formulas_as_text` are formulas whose prediction is text: they count as text.

    `homeless` are the predicted texts that no gold block of any kind answers to, which the method drops at no cost, in
    the order of the page; `predicted` counts the characters of all normalised predicted text.
    """

    image: str
    text: tuple[Sample, ...]
    formulas: tuple[Sample, ...]
    formulas_as_text: tuple[Sample, ...]
    tables: tuple[Sample, ...]
    order: OrderSample | None
    homeless: tuple[Stray, ...]
    predicted: int


def match_page(page: GoldPage, markdown: str) -> PageMatch:
    """Match a page end to end; raises `GoldError` for a gold block without its content."""
    pieces = split(markdown)
    gold_tables = page.tables()
    tables, cells = _match_tables(page.image, gold_tables, pieces) if gold_tables else ([], [])
    loose = _by_kind(piece for piece in pieces if piece.kind not in ("html_table", "latex_table")) + cells
    lines = piece_lines(split_predicted_arrays(_inline_last(loose)))
    blocks = [_block(block) for block in split_gold_arrays(page.text_and_formulas())]
    rows, match = quick_rows(page.image, gold_lines(blocks), lines)
    if cells and any(row.unknown for row in tables):  # nor is it known which tables' cells are text
        rows = [replace(row, bounds=UNKNOWN) for row in rows]
    text = [row for row in rows if row.gold_category in SCORED_TEXT]
    formulas = [row for row in rows if row.gold_category == FORMULA]
    strays, predicted = _homeless(lines, match)
    free = [] if gold_tables else _tables(piece for piece in pieces if piece.kind in ("html_table", "latex_table"))
    return PageMatch(
        image=page.image,
        text=tuple(text),
        formulas=tuple(row for row in formulas if not _is_text(row)),
        formulas_as_text=tuple(_as_text(row) for row in formulas if _is_text(row)),
        tables=tuple(tables),
        order=reading_order(page.image, text),
        homeless=(*strays, *free),
        predicted=predicted + sum(stray.characters for stray in free),
    )


def match_markdown(image: str, gold_markdown: str, markdown: str) -> PageMatch:
    """Match a page of gold markdown: texts, formulas and tables each among themselves, no category ignored."""
    gold, pieces = split(gold_markdown), split(markdown)
    found: dict[str, list[Sample]] = {}
    homeless: list[Stray] = []
    predicted = 0
    for kind in ("text_all", "equation_isolated", "latex_table", "html_table"):
        ours = [piece for piece in gold if piece.kind == kind]
        theirs = [piece for piece in pieces if piece.kind == kind]
        if kind == "html_table" and found.get("latex_table"):
            continue
        is_table = kind in ("latex_table", "html_table")
        if not ours or (is_table and not theirs):
            lines = piece_lines(theirs)
            pairs = zip(lines.raw, lines.norm, strict=True)
            strays = _tables(theirs) if is_table else [Stray(raw, len(norm)) for raw, norm in pairs]
            homeless += strays
            predicted += sum(stray.characters for stray in strays)
            continue
        lines = piece_lines(split_predicted_arrays(_inline_last(theirs)))
        rows, match = quick_rows(image, gold_lines(_gold_piece(piece) for piece in ours), lines)
        if not is_table:
            strays, total = _homeless(lines, match)
            homeless += strays
            predicted += total
        found[kind] = rows
    tables = [_normalised_table(row) for kind in ("latex_table", "html_table") for row in found.get(kind, [])]
    text = found.get("text_all", [])
    return PageMatch(
        image=image,
        text=tuple(text),
        formulas=tuple(row for row in found.get("equation_isolated", []) if row.gold_category != "equation_inline"),
        formulas_as_text=(),
        tables=tuple(tables),
        order=reading_order(image, text),
        homeless=tuple(homeless),
        predicted=predicted,
    )


def _by_kind(pieces: Iterable[Piece]) -> list[Piece]:
    groups: dict[str, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(piece.kind, []).append(piece)
    return [piece for group in groups.values() for piece in group]


def _inline_last(pieces: list[Piece]) -> list[Piece]:
    return sorted(pieces, key=lambda piece: (piece.fine == "equation_inline", piece.start))


def _block(block: GoldBlock) -> Block:
    formula = block.category == FORMULA
    text = block.content("latex" if formula else "text")
    norm = normalise_formula(text) if formula else normalise_text(text)
    return Block(block.category, text, norm, block.order or None, block.attribute, block.id)


def _gold_piece(piece: Piece) -> Block:
    """Take a piece of gold markdown as a block: only texts are normalised, formulas and tables stay as they are."""
    norm = normalise_text(piece.content) if piece.kind == "text_all" else piece.content
    return Block(piece.category, piece.content, norm, piece.start)


def _match_tables(image: str, gold: Sequence[GoldBlock], pieces: list[Piece]) -> tuple[list[Sample], list[Piece]]:
    """Assign tables by the distance of their markup; return the rows, and the cells of tables left over as texts."""
    html = [piece for piece in pieces if piece.kind == "html_table"]
    latex = [piece for piece in pieces if piece.kind == "latex_table"]
    as_latex = len(latex) > len(html)
    predicted = latex if as_latex else html
    shown = [block.content("html") for block in gold]
    markup = [block.latex for block in gold] if as_latex else shown
    kept = [(raw, form, block.id) for raw, form, block in zip(shown, markup, gold, strict=True) if raw and form != ""]
    contents = [piece.content for piece in predicted if piece.content]
    forms = {index: form for index, (_, form, _) in enumerate(kept) if form is not None}
    costs, bounded = _table_costs(list(forms.values()), contents)
    pairs = assign(costs) if forms and contents else []
    if not any(costs[pair] for pair in pairs):
        bounded = False  # all that are paired are equal: no assignment costs less
    places = list(forms)
    partner = {places[row]: (column, float(costs[row, column])) for row, column in pairs}
    rows: list[Sample] = []
    for index, (raw, form, identifier) in enumerate(kept):
        column, edit = partner.get(index, (None, 1.0))
        named = column or None  # the reference takes index 0 for none when it looks up category and position
        rows.append(
            Sample(
                image=image,
                gold=raw,
                predicted="" if column is None or as_latex else contents[column],
                norm_gold="",
                norm_predicted="",
                gold_index=(index,),
                gold_ids=(identifier,),
                piece_index=() if column is None else (column,),
                gold_category=TABLE,
                piece_category="" if named is None else predicted[named].category,
                gold_position=(gold[index].order or None,),
                piece_position=None if named is None else predicted[named].start,
                attributes=(gold[index].attribute,),
                edit=1.0 if as_latex else edit,
                blanked=as_latex,
                error=_NO_LATEX if form is None else None,
                bounds=UNKNOWN if bounded and form is not None else {},
            )
        )
    taken = {column for column, _ in partner.values()}
    left = [index for index in range(len(contents)) if index not in taken] if kept else []
    cells = [cell for index in left for cell in _cells(predicted[index])]
    return [_normalised_table(row) for row in rows], cells


def _table_costs(gold: Sequence[str], predicted: Sequence[str]) -> tuple[NDArray[np.float64], bool]:
    """Return the distances, and false; past the work budget, 0 for equal tables and 1 for others, and true.

    One table on each side can only be paired with the other: its distance may be a bound, its row is the method's.
    """
    if sum(map(len, gold)) * sum(map(len, predicted)) <= CELLS:
        return distances(gold, predicted), False
    if len(gold) == len(predicted) == 1:
        edits = levenshtein(gold[0], predicted[0])
        return np.array([[edits.upper / max(len(gold[0]), len(predicted[0]))]]), False
    return np.array([[float(ours != theirs) for theirs in predicted] for ours in gold]), True


def _normalised_table(row: Sample) -> Sample:
    try:
        return replace(row, norm_gold=normalise_table(row.gold), norm_predicted=normalise_table(row.predicted))
    except MarkupError as fault:
        return replace(row, error=str(fault))


def _cells(table: Piece) -> list[Piece]:
    """List the texts of a table's cells; none of one that cannot be read."""
    try:
        strings = _cell_strings(read(table.content))
    except MarkupError:
        return []
    texts = [text.replace(r"$\cdot$", "").strip() for text in strings if text]
    return [replace(table, kind="text_all", content=text) for text in texts]


def _cell_strings(events: Iterable[Event]) -> list[str | None]:
    """Return each cell's text, as they begin; None where the cell, or any element down to the text, holds more."""
    strings: list[str | None] = []
    open_elements: list[tuple[int | None, list[str | None]]] = [
        (None, [])
    ]  # a cell's place in `strings`; what it holds
    for event in events:
        if isinstance(event, Opened):
            open_elements.append((len(strings) if event.name == "td" else None, []))
            if event.name == "td":
                strings.append(None)
            continue
        text: str | None = None
        if isinstance(event, Text):
            text = event.content
        else:
            cell, held = open_elements.pop()
            text = held[0] if len(held) == 1 else None
            if cell is not None:
                strings[cell] = text
        if len(open_elements[-1][1]) < 2:  # enough to know that there is more than one
            open_elements[-1][1].append(text)
    return strings


def _is_text(row: Sample) -> bool:
    return row.piece_category not in ("equation_inline", "equation_isolated", "")


def _as_text(row: Sample) -> Sample:
    """Rewrite a formula's gold as text, to be compared with the text that was predicted for it."""
    try:
        gold = latex_to_text(row.gold)
    except Exception:
        gold = row.gold
    return replace(row, gold=gold, norm_gold=clean(gold))


def _tables(pieces: Iterable[Piece]) -> list[Stray]:
    """Take predicted tables as texts without a gold block."""
    return [Stray(piece.content, len(clean(_TAG.sub(" ", piece.content)))) for piece in pieces]


def _homeless(lines: PieceLines, match: QuickMatch) -> tuple[list[Stray], int]:
    """List the texts in no row and near no ignored block, and count all; inline formulas stand in their text."""
    placed = match.ignored_pieces.union(*(pair.pieces for pair in match.pairs if pair.gold))
    homeless: list[Stray] = []
    predicted = 0
    for index, (norm, inline) in enumerate(zip(lines.norm, lines.inline, strict=True)):
        if inline:
            continue
        predicted += len(norm)
        if index not in placed:
            homeless.append(Stray(lines.raw[index], len(norm)))
    return homeless, predicted
