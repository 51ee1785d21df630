"""Text within a number of edits, anywhere on a page.

Source: OmniParseBench 1.0.0rc1, text args; ratios by rapidfuzz.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from scorer.suites.omniparse.content import Mark, Text, mark
from scorer.suites.omniparse.fold import fold, without_spaces

if TYPE_CHECKING:
    from scorer.suites.omniparse.page import Page

# A needle of n characters with k edits has ratio 1 - k/n, which in binary lands a hair below it.
_EPSILON = 1e-9


def find_text(text: Text, page: Page) -> Mark:
    """Tell whether a page holds the text within its edits, with the best ratio when it does not."""
    passed, best, threshold = contains(text.text, page, max_diffs=text.max_diffs)
    return mark(passed, f"{text.text[:60]!r} not found (best {best:.3f} < {threshold:.3f})")


def contains(needle: str, page: Page, *, max_diffs: int) -> tuple[bool, float, float]:
    """Return whether a page holds `needle`, the best ratio and the threshold: folded, else squeezed."""
    folded, squeezed = needle_forms(needle)
    threshold = _threshold(folded, max_diffs)
    best = _best_ratio(folded, page.folded)
    if best >= threshold - _EPSILON:
        return True, best, threshold
    again = _best_ratio(squeezed, page.squeezed)
    return again >= _threshold(squeezed, max_diffs) - _EPSILON, max(best, again), threshold


@functools.lru_cache(maxsize=100_000)
def needle_forms(needle: str) -> tuple[str, str]:
    """Return a gold text folded and squeezed; the same gold meets every parser's page."""
    folded = fold(needle)
    return folded, without_spaces(folded)


def _threshold(needle: str, max_diffs: int) -> float:
    return 1.0 - max_diffs / len(needle)


def _best_ratio(needle: str, hay: str) -> float:
    """Return how alike the needle and the most like part of a text are; a text shorter than it counts whole."""
    if needle in hay:
        return 1.0
    compare = fuzz.ratio if len(hay) < len(needle) else fuzz.partial_ratio
    return compare(needle, hay) / 100.0
