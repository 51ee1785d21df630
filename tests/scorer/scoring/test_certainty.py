"""What a run's figures are sure of."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import ttest_rel

from docassay.v1 import scorer_pb2 as pb
from scorer.report import leaderboard
from scorer.scoring.certainty import Certainty, certainty
from scorer.suites.bizdoc.composite import AxisRow, Document, ParseRow
from scorer.suites.bizdoc.kpis import AXES
from scorer.suites.bizdoc.sums import COMPOSITE, Rows
from tests.scorer import small
from tests.scorer.conftest import Store


def texts(values: Sequence[float], *, without_gold: int = 0, seconds: float = 1.0) -> Rows:
    """Return a parser's nid on documents with text, NaN where it failed, and further documents without gold."""
    names = [f"d{index}" for index in range(len(values) + without_gold)]
    nids = dict(zip(names, values, strict=False))
    return Rows(
        documents=tuple(
            Document(id=name, format="pdf", pages=5, annotations=frozenset({"content"} if name in nids else ()))
            for name in names
        ),
        parses=tuple(
            ParseRow(document=name, status="crash" if math.isnan(nids.get(name, 1.0)) else "ok", seconds=seconds)
            for name in names
        ),
        axes={"faithfulness": tuple(AxisRow(name, {"nid": nid}) for name, nid in nids.items() if nid == nid)},
    )


def known(parsers: dict[str, Rows], other: Sequence[str] = (), *, resamples: int = 500) -> Certainty:
    """Return what is known; the parsers in ``other`` were timed under other conditions."""
    shared = dict.fromkeys((COMPOSITE, *AXES), "same")
    conditions = {
        name: shared | (dict.fromkeys((COMPOSITE, "speed"), "other") if name in other else {}) for name in parsers
    }
    return certainty(parsers, conditions, weights={}, resamples=resamples)


RANDOM = np.random.default_rng(4)
FIRST = RANDOM.uniform(0.5, 1, 40)
SECOND = FIRST - RANDOM.uniform(0, 0.05, 40)
THIRD = RANDOM.uniform(0, 0.5, 40)


class TestPairs:
    def test_a_mean_axis_is_compared_by_the_paired_t_test(self) -> None:
        """Over the documents with gold alone: others are no evidence. A failure counts as 0."""
        first, second = FIRST[:8].copy(), SECOND[:8].copy()
        second[3] = math.nan
        found = known({"a": texts(first, without_gold=30), "b": texts(second, without_gold=30)})
        [pair] = [compared for compared in found.pairs if compared.headline == "faithfulness"]
        assert pair.documents == 8
        assert pair.pair.p == pytest.approx(ttest_rel(first, np.nan_to_num(second)).pvalue)

    def test_p_is_corrected_over_the_pairs_of_a_headline(self) -> None:
        """Holm by hand: the smallest times 3, the next times 2, never falling."""
        found = known({"a": texts(FIRST), "b": texts(SECOND), "c": texts(THIRD)})
        raw = [ttest_rel(x, y).pvalue for x, y in ((FIRST, SECOND), (FIRST, THIRD), (SECOND, THIRD))]
        order = np.argsort(raw)
        stepped = np.maximum.accumulate([raw[order[0]] * 3, raw[order[1]] * 2, raw[order[2]]])
        expected = sorted(np.minimum(stepped, 1).tolist())
        pairs = [compared.pair for compared in found.pairs if compared.headline == "faithfulness"]
        assert sorted(pair.adjusted for pair in pairs) == pytest.approx(expected)
        assert all(pair.gap >= 0 for pair in pairs)


class TestStandings:
    def test_the_order_of_the_parsers_changes_nothing(self) -> None:
        """Not a digit."""
        parsers = {"a": texts(FIRST), "b": texts(SECOND), "c": texts(THIRD)}
        turned = dict(reversed(parsers.items()))
        assert known(parsers) == known(turned)

    def test_a_rank_is_shared_where_the_documents_do_not_tell(self) -> None:
        """Two alike before one far behind: places 1 to 2, 1 to 2, and 3."""
        alike = FIRST[::-1].copy()
        found = known({"a": texts(FIRST), "b": texts(alike), "c": texts(THIRD)})
        places = {
            placed.standing.system: (placed.rank, placed.last_rank)
            for placed in found.standings
            if placed.headline == "faithfulness"
        }
        assert places == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}

    def test_a_parser_that_parsed_nothing_is_last_with_zeros(self) -> None:
        """Zero, without a spread, and behind beyond doubt."""
        found = known({"a": texts(FIRST), "b": texts([math.nan] * 40)})
        for headline in (COMPOSITE, "coverage", "speed", "faithfulness"):
            [placed] = [item for item in found.standings if (item.headline, item.standing.system) == (headline, "b")]
            assert (placed.standing.headline, placed.rank, placed.last_rank) == (0.0, 2, 2)
            assert placed.standing.gap > 0

    def test_only_parsers_under_the_same_conditions_are_compared(self) -> None:
        """A parser timed elsewhere stands apart in speed and composite, not in the axes that time does not touch."""
        found = known({"a": texts(FIRST), "b": texts(SECOND)}, other=("b",))
        assert {compared.headline for compared in found.pairs} == {"coverage", "faithfulness"}
        places = [(item.rank, item.last_rank) for item in found.standings if item.headline in ("speed", COMPOSITE)]
        assert places == [(1, 1)] * 4

    def test_one_parser_is_first_and_has_no_pair(self) -> None:
        """It leads every resample, and is behind nobody."""
        found = known({"a": texts(FIRST)})
        assert found.pairs == []
        assert {(item.rank, item.last_rank, item.standing.leads, item.standing.gap) for item in found.standings} == {
            (1, 1, 1.0, 0.0)
        }


