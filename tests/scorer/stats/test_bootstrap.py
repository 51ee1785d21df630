import subprocess
import sys

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.stats import bootstrap
from scorer.stats.bootstrap import leave_one_out
from scorer.stats.linearisation import standard_errors
from scorer.stats.resampling import annotation_strata, draws
from tests.scorer.stats.made import axes, means


def _sample(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).beta(2, 1, count)


class TestClosedForms:
    def test_the_standard_error_of_a_mean_is_the_textbook_one(self) -> None:
        """For one score a document the linearised error is the sample's standard deviation over the root of n."""
        values = _sample(40, 1)
        sums = means(values[None]).sums()
        assert standard_errors(sums, annotation_strata(sums))[0] == pytest.approx(scipy.stats.sem(values), rel=1e-12)

    def test_the_bootstrap_error_of_a_mean_is_the_plug_in_one(self) -> None:
        """The spread of many replicates comes near sigma over the root of n with the sample's own sigma."""
        values = _sample(60, 2)
        replicates = bootstrap(means(values[None]).sums(), resamples=20_000).replicates[:, 0]
        assert replicates.std() == pytest.approx(values.std() / np.sqrt(values.size), rel=0.02)
        assert replicates.mean() == pytest.approx(values.mean(), abs=0.001)

    def test_two_strata_have_the_error_of_a_stratified_mean(self) -> None:
        """Documents of two axes with one document each way have the variances of two independent means."""
        rng = np.random.default_rng(3)
        first, second = rng.random(15), rng.random(10)
        values = np.full((1, 25, 2), np.nan)
        values[0, :15, 0], values[0, 15:, 1] = first, second
        sums = axes(values, (1.0, 3.0)).sums()
        expected = np.sqrt((0.25 * scipy.stats.sem(first)) ** 2 + (0.75 * scipy.stats.sem(second)) ** 2)
        assert standard_errors(sums, annotation_strata(sums))[0] == pytest.approx(expected, rel=1e-12)
        assert sums.headlines()[0] == pytest.approx(0.25 * first.mean() + 0.75 * second.mean(), rel=1e-12)

    def test_a_headline_without_one_document_is_that_of_the_others(self) -> None:
        """Leaving out each document in turn gives what recomputing from the others gives."""
        values = _sample(12, 4)
        without = leave_one_out(means(values[None]).sums())[:, 0]
        assert without == pytest.approx([np.delete(values, i).mean() for i in range(12)], rel=1e-12)


class TestAgainstScipy:
    @pytest.mark.parametrize("count", [9, 19, 29])
    def test_percentile_and_bca_agree_with_scipy(self, count: int) -> None:
        """On one stratum of plain means the intervals are scipy's, within what the draws leave open."""
        values = _sample(count, count)
        ours = bootstrap(means(values[None]).sums(), resamples=20_000)
        for method, interval in (("percentile", ours.percentile()[0]), ("BCa", ours.bca()[0])):
            theirs = scipy.stats.bootstrap(
                (values,), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(0)
            ).confidence_interval
            tolerance = 0.06 * (theirs.high - theirs.low)
            assert interval.lower == pytest.approx(theirs.low, abs=tolerance)
            assert interval.upper == pytest.approx(theirs.high, abs=tolerance)


