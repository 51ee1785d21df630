"""From stored artifacts to figures."""

import json
import math
import resource
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docassay.v1 import parser_pb2
from scorer import gold
from scorer.report import leaderboard
from scorer.scoring import score
from scorer.store.database import FILE, Database
from scorer.store.errors import StorageFailed, Unknown
from services.runtime import form
from tests.scorer import small
from tests.scorer.conftest import Store, open_store

# By hand, from the description in tests/scorer/small.py. poor: 3 of 4 parsed; 20 pages in 4 s; no heading of a, b
# failed; nid 1 and 0; tables: recall, precision and rows 0 and 1, the header of a missed; the evidence is in a chunk.
POOR_AXES = {
    "coverage": 0.75,
    "speed": math.log10(6) / math.log10(51),
    "hierarchy": 0.0,
    "faithfulness": 0.5,
    "tables": (0.5 + 0.5 + 0.5 + 0.0) / 4,
    "retrieval": 1.0,
}


def _value(store: Store, kpi: str, parser: str, document: str | None) -> object:
    [row] = store.database.rows(
        "select value, reason from kpis where kpi = ? and parser = ? and document is not distinct from ?"
        " and run_id = (select min(run_id) from kpis)",
        [kpi, parser, document],
    )
    return row["value"], row["reason"]


