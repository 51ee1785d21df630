"""Recognition of single blocks: gold and prediction side by side in the annotation file (v1.5).

Source: OmniDocBench v1.5, single-module dataset.
"""

from collections.abc import Callable, Mapping, Sequence

from scorer.suites.markup import MarkupError
from scorer.suites.omnidoc.gold import GoldBlock, GoldPage
from scorer.suites.omnidoc.metrics import edit_distances, table_scores
from scorer.suites.omnidoc.normalise import normalise_formula, normalise_table, normalise_text
from scorer.suites.omnidoc.sample import Sample
from scorer.suites.teds import BUDGET

__all__ = ["NORMALISERS", "categories_of", "gold_of", "recognise"]

NORMALISERS: Mapping[str, Callable[[str], str]] = {
    "text": normalise_text,
    "formula": normalise_formula,
    "table": normalise_table,
}
"""By the task's `category_type`."""


def recognise(
    pages: Sequence[GoldPage],
    *,
    kind: str,
    gold_key: str,
    predicted_key: str = "pred",
    categories: Sequence[str] = (),
    normalisers: Mapping[str, Callable[[str], str]] = NORMALISERS,
    budget: int = BUDGET,
) -> list[Sample]:
    """Score every block that has gold and prediction, by edit distance and, for tables, TEDS.

    `gold_key` is text, latex or html; `categories` keeps blocks of these only. Raises `KeyError` for another `kind`.
    """
    normalise = normalisers[kind]
    samples: list[Sample] = []
    for page in pages:
        for block in page.blocks:
            gold = _gold(block, gold_key)
            predicted = block.predicted.get(predicted_key)
            if not gold or predicted is None or (categories and block.category not in categories):
                continue
            norms, error = ("", ""), None
            try:
                norms = normalise(gold), normalise(str(predicted))
            except MarkupError as fault:
                error = str(fault)
            samples.append(
                Sample(
                    image=page.image,
                    gold=gold,
                    predicted=str(predicted),
                    norm_gold=norms[0],
                    norm_predicted=norms[1],
                    gold_category=block.category,
                    attributes=(block.attribute,),
                    error=error,
                )
            )
    return edit_distances(table_scores(samples, budget=budget) if kind == "table" else samples)


def gold_of(page: GoldPage, gold_key: str, categories: Sequence[str] = ()) -> list[tuple[str, Mapping[str, object]]]:
    """List content and attributes of a page's blocks that are scored where they have a prediction."""
    return [
        (gold, block.attribute)
        for block in page.blocks
        if (gold := _gold(block, gold_key)) and not (categories and block.category not in categories)
    ]


def categories_of(pages: Sequence[GoldPage], *, gold_key: str, predicted_key: str) -> list[str]:
    """List the categories of the blocks that have gold and prediction."""
    predicted = (block for page in pages for block in page.blocks if block.predicted.get(predicted_key) is not None)
    return sorted({block.category for block in predicted if _gold(block, gold_key)})


def _gold(block: GoldBlock, key: str) -> str | None:
    fixed = {"text": block.text, "latex": block.latex, "html": block.html}
    value = fixed[key] if key in fixed else block.predicted.get(key)
    return None if value is None else str(value)
