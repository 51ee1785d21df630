"""Components whose score is a function of their ratio."""

import math

import numpy as np
import pytest

from scorer.stats import Scale, Sums, bootstrap, pairs, standings
from scorer.stats.bootstrap import leave_one_out
from scorer.stats.linearisation import document_influence

ROOT = Scale(value=np.sqrt, slope=lambda x: 0.5 / np.sqrt(np.maximum(x, 1e-300)), empty=0.25, lowest=0.0, highest=2.0)


def _sums(total: list[list[float]], count: list[list[float]], scale: Scale | None = ROOT) -> Sums:
    shape = (len(total), len(total[0]), 1)
    return Sums(
        tuple(f"s{i}" for i in range(shape[0])),
        tuple(f"d{i}" for i in range(shape[1])),
        ("rate",),
        np.array(total, dtype=float).reshape(shape),
        np.array(count, dtype=float).reshape(shape),
        np.ones(1),
        {} if scale is None else {"rate": scale},
    )


class TestScores:
    def test_the_ratio_of_the_sums_is_scaled(self) -> None:
        """Not the mean of scaled ratios: sqrt((1 + 8) / (2 + 2))."""
        assert _sums([[1, 8]], [[2, 2]]).headlines() == pytest.approx([1.5])

    def test_nothing_counted_has_the_value_of_the_scale(self) -> None:
        """It is no gap: the component keeps its weight, and no document changes it."""
        sums = _sums([[0, 0], [1, 8]], [[0, 0], [2, 2]])
        assert sums.headlines() == pytest.approx([0.25, 1.5])
        assert document_influence(sums)[0].tolist() == [0, 0]
        assert _sums([[0, 0]], [[0, 0]]).headlines() == pytest.approx([0.25])
        assert math.isnan(_sums([[0, 0]], [[0, 0]], None).headlines()[0])

    def test_without_each_document_the_rest_is_scaled(self) -> None:
        """By hand: sqrt(8 / 2) and sqrt(1 / 2); with one document there is nothing left."""
        assert leave_one_out(_sums([[1, 8]], [[2, 2]]))[:, 0] == pytest.approx([2, math.sqrt(0.5)])
        assert leave_one_out(_sums([[1]], [[2]]))[:, 0] == pytest.approx([0.25])


class TestErrors:
    def test_the_influence_is_the_derivative(self) -> None:
        """A document's weight a little higher changes the score by its influence, to first order."""
        total, count, step = np.array([1.0, 8.0, 3.0]), np.array([2.0, 2.0, 1.0]), 1e-6
        sums = _sums([total.tolist()], [count.tolist()])
        for document in range(3):
            weight = np.ones(3)
            weight[document] += step
            moved = math.sqrt((weight @ total) / (weight @ count)) - math.sqrt(total.sum() / count.sum())
            assert document_influence(sums)[0, document] == pytest.approx(moved / step, rel=1e-4)

    def test_replicates_are_scores_of_the_drawn_documents(self) -> None:
        """Every resample's headline is the scaled ratio of what was drawn."""
        drawn = bootstrap(_sums([[1, 8, 3]], [[2, 2, 1]]), resamples=50)
        expected = np.sqrt((drawn.counts @ [1, 8, 3]) / (drawn.counts @ [2, 2, 1]))
        assert drawn.replicates[:, 0] == pytest.approx(expected, abs=1e-9)

    def test_the_studentised_interval_stays_within_the_scale_only_if_that_is_0_to_1(self) -> None:
        """A rate above 1 is no score above 1, and a scale that reaches 2 is not cut."""
        unit = Scale(value=lambda x: x / 10, slope=lambda x: x * 0 + 0.1, empty=0.0, lowest=0.0, highest=1.0)
        rates = [[9.0, 9.5, 1.0, 9.9, 9.0, 9.9]]
        [cut] = bootstrap(_sums(rates, [[1] * 6], unit)).studentised()
        [free] = bootstrap(_sums(rates, [[1] * 6])).studentised()
        assert 0 <= cut.lower <= cut.upper <= 1 < free.upper


class TestNarrowed:
    def test_only_what_the_headline_is_made_of_stays(self) -> None:
        """A document without an item of the components that weigh something is no evidence."""
        total = np.array([[[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]])
        count = np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
        sums = Sums(("s",), ("a", "b", "c"), ("x", "y"), total, count, np.ones(2)).of_component("x").narrowed()
        assert (sums.documents, sums.components) == (("a", "c"), ("x",))
        assert sums.headlines() == pytest.approx([0.5])


class TestOneDocument:
    def test_a_difference_that_rests_on_one_document_is_not_beyond_doubt(self) -> None:
        """Whatever its size: nothing is known of how such a component varies."""
        total = np.zeros((2, 5, 2))
        count = np.zeros((2, 5, 2))
        count[:, :, 0] = 1
        total[:, :, 0] = 0.5
        count[:, 0, 1] = 1
        total[0, 0, 1] = 1.0
        drawn = bootstrap(Sums(("s", "t"), tuple("abcde"), ("x", "y"), total, count, np.ones(2)))
        [pair] = pairs(drawn)
        assert pair.gap == pytest.approx(0.5)
        assert pair.p == 1.0
        assert [standing.rank for standing in standings(drawn)] == [1, 1]
