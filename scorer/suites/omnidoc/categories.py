"""The block categories of the gold, as the method groups them."""

__all__ = ["FORMULA", "IGNORED_TEXT", "SCORED_TEXT", "TABLE", "TEXT"]

FORMULA = "equation_isolated"
TABLE = "table"

TEXT = (
    "text_block",
    "title",
    "code_txt",
    "code_txt_caption",
    "reference",
    "equation_caption",
    "figure_caption",
    "figure_footnote",
    "table_caption",
    "table_footnote",
    "code_algorithm",
    "code_algorithm_caption",
    "header",
    "footer",
    "page_footnote",
    "page_number",
)
"""Categories whose text is matched; a block of any other category but a formula or a table is never read."""

SCORED_TEXT = ("text_block", "title", "code_txt", "code_txt_caption", "reference")
IGNORED_TEXT = tuple(category for category in TEXT if category not in SCORED_TEXT)
"""Categories that only take predicted pieces out of the pool: a parser may print or drop them at no cost."""
