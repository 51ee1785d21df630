"""The Speed axis, worked by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc.speed import TimedParse, score, speed


def parse(pages: int | None, seconds: float | None, status: str = "ok", format: str = "pdf") -> TimedParse:
    """Build one timed parse."""
    return TimedParse(status=status, format=format, pages=pages, seconds=seconds)


def test_rates() -> None:
    """Sums over documents for the aggregate, the mean of the documents' rates beside it."""
    found = speed([parse(10, 1.0), parse(20, 4.0)])
    assert found.pages_per_sec_aggregate == 6.0
    assert found.pages_per_sec_mean == 7.5


def test_score() -> None:
    """Fifty pages a second are full marks, none are 0."""
    assert score(50.0) == 1.0
    assert score(None) == 0.0
    assert score(0.0) == 0.0


def test_what_does_not_count() -> None:
    """Failures and unknown lengths count nowhere; a parsed document of zero pages costs its seconds."""
    assert speed([parse(10, 1.0), parse(10, None, "timeout"), parse(None, 9.0)]).pages_per_sec_aggregate == 10.0
    assert speed([parse(10, 1.0), parse(0, 1.0)]).pages_per_sec_aggregate == 5.0


def test_pdf_apart() -> None:
    """The rates of PDF alone are undefined without one."""
    assert speed([parse(3, 1.0, format="docx")]).pages_per_sec_aggregate_pdf is None


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf, None])
def test_impossible_seconds(seconds: float | None) -> None:
    """A parsed document has a time, finite and above 0."""
    with pytest.raises(ValueError, match="seconds of a parsed document"):
        parse(1, seconds)


@given(st.lists(st.builds(parse, st.integers(0, 10**6), st.floats(1e-6, 1e6))))
def test_in_range(parses: list[TimedParse]) -> None:
    """The score is in 0..1."""
    assert 0 <= speed(parses).speed <= 1
