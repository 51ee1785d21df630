from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.omniparse import RC1, V1_0_0
from scorer.suites.omniparse.versions import version_of


@dataclass(frozen=True)
class Row:
    name: str
    suite: str


class TestName:
    def test_with_the_suite(self) -> None:
        """A version goes by its name, and by that with the suite's before it; another is refused."""
        assert version_of("omniparse@1.0.0") is version_of("1.0.0") is V1_0_0
        with pytest.raises(ValueError, match=r"no version '2\.0'; it has rc1, 1\.0\.0"):
            version_of("omniparse@2.0")


class TestSample:
    def test_suites_take_turns(self) -> None:
        """Two of a's five evenly spaced (0 and 2), one of b's one, in the dataset's order: three pages asked for."""
        pages = [Row(f"a{i}", "a") for i in range(5)] + [Row("b0", "b")]
        assert [row.name for row in RC1.sample(pages, 3)] == ["a0", "a2", "b0"]

    def test_rows_evenly_spaced(self) -> None:
        """1.0.0 takes rows i x 7 // 3: 0, 2 and 4."""
        assert [row.name for row in V1_0_0.sample([Row(str(i), "a") for i in range(7)], 3)] == ["0", "2", "4"]

    @given(st.lists(st.sampled_from("abc"), max_size=30), st.integers(0, 40))
    def test_never_more_than_asked_for_and_always_in_order(self, suites: list[str], count: int) -> None:
        """A sample is a subsequence of the dataset; 0 is all of it."""
        pages = [Row(f"{i:03d}", suite) for i, suite in enumerate(suites)]
        for version in (RC1, V1_0_0):
            names = [row.name for row in version.sample(pages, count)]
            assert names == sorted(set(names))
            assert len(names) <= (count or len(pages))
