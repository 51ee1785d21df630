"""Pages in, an evaluation out: rows by element, their averages, and the Overall (v1.5).

Source: OmniDocBench v1.5, end-to-end evaluation and the notebook that fills the published tables. Named quirk:
MISSING_PAGES.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scorer.suites.omnidoc.cdm import CdmScore, formula_inputs
from scorer.suites.omnidoc.metrics import (
    EditSummary,
    attribute_means,
    edit_distances,
    edit_summary,
    group_means,
    page_means,
    table_scores,
)
from scorer.suites.omnidoc.page import PageMatch
from scorer.suites.omnidoc.sample import OrderSample, Sample
from scorer.suites.teds import BUDGET

__all__ = [
    "ElementScores",
    "Evaluation",
    "FormulaScorer",
    "evaluate",
    "overall",
    "score_element",
    "score_page",
    "with_cdm",
]

FormulaScorer = Callable[[Sequence[tuple[str, str]]], Sequence[CdmScore]]
"""Scores pairs of gold and predicted LaTeX by CDM; a renderer does the work, outside of this package."""


_NOT_PREDICTED = CdmScore(0.0, 0.0, 0.0)
_NO_GOLD = CdmScore(0.0, 0.0, 0.0, "gold: the formula is empty, as is the prediction: nothing is drawn")


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementScores:
    """An element's rows and averages.

    `means` holds sample means by metric (the reference's `all`), `attributes` sample means by gold attribute, `pages`
    page means by page attribute with `ALL` for every page: the published figures are `edit.page_average` and
    `pages[metric]["ALL"]`.
    """

    samples: Sequence[Sample | OrderSample]
    edit: EditSummary
    means: Mapping[str, float]
    attributes: Mapping[str, Mapping[str, float]]
    pages: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All elements of a set of pages.

    `overall` is the published figure, from page averages; `overall_rounded` the same from parts rounded as the
    reference's notebook rounds them; `overall_pooled` from sample means and the whole edit distance. None while a part
    is missing. `homeless` is the share of predicted characters that answer to no gold block: the method drops them at
    no cost. `unpredicted` names pages without a prediction, which leave every denominator.
    """

    text_block: ElementScores
    display_formula: ElementScores
    table: ElementScores
    reading_order: ElementScores
    overall: float | None
    overall_rounded: float | None
    overall_pooled: float | None
    homeless: float | None
    unpredicted: tuple[str, ...]

    def elements(self) -> dict[str, ElementScores]:
        """Return the elements by the reference's names."""
        return {
            "text_block": self.text_block,
            "display_formula": self.display_formula,
            "table": self.table,
            "reading_order": self.reading_order,
        }


def score_page(page: PageMatch, *, budget: int = BUDGET) -> PageMatch:
    """Score a page's rows by edit distance and TEDS; pages are independent of one another."""
    return replace(
        page,
        text=tuple(edit_distances(page.text)),
        formulas=tuple(edit_distances(page.formulas)),
        formulas_as_text=tuple(edit_distances(page.formulas_as_text)),
        tables=tuple(edit_distances(table_scores(page.tables, budget=budget))),
    )


def evaluate(
    scored: Iterable[PageMatch],
    attributes: Mapping[str, Mapping[str, object]],
    *,
    unpredicted: Sequence[str] = (),
    formula_scorer: FormulaScorer | None = None,
) -> Evaluation:
    """Sum up scored pages, in their order; `attributes` are the pages' own by image name.

    Formulas read as text count as text, after all other text, provided there is any. Without a `formula_scorer` there
    is no CDM and no Overall.
    """
    pages = list(scored)
    text = [row for page in pages for row in page.text]
    if text:
        text += [row for page in pages for row in page.formulas_as_text]
    formulas = [row for page in pages for row in page.formulas]
    if formula_scorer is not None:
        formulas = with_cdm(formulas, formula_scorer)
    order = tuple(page.order for page in pages if page.order is not None)
    text_block = score_element(text, attributes)
    display_formula = score_element(formulas, attributes)
    table = score_element([row for page in pages for row in page.tables], attributes)
    parts = (
        text_block.edit.page_average,
        table.pages.get("TEDS", {}).get("ALL"),
        display_formula.pages.get("CDM", {}).get("ALL"),
    )
    predicted = sum(page.predicted for page in pages)
    return Evaluation(
        text_block=text_block,
        display_formula=display_formula,
        table=table,
        reading_order=ElementScores(
            samples=order,
            edit=edit_summary(order),
            means={},
            attributes={"sample_count": {}} if order else {},
            pages=page_means(order, attributes) if attributes else {},
        ),
        overall=_overall(*parts),
        overall_rounded=_overall(*parts, rounded=True),
        overall_pooled=_overall(text_block.edit.whole, table.means.get("TEDS"), display_formula.means.get("CDM")),
        homeless=sum(stray.characters for page in pages for stray in page.homeless) / predicted if predicted else None,
        unpredicted=tuple(unpredicted),
    )


def score_element(samples: Sequence[Sample], attributes: Mapping[str, Mapping[str, object]]) -> ElementScores:
    """Average scored samples of one element."""
    names = dict.fromkeys(name for sample in samples for name in sample.metric if name != "Edit_dist")
    means = {name: mean for name in names if (mean := group_means(samples, name)) is not None}
    return ElementScores(
        samples=tuple(samples),
        edit=edit_summary(samples),
        means=means,
        attributes=attribute_means(samples) if samples else {},
        pages=page_means(samples, attributes) if attributes else {},
    )


def with_cdm(samples: Sequence[Sample], formula_scorer: FormulaScorer) -> list[Sample]:
    """Add CDM to samples; a formula that could not be rendered scores what the method says and keeps its error.

    A formula for which nothing was predicted scores 0 without being drawn: that is no error. Of two empty ones CDM is
    0 over 0, which is. One of a page whose matching was cut short counts as not predicted.
    """
    pairs = [formula_inputs(sample.gold, "" if sample.unknown else sample.predicted) for sample in samples]
    scores = iter(formula_scorer([pair for pair in pairs if pair[1]]))
    return [
        replace(sample.scored(CDM=score.f1), error=score.error or sample.error)
        for sample, pair in zip(samples, pairs, strict=True)
        for score in [next(scores) if pair[1] else _NOT_PREDICTED if pair[0] else _NO_GOLD]
    ]


def overall(text_edit: float, table_teds: float, formula_cdm: float) -> float:
    """Return the Overall, 0 to 100, of a text edit distance, a TEDS and a CDM, each 0 to 1."""
    return ((1.0 - text_edit) * 100 + 100 * table_teds + 100 * formula_cdm) / 3


def _overall(edit: float | None, teds: float | None, cdm: float | None, *, rounded: bool = False) -> float | None:
    if edit is None or teds is None or cdm is None:
        return None
    if rounded:
        edit, teds, cdm = round(edit, 3), round(teds, 5), round(cdm, 5)
    return overall(edit, teds, cdm)
