"""Runs as digests."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc.ngrams import ngrams


@given(st.lists(st.integers(0, 2), max_size=40), st.integers(1, 20))
def test_two_runs_have_one_digest_when_they_are_the_same(units: list[int], length: int) -> None:
    """As many digests as runs, and as many different ones, whatever the length."""
    runs = [tuple(units[i : i + length]) for i in range(len(units) - length + 1)]
    digests = ngrams(np.array(units, np.uint64), length).tolist()
    assert len(digests) == len(runs)
    assert [digests.index(digest) for digest in digests] == [runs.index(run) for run in runs]
