"""Where a needle nearly matches, by Levenshtein distance, as fuzzysearch 0.8.1 finds and consolidates it.

fuzzysearch expands around every exact hit of a piece of the needle and compares every match with every
group of overlapping matches, which takes minutes on a page of looping text. Here equal surroundings are
expanded once and matches are grouped in one sweep: the same matches, in time linear in their number.
"""

from fuzzysearch.levenshtein import find_near_matches_levenshtein_linear_programming
from fuzzysearch.levenshtein_ngram import _expand

_SHORTEST_PIECE = 3

_Match = tuple[int, int, int]  # start, end, distance


def match_starts(needle: str, hay: str, *, max_diffs: int) -> tuple[int, int] | None:
    """Return where the first and the last consolidated match start, or None without any."""
    if not max_diffs:
        first = hay.find(needle)
        return None if first < 0 else (first, hay.rfind(needle))
    if len(needle) // (max_diffs + 1) >= _SHORTEST_PIECE:
        matches = _by_pieces(needle, hay, max_diffs)
    else:
        matches = {
            (match.start, match.end, match.dist)
            for match in find_near_matches_levenshtein_linear_programming(needle, hay, max_diffs)
        }
    starts = _consolidated_starts(matches)
    return (min(starts), max(starts)) if starts else None


def _by_pieces(needle: str, hay: str, max_diffs: int) -> set[_Match]:
    """Expand around each exact hit of each of the needle's pieces, one of which any near match holds."""
    piece_length = len(needle) // (max_diffs + 1)
    matches: set[_Match] = set()
    for start in range(0, len(needle) - piece_length + 1, piece_length):
        end = start + piece_length
        piece, before, after = needle[start:end], needle[:start][::-1], needle[end:]
        until = min(len(hay), len(hay) - len(needle) + end + max_diffs)
        expanded: dict[tuple[str, str], _Match | None] = {}
        at = hay.find(piece, max(0, start - max_diffs), max(until, 0))
        while at >= 0:
            right = hay[at + piece_length : at - start + len(needle) + max_diffs]
            left = hay[max(0, at - start - max_diffs) : at]
            surroundings = (left, right)
            if surroundings not in expanded:
                expanded[surroundings] = _expansion(before, left, after, right, start, max_diffs)
            found = expanded[surroundings]
            if found is not None:
                matches.add((at - found[0], at + piece_length + found[1], found[2]))
            at = hay.find(piece, at + 1, max(until, 0))
    return matches


def _expansion(before: str, left: str, after: str, right: str, start: int, max_diffs: int) -> _Match | None:
    """Return how far a match reaches left and right of a piece, and its distance."""
    distance_right, size_right = _expand(after, right, max_diffs)
    if distance_right is None:
        return None
    remaining = max_diffs - distance_right
    reach = min(len(left), start + remaining)
    distance_left, size_left = _expand(before, left[len(left) - reach :][::-1], remaining)
    if distance_left is None:
        return None
    return size_left, size_right, distance_left + distance_right


def _consolidated_starts(matches: set[_Match]) -> list[int]:
    """Return the start of the best match (nearest, then longest, then first) of each group that overlaps."""
    starts = []
    group_end = -1
    best: tuple[int, int, int] | None = None  # distance, minus length, start
    for start, end, distance in sorted(matches):
        rank = (distance, start - end, start)
        if best is not None and start < group_end:
            best, group_end = min(best, rank), max(group_end, end)
            continue
        if best is not None:
            starts.append(best[2])
        best, group_end = rank, end
    if best is not None:
        starts.append(best[2])
    return starts