class TestFigures:
    def test_a_parser_that_returns_the_gold_scores_one_on_every_axis(self, scored: Store) -> None:
        """Output equal to the gold at 50 pages a second is 1 everywhere."""
        board = leaderboard.leaderboard(scored.database, run_id="20260726_201631")
        [best] = [row for row in board["parsers"] if row["parser"] == small.GOOD]
        assert best["axes"] == pytest.approx(dict.fromkeys(POOR_AXES, 1.0))
        assert best["composite"] == pytest.approx(1.0)
        assert best["rank"] == 1

    def test_axes_and_composite_are_those_computed_by_hand(self, scored: Store) -> None:
        """The composite is the mean of the six axes, each the mean of its KPIs' means."""
        board = leaderboard.leaderboard(scored.database, run_id="20260726_201631")
        [row] = [row for row in board["parsers"] if row["parser"] == small.POOR]
        assert row["axes"] == pytest.approx(POOR_AXES)
        assert row["composite"] == pytest.approx(math.fsum(POOR_AXES.values()) / 6)
        assert row["kpis"]["table_header_accuracy"] == 0
        assert row["coverage_by_format"] == {"docx": 0.0, "html": 1.0, "pdf": 1.0, "pptx": 1.0}
        assert row["place"] == 2
        assert (row["rank"], row["last_rank"]) == (1, 2), "four documents leave both places open"

    def test_a_failure_is_zero_with_its_reason_and_undefined_is_null_with_its_own(self, scored: Store) -> None:
        """The two are never confused."""
        assert _value(scored, "nid", small.POOR, "b") == (0.0, "timeout: the deadline of 65 s passed")
        value, reason = _value(scored, "table_header_accuracy", small.POOR, "c")  # type: ignore[misc]
        assert value is None
        assert "header" in reason

    def test_a_parser_that_is_not_ready_has_no_figures_and_is_listed_with_its_reason(self, scored: Store) -> None:
        """It is no zero, and no failure."""
        board = leaderboard.leaderboard(scored.database, run_id="20260726_201631")
        assert board["not_ready"] == [
            {
                "parser": small.HEAVY,
                "state": "weights_unavailable",
                "reason": "weights.bin (2 GB) is missing: run fetch",
            }
        ]
        for table in ("kpis", "leaderboard", "failures", "speed"):
            assert not scored.database.rows(f"select 1 from {table} where parser = ?", [small.HEAVY])

    def test_a_document_without_a_row_scores_zero_and_shows_as_absent(self, store: Store) -> None:
        """The documents come from the manifest, never from the rows."""
        run_id = store.run(small.open_request(store.corpus, parsers=(small.GOOD,)))
        store.submit(small.submission(run_id, small.GOOD, "a"))
        store.close_run(run_id)
        store.score()
        assert _value(store, "coverage", small.GOOD, None)[0] == 0.25  # type: ignore[index]
        assert _value(store, "nid", small.GOOD, "b") == (0.0, "absent: the run has no parse of it")
        failures = store.database.rows("select document, status from failures")
        assert failures == [{"document": name, "status": "absent"} for name in ("b", "c", "d")]

    def test_an_assisted_parse_is_not_covered(self, store: Store) -> None:
        """Somebody else's work is nobody's score."""
        run_id = store.run(small.open_request(store.corpus, parsers=(small.GOOD,)))
        record = small.record(run_id, small.GOOD, "a")
        record.done.assisted = parser_pb2.ASSISTANCE_FETCH
        store.submit(small.parts(record, small.output("a"), small.chunks("a")))
        store.close_run(run_id)
        store.score()
        assert _value(store, "coverage", small.GOOD, None)[0] == 0.0  # type: ignore[index]
        assert _value(store, "assisted_rate", small.GOOD, None)[0] == 0.25  # type: ignore[index]
        assert _value(store, "nid", small.GOOD, "a")[0] == 0.0  # type: ignore[index]
        assert store.database.rows("select status from failures where document = 'a'") == [{"status": "fetch_assisted"}]

    def test_help_with_a_document_that_failed_all_the_same_is_a_failure(self, store: Store) -> None:
        """The rate of assisted documents counts those that were parsed with help; this one shows why it was not."""
        run_id = store.run(small.open_request(store.corpus, parsers=(small.GOOD,)))
        record = small.record(run_id, small.GOOD, "a")
        record.done.status, record.done.reason = parser_pb2.PARSE_STATUS_ERROR, "no page"
        record.done.assisted = parser_pb2.ASSISTANCE_FETCH
        store.submit(small.parts(record))
        store.close_run(run_id)
        store.score()
        assert _value(store, "assisted_rate", small.GOOD, None)[0] == 0.0  # type: ignore[index]
        assert _value(store, "nid", small.GOOD, "a") == (0.0, "error: no page")

    def test_a_document_without_chunks_has_zero_recall_with_the_reason(self, store: Store) -> None:
        """A chunker that failed is shown as such."""
        run_id = store.run(small.open_request(store.corpus, parsers=(small.GOOD,)))
        record = small.record(run_id, small.GOOD, "a")
        record.chunk_done.status = parser_pb2.PARSE_STATUS_ERROR
        record.chunk_done.reason = "chunker raised KeyError"
        store.submit(small.parts(record, small.output("a")))
        store.close_run(run_id)
        store.score()
        assert _value(store, "recall@2000", small.GOOD, "a") == (0.0, "no chunks: chunker raised KeyError")


class TestRepeats:
    @pytest.fixture
    def repeated(self, store: Store) -> tuple[Store, str]:
        """A run that parses everything three times."""
        request = small.open_request(store.corpus, parsers=(small.GOOD,), repeats=3)
        return store, store.run(request)

    def test_the_median_second_and_the_first_artifact_count(self, repeated: tuple[Store, str]) -> None:
        """Differing outputs are flagged, the first is scored."""
        store, run_id = repeated
        for repeat, seconds, text in ((2, 9.0, "other"), (1, 1.0, None), (3, 2.0, None)):
            record = small.record(run_id, small.GOOD, "a", repeat=repeat, seconds=seconds)
            store.submit(small.parts(record, small.output("a", text=text), small.chunks("a")))
        store.close_run(run_id)
        store.score()
        [row] = store.database.rows(
            "select seconds, nondeterministic, faithfulness from document_scores where document = 'a'"
        )
        assert row == {"seconds": 2.0, "nondeterministic": True, "faithfulness": 1.0}
        assert leaderboard.leaderboard(store.database)["parsers"][0]["nondeterministic"] == 1

    def test_a_document_that_fails_once_is_failed(self, repeated: tuple[Store, str]) -> None:
        """Luck in the other repeats does not count."""
        store, run_id = repeated
        for repeat in (1, 2, 3):
            record = small.record(run_id, small.GOOD, "a", repeat=repeat)
            if repeat == 2:
                record.done.status = parser_pb2.PARSE_STATUS_CRASH
                record.done.reason = "signal 11"
            store.submit(small.parts(record, small.output("a") if repeat != 2 else b""))
        store.close_run(run_id)
        store.score()
        assert _value(store, "nid", small.GOOD, "a") == (0.0, "crash: signal 11")


