import pytest

from scorer.stats import Place, agreement

FIRST = {"a": "pass", "b": "fail", "c": "pass", "d": "pass", "only": "fail"}
SECOND = {"a": "pass", "b": "pass", "c": "pass", "d": "fail", "other": "pass"}


class TestAgreement:
    def test_counts_changes_and_missing_tests(self) -> None:
        """Two of four shared tests agree; each run has one of its own."""
        found = agreement(FIRST, SECOND)
        assert (found.shared, found.same, found.rate) == (4, 2, 0.5)
        assert found.changes == {("fail", "pass"): 1, ("pass", "fail"): 1}
        assert found.differing == ("b", "d")
        assert (found.only_first, found.only_second) == (("only",), ("other",))

    def test_kappa_by_hand(self) -> None:
        """Three of four pass in both runs: chance is 10/16, observed 1/2, kappa -1/3."""
        assert agreement(FIRST, SECOND).kappa == pytest.approx(-1 / 3)

    def test_where_differences_sit(self) -> None:
        """Groups with differences are listed, the most different first."""
        groups = {"a": ("page1",), "b": ("page1", "table"), "c": ("page2",), "d": ("page2", "table")}
        assert agreement(FIRST, SECOND, groups).places == (
            Place("table", 2, 2),
            Place("page1", 2, 1),
            Place("page2", 2, 1),
        )

    def test_a_run_agrees_with_itself(self) -> None:
        """The same run twice differs nowhere and has kappa 1."""
        found = agreement(FIRST, FIRST)
        assert (found.rate, found.kappa, found.places) == (1, 1, ())

    def test_nothing_shared_has_no_rate(self) -> None:
        """Two runs without a common test have no agreement, not an agreement of 0."""
        found = agreement({"a": "pass"}, {"b": "pass"})
        assert (found.rate, found.kappa) == (None, None)
