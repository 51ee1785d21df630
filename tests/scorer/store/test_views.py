"""What the views say where it is easily said wrongly."""

import pytest

from docassay.v1 import parser_pb2
from docassay.v1 import scorer_pb2 as pb
from tests.scorer import small
from tests.scorer.conftest import Store


def _run(store: Store, day: int, versions: dict[str, bool]) -> str:
    """Run several versions of one tool over the documents; those that are ``True`` find the headings."""
    parsers = [f"tool@{version}" for version in versions]
    run_id = store.run(small.open_request(store.corpus, parsers=parsers, plan=f"plan {day}"), day=day)
    for parser, found in zip(parsers, versions.values(), strict=True):
        for document in small.DOCUMENTS:
            text = small.output(document, headings=found)
            store.submit(small.parts(small.record(run_id, parser, document), text, small.chunks(document)))
    store.close_run(run_id)
    store.score(run_id, axes=("hierarchy",))
    return run_id


_REGRESSIONS = (
    "select distinct run_id, previous_run_id, parser, previous_parser from regressions"
    " where axis = 'hierarchy' order by all"
)


class TestRegressions:
    def test_two_versions_side_by_side_are_compared_each_with_itself(self, store: Store) -> None:
        """Nothing changed, so nothing got worse, though one version is worse than the other."""
        for day in (0, 1):
            _run(store, day, {"1.9": False, "1.10": True})
        assert store.database.rows(_REGRESSIONS) == []

    def test_a_new_version_is_compared_with_the_newest_of_the_run_before(self, store: Store) -> None:
        """1.10 is newer than 1.9, although it sorts before it as text."""
        first = _run(store, 0, {"1.9": False, "1.10": True})
        second = _run(store, 1, {"1.11": False})
        [row] = store.database.rows(_REGRESSIONS)
        assert row == {
            "run_id": second,
            "previous_run_id": first,
            "parser": "tool@1.11",
            "previous_parser": "tool@1.10",
        }

    def test_what_got_worse_is_compared_with_the_newest_earlier_run(self, store: Store) -> None:
        """Not with an older one, and not within a run."""
        _run(store, 0, {"1": True})
        middle = _run(store, 1, {"1": True})
        newest = _run(store, 2, {"1": False})
        rows = store.database.rows(_REGRESSIONS)
        assert [(row["run_id"], row["previous_run_id"]) for row in rows] == [(newest, middle)]


class TestRepeats:
    def test_a_document_that_lacks_a_repeat_of_a_finished_run_failed(self, store: Store) -> None:
        """The parser was lost for good in the second repeat; while the run goes on, nothing is known yet."""
        request = small.open_request(store.corpus, parsers=(small.GOOD,), repeats=2)
        run_id = store.run(request)
        for repeat, documents in ((1, ("a", "b")), (2, ("a",))):
            for document in documents:
                record = small.record(run_id, small.GOOD, document, repeat=repeat)
                store.submit(small.parts(record, small.output(document)))
        status = "select document, status, reason from document_parses order by document"
        assert [row["status"] for row in store.database.rows(status)] == ["ok", "ok"]
        store.close_run(run_id)
        lost = "the parser was lost before its last repeat"
        assert store.database.rows(status) == [
            {"document": "a", "status": "ok", "reason": ""},
            {"document": "b", "status": "crash", "reason": lost},
        ]


def test_a_failure_without_a_second_mark_has_the_seconds_until_it_was_ended(store: Store) -> None:
    """A timeout has no end of its own."""
    run_id = store.run(small.open_request(store.corpus, parsers=(small.POOR,)))
    record: pb.ParseRecord = small.record(run_id, small.POOR, "b")
    record.ClearField("seconds")
    record.sent_to_done_seconds = 66.5
    store.submit(small.parts(record))
    [row] = store.database.rows("select seconds from failures where document = 'b'")
    assert row == {"seconds": 66.5}


@pytest.mark.parametrize(
    ("help_", "status", "reason"),
    [
        (parser_pb2.ASSISTANCE_FETCH, "fetch_assisted", "it was fetched from its source before any parser had it"),
        (parser_pb2.ASSISTANCE_PARSE, "parse_assisted", "it was taken out of SGML before any parser had it"),
    ],
)
def test_a_parse_that_does_not_count_says_why(
    store: Store, help_: parser_pb2.Assistance.ValueType, status: str, reason: str
) -> None:
    """It went well, so the parser has nothing to say; among the failures it needs a reason all the same."""
    run_id = store.run(small.open_request(store.corpus, parsers=(small.GOOD,)))
    record: pb.ParseRecord = small.record(run_id, small.GOOD, "a")
    record.done.assisted = help_
    store.submit(small.parts(record, small.output("a")))
    [row] = store.database.rows("select status, reason from failures where document = 'a'")
    assert row == {"status": status, "reason": f"not counted: {reason}"}
