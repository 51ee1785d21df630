import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.stats import beyond_doubt_ranks, bootstrap, holm, pairs, standings
from scorer.stats.comparison import pairwise_p
from tests.scorer.stats.made import axes, means


class TestHolm:
    def test_a_worked_example(self) -> None:
        """Holm's adjustment of four p-values, by hand: 4 x .005, then 3 x .01, 2 x .03, and .04 raised to .06."""
        assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])

    @given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
    def test_it_never_lowers_a_p_and_keeps_their_order(self, values: list[float]) -> None:
        """Adjusted p-values are at least the raw ones, at most 1, and sorted as they are."""
        p = np.array(values)
        adjusted = holm(p)
        assert (adjusted >= p).all()
        assert (adjusted <= 1).all()
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


class TestPairs:
    def test_p_is_that_of_the_paired_t_test(self) -> None:
        """For one score a document a pair's p is scipy's ttest_rel."""
        rng = np.random.default_rng(1)
        values = rng.random((3, 25))
        values[1] = values[0] + rng.normal(0.05, 0.1, 25)
        p, first, second = pairwise_p(means(values).sums())
        for i, (a, b) in enumerate(zip(first, second, strict=True)):
            assert p[i] == pytest.approx(scipy.stats.ttest_rel(values[a], values[b]).pvalue, rel=1e-9)

    def test_a_paired_gap_is_known_better_than_either_score(self) -> None:
        """Two systems that rise and fall together differ beyond doubt by less than their own intervals' width."""
        hard = np.random.default_rng(2).random(50) * 0.8
        made = bootstrap(means(np.stack([hard + 0.1, hard + 0.05 * (np.arange(50) % 2)])).sums())
        (pair,) = pairs(made)
        own = made.percentile()[0]
        assert pair.differs
        assert pair.interval.lower > 0
        assert pair.interval.upper - pair.interval.lower < (own.upper - own.lower) / 5

    def test_a_system_compared_with_itself_does_not_differ(self) -> None:
        """Equal scores have gap 0, p 1 and share a rank."""
        row = np.random.default_rng(3).random(30)
        made = bootstrap(means(np.stack([row, row])).sums())
        (pair,) = pairs(made)
        assert (pair.gap, pair.p, pair.differs) == (0.0, 1.0, False)
        assert [s.rank for s in standings(made)] == [1, 1]
        assert [s.leads for s in standings(made)] == [0.5, 0.5]


class TestRanks:
    def test_clear_differences_rank_apart_and_unclear_ones_share(self) -> None:
        """Two near systems share rank 1; one far behind is third, since two are better beyond doubt."""
        rng = np.random.default_rng(4)
        base = rng.random(60) * 0.3
        noisy = base + rng.normal(0, 0.2, 60)
        assert beyond_doubt_ranks(means(np.stack([base + 0.6, noisy + 0.6, base])).sums()) == [1, 1, 3]

    def test_one_document_proves_nothing(self) -> None:
        """With a single document every system has rank 1."""
        assert beyond_doubt_ranks(means(np.array([[0.9], [0.1]])).sums()) == [1, 1]

    def test_a_system_without_a_headline_has_no_rank(self) -> None:
        """A missing component gives no rank, and the system stands last."""
        values = np.random.default_rng(5).random((2, 20, 2))
        values[0, :, 1] = np.nan
        made = bootstrap(axes(values, (1, 1)).sums(), resamples=100)
        assert beyond_doubt_ranks(made.sums) == [None, 1]
        assert [s.system for s in standings(made)] == ["s1", "s0"]

    @settings(max_examples=25)
    @given(st.integers(0, 10_000), st.integers(2, 6))
    def test_shares_of_resamples_led_add_up_to_one(self, seed: int, systems: int) -> None:
        """However the scores lie, someone leads each resample."""
        values = np.random.default_rng(seed).integers(0, 3, (systems, 12)) / 2
        leads = [s.leads for s in standings(bootstrap(means(values).sums(), resamples=50))]
        assert sum(leads) == pytest.approx(1)

    def test_few_documents_have_a_small_sample_interval_beside_the_percentile_one(self) -> None:
        """Below 30 documents the small-sample interval is there, and wider; from 30 on it is not."""
        values = np.random.default_rng(6).random((1, 9))
        (few,) = standings(bootstrap(means(values).sums()))
        assert few.small_sample is not None
        assert few.small_sample.upper - few.small_sample.lower > few.interval.upper - few.interval.lower
        (many,) = standings(bootstrap(means(np.random.default_rng(6).random((1, 30))).sums()))
        assert many.small_sample is None
