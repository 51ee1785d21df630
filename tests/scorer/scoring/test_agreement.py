"""The parsers of a run compared with each other, and what stands beside nid, from stored artifacts."""

import pytest

from docassay.v1 import parser_pb2
from scorer.report import leaderboard
from tests.scorer import small
from tests.scorer.conftest import Store

OTHER = "other@1.0"
AXES = ("coverage", "speed", "hierarchy", "faithfulness", "tables")


def _run(store: Store, texts: dict[tuple[str, str], str | None], *, gold: bool = True) -> str:
    """Store a run of two or more parsers; None: the parser failed."""
    request = small.open_request(store.corpus, parsers=sorted({parser for parser, _ in texts}))
    if not gold:
        for document in request.documents:
            del document.annotations[:]
            document.gold_digest = ""
    run_id = store.run(request)
    for (parser, document), text in texts.items():
        record = small.record(run_id, parser, document)
        if text is None:
            record.done.status = parser_pb2.PARSE_STATUS_CRASH
            record.done.reason = "signal 11"
        output = b"" if text is None else small.output(document, text=text, headings=parser != OTHER)
        store.submit(small.parts(record, output, b"" if text is None else small.chunks(document)))
    store.close_run(run_id)
    return run_id


class TestAgreements:
    def test_every_pair_on_every_document_that_both_parsed(self, store: Store) -> None:
        """Agreement and structure by hand: on b one run of five words of two agrees; other has no headings."""
        texts = {
            (small.GOOD, "b"): "# one two three four five six",
            (OTHER, "b"): "one two three four five seven",
            (small.GOOD, "a"): "x",
            (OTHER, "a"): None,
        }
        _run(store, texts)
        store.score(axes=AXES)
        assert store.database.rows("select * exclude (run_id) from agreements") == [
            {
                "suite": "bizdoc@1",
                "document": "b",
                "parser_a": small.GOOD,
                "parser_b": OTHER,
                "agreement": 0.5,
                "reason": None,
                "characters_a": 27,
                "characters_b": 29,
                "headings_a": 2,
                "headings_b": 0,
                "tables_a": 0,
                "tables_b": 0,
            }
        ]

    def test_scoring_again_replaces_them_and_another_axis_alone_leaves_them(self, store: Store) -> None:
        """They belong to the texts, as faithfulness does."""
        run_id = _run(store, {(small.GOOD, "d"): "a b", (OTHER, "d"): "a c"})
        store.score(axes=("tables",))
        assert not store.database.rows("select 1 from agreements")
        store.score(axes=AXES)
        first = store.database.rows("select * from agreements")
        assert [row["agreement"] for row in first] == [0.0]
        store.score(axes=("tables",))
        store.score(axes=("faithfulness",), jobs=2)
        assert store.database.rows("select * from agreements") == first
        assert first[0]["run_id"] == run_id

    def test_of_repeats_the_first_artifact_counts(self, store: Store) -> None:
        """As for every figure."""
        run_id = store.run(small.open_request(store.corpus, parsers=(small.GOOD, OTHER), repeats=2))
        for parser in (small.GOOD, OTHER):
            for repeat, text in ((2, f"only {parser}"), (1, "the same")):
                record = small.record(run_id, parser, "d", repeat=repeat)
                store.submit(small.parts(record, small.output("d", text=text)))
        store.close_run(run_id)
        store.score(axes=AXES)
        assert store.database.rows("select agreement from agreements") == [{"agreement": 1.0}]


class TestWithoutGold:
    @pytest.fixture
    def board(self, store: Store) -> dict[str, object]:
        """A run of three parsers over documents that nobody annotated."""
        texts: dict[tuple[str, str], str | None] = {
            (parser, document): small.TEXT[document]
            for parser in (small.GOOD, small.POOR, OTHER)
            for document in small.DOCUMENTS
        }
        texts[OTHER, "c"] = "nothing of the kind"
        texts[OTHER, "d"] = "Slides two"
        _run(store, texts, gold=False)
        store.score()
        return leaderboard.leaderboard(store.database)

    def test_is_scored_and_partial_and_says_why(self, board: dict[str, object]) -> None:
        """Coverage and speed are figures, the other axes have no gold."""
        assert board["partial"]
        assert board["partial_reasons"] == [
            f"no document in scope has gold for {axis}" for axis in ("faithfulness", "hierarchy", "retrieval", "tables")
        ]
        [first, *_] = board["parsers"]  # type: ignore[misc]
        assert first["axes"]["coverage"] == 1
        assert first["axes"]["faithfulness"] is None
        assert first["supplementary"] == {"hallucination_rate": None, "omission_rate": None}

    def test_where_to_annotate_first(self, board: dict[str, object]) -> None:
        """c: pairs 1, 0 and 0; d: runs of one word, 1, 2/3 and 2/3; a and b are the same for all."""
        first = board["annotate_first"]
        assert [(row["document"], row["agreement"], row["lowest"]) for row in first] == [  # type: ignore[attr-defined]
            ("c", pytest.approx(1 / 3), 0.0),
            ("d", pytest.approx(7 / 9), pytest.approx(2 / 3)),
            ("a", 1.0, 1.0),
            ("b", 1.0, 1.0),
        ]
        assert first[0]["parsers"] == 3  # type: ignore[index]
        assert (first[2]["fewest_headings"], first[2]["most_headings"]) == (0, 2)  # type: ignore[index]

    def test_the_mean_of_a_pair_is_over_the_documents(self, board: dict[str, object]) -> None:
        """good and other: 1, 1, 0 and 2/3."""
        pairs = {(row["parser_a"], row["parser_b"]): row for row in board["agreement"]}  # type: ignore[attr-defined]
        assert pairs[small.GOOD, small.POOR]["agreement"] == 1
        assert pairs[small.GOOD, OTHER]["agreement"] == pytest.approx((1 + 1 + 0 + 2 / 3) / 4)
        assert pairs[small.GOOD, OTHER]["lowest_document"] == "c"


class TestHallucination:
    def test_stands_beside_nid_in_no_axis(self, store: Store) -> None:
        """other adds 8 letters and digits to the 51 of b and fails on a: its axis is nid alone."""
        assert sum(map(str.isalnum, small.TEXT["b"])) == 51
        _run(store, {(OTHER, "a"): None, (OTHER, "b"): f"{small.TEXT['b']} uvwxyz12"})
        store.score(axes=AXES)
        [row] = store.database.rows("select * from hallucination")
        assert row["hallucination_rate"] == row["highest"] == pytest.approx(8 / 59)
        assert row["omission_rate"] == pytest.approx((1 + 0) / 2)
        assert (row["documents"], row["documents_with_text"], row["highest_document"]) == (2, 1, "b")
        [shown] = leaderboard.leaderboard(store.database)["parsers"]
        assert shown["supplementary"] == pytest.approx({"hallucination_rate": 8 / 59, "omission_rate": 0.5})
        assert not {"hallucination_rate", "omission_rate"} & shown["kpis"].keys()
        assert shown["axes"]["faithfulness"] == pytest.approx(row["nid"])
        scores = {row["document"]: row for row in store.database.rows("select * from document_scores")}
        assert scores["b"]["faithfulness"] == pytest.approx(2 * row["nid"])
        assert scores["b"]["hallucination_rate"] == pytest.approx(8 / 59)
        reasons = store.database.rows(
            "select value, reason from kpis where document = 'a' and not in_axis order by kpi"
        )
        assert reasons == [{"value": None, "reason": "crash: signal 11"}, {"value": 1.0, "reason": "crash: signal 11"}]
