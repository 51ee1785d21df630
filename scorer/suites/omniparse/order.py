"""`order`: one text comes before another.

Source: OmniParseBench 1.0.0rc1; near matches as fuzzysearch 0.8.1 finds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer.suites.omniparse.content import Mark
from scorer.suites.omniparse.near_matches import match_starts
from scorer.suites.omniparse.text import needle_forms

if TYPE_CHECKING:
    from scorer.suites.omniparse.page import Page


@dataclass(frozen=True, slots=True)
class Order:
    """Two texts, the first of which must come before the second, and the edits allowed in each."""

    before: str
    after: str
    max_diffs: int


def order(test: Order, page: Page) -> Mark:
    """Tell whether any match of `before` starts before any match of `after`; squeezed where either is missing."""
    first = last = None
    for hay, form in ((page.folded, 0), (page.squeezed, 1)):
        first = match_starts(needle_forms(test.before)[form], hay, max_diffs=test.max_diffs)
        last = match_starts(needle_forms(test.after)[form], hay, max_diffs=test.max_diffs)
        if first and last:
            break
    if not first:
        return False, f"'before' text {test.before[:40]!r} not found"
    if not last:
        return False, f"'after' text {test.after[:40]!r} not found"
    if first[0] < last[1]:
        return True, ""
    return False, f"{test.before[:34]!r} does not appear before {test.after[:34]!r}"
