"""Storing one parse."""

import hashlib
import itertools

import pytest

from docassay.v1 import parser_pb2
from docassay.v1 import scorer_pb2 as pb
from scorer.store.errors import StorageFailed, Unknown
from scorer.store.submissions import SubmissionDamaged
from tests.scorer import small
from tests.scorer.conftest import Store


class TestStored:
    def test_the_artifact_is_the_output_and_the_row_has_everything(self, store: Store) -> None:
        """Byte for byte, under its digest."""
        run_id = store.run()
        answer = store.submit(small.submission(run_id, small.GOOD, "a"))
        assert answer.artifact == hashlib.sha256(small.output("a")).hexdigest()
        with store.artifacts.open(answer.artifact) as source:
            assert source.read() == small.output("a")
        with store.artifacts.open(answer.chunks_artifact) as source:
            assert source.read() == small.chunks("a")
        [row] = store.database.rows("select * from parses")
        assert (row["status"], row["pages"], row["seconds"]) == ("ok", 10, 0.2)
        assert row["output_bytes"] == len(small.output("a"))
        assert row["measured_run_id"] == run_id

    def test_a_row_submitted_again_stays_as_it_is(self, store: Store) -> None:
        """The second answer says so and names the first artifact."""
        run_id = store.run()
        first = store.submit(small.submission(run_id, small.GOOD, "a"))
        record = small.record(run_id, small.GOOD, "a", seconds=99.0)
        again = store.submit(small.parts(record, small.output("a", text="other")))
        assert (first.duplicate, again.duplicate) == (False, True)
        assert again.artifact == first.artifact
        assert store.database.rows("select seconds from parses") == [{"seconds": 0.2}]
        assert len(list(store.artifacts.folder.rglob("*.zst"))) == 2

    def test_a_failure_has_a_row_and_no_artifact(self, store: Store) -> None:
        """With the reason somebody can act on."""
        run_id = store.run()
        answer = store.submit(small.submission(run_id, small.POOR, "b"))
        assert answer.artifact == ""
        [row] = store.database.rows("select status, reason, artifact from parses")
        assert row == {"status": "timeout", "reason": "the deadline of 65 s passed", "artifact": None}

    def test_a_service_that_works_outside_its_marks_is_timed_whole(self, store: Store) -> None:
        """clock_suspect scores sent to Done, and keeps what the marks said."""
        run_id = store.run()
        record = small.record(run_id, small.GOOD, "a")
        record.flags.append("clock_suspect")
        store.submit(small.parts(record, small.output("a")))
        [row] = store.database.rows("select seconds, timed_seconds from parses")
        assert row == {"seconds": 66.0, "timed_seconds": 0.2}

    @pytest.mark.parametrize("line", [b"[1", b"{}", b'{"pages": true}', b'{"pages": -1}', b'{"pages": 1e99}', b"\xff"])
    def test_a_strange_first_line_is_no_page_count(self, store: Store, line: bytes) -> None:
        """Third parties write it."""
        run_id = store.run()
        store.submit(small.parts(small.record(run_id, small.GOOD, "a"), line + b"\n"))
        assert store.database.rows("select pages from parses") == [{"pages": None}]

    def test_warnings_of_the_parse_are_kept(self, store: Store) -> None:
        """With their row."""
        run_id = store.run()
        record = small.record(run_id, small.GOOD, "a")
        record.done.warnings.append("two code points were repaired")
        store.submit(small.parts(record))
        [row] = store.database.rows("select stage, parser, document, text from warnings")
        assert row == {
            "stage": "parse",
            "parser": small.GOOD,
            "document": "a",
            "text": "two code points were repaired",
        }


class TestRefused:
    def test_output_that_is_not_the_one_named_is_refused(self, store: Store) -> None:
        """A stream that lost something on the way leaves no row."""
        run_id = store.run()
        record = small.record(run_id, small.GOOD, "a")
        record.output_sha256 = hashlib.sha256(small.output("a")).hexdigest()
        with pytest.raises(SubmissionDamaged, match=record.output_sha256):
            store.submit(small.parts(record, small.output("a")[:-10]))
        assert store.database.rows("select 1 from parses") == []
        assert not store.submit(small.parts(record, small.output("a"))).duplicate

    @pytest.mark.parametrize(
        ("field", "value", "words"),
        [
            ("run_id", "x", "no run 'x'"),
            ("parser", "x", "'x' is not a parser"),
            ("document_id", "x", "'x' is not a document"),
        ],
    )
    def test_what_the_run_does_not_have_is_refused(self, store: Store, field: str, value: str, words: str) -> None:
        """By its name."""
        record = small.record(store.run(), small.GOOD, "a")
        setattr(record, field, value)
        with pytest.raises(Unknown, match=words):
            store.submit(small.parts(record))

    def test_a_parser_that_is_not_ready_can_have_no_rows(self, store: Store) -> None:
        """So that it can have no zeros."""
        run_id = store.run()
        with pytest.raises(ValueError, match="weights_unavailable"):
            store.submit(small.submission(run_id, small.HEAVY, "a"))

    @pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
    def test_a_parsed_document_takes_time(self, store: Store, seconds: float) -> None:
        """A clock that gives 0 or nonsense is a fault, not a speed."""
        record = small.record(store.run(), small.GOOD, "a")
        record.seconds = seconds
        with pytest.raises(ValueError, match="seconds"):
            store.submit(small.parts(record))

    def test_parts_out_of_turn_are_refused(self, store: Store) -> None:
        """Record, output, chunks."""
        record = small.record(store.run(), small.GOOD, "a")
        output, chunk = pb.SubmitRequest(output=b"x"), pb.SubmitRequest(chunks=b"y")
        head = pb.SubmitRequest(record=record)
        for parts in ([], [output], [head, chunk, output], [head, head]):
            with pytest.raises(ValueError, match="submission"):
                store.submit(iter(parts))
        assert store.database.rows("select 1 from parses") == []

    def test_a_status_must_be_given(self, store: Store) -> None:
        """Nothing is guessed."""
        record = small.record(store.run(), small.GOOD, "a")
        record.done.status = parser_pb2.PARSE_STATUS_UNSPECIFIED
        with pytest.raises(ValueError, match="no status"):
            store.submit(small.parts(record))


def test_a_full_disk_names_folder_row_and_what_is_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what to do; the row can be submitted again when there is room."""
    run_id = store.run()
    store.submit(small.submission(run_id, small.GOOD, "a"))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(StorageFailed) as caught:
            store.submit(small.submission(run_id, small.GOOD, "b"))
    for words in (
        f"the results folder {store.results} cannot be written: No space left on device",
        "good@1.0 on b, repeat 1 was not stored",
        f"the rows of run {run_id} stored before it (1) are kept",
        "Free space and run the same command again",
    ):
        assert words in str(caught.value)
    assert caught.value.full
    assert not store.submit(small.submission(run_id, small.GOOD, "b")).duplicate


def test_a_stream_that_breaks_leaves_nothing(store: Store) -> None:
    """The caller died while sending."""
    run_id = store.run()

    def broken() -> itertools.chain[pb.SubmitRequest]:
        def fail() -> pb.SubmitRequest:
            raise ConnectionError("the stream broke")

        return itertools.chain(
            itertools.islice(small.submission(run_id, small.GOOD, "a"), 3), (fail() for _ in range(1))
        )

    with pytest.raises(ConnectionError):
        store.submit(broken())
    assert store.database.rows("select 1 from parses") == []
    assert [path for path in store.artifacts.folder.rglob("*") if path.is_file()] == []
