"""Opening, resuming and taking over."""

import pytest

from docassay.v1 import parser_pb2
from docassay.v1 import scorer_pb2 as pb
from scorer.store import runs
from scorer.store.errors import RunMismatch, Unknown
from tests.scorer import small
from tests.scorer.conftest import Store


def _open(store: Store, request: pb.OpenRunRequest) -> pb.OpenRunResponse:
    return runs.open_run(store.database, request, now=small.NOW)


class TestResuming:
    def test_an_unfinished_run_of_the_same_plan_goes_on_where_it_stopped(self, store: Store) -> None:
        """What is stored is not parsed again."""
        first = _open(store, small.open_request(store.corpus))
        store.submit(small.submission(first.run_id, small.GOOD, "a"))
        again = _open(store, small.open_request(store.corpus))
        assert (first.resumed, again.resumed) == (False, True)
        assert again.run_id == first.run_id
        assert [(key.parser, key.document_id, key.repeat) for key in again.done] == [(small.GOOD, "a", 1)]

    def test_the_newest_of_several_is_resumed(self, store: Store) -> None:
        """Runs of other plans between do not matter."""
        wanted = _open(store, small.open_request(store.corpus, plan="one")).run_id
        other = _open(store, small.open_request(store.corpus, plan="two")).run_id
        assert other != wanted
        assert _open(store, small.open_request(store.corpus, plan="one")).run_id == wanted

    def test_the_same_command_after_a_finished_run_is_a_new_run(self, store: Store) -> None:
        """A finished run is never touched."""
        first = store.run()
        store.close_run(first)
        again = _open(store, small.open_request(store.corpus))
        assert not again.resumed
        assert again.run_id > first

    def test_a_new_run_is_begun_when_one_is_asked_for(self, store: Store) -> None:
        """Although an unfinished one could be resumed."""
        first = store.run()
        again = _open(store, small.open_request(store.corpus, run_id="new"))
        assert not again.resumed
        assert again.run_id > first

    def test_a_run_that_was_parsed_and_never_scored_is_taken_up_when_it_is_to_be_scored(self, store: Store) -> None:
        """Parsing took hours; the end came while it was scored."""
        first = store.run()
        store.close_run(first)
        wanted = small.open_request(store.corpus, resume_unscored=True)
        again = _open(store, wanted)
        assert (again.run_id, again.resumed) == (first, True)
        assert _open(store, small.open_request(store.corpus, run_id=first, resume_unscored=True)).run_id == first
        with pytest.raises(RunMismatch, match="it finished at"):
            _open(store, small.open_request(store.corpus, run_id=first))
        store.score(axes=("coverage",))
        assert _open(store, wanted).run_id > first

    def test_an_unscored_run_with_a_newer_scored_one_is_left_alone(self, store: Store) -> None:
        """Its place was taken: the next command begins anew."""
        store.close_run(store.run())
        newer = store.run()
        store.close_run(newer)
        store.score(axes=("coverage",))
        assert not _open(store, small.open_request(store.corpus, resume_unscored=True)).resumed

    @pytest.mark.parametrize("field", ["plan_digest", "commit", "machine_digest"])
    def test_another_plan_commit_or_machine_is_a_new_run(self, store: Store, field: str) -> None:
        """Figures of two conditions do not mix in one run."""
        first = store.run()
        request = small.open_request(store.corpus)
        setattr(request.run, field, "other")
        assert _open(store, request).run_id != first

    def test_a_run_is_not_resumed_with_several_replicas(self, store: Store) -> None:
        """One half of its speeds would be exclusive, the other not."""
        first = store.run()
        request = small.open_request(store.corpus)
        request.run.exclusive = False
        assert _open(store, request).run_id != first
        request.run_id = first
        with pytest.raises(RunMismatch, match="exclusive was True, is False"):
            _open(store, request)

    def test_a_run_asked_for_by_id_names_every_difference(self, store: Store) -> None:
        """All at once, so that nobody finds them one by one."""
        first = store.run()
        request = small.open_request(store.corpus, run_id=first)
        request.run.plan_digest, request.run.machine_digest = "plan2", "machine2"
        request.parsers[0].description.lock_digest = "lock2"
        with pytest.raises(RunMismatch) as caught:
            _open(store, request)
        for words in ("plan was plan, is plan2", "machine was machine, is machine2", "lock_digest was", "is lock2"):
            assert words in str(caught.value)
        assert "commit" not in str(caught.value)

    def test_of_another_plan_its_parts_are_named(self, store: Store) -> None:
        """Nobody can act on two digests."""
        first = store.run()
        request = small.open_request(store.corpus, run_id=first, plan="other", repeats=3)
        request.run.cpus[:] = [0]
        request.documents[0].document_id = "new"
        with pytest.raises(RunMismatch) as caught:
            _open(store, request)
        assert str(caught.value) == (
            f"run {first} cannot be resumed: repeats was 1, is 3; CPUs was [0, 1], is [0];"
            " documents: 1 were not in it, 1 are missing. Start a new run"
        )

    def test_a_finished_or_unknown_run_asked_for_by_id_is_refused(self, store: Store) -> None:
        """The one is a difference, the other a mistake."""
        first = store.run()
        store.close_run(first)
        with pytest.raises(RunMismatch, match="it finished at"):
            _open(store, small.open_request(store.corpus, run_id=first))
        with pytest.raises(Unknown, match="no run 'x'"):
            _open(store, small.open_request(store.corpus, run_id="x"))

    def test_a_parser_that_became_ready_is_ready_in_the_resumed_run(self, store: Store) -> None:
        """Its weights were fetched in between."""
        run_id = store.run()
        request = small.open_request(store.corpus)
        request.parsers[2].description.state = parser_pb2.PARSER_STATE_READY
        assert _open(store, request).run_id == run_id
        assert store.database.rows("select parser from not_ready") == []

    def test_a_parser_given_twice_is_refused(self, store: Store) -> None:
        """One row a parser."""
        with pytest.raises(ValueError, match=r"parser given twice: good@1\.0"):
            _open(store, small.open_request(store.corpus, parsers=(small.GOOD, small.GOOD)))


