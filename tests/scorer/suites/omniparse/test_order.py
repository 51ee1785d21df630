import random

import pytest
from fuzzysearch import find_near_matches
from fuzzysearch.levenshtein import find_near_matches_levenshtein

from scorer.suites.omniparse.near_matches import match_starts
from tests.scorer.suites.omniparse.made import gold_test, text, verdict


class TestOrder:
    @pytest.mark.parametrize(
        ("html", "why"),
        [
            ("first thing then the second thing", ""),
            ("second thing then the first thing", "'first thing' does not appear before 'second thing'"),
            ("second thing, first thing, second thing", ""),
            ("then the second thing", "'before' text 'first thing' not found"),
            ("first thing", "'after' text 'second thing' not found"),
            ("firstthing then secondthing", ""),
            ("fjrst thing then the secondd thing", ""),
        ],
    )
    def test_by_hand(self, html: str, why: str) -> None:
        """Any first before any second passes, with the edits allowed, squeezed where need be."""
        test = gold_test("order", before=text("first thing", 1), after=text("second thing", 1))
        assert verdict(test, html).why == why


class TestNearMatches:
    def test_the_starts_are_fuzzysearchs(self) -> None:
        """On random and on looping texts, matches and groups are the library's; of equally good ones, any may start."""
        rng = random.Random(1)
        for _ in range(600):
            needle = "".join(rng.choice("abc") for _ in range(rng.randint(4, 24)))
            hay = "".join(rng.choice("abcd") for _ in range(rng.randint(0, 60)))
            if rng.random() < 0.6:
                hay += needle[: rng.randint(2, len(needle))] * rng.randint(1, 3) + needle + hay
            diffs = rng.randint(0, 3)
            ours = match_starts(needle, hay, max_diffs=diffs)
            groups = _groups([(m.start, m.end, m.dist) for m in find_near_matches_levenshtein(needle, hay, diffs)])
            assert (ours is None) == (not groups)
            if ours is not None and diffs:
                assert ours[0] in _best_starts(groups[0])
                assert ours[1] in _best_starts(groups[-1])
            theirs = [match.start for match in find_near_matches(needle, hay, max_l_dist=diffs)]
            if ours is not None and not diffs:
                assert ours == (min(theirs), max(theirs))


def _groups(matches: list[tuple[int, int, int]]) -> list[list[tuple[int, int, int]]]:
    """Join matches that overlap until none do, in order of place."""
    groups = [[match] for match in set(matches)]
    joined = True
    while joined:
        joined = False
        for a in groups:
            for b in groups:
                if a is not b and any(x[0] < y[1] and y[0] < x[1] for x in a for y in b):
                    a += b
                    groups = [group for group in groups if group is not b]
                    joined = True
                    break
            if joined:
                break
    return sorted(groups)


def _best_starts(group: list[tuple[int, int, int]]) -> set[int]:
    best = min((distance, start - end) for start, end, distance in group)
    return {start for start, end, distance in group if (distance, start - end) == best}