class TestStrata:
    def test_no_axis_is_ever_empty(self) -> None:
        """An axis that two of forty documents have is there in every resample."""
        values = np.random.default_rng(5).random((2, 40, 2))
        values[:, 2:, 1] = np.nan
        assert np.isfinite(bootstrap(axes(values, (1, 1)).sums()).replicates).all()

    def test_without_strata_a_rare_axis_is_missing_at_times(self) -> None:
        """The same corpus drawn without strata loses the axis in some resamples."""
        values = np.random.default_rng(5).random((2, 40, 2))
        values[:, 2:, 1] = np.nan
        assert np.isnan(bootstrap(axes(values, (1, 1)).sums(), stratified=False).replicates).any()

    def test_small_strata_are_joined_while_every_axis_stays_safe(self) -> None:
        """Of seven documents, three have both axes and pairs have one each or the other: the pairs are joined."""
        values = np.random.default_rng(5).random((1, 7, 2))
        values[:, 3:5, 1] = np.nan
        values[:, 5:7, 0] = np.nan
        strata = annotation_strata(axes(values, (1, 1)).sums())
        assert len(set(strata[:3])) == len(set(strata[3:])) == 1
        assert strata[0] != strata[3]

    def test_strata_that_alone_keep_an_axis_stay_apart(self) -> None:
        """Two documents with one axis each and no other are never mixed, however few."""
        values = np.full((1, 6, 2), np.nan)
        values[0, :4, 0], values[0, 4:, 1] = 0.5, 0.7
        assert annotation_strata(axes(values, (1, 1)).sums()).tolist() in ([0] * 4 + [1] * 2, [1] * 4 + [0] * 2)

    @settings(max_examples=60)
    @given(
        st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=20), st.integers(0, 99)
    )
    def test_whatever_is_annotated_no_axis_is_ever_empty(self, annotated: list[tuple[bool, ...]], seed: int) -> None:
        """For any annotations, an axis that any document has is in every resample."""
        values = np.where(np.array(annotated), 0.5, np.nan)[None]
        made = bootstrap(axes(values, (1, 1, 1)).sums(), resamples=50, seed=seed)
        assert np.isfinite(made.replicates).all() == any(map(any, annotated))

    def test_each_stratum_keeps_its_size(self) -> None:
        """Every resample has as many documents of a stratum as the corpus."""
        strata = np.array([0, 0, 0, 1, 1, 2])
        counts = draws(strata, resamples=50, seed=1)
        for stratum, size in ((0, 3), (1, 2), (2, 1)):
            assert (counts[:, strata == stratum].sum(axis=1) == size).all()

    def test_a_documents_items_stay_together(self) -> None:
        """Two axes that are equal in every document are equal in every resample."""
        one = np.random.default_rng(6).random((1, 30, 1))
        sums = axes(np.concatenate([one, one], axis=2), (1, 1)).sums()
        first, second = (bootstrap(sums.of_component(f"axis{i}")).replicates for i in (0, 1))
        assert (first == second).all()


class TestDegenerate:
    def test_equal_documents_have_an_interval_of_no_width(self) -> None:
        """Where all documents score alike every interval is that score."""
        made = bootstrap(means(np.full((1, 8), 0.25)).sums(), resamples=200)
        for interval in (made.percentile()[0], made.bca()[0], made.studentised()[0]):
            assert (interval.lower, interval.upper) == (0.25, 0.25)

    def test_a_system_without_a_component_has_no_headline(self) -> None:
        """A component that another system has, missing here, makes headline and interval NaN, not a number."""
        values = np.random.default_rng(7).random((2, 12, 2))
        values[1, :, 1] = np.nan
        made = bootstrap(axes(values, (1, 1)).sums(), resamples=100)
        assert np.isfinite(made.estimates[0])
        assert np.isnan(made.estimates[1])
        assert np.isnan([made.percentile()[1].lower, made.bca()[1].lower, made.studentised()[1].lower]).all()

    def test_two_documents_leave_the_studentised_interval_unknown(self) -> None:
        """Only the draws that equal the sample have an error, so nothing is known; a point would be a lie."""
        made = bootstrap(means(np.array([[0.2, 0.9]])).sums())
        assert np.isnan([made.studentised()[0].lower, made.studentised()[0].upper]).all()

    def test_no_document_is_refused(self) -> None:
        """A bootstrap of nothing says so."""
        with pytest.raises(ValueError, match="needs documents"):
            bootstrap(means(np.empty((1, 0))).sums())


class TestReproducible:
    def test_a_seed_gives_the_same_replicates(self) -> None:
        """The same seed twice is the same, another seed is not."""
        sums = means(_sample(30, 8)[None]).sums()
        assert (bootstrap(sums, seed=7).replicates == bootstrap(sums, seed=7).replicates).all()
        assert (bootstrap(sums, seed=7).replicates != bootstrap(sums, seed=8).replicates).any()

    def test_the_number_of_threads_changes_no_bit(self) -> None:
        """Replicates of fractional scores are the same with one thread of the linear algebra as with two."""
        script = (
            "import numpy as np, hashlib\n"
            "from scorer.stats import bootstrap\n"
            "from tests.scorer.stats.made import axes\n"
            "values = np.random.default_rng(1).random((27, 300, 6))\n"
            "made = bootstrap(axes(values, (1.0,) * 6).sums(), resamples=500)\n"
            "print(hashlib.sha256(made.replicates.tobytes()).hexdigest())\n"
        )
        digests = set()
        for threads in ("1", "2"):
            names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
            environment = {"PATH": "/usr/bin", **dict.fromkeys(names, threads)}
            run = subprocess.run(
                [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
            )
            digests.add(run.stdout)
        assert len(digests) == 1

    def test_rounding_for_exact_sums_moves_no_score(self) -> None:
        """A resample of every document once is the estimate, to 1e-9."""
        from scorer.stats.bootstrap import replicate_headlines

        sums = axes(np.random.default_rng(9).random((3, 200, 4)), (1, 2, 3, 4)).sums()
        once = replicate_headlines(sums, np.ones((1, 200)))[0]
        assert once == pytest.approx(sums.headlines(), abs=1e-9)
