"""What the reference does that its paper's reader would not expect, each by name, and its effect on a score (v1.5).

All of them are reproduced. Modules name the quirks they carry in their docstrings; `docs/method/omnidoc.md` lists them.
"""

from dataclasses import dataclass

__all__ = ["QUIRKS", "Quirk"]


@dataclass(frozen=True, slots=True)
class Quirk:
    """A quirk: its name, what happens, and what that does to a score."""

    name: str
    rule: str
    effect: str


QUIRKS = (
    Quirk(
        "CLOSING_FENCES",
        "every closing code fence is deleted first, so that a code block is hardly ever seen as one",
        "code is matched as text, its opening fence and language included",
    ),
    Quirk(
        "TABULAR_SLICE",
        "a LaTeX tabular is cut one character too late",
        "the character behind it is lost",
    ),
    Quirk(
        "DOLLAR_AMOUNTS",
        "any text between two dollar signs is an inline formula, across lines",
        "`$5 … $7` becomes a formula of its own, though it stays in the text as well",
    ),
    Quirk(
        "POSITIONS_WITHOUT_SEPARATORS",
        "positions of text count characters without the blank lines between pieces, positions of formulas with them",
        "on long pages a formula's place drifts against the text around it; the text's own order is not affected",
    ),
    Quirk(
        "RULE_LIKE_ROWS",
        "when pipe tables are merged, every line of their HTML with a colon or `---` is dropped",
        "a cell that contains a colon disappears from its table",
    ),
    Quirk(
        "LINE_BEFORE_PIPES",
        "where pipe tables become HTML, the line right before a table goes",
        "a caption without a blank line between it and its pipe table is lost; a blank line costs nothing",
    ),
    Quirk(
        "SLASH_T",
        "the two characters /t and /n are deleted like a tab and a newline",
        "`/tnt/name` is compared as `ntame`, on both sides alike",
    ),
    Quirk(
        "DELETED_WORDS",
        "formula commands are deleted as substrings, in a fixed order",
        "`\\textstyle` leaves `style`, `\\leftarrow` leaves `arrow`, on both sides alike",
    ),
    Quirk(
        "IGNORE_FLAG",
        "the annotation's `ignore` flag is not read",
        "ignored blocks are scored like any other",
    ),
    Quirk(
        "CHAIN_OF_TRUNCATIONS",
        "a text cut into three is joined with its middle part twice",
        "a prediction that reads it once loses that part's length",
    ),
    Quirk(
        "EXTRA_TABLES",
        "tables beyond the gold's count are not penalised; their cells become text",
        "they cost nothing unless a cell takes part in a match; on a page without gold tables they are dropped",
    ),
    Quirk(
        "FIRST_PREDICTION",
        "the first predicted table is taken for none when category and position are looked up",
        "only the stored row is affected, no score",
    ),
    Quirk(
        "LATEX_TABLES",
        "where LaTeX tables outnumber HTML ones they are matched and then blanked",
        "every table of the page scores 0",
    ),
    Quirk(
        "FREE_HALLUCINATIONS",
        "predicted text that no gold block answers to is dropped",
        "invented text costs nothing; the share of it is reported as `homeless`",
    ),
    Quirk(
        "FORMULA_READ_AS_TEXT",
        "a formula whose prediction is text leaves the formulas and joins the text, if there is any text",
        "it no longer counts against formulas, and counts in text instead",
    ),
    Quirk(
        "RAW_GOLD_FORMULAS",
        "markdown to markdown, gold formulas are not normalised while predicted ones are",
        "a perfect prediction of a formula scores below 1",
    ),
    Quirk(
        "SHIFTED_POSITIONS",
        "lines that normalise to nothing are dropped, but positions and attributes are looked up in the full list",
        "blocks behind such a line take the position and attributes of an earlier one, which moves the reading order",
    ),
    Quirk(
        "SET_ORDER",
        "what both sides left over is paired in the order of Python sets",
        "ties between equally near pairs depend on it",
    ),
    Quirk(
        "PIECE_IN_TWO_ROWS",
        "a block without a match is looked for in every single piece, also in one that was joined for another block",
        "such a piece stands in two rows and counts in both: text predicted once can answer to two blocks",
    ),
    Quirk(
        "VANISHING_PIECES",
        "a piece in which only gold that is matched already is found again leaves the pool",
        "it can no longer be paired with anything, at no cost",
    ),
    Quirk(
        "MALFORMED_TABLE",
        "a table that raises an error scores 0",
        "the row scores 0; here it also keeps the error",
    ),
    Quirk(
        "TAGS_IN_CELLS",
        "every tag inside a cell counts as an element of its table, by whose number the distance is divided",
        "a cell costs 1 at most whatever is in it, so tags repeated in one bring any table near 1: for four cells a "
        "single wrong one has TEDS 0.167, and 0.975 with 200 `<br>` in it",
    ),
    Quirk(
        "MISSING_PAGES",
        "a page without a prediction file is left out of every denominator",
        "a parser that fails on a page is not charged for it; such pages are listed as `unpredicted`",
    ),
    Quirk(
        "UNCOLOURED_TAIL",
        "in CDM, where a root or a style ends is looked up before its content is coloured, which moves the end",
        "a token at the end of a root's or style's content can stay black, and does not count, on both sides alike",
    ),
    Quirk(
        "LAST_FORMULA_KEPT",
        "in a recognition run the CDM file has one entry a page: each formula overwrites the one before",
        "only that file is affected, no score",
    ),
)