class TestTakingOver:
    def _first(self, store: Store) -> str:
        run_id = store.run()
        for parts in small.everything(run_id):
            store.submit(parts)
        store.close_run(run_id)
        return run_id

    def test_rows_measured_under_the_same_conditions_keep_the_run_that_measured_them(self, store: Store) -> None:
        """Nothing is measured twice, and nothing passes for new."""
        first = self._first(store)
        second = _open(store, small.open_request(store.corpus, skip_fresh=True))
        assert len(second.done) == 8
        store.close_run(second.run_id)
        third = _open(store, small.open_request(store.corpus, skip_fresh=True, plan="third"))
        measured = store.database.rows(
            "select distinct measured_run_id from parses where run_id in (?, ?)", [second.run_id, third.run_id]
        )
        assert measured == [{"measured_run_id": first}]
        assert store.database.rows("select count(*) as n from document_parses where taken_over") == [{"n": 16}]

    @pytest.mark.parametrize(
        ("change", "left"),
        [
            (lambda r: setattr(r.run, "memory_bytes", 1), 0),
            (lambda r: setattr(r.run, "timeout_seconds", 1), 0),
            (lambda r: setattr(r.run, "timeout_seconds_per_page", 2), 0),
            (lambda r: setattr(r.run, "machine_digest", "other"), 0),
            (lambda r: setattr(r.run, "mode", "docker"), 0),
            (lambda r: r.run.cpus.append(2), 0),
            (lambda r: setattr(r.parsers[0].description, "lock_digest", "other"), 4),
            (lambda r: setattr(r.parsers[0].description, "adapter_digest", "other"), 4),
            (lambda r: setattr(r.parsers[0].description, "weights_digest", "other"), 4),
            (lambda r: setattr(r.parsers[0], "parser", "good@1.0:fast"), 4),
            (lambda r: setattr(r.documents[0], "sha256", "other"), 6),
            (lambda r: setattr(r.documents[0], "assisted", parser_pb2.ASSISTANCE_FETCH), 6),
            (lambda r: setattr(r.documents[0], "assisted", parser_pb2.ASSISTANCE_PARSE), 6),
            (lambda r: setattr(r.run, "commit", "other"), 8),
        ],
    )
    def test_other_conditions_are_measured_again(self, store: Store, change: object, left: int) -> None:
        """Limits, machine, CPUs, digests of the parser or of the document."""
        self._first(store)
        request = small.open_request(store.corpus, skip_fresh=True)
        change(request)  # type: ignore[operator]
        assert len(_open(store, request).done) == left

    def test_a_document_whose_service_was_lost_is_parsed_again(self, store: Store) -> None:
        """That may be somebody else's doing, unlike a crash of the parser's own."""
        run_id = store.run(small.open_request(store.corpus, parsers=(small.GOOD,)))
        for document, flags in (("a", ["service_lost"]), ("b", [])):
            record = small.record(run_id, small.GOOD, document)
            record.done.status = parser_pb2.PARSE_STATUS_CRASH
            record.flags.extend(flags)
            store.submit(small.parts(record))
        store.close_run(run_id)
        again = _open(store, small.open_request(store.corpus, parsers=(small.GOOD,), skip_fresh=True))
        assert [key.document_id for key in again.done] == ["b"]

    def test_nothing_is_taken_over_unasked(self, store: Store) -> None:
        """A new run measures."""
        self._first(store)
        assert len(_open(store, small.open_request(store.corpus)).done) == 0


