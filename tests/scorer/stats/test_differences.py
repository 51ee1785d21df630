import numpy as np
import pytest

from scorer.stats import Items, differences


def _items(values: np.ndarray, documents: int) -> Items:
    count = values.shape[1]
    return Items(
        tuple(f"s{i}" for i in range(values.shape[0])),
        tuple(f"d{i}" for i in range(documents)),
        ("text",),
        values,
        np.arange(count) % documents,
        np.zeros(count, dtype=np.int64),
        np.ones(1),
    )


def _by_hand(
    values: np.ndarray, document: np.ndarray, chosen: np.ndarray, rest: np.ndarray, weights: list[np.ndarray]
) -> np.ndarray:
    """Each system's effect under each row of document weights, item by item."""
    effects = []
    for weight in weights:
        sides = []
        for side in (chosen, rest):
            items = [t for t in range(len(document)) if side[t]]
            rates = []
            for row in values:
                scored = [(weight[document[t]], row[t]) for t in items if not np.isnan(row[t])]
                count = sum(w for w, _ in scored)
                rates.append(sum(w * v for w, v in scored) / count if count else np.nan)
            sides.append(rates)
        gaps = [one - other for one, other in zip(*sides, strict=True)]
        effects.append([gap - (sum(gaps) - gap) / (len(gaps) - 1) for gap in gaps])
    return np.array(effects)


class TestDifferences:
    def test_by_hand(self) -> None:
        """s0 passes all of the chosen and half of the rest, the others half of both: an effect of one half."""
        values = np.array([[1, 1, 1, 1, 1, 0, 1, 0], [1, 0, 1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1, 0, 1]], dtype=float)
        chosen = np.arange(8) < 4
        effects = {d.system: d.effect for d in differences(_items(values, 4), chosen)}
        assert effects == pytest.approx({"s0": 0.5, "s1": -0.25, "s2": -0.25})

    def test_a_planted_effect_is_found_and_the_placebo_shows_nothing(self) -> None:
        """One of three systems is 20 points better on the chosen items alone."""
        rng = np.random.default_rng(1)
        chosen = np.arange(6000) % 3 == 0
        rate = np.where(chosen, 0.5, 0.7)
        values = (rng.random((3, 6000)) < np.stack([rate + 0.2 * chosen, rate, rate])).astype(float)
        found = differences(_items(values, 300), chosen)
        assert found[0].stands_out
        assert found[0].effect == pytest.approx(0.2, abs=0.04)
        assert found[0].placebo_interval.lower < 0 < found[0].placebo_interval.upper

    def test_intervals_and_placebo_by_hand(self) -> None:
        """Items without a score, some documents of several items: everything again, one item after the other."""
        rng = np.random.default_rng(11)
        values = rng.integers(0, 2, (3, 60)).astype(float)
        values[rng.random(values.shape) < 0.15] = np.nan
        items, chosen = _items(values, 7), rng.random(60) < 0.4
        found = differences(items, chosen, resamples=50, seed=3)
        half = (np.random.default_rng(3).permutation(7) % 2 == 0)[items.document]
        draws = [np.bincount(drawn, minlength=7) for drawn in np.random.default_rng(3).integers(0, 7, (50, 7))]
        for one, rest, name in ((chosen, ~chosen, ""), (~chosen & half, ~chosen & ~half, "placebo")):
            [effects] = _by_hand(values, items.document, one, rest, [np.ones(7)])
            resampled = _by_hand(values, items.document, one, rest, draws)
            low, high = np.nanquantile(resampled, (0.025, 0.975), axis=0)
            for system, difference in enumerate(found):
                interval = difference.placebo_interval if name else difference.interval
                assert (difference.placebo if name else difference.effect) == pytest.approx(effects[system], abs=1e-12)
                assert (interval.lower, interval.upper) == pytest.approx((low[system], high[system]), abs=1e-9)

    def test_a_system_that_is_not_scored_on_a_side_leaves_the_others_comparable(self) -> None:
        """s2 has nothing on the chosen items: s0 and s1 are compared with each other; alone, s0 with nobody."""
        values = np.array([[1, 1, 1, 1, 1, 0, 1, 0], [1, 0, 1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1, 0, 1]], dtype=float)
        chosen = np.arange(8) < 4
        values[2, chosen] = np.nan
        effects = [d.effect for d in differences(_items(values, 4), chosen)]
        assert effects == pytest.approx([0.5, -0.5, np.nan], nan_ok=True)
        values[1, chosen] = np.nan
        found = differences(_items(values, 4), chosen)
        assert all(np.isnan(d.effect) and np.isnan(d.interval.lower) and not d.stands_out for d in found)

    @pytest.mark.parametrize("side", ["chosen", "rest"])
    def test_a_side_of_one_document_has_an_effect_and_no_interval(self, side: str) -> None:
        """However large the effect: nothing is known of other documents."""
        items = _items(np.stack([np.arange(40) % 4 == 0, np.ones(40)]).astype(float), 4)
        chosen = (items.document == 0) == (side == "chosen")
        for difference in differences(items, chosen):
            assert abs(difference.effect) == pytest.approx(1)
            assert np.isnan(difference.interval.lower)
            assert not difference.stands_out

    def test_what_is_harder_for_all_cancels(self) -> None:
        """Items on which every system loses alike give no effect."""
        row = (np.arange(100) % 4 > 0).astype(float)
        for difference in differences(_items(np.stack([row, row]), 20), np.arange(100) < 50):
            assert (difference.effect, difference.interval.lower, difference.interval.upper) == (0, 0, 0)

    def test_the_seed_decides(self) -> None:
        """The same seed gives the same intervals."""
        items = _items(np.random.default_rng(2).integers(0, 2, (3, 200)).astype(float), 40)
        chosen = np.arange(200) < 70
        assert differences(items, chosen) == differences(items, chosen)

    def test_one_system_has_nobody_to_differ_from(self) -> None:
        """Fewer than two systems are refused, an unknown one is named."""
        items = _items(np.ones((2, 8)), 4)
        with pytest.raises(ValueError, match="two systems"):
            differences(items, np.arange(8) < 4, among=["s0"])
        with pytest.raises(KeyError, match="nobody"):
            differences(items, np.arange(8) < 4, among=["s0", "nobody"])