class TestIntervals:
    def test_one_document_has_no_interval_and_no_difference(self) -> None:
        """Nothing is known of another document."""
        found = known({"a": texts([0.9]), "b": texts([0.1])})
        assert all(ends.percentile is None and ends.small_sample is None for ends in found.intervals.values())
        assert all(compared.pair.p == 1.0 for compared in found.pairs)
        assert {placed.rank for placed in found.standings} == {1}

    def test_an_axis_without_documents_has_no_row(self) -> None:
        """It has no score; the composite is of the others."""
        found = known({"a": texts(FIRST)})
        assert {placed.headline for placed in found.standings} == {COMPOSITE, "coverage", "speed", "faithfulness"}
        assert ("a", "tables") not in found.intervals

    def test_few_documents_have_the_interval_that_holds_for_few(self) -> None:
        """Counted for each headline: an axis may be of few documents in a large corpus."""
        found = known({"a": texts(FIRST[:8], without_gold=30)})
        few = {placed.headline: placed.few for placed in found.standings}
        assert few == {COMPOSITE: False, "coverage": False, "speed": False, "faithfulness": True}
        ends = found.intervals["a", "nid"]
        assert ends.percentile is not None
        assert ends.small_sample is not None
        assert ends.small_sample.lower < ends.percentile.lower < FIRST[:8].mean() < ends.percentile.upper
        assert found.intervals["a", "coverage"].small_sample is None

    def test_the_interval_of_a_mean_is_nearly_that_of_the_normal_distribution(self) -> None:
        """For 40 values: the mean plus and minus 1.96 standard errors."""
        found = known({"a": texts(FIRST)}, resamples=4000)
        ends = found.intervals["a", "faithfulness"].percentile
        assert ends is not None
        error = FIRST.std() / math.sqrt(40)
        assert ends.lower == pytest.approx(FIRST.mean() - 1.96 * error, abs=0.2 * error)
        assert ends.upper == pytest.approx(FIRST.mean() + 1.96 * error, abs=0.2 * error)


def _scored(store: Store, *, jobs: int = 1) -> tuple[list[dict[str, object]], ...]:
    store.score(jobs=jobs)
    return tuple(store.database.rows(f"select * from {table} order by all") for table in ("kpis", "standings", "pairs"))


class TestStored:
    def test_every_number_is_the_same_on_any_number_of_processes(self, store: Store) -> None:
        """Intervals, standings and pairs included; and scoring again replaces them."""
        run_id = store.run()
        for parts in small.everything(run_id):
            store.submit(parts)
        store.close_run(run_id)
        kpis, standings, pairs = alone = _scored(store)
        assert alone == _scored(store, jobs=2)
        assert {row["headline"] for row in standings} == {COMPOSITE, *AXES}
        assert len(pairs) == 7
        assert {row["seed"] for row in standings} == {20261022}
        assert {row["resamples"] for row in standings} == {2000}
        assert all(row["lower"] is None for row in kpis if row["document"] is not None and not row["bounded"])

    def test_scoring_one_axis_again_keeps_the_standings_of_all(self, store: Store) -> None:
        """What was scored before enters as it is."""
        run_id = store.run()
        for parts in small.everything(run_id):
            store.submit(parts)
        store.close_run(run_id)
        before = _scored(store)[1:]
        store.score(axes=("tables",))
        after = tuple(store.database.rows(f"select * from {table} order by all") for table in ("standings", "pairs"))
        assert after == before

    def test_the_board_has_intervals_gaps_and_places(self, scored: Store) -> None:
        """Four documents, and one with questions: no interval of the composite, but those of other axes."""
        board = leaderboard.leaderboard(scored.database, run_id="20260726_201631")
        assert board["certainty"] == {"documents": 4, "few_documents": True, "resamples": 2000, "seed": 20261022}
        first, second = board["parsers"]
        assert [(row["rank"], row["last_rank"], row["place"]) for row in (first, second)] == [(1, 2, 1), (1, 2, 2)]
        assert first["gap"] == 0
        assert second["gap"] == pytest.approx(first["composite"] - second["composite"])
        assert first["leads"] + second["leads"] == pytest.approx(1)
        assert first["composite_interval"] is None
        assert first["axes_intervals"]["retrieval"] is None
        lower, upper = second["axes_intervals"]["coverage"]
        assert (lower, upper) == (0.25, 1.0), "of 4 documents of which 3 were parsed"
        assert second["axes_small_sample_intervals"]["coverage"] is not None
        assert second["axes_standings"]["coverage"]["documents"] == 4

    def test_an_unfinished_parser_is_compared_with_zeros(self, store: Store) -> None:
        """What it left undone counts as failed, here as in the composite."""
        run_id = store.run(small.open_request(store.corpus, parsers=(small.GOOD, small.POOR)))
        for parts in small.everything(run_id, [small.GOOD]):
            store.submit(parts)
        store.close_run(run_id, pb.ParserOutcome(parser=small.POOR, state=1))
        store.score()
        rows = {row["parser"]: row for row in store.database.rows("select * from leaderboard")}
        assert rows[small.POOR]["gap"] == pytest.approx(rows[small.GOOD]["composite"])