class TestClosing:
    def test_what_was_learned_of_a_parser_is_stored(self, store: Store) -> None:
        """Its state, its cold start, its flags."""
        run_id = store.run()
        warmup = parser_pb2.WarmupResponse(
            state=parser_pb2.PARSER_STATE_READY,
            load_seconds=1.5,
            probes=[parser_pb2.ProbeResult(format="pdf", status=parser_pb2.PARSE_STATUS_OK, seconds=0.1)],
        )
        ready = pb.ParserOutcome(
            parser=small.GOOD,
            state=parser_pb2.PARSER_STATE_READY,
            warmup=warmup,
            calibration_seconds=0.5,
            flags=["drift"],
        )
        gone = pb.ParserOutcome(parser=small.POOR, state=parser_pb2.PARSER_STATE_UNHEALTHY, reason="port closed")
        store.close_run(run_id, ready, gone)
        [row] = store.database.rows("select * from parsers where parser = ?", [small.GOOD])
        assert (row["load_seconds"], row["calibration_seconds"], row["flags"]) == (1.5, 0.5, ["drift"])
        listed = store.database.rows("select parser, reason from not_ready where parser = ?", [small.POOR])
        assert listed == [{"parser": small.POOR, "reason": "port closed"}]
        assert store.database.rows("select finished_at is not null as finished from runs") == [{"finished": True}]

    def test_a_parser_lost_during_the_run_is_scored_as_failing_the_rest(self, store: Store) -> None:
        """Crashing for good is no better than crashing once."""
        run_id = store.run()
        store.submit(small.submission(run_id, small.GOOD, "a"))
        unhealthy = parser_pb2.PARSER_STATE_UNHEALTHY
        store.close_run(run_id, pb.ParserOutcome(parser=small.GOOD, state=unhealthy, reason="port closed"))
        [row] = store.database.rows("select state, reason, flags from parsers where parser = ?", [small.GOOD])
        assert row == {"state": "ready", "reason": "lost during the run (unhealthy): port closed", "flags": ["lost"]}
        [lost] = store.database.rows("select count(*) as n from failures where parser = ?", [small.GOOD])
        assert lost == {"n": 3}

    def test_a_stranger_is_refused_and_the_run_stays_open(self, store: Store) -> None:
        """Closing is all or nothing."""
        run_id = store.run()
        with pytest.raises(Unknown, match="stranger"):
            store.close_run(run_id, pb.ParserOutcome(parser="stranger", state=parser_pb2.PARSER_STATE_READY))
        with pytest.raises(Unknown, match="no run 'x'"):
            store.close_run("x")
        assert store.database.rows("select finished_at from runs") == [{"finished_at": None}]