class TestScoringAgain:
    def test_one_axis_alone_leaves_the_others_and_renews_the_composite(self, store: Store) -> None:
        """Correcting the gold of one axis costs that axis."""
        run_id = store.run()
        for parts in small.everything(run_id):
            store.submit(parts)
        store.close_run(run_id)
        store.score()
        before = store.database.rows("select * from kpis where axis not in ('faithfulness', 'composite') order by all")
        (store.corpus / "annotations/content/b.content.md").write_text("zzzz")
        told = store.score(axes=("faithfulness",))
        after = store.database.rows("select * from kpis where axis not in ('faithfulness', 'composite') order by all")
        assert after == before
        assert any("b: its gold is not what it was" in warning for warning in told.warnings)
        [row] = store.database.rows("select * from leaderboard where parser = ?", [small.GOOD])
        assert row["faithfulness"] < 1
        axes = [row[axis] for axis in POOR_AXES]
        assert row["composite"] == pytest.approx(math.fsum(axes) / 6)
        assert not row["partial"]

    def test_scoring_twice_changes_nothing(self, store: Store) -> None:
        """Same artifacts, same gold, same figures."""
        run_id = store.run()
        for parts in small.everything(run_id):
            store.submit(parts)
        store.score()
        first = store.database.rows("select * from kpis order by all")
        store.score()
        assert store.database.rows("select * from kpis order by all") == first

    def test_the_number_of_processes_changes_nothing(self, store: Store) -> None:
        """Spawned processes give the figures of this one."""
        run_id = store.run()
        for parts in small.everything(run_id):
            store.submit(parts)
        store.score()
        first = store.database.rows("select * from kpis order by all")
        store.score(jobs=2)
        assert store.database.rows("select * from kpis order by all") == first

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_a_stopped_scoring_leaves_the_figures_as_they_were(self, store: Store, jobs: int) -> None:
        """Nothing is written before everything is computed."""
        run_id = store.run()
        for parts in small.everything(run_id):
            store.submit(parts)
        store.score()
        first = store.database.rows("select * from kpis order by all")
        (store.corpus / "annotations/content/b.content.md").write_text("zzzz")
        stop = threading.Event()
        request = score.Request(jobs=jobs, cache=store.cache)
        steps = score.score(store.database, store.artifacts, request, now=small.NOW, stop=stop)
        while True:
            step = next(steps)
            if isinstance(step, score.Progress) and (step.stage, step.completed) == ("documents", 1):
                break
        assert step.current.endswith((": a", ": b", ": c"))
        stop.set()
        with pytest.raises(score.ScoringFailed, match="stopped"):
            list(steps)
        assert store.database.rows("select * from kpis order by all") == first

    def test_missing_gold_stops_the_scoring_and_names_the_file(self, store: Store) -> None:
        """Gold that cannot be read is no zero."""
        run_id = store.run()
        store.submit(small.submission(run_id, small.GOOD, "a"))
        (store.corpus / "annotations/content/b.content.md").unlink()
        with pytest.raises(gold.GoldError, match=r"b\.content\.md"):
            store.score()
        assert not store.database.rows("select 1 from kpis")


