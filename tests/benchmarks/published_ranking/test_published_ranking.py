"""A published ranking beside a run's: what is the other way round, and what it rests on."""

import numpy as np

from benchmarks.published_ranking.__main__ import inversions, told
from scorer.stats import Sums

TOOLS = {"old@1": "old", "new@2": "new"}


def coverage(values: list[list[float]]) -> Sums:
    """Sums of the axis coverage alone, one value a document."""
    total = np.array(values)[:, :, None]
    documents = tuple(f"d{d}" for d in range(total.shape[1]))
    return Sums(tuple(TOOLS), documents, ("coverage",), total, np.ones_like(total), np.ones(1))


class TestInversions:
    def test_the_other_way_round(self) -> None:
        """Published .9 before .8; here .5 before .75, by one document of four, and for composite and axis alike."""
        published = {"old": {"composite": 0.9, "coverage": 0.9}, "new": {"composite": 0.8, "coverage": 0.8}}
        found = inversions(coverage([[1, 1, 0, 0], [1, 1, 1, 0]]), published, TOOLS)
        assert [inversion.headline for inversion in found] == ["composite", "coverage"]
        for inversion in found:
            assert (inversion.pair.first, inversion.pair.second, inversion.pair.gap) == ("new@2", "old@1", 0.25)
            assert inversion.undone_without == ("d2",)
            assert not inversion.pair.differs
        assert next(told(found)).endswith("not distinguishable; the published order without d2")

    def test_the_same_way_round_or_equal(self) -> None:
        """Neither the published order nor a draw on either side is an inversion."""
        ahead = {"old": {"composite": 0.8, "coverage": 0.8}, "new": {"composite": 0.9, "coverage": 0.8}}
        assert inversions(coverage([[1, 0], [1, 1]]), ahead, TOOLS) == []
        level = {"old": {"composite": 0.9, "coverage": 0.9}, "new": {"composite": 0.8, "coverage": 0.8}}
        assert inversions(coverage([[1, 0], [1, 0]]), level, TOOLS) == []
        assert list(told([])) == ["0 pairs are the other way round than published"]
