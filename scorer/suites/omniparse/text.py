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
_MARGIN = 1e-6
"""Per cent by which a cut-off stays below what it must not cut off."""

_LONG = 1 << 16
_STRETCH = 1 << 12
_SHORT_NEEDLE = 64
"""Up to so many characters rapidfuzz tries every part of a text as long as the needle; a longer one it searches for."""


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
    needed = _threshold(squeezed, max_diffs) - _EPSILON
    # A ratio that neither passes nor is the best need not be known exactly, which is found out much sooner.
    again = _best_ratio(squeezed, page.squeezed, least=min(needed, best))
    return again >= needed, max(best, again), threshold


@functools.lru_cache(maxsize=100_000)
def needle_forms(needle: str) -> tuple[str, str]:
    """Return a gold text folded and squeezed; the same gold meets every parser's page."""
    folded = fold(needle)
    return folded, without_spaces(folded)


def _threshold(needle: str, max_diffs: int) -> float:
    return 1.0 - max_diffs / len(needle)


def _best_ratio(needle: str, hay: str, *, least: float = 0.0) -> float:
    """Return how alike the needle and the most like part of a text are; a text shorter than it counts whole.

    Below `least` it may be 0.
    """
    if needle in hay:
        return 1.0
    compare = fuzz.ratio if len(hay) < len(needle) else _partial_ratio
    return compare(needle, hay, score_cutoff=max(0.0, 100.0 * least - _MARGIN)) / 100.0


def _partial_ratio(needle: str, hay: str, *, score_cutoff: float) -> float:
    """Return `fuzz.partial_ratio`; of a long text that repeats itself, as loops of a model do, each stretch once.

    Every part of the text as long as the needle lies in a stretch. At its ends rapidfuzz tries shorter parts, too, and
    in one as short as the needle parts of that, which the whole text has not: where such is the most like, the text is
    looked at whole.
    """
    if len(hay) < _LONG or len(needle) > _SHORT_NEEDLE:
        return fuzz.partial_ratio(needle, hay, score_cutoff=score_cutoff)
    starts = range(0, len(hay) - len(needle) + 1, _STRETCH)
    stretches = dict.fromkeys(hay[start : start + _STRETCH + len(needle) - 1] for start in starts)
    if 2 * len(stretches) > len(starts):
        return fuzz.partial_ratio(needle, hay, score_cutoff=score_cutoff)
    best, whole = 0.0, True
    for stretch in stretches:
        found = fuzz.partial_ratio_alignment(needle, stretch, score_cutoff=max(best, score_cutoff))
        if found is not None and found.score > best:
            parts = found.src_end - found.src_start, found.dest_end - found.dest_start
            best, whole = found.score, parts == (len(needle), len(needle))
    return best if whole else fuzz.partial_ratio(needle, hay, score_cutoff=score_cutoff)
