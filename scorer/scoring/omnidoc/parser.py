"""One parser's pages as they come: staged at once, and kept without their texts unless result files are wanted."""

from collections.abc import Mapping
from dataclasses import replace

from scorer.scoring.omnidoc.rows import Rows
from scorer.suites.omnidoc.evaluation import Evaluation, FormulaScorer, evaluate
from scorer.suites.omnidoc.gold import GoldPage
from scorer.suites.omnidoc.page import PageMatch, Stray
from scorer.suites.omnidoc.sample import Sample

__all__ = ["ParserPages"]


class ParserPages:
    """Collects what a parser made of the pages of a run.

    Args:
        rows: where its rows go.
        pages: the gold by image, in the order of the annotations.
        texts: the texts are wanted in the evaluation, for result files.
    """

    def __init__(self, rows: Rows, pages: Mapping[str, GoldPage], *, texts: bool = False) -> None:
        self._rows = rows
        self._pages = pages
        self._texts = texts
        self._found: dict[str, PageMatch] = {}
        self._missing: list[str] = []

    def unpredicted(self, page: str, reason: str) -> None:
        """Add a page of which nothing was predicted."""
        self._rows.unpredicted(page, reason)
        self._missing.append(page)

    def add(self, match: PageMatch) -> None:
        """Add a page's scored rows."""
        self._rows.page(match)
        for element, samples in (("text_block", match.text), ("table", match.tables)):
            self._rows.samples(element, samples)
        self._rows.samples("reading_order", [] if match.order is None else [match.order])
        self._found[match.image] = match if self._texts else _without_texts(match)

    def evaluate(self, formula_scorer: FormulaScorer | None) -> Evaluation:
        """Return the evaluation of all pages added; the formulas, scored with it, are staged."""
        found = [self._found[image] for image in self._pages if image in self._found]
        attributes = {image: page.attributes for image, page in self._pages.items()}
        evaluation = evaluate(found, attributes, unpredicted=self._missing, formula_scorer=formula_scorer)
        self._rows.samples("display_formula", evaluation.display_formula.samples)
        if evaluation.text_block.samples:
            self._rows.samples("text_block", [row for page in found for row in page.formulas_as_text])
        return evaluation


def _without_texts(match: PageMatch) -> PageMatch:
    """Drop what only the stored rows need: averages are made of scores and lengths. CDM is still to read formulas."""
    return replace(
        match,
        text=tuple(map(_without_text, match.text)),
        tables=tuple(map(_without_text, match.tables)),
        homeless=tuple(Stray("", stray.characters) for stray in match.homeless),
    )


def _without_text(sample: Sample) -> Sample:
    return replace(sample, gold="", predicted="", norm_gold="", norm_predicted="", attributes=())
