"""How well a text fits somewhere inside a longer one: the least Levenshtein distance over windows of its own length.

The method only compares this distance with thresholds, so the search stops at the first window that is near enough,
and leaps over windows that cannot be: moving a window by one character changes its distance by at most two. Where
hundreds of short pieces meet dozens of blocks, a bound for all pairs at once spares most of the searches.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from scorer.suites.omnidoc.work import Work

__all__ = ["WORD", "fits", "least_anywhere", "most_edits"]

WORD = 64
"""Characters of the longest text whose bound `least_anywhere` gives: the bits of a machine word."""

_LANE_STEP = 128  # cells' worth of a pair's advance by a character
_LANES = 1 << 14  # pairs that advance together: as many as stay in a processor's cache


def most_edits(length: int, threshold: float, *, strict: bool) -> int:
    """Return the most edits whose ratio to `length` is at most (`strict`: below) the threshold; -1 for none."""
    edits = int(threshold * length) + 1
    while edits >= 0 and (edits / length >= threshold if strict else edits / length > threshold):
        edits -= 1
    return edits


def fits(text: str, within: str, threshold: float, *, strict: bool, work: Work) -> bool:
    """Tell whether some window of `within`, as long as `text`, is within the threshold; never when text is longer.

    Raises `OverBudget`.
    """
    size = len(text)
    last = len(within) - size
    if last < 0 or size == 0:
        return False
    limit = most_edits(size, threshold, strict=strict)
    if limit < 0:
        return False
    if limit >= size:
        return True
    if limit == 0:
        return text in within
    start = 0
    while start <= last:
        work.compare(size, size)
        distance = Levenshtein.distance(text, within[start : start + size])
        if distance <= limit:
            return True
        start += max(1, (distance - limit + 1) // 2)
    return False


def least_anywhere(texts: Sequence[str], withins: Sequence[str], work: Work) -> NDArray[np.int64]:
    """Return the least distance of each text (columns) to any stretch of each `within` (rows), of whatever length.

    No window can be nearer. Texts are of 1 to `WORD` characters. All pairs advance together, a character of every
    `within` at a time, in the bits of one word each (Myers 1999, "A fast bit-vector algorithm for approximate string
    matching"); a text fills its word from the top, and the bits below match anything. Raises `OverBudget`.
    """
    work.spend(len(texts) * sum(map(len, withins)) * _LANE_STEP)
    found = np.zeros((len(withins), len(texts)), dtype=np.int64)
    step = max(1, _LANES // max(1, len(withins)))
    for start in range(0, len(texts), step):
        found[:, start : start + step] = _advance(texts[start : start + step], withins)
    return found


def _advance(texts: Sequence[str], withins: Sequence[str]) -> NDArray[np.uint64]:
    number = {character: index for index, character in enumerate(dict.fromkeys("".join(texts)), 1)}
    lengths = np.fromiter(map(len, texts), np.uint64, len(texts))
    below = np.fromiter(((1 << (WORD - len(text))) - 1 for text in texts), np.uint64, len(texts))
    matches = np.tile(below, (len(number) + 1, 1))
    for column, text in enumerate(texts):
        for place, character in enumerate(text, WORD - len(text)):
            matches[number[character], column] |= np.uint64(1 << place)
    order = sorted(range(len(withins)), key=lambda row: -len(withins[row]))  # so that those still running are in front
    running = len(withins)
    codes = np.zeros((max(map(len, withins), default=0), running), dtype=np.intp)
    for place, row in enumerate(order):
        codes[: len(withins[row]), place] = [number.get(character, 0) for character in withins[row]]
    shape = (running, len(texts))
    up = np.broadcast_to(~below, shape).copy()
    down, equal, across, rise, fall = (np.zeros(shape, dtype=np.uint64) for _ in range(5))
    score = np.broadcast_to(lengths, shape).copy()
    least = lowest = score.copy()
    one, top = np.uint64(1), np.uint64(WORD - 1)
    for step, code in enumerate(codes):
        while len(withins[order[running - 1]]) <= step:
            running -= 1
            up, down, equal, across, rise, fall, score, lowest = (
                lanes[:running] for lanes in (up, down, equal, across, rise, fall, score, lowest)
            )
        np.take(matches, code[:running], axis=0, out=equal, mode="clip")
        np.bitwise_and(equal, up, out=across)
        across += up
        across ^= up
        across |= equal
        equal |= down
        np.bitwise_or(across, up, out=rise)
        np.bitwise_not(rise, out=rise)
        rise |= down
        np.bitwise_and(up, across, out=fall)
        np.right_shift(rise, top, out=down)
        score += down
        np.right_shift(fall, top, out=down)
        score -= down
        np.minimum(lowest, score, out=lowest)
        rise <<= one
        fall <<= one
        np.bitwise_or(equal, rise, out=up)
        np.bitwise_not(up, out=up)
        up |= fall
        np.bitwise_and(rise, equal, out=down)
    found = np.empty_like(least)
    found[order] = least
    return found
