"""Which differences between two runs are real."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

from scorer.report import compare as stored
from scorer.report.changes import Change, matches
from scorer.report.comparison import Comparison, Run, compare
from scorer.scoring.inputs import Document, Inputs, Measured
from scorer.store.errors import Unknown
from scorer.suites.bizdoc.kpis import AXES
from scorer.suites.bizdoc.sums import COMPOSITE
from tests.scorer.conftest import Store

RANDOM = np.random.default_rng(11)
NIDS = RANDOM.uniform(0.5, 0.9, 40)


def run(
    nids: Sequence[float],
    *,
    parser: str = "tool@1",
    sha: str = "same",
    gold: str = "gold",
    axes: Sequence[str] = ("coverage", "speed", "faithfulness"),
    seconds: float = 1.0,
    calibration: float | None = 0.01,
    weights: dict[str, float] | None = None,
    **conditions: Any,
) -> Run:
    """Return a run of one parser over documents of 5 pages with text; NaN where it failed."""
    name = parser.partition("@")[0]
    row = {
        "parser": parser,
        "name": name,
        "setting": "",
        "chunker": "shared@1",
        "native_chunker": False,
        "calibration_seconds": calibration,
        "flags": [],
    }
    documents = tuple(Document(f"d{i:02}", "pdf", f"{sha}{i}", 5, ("content",), "digest") for i in range(len(nids)))
    measured = {
        (parser, document.id): Measured(nid == nid, False, "" if nid == nid else "crash: gone", seconds, "x", None, "")
        for document, nid in zip(documents, nids, strict=True)
    }
    shared = {"suite": "bizdoc@1", "gold": gold, "scope": f"{sha}{len(nids)}", "timeout_seconds": 60}
    return Run(
        given=Inputs({"run_id": "r"}, (row,), documents, measured),
        figures={
            parser: {
                "faithfulness": {
                    document.id: {"nid": 0.0 if nid != nid else float(nid)}
                    for document, nid in zip(documents, nids, strict=True)
                }
            }
        },
        conditions={parser: {axis: {**shared, "axis": axis, **conditions} for axis in axes}},
        weights=weights or dict.fromkeys(AXES, 1.0),
        gold_as_opened=True,
    )


def change(found: Comparison, headline: str) -> Change:
    """Return the change of the only pair."""
    [pair] = found.parsers
    return next(item for item in pair.changes if item.headline == headline)


class TestVerdicts:
    def test_a_small_loss_everywhere_is_worse_beyond_doubt(self) -> None:
        """By the paired t-test over the documents, corrected over the four headlines compared."""
        later = NIDS - RANDOM.uniform(0, 0.02, 40)
        found = compare(run(NIDS), run(later, parser="tool@2"))
        lost = change(found, "faithfulness")
        assert lost.verdict == "worse"
        assert lost.difference == pytest.approx(later.mean() - NIDS.mean())
        assert lost.p == pytest.approx(ttest_rel(NIDS, later).pvalue)
        assert lost.p is not None
        assert lost.adjusted_p == pytest.approx(4 * lost.p)
        assert lost.interval is not None
        assert lost.interval.upper < 0
        assert ("tool@2", "faithfulness") in found.worse
        assert change(found, "coverage").verdict == "no difference shown"

    def test_the_other_way_round_it_is_better(self) -> None:
        """And nothing is worse."""
        found = compare(run(NIDS), run(NIDS + 0.05))
        assert change(found, "faithfulness").verdict == "better"
        assert found.worse == ()

    def test_a_loss_on_one_document_of_many_is_no_difference_shown(self) -> None:
        """But the document is named, with what it had and has."""
        later = NIDS.copy()
        later[7] = 0.1
        found = compare(run(NIDS), run(later))
        assert change(found, "faithfulness").verdict == "no difference shown"
        [lost] = found.parsers[0].regressed
        assert lost.document == "d07"
        assert lost.change == pytest.approx(0.1 - NIDS[7])
        assert lost.kpis == {"nid": (NIDS[7], 0.1)}

    def test_the_same_run_twice_has_no_difference(self) -> None:
        """Each p is 1."""
        found = compare(run(NIDS), run(NIDS))
        assert {item.p for item in found.parsers[0].changes if item.verdict != "not compared"} == {1.0}
        assert found.parsers[0].regressed == ()

    def test_one_document_shows_nothing(self) -> None:
        """Whatever happened to it."""
        found = compare(run([0.9]), run([0.1]))
        assert change(found, "faithfulness").verdict == "no difference shown"
        assert change(found, "faithfulness").interval is None
        assert change(found, "faithfulness").few_documents


class TestDocuments:
    def test_new_failures_and_mended_documents_are_named(self) -> None:
        """With the reason of the run in which they failed; they are no regressions of a text."""
        before, after = NIDS.copy(), NIDS.copy()
        before[0] = after[1] = math.nan
        [pair] = compare(run(before), run(after)).parsers
        assert [(item.document, item.reason) for item in pair.newly_failed] == [("d01", "crash: gone")]
        assert [(item.document, item.reason) for item in pair.mended] == [("d00", "crash: gone")]
        assert pair.regressed == ()

    def test_only_documents_that_both_runs_have_are_compared(self) -> None:
        """The scores are over those alone, the others are named."""
        later = run(NIDS[:30])
        found = compare(run(NIDS), later)
        assert found.documents == 30
        assert found.only_before == tuple(f"d{i}" for i in range(30, 40))
        assert change(found, "faithfulness").before == pytest.approx(NIDS[:30].mean())
        assert change(found, "faithfulness").verdict == "no difference shown"

    def test_another_file_under_the_same_id_is_no_shared_document(self) -> None:
        """Without any there is nothing to compare."""
        with pytest.raises(ValueError, match="share no document"):
            compare(run(NIDS), run(NIDS, sha="other"))


class TestConditions:
    def test_other_gold_leaves_what_needs_none(self) -> None:
        """Coverage and speed read no gold."""
        found = compare(run(NIDS), run(NIDS, gold="corrected"))
        assert [(item.condition, item.axes) for item in found.differing] == [("gold", ("faithfulness",))]
        assert change(found, "faithfulness").verdict == change(found, COMPOSITE).verdict == "not compared"
        assert "gold" in change(found, "faithfulness").reason
        assert "faithfulness" in change(found, COMPOSITE).reason
        assert change(found, "coverage").verdict == change(found, "speed").verdict == "no difference shown"

    def test_gold_of_further_documents_is_no_other_gold(self) -> None:
        """The digest of a run is of all its documents; those shared have their own. Unless the gold changed since."""
        later = run(NIDS[:30], gold="of fewer")
        assert change(compare(run(NIDS), later), "faithfulness").verdict == "no difference shown"
        changed = replace(later, gold_as_opened=False)
        assert change(compare(run(NIDS), changed), "faithfulness").verdict == "not compared"

    def test_other_limits_leave_nothing(self) -> None:
        """A deadline decides what is parsed at all."""
        later = run(NIDS, timeout_seconds=5)
        found = compare(run(NIDS), later)
        [differing] = found.differing
        assert (differing.condition, differing.before, differing.after) == ("timeout_seconds", 60, 5)
        assert {item.verdict for item in found.parsers[0].changes} == {"not compared"}

    def test_a_slower_machine_is_no_slower_parser(self) -> None:
        """The pace just before differs by more than a tenth."""
        found = compare(run(NIDS), run(NIDS, seconds=2.0, calibration=0.02))
        assert change(found, "speed").verdict == "not compared"
        assert change(found, "faithfulness").verdict == "no difference shown"
        slower = compare(run(NIDS), run(NIDS, seconds=2.0))
        assert change(slower, "speed").verdict == "worse"

    def test_composites_of_other_weights_are_not_compared(self) -> None:
        """The axes are."""
        found = compare(run(NIDS), run(NIDS, weights=dict.fromkeys(AXES, 1.0) | {"speed": 0.0}))
        assert change(found, COMPOSITE).verdict == "not compared"
        assert change(found, "speed").verdict == "no difference shown"


class TestMatches:
    def test_the_same_key_goes_first_then_two_versions_of_a_tool(self) -> None:
        """A tool left with several versions on a side is not guessed."""
        tool, other = ("tool", ""), ("other", "")
        assert matches({"tool@1": tool, "other@1": other}, {"tool@2": tool, "other@1": other}) == [
            ("other@1", "other@1"),
            ("tool@1", "tool@2"),
        ]
        assert matches({"tool@1": tool, "tool@2": tool}, {"tool@2": tool, "tool@3": tool}) == [
            ("tool@2", "tool@2"),
            ("tool@1", "tool@3"),
        ]
        for left, right in (
            ({"tool@1": tool}, {"tool@2": tool, "tool@3": tool}),
            ({"tool@1:fast": ("tool", "fast")}, {"tool@1": tool}),
        ):
            with pytest.raises(ValueError, match="no parser occurs in both runs: the first has tool@1"):
                matches(left, right)

    def test_runs_without_a_common_parser_are_refused(self) -> None:
        """The message names what each has."""
        with pytest.raises(ValueError, match="the first has tool@1, the second other@1"):
            compare(run(NIDS), run(NIDS, parser="other@1"))


class TestStored:
    def test_two_versions_of_a_parser(self, scored: Store) -> None:
        """The later one lost the headings of one of four documents: named, not beyond doubt."""
        found = stored.comparison(scored.database, "20260726_201631", "20260727_201631")
        assert found["documents"] == 4
        assert found["differing"] == ()
        [pair] = found["parsers"]
        assert (pair["before"], pair["after"]) == ("good@1.0", "good@1.1")
        changes = {item["headline"]: item for item in pair["changes"]}
        board = {row["parser"]: row for row in scored.database.rows("select * from leaderboard")}
        for side, parser in (("before", "good@1.0"), ("after", "good@1.1")):
            for headline in (COMPOSITE, *AXES):
                assert changes[headline][side] == pytest.approx(board[parser][headline], abs=1e-12)
        assert [lost["document"] for lost in pair["regressed"]] == ["a"]
        assert found["unpaired_before"] == ("poor@2.0",)
        assert found["worse"] == []

    def test_a_run_that_was_not_scored_is_refused(self, store: Store) -> None:
        """With what to do."""
        run_id = store.run()
        with pytest.raises(Unknown, match="score it first"):
            stored.comparison(store.database, run_id, run_id)