class TestComparability:
    def test_every_figure_has_a_signature_whose_content_is_there(self, scored: Store) -> None:
        """What could change a figure can be read."""
        assert not scored.database.rows(
            "select 1 from kpis k left join signatures s on s.signature = k.signature where s.content is null"
        )
        [row] = scored.database.rows(
            "select content from signatures s join kpis k on k.signature = s.signature"
            " where k.kpi = 'recall@2000' and k.document is null and k.parser = ?",
            [small.POOR],
        )
        content = json.loads(row["content"])
        assert content["parser"]["lock_digest"] == "lock-poor@2.0"
        assert content["conditions"]["embedder"]["name"] == "embedded"
        assert content["conditions"]["memory_bytes"] == 1 << 30

    @pytest.mark.parametrize(("field", "value"), [("transport", "bytes"), ("replicas", 3), ("gpu", "L4")])
    def test_parsers_timed_otherwise_are_ranked_apart(self, store: Store, field: str, value: object) -> None:
        """A parser that got its documents as bytes, worked on several, or had a GPU is not ranked with the others."""
        request = small.open_request(store.corpus, parsers=(small.GOOD, small.POOR))
        setattr(request.parsers[1], field, value)
        run_id = store.run(request)
        for parts in small.everything(run_id):
            store.submit(parts)
        store.close_run(run_id)
        store.score()
        board = leaderboard.leaderboard(store.database)
        assert not board["comparable"]
        assert [row["rank"] for row in board["parsers"]] == [1, 1]
        assert len({row["conditions"] for row in board["parsers"]}) == 2

    def test_weights_are_part_of_the_composite_and_its_signature(self, store: Store) -> None:
        """A composite of other weights is another figure."""
        run_id = store.run(small.open_request(store.corpus, parsers=(small.POOR,)))
        for parts in small.everything(run_id, [small.POOR]):
            store.submit(parts)
        store.close_run(run_id)
        store.score()
        [equal] = leaderboard.leaderboard(store.database)["parsers"]
        only = dict.fromkeys(POOR_AXES, 0) | {"coverage": 2}
        store.score(weights=score.weights(json.dumps(only)))
        [weighted] = leaderboard.leaderboard(store.database)["parsers"]
        assert weighted["composite"] == 0.75
        assert weighted["conditions"] != equal["conditions"]

    def test_scoring_one_axis_again_keeps_the_remarks_on_the_others(self, store: Store) -> None:
        """How many chunks the embedder cut is part of what a score means."""
        run_id = store.run(small.open_request(store.corpus, parsers=(small.GOOD,)))
        long = b"".join(form.chunk_lines([form.Chunk("word " * 5000)], form.Repair()))
        store.submit(small.parts(small.record(run_id, small.GOOD, "a"), small.output("a"), long))
        store.close_run(run_id)
        store.score()
        cut = "select stage, parser, document, text from warnings where text like '%longer than the embedder%'"
        found = store.database.rows(cut)
        assert [(row["stage"], row["document"]) for row in found] == [("chunks", "a")]
        store.score(axes=("tables",))
        assert store.database.rows(cut) == found
        store.score(axes=("retrieval",))
        assert store.database.rows(cut) == found

    def test_scoring_one_axis_again_keeps_the_weights(self, store: Store) -> None:
        """Correcting the gold of one axis does not change what the composite means; weights given anew do."""
        run_id = store.run(small.open_request(store.corpus, parsers=(small.POOR,)))
        for parts in small.everything(run_id, [small.POOR]):
            store.submit(parts)
        store.close_run(run_id)
        only = dict.fromkeys(POOR_AXES, 0) | {"coverage": 2}
        store.score(weights=score.weights(json.dumps(only)))
        store.score(axes=("tables",))
        board = leaderboard.leaderboard(store.database)
        assert board["weights"]["coverage"] == 2
        assert board["parsers"][0]["composite"] == 0.75
        store.score(axes=("tables",), weights=score.weights('{"coverage": 1}'))
        assert set(leaderboard.leaderboard(store.database)["weights"].values()) == {1}

    @pytest.mark.parametrize(
        "text", ["[]", "{", '{"speed": -1}', '{"colour": 1}', '{"speed": "x"}', '{"speed": 1e999}']
    )
    def test_bad_weights_are_refused(self, text: str) -> None:
        """Weights are numbers by axis, 0 or more."""
        with pytest.raises(ValueError, match="weights"):
            score.weights(text)

    def test_an_unfinished_or_narrowed_run_is_marked_partial(self, store: Store) -> None:
        """Its headline is no headline."""
        request = small.open_request(store.corpus, parsers=(small.GOOD,))
        request.run.scope_json = '["a", "b"]'
        run_id = store.run(request)
        store.submit(small.submission(run_id, small.GOOD, "a"))
        store.score(axes=("coverage", "speed"))
        board = leaderboard.leaderboard(store.database)
        assert board["partial"]
        assert "the run is not finished" in board["partial_reasons"]
        assert "not every document of the manifest was in scope" in board["partial_reasons"]
        assert "retrieval was not scored" in board["partial_reasons"]

    def test_a_full_disk_while_figures_are_written_says_what_is_kept(self, store: Store) -> None:
        """Files may not grow, as if the disk were full; the parses are there, and there is room again."""
        run_id = store.run(small.open_request(store.corpus, parsers=(small.POOR,)))
        for parts in small.everything(run_id, [small.POOR]):
            store.submit(parts)
        store.close_run(run_id)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
        try:
            with pytest.raises(StorageFailed) as caught:
                store.score(axes=("coverage",))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        for words in (
            f"the results folder {store.results} cannot be written",
            f"no figure of this scoring was stored; every parse of run {run_id} and its earlier figures are kept",
            "Free space and run the same command again",
        ):
            assert words in str(caught.value)
        store.database.close()
        again = Database(store.results / FILE)
        assert again.rows("select count(*) as n from parses") == [{"n": len(small.DOCUMENTS)}]
        assert again.rows("select * from scorings") == []
        again.close()

    def test_a_run_nobody_scored_has_no_leaderboard(self, store: Store) -> None:
        """It says so."""
        run_id = store.run()
        with pytest.raises(Unknown, match="score it first"):
            leaderboard.leaderboard(store.database, run_id=run_id)


