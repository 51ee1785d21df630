"""Every figure of an evaluation by its name, page by page: what is stored, and what intervals are drawn from.

Figures are named `element.metric`; an element's own name is the figure it enters Overall with, 1 at best: `text_block`
and `reading_order` are 1 less the edit distance, `display_formula` is CDM, `table` TEDS. Every figure over a run is the
mean of the pages'.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from scorer.stats import Sums
from scorer.suites.omnidoc.evaluation import ElementScores, Evaluation
from scorer.suites.omnidoc.metrics import page_scores

__all__ = [
    "ELEMENTS",
    "OVERALL",
    "PARTS",
    "PageFigures",
    "headline",
    "overall_figures",
    "page_figures",
    "sums",
]

OVERALL = "composite"
"""What Overall is called in the store, as every suite's headline is."""
PARTS = ("text_block", "display_formula", "table")

ELEMENTS: Mapping[str, str] = {
    "text_block": "Edit_dist",
    "display_formula": "CDM",
    "table": "TEDS",
    "reading_order": "Edit_dist",
}
"""The elements, and the metric that each is ranked by."""

PageFigures = Mapping[str, Mapping[str, float]]
"""Figures by name, then by image."""


def page_figures(elements: Mapping[str, ElementScores], ranked: Mapping[str, str] = ELEMENTS) -> PageFigures:
    """Return every page's figures; `ranked` is the metric that an element's own figure is."""
    found: dict[str, Mapping[str, float]] = {}
    for element, scores in elements.items():
        for metric, pages in page_scores(scores.samples).items():
            found[f"{element}.{metric}"] = pages
            if metric == ranked[element]:
                best_is_0 = metric == "Edit_dist"
                found[element] = {image: 1.0 - value if best_is_0 else value for image, value in pages.items()}
    return found


def overall_figures(evaluation: Evaluation) -> dict[str, float | None]:
    """Return Overall in its three forms, 0 to 1, and the share of text without a home."""
    parts = {
        OVERALL: evaluation.overall,
        "overall_rounded": evaluation.overall_rounded,
        "overall_pooled": evaluation.overall_pooled,
    }
    found = {name: None if value is None else value / 100 for name, value in parts.items()}
    return {**found, "homeless": evaluation.homeless}


def sums(parsers: Mapping[str, PageFigures], pages: Sequence[str]) -> Sums:
    """Gather the figures of several parsers, Overall's parts weighted alike."""
    names = tuple(sorted({name for figures in parsers.values() for name in figures}))
    place = {page: index for index, page in enumerate(pages)}
    total = np.zeros((len(parsers), len(pages), len(names)))
    count = np.zeros_like(total)
    for system, figures in enumerate(parsers.values()):
        for component, name in enumerate(names):
            for page, value in figures.get(name, {}).items():
                total[system, place[page], component] = value
                count[system, place[page], component] = 1.0
    weights = np.array([float(name in PARTS) for name in names])
    return Sums(tuple(parsers), tuple(pages), names, total, count, weights)


def headline(gathered: Sums, name: str) -> Sums:
    """Return the sums whose headline is Overall (0 to 1) or a figure, over the pages that count for it."""
    return (gathered if name == OVERALL else gathered.of_component(name)).narrowed()
