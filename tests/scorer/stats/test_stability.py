import numpy as np
import pytest

from scorer.stats import under_weights, undone_without, without_each_document
from scorer.stats.stability import places
from tests.scorer.stats.made import axes, means


class TestLeavingOneOut:
    def test_the_document_an_order_rests_on_is_named(self) -> None:
        """s0 leads by document d2 alone; without it s1 does."""
        values = np.array([[0.5, 0.5, 1.0, 0.5], [0.6, 0.6, 0.0, 0.6]])
        first, second = without_each_document(means(values).sums())
        assert (first.place, first.best, first.worst, first.changed_by) == (1, 1, 2, ("d2",))
        assert (second.place, second.best, second.worst) == (2, 1, 2)

    def test_a_clear_order_moves_for_no_document(self) -> None:
        """Ahead everywhere is ahead without any one document."""
        first, second = without_each_document(means(np.array([[0.9, 0.8, 0.9], [0.1, 0.2, 0.3]])).sums())
        assert (first.best, first.worst, first.changed_by) == (1, 1, ())
        assert (second.best, second.worst) == (2, 2)


class TestUndoneWithout:
    def test_the_documents_a_lead_rests_on(self) -> None:
        """Gaps by document .4, .3, -.1, -.1: without the first the sum is .1, without the second, too, -.2."""
        sums = means(np.array([[0.9, 0.8, 0.4, 0.4], [0.5, 0.5, 0.5, 0.5]])).sums()
        assert undone_without(sums, "s0", "s1") == ("d0", "d1")

    def test_nothing_undoes_a_lead_on_every_document(self) -> None:
        """Whatever is left out, the first stays ahead."""
        assert undone_without(means(np.array([[0.9, 0.8], [0.1, 0.2]])).sums(), "s0", "s1") == ()

    def test_who_is_behind_has_no_lead_to_undo(self) -> None:
        """Nor has an equal one."""
        sums = means(np.array([[0.1, 0.2], [0.9, 0.1], [0.2, 0.1]])).sums()
        assert undone_without(sums, "s0", "s1") == ()
        assert undone_without(sums, "s0", "s2") == ()

    def test_a_document_that_alone_speaks_of_an_axis_stays(self) -> None:
        """d0 alone has axis1; without it the headline would be another. The lead of .25 there outweighs d1's .1."""
        values = np.array([[[0.5, 1.0], [0.4, np.nan]], [[0.5, 0.5], [0.5, np.nan]]])
        assert undone_without(axes(values, (1, 1)).sums(), "s0", "s1") == ()


class TestWeights:
    def test_the_weight_an_order_rests_on_is_named(self) -> None:
        """One axis each: with equal weights a tie, and either weight doubled gives the lead to its better system."""
        values = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
        first, _ = under_weights(axes(values, (1, 1)).sums())
        assert (first.place, first.best, first.worst) == (1, 1, 2)
        assert first.changed_by == ("axis0 ÷ 2", "axis1 × 2")

    def test_a_factor_that_changes_nothing_is_refused(self) -> None:
        """The factor must be above 1."""
        with pytest.raises(ValueError, match="above 1"):
            under_weights(means(np.ones((2, 3))).sums(), factor=1)


class TestPlaces:
    def test_equals_share_the_better_place_and_none_comes_last(self) -> None:
        """Places of .5, .9, .9 and no headline."""
        assert places(np.array([0.5, 0.9, 0.9, np.nan])).tolist() == [3, 1, 1, 4]