class TestOrder:
    @settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        order=st.permutations([(p, d, r) for p in (small.GOOD, small.POOR) for d in small.DOCUMENTS for r in (1, 2)])
    )
    def test_rows_in_any_order_give_the_same_leaderboard(
        self, order: list[tuple[str, str, int]], tmp_path_factory: pytest.TempPathFactory, embeddings: Path
    ) -> None:
        """What came first does not matter."""
        store = open_store(tmp_path_factory.mktemp("order"), embeddings)
        try:
            run_id = store.run(small.open_request(store.corpus, repeats=2))
            for parser, document, repeat in order:
                store.submit(small.submission(run_id, parser, document, repeat=repeat))
            store.close_run(run_id)
            store.score(axes=("coverage", "speed", "hierarchy", "faithfulness", "tables"))
            board = leaderboard.leaderboard(store.database)
            assert [row["parser"] for row in board["parsers"]] == [small.GOOD, small.POOR]
            figures = [row["composite"] for row in board["parsers"]]
            wanted = math.fsum(value for axis, value in POOR_AXES.items() if axis != "retrieval") / 5
            assert figures == pytest.approx([1.0, wanted])
            assert board["failures"] == [
                {
                    "parser": small.POOR,
                    "document": "b",
                    "format": "docx",
                    "status": "timeout",
                    "reason": "the deadline of 65 s passed",
                }
            ]
        finally:
            store.database.close()


def test_a_request_is_refused_by_name(store: Store) -> None:
    """An unknown axis or suite is named, with what there is."""
    store.run()
    with pytest.raises(ValueError, match="colour"):
        store.score(axes=("colour",))
    with pytest.raises(ValueError, match="omnidoc"):
        store.score(suite="omnidoc")
