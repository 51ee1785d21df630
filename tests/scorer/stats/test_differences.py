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
