"""The scorer as a process of its own, over a Unix socket."""

import contextlib
import fcntl
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from docassay.v1 import scorer_pb2 as pb
from docassay.v1 import scorer_pb2_grpc
from scorer.store import address, query, reference
from scorer.store.errors import QueryRefused, QueryTimeout
from tests.scorer import small
from tests.scorer.conftest import Store

_NUMBERS = itertools.count()
ROOT = Path(__file__).resolve().parent.parent.parent


class Server:
    """A scorer process on a results folder, and a channel to it."""

    def __init__(self, results: Path, cache: Path, *words: str, socket: Path | None = None) -> None:
        self.results = results
        # A path of its own: gRPC keeps the connections of one process by path, those to a killed scorer included.
        self.socket = socket or results.parent / f"s{next(_NUMBERS)}"
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "scorer", "--listen", f"unix:{self.socket}"),
                *("--results", str(results), "--cache", str(cache), *words),
            ],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            env={**os.environ, "GRPC_VERBOSITY": "ERROR"},
        )
        self.channel = grpc.insecure_channel(f"unix:{self.socket}")
        try:
            grpc.channel_ready_future(self.channel).result(timeout=60)
        except grpc.FutureTimeoutError:
            self.process.kill()
            assert self.process.stderr is not None
            pytest.fail(f"the scorer did not come up: {self.process.stderr.read().decode()}")
        self.stub = scorer_pb2_grpc.ScorerStub(self.channel)

    def kill(self) -> None:
        """End it as the kernel would."""
        self.process.kill()
        self.close()

    def close(self) -> None:
        """End it, and wait."""
        self.channel.close()
        self.process.terminate()
        self.process.wait(timeout=30)
        assert self.process.stderr is not None
        self.process.stderr.close()

    def rows(self, sql: str) -> list[dict[str, object]]:
        """Ask it, the way the command line does."""
        found: list[dict[str, object]] = query.table(self.results, sql).to_pylist()
        return found


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short path: a socket's may have no more than 108 bytes."""
    return tmp_path_factory.mktemp("s")


@pytest.fixture
def server(folder: Path, embeddings: Path) -> Iterator[Server]:
    """A scorer on a new results folder, with the small corpus beside it."""
    small.corpus(folder / "corpus")
    with contextlib.closing(Server(folder / "results", embeddings, "--query-seconds", "2")) as started:
        yield started


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, embeddings: Path) -> Iterator[Server]:
    """One scorer with a finished run that was not scored, for the calls that change nothing."""
    folder = tmp_path_factory.mktemp("t")
    small.corpus(folder / "corpus")
    with contextlib.closing(Server(folder / "results", embeddings, "--query-seconds", "2")) as started:
        _run(started)
        yield started


def _run(server: Server) -> str:
    opened = server.stub.OpenRun(small.open_request(server.results.parent / "corpus"))
    for parts in small.everything(opened.run_id):
        server.stub.Submit(parts)
    server.stub.CloseRun(pb.CloseRunRequest(run_id=opened.run_id))
    return str(opened.run_id)


class TestWholeRun:
    def test_from_open_to_leaderboard_and_export(self, server: Server) -> None:
        """What a run does, call by call."""
        run_id = _run(server)
        answers = list(server.stub.Score(pb.ScoreRequest(run_id=run_id)))
        assert answers[-1].done.run_id == run_id
        assert answers[-1].done.kpis > 0
        stages = [(answer.progress.stage, answer.progress.completed) for answer in answers[:-1]]
        assert ("documents", 6) in stages

        answer = server.stub.Leaderboard(pb.LeaderboardRequest())
        board = json.loads(answer.leaderboard_json)
        assert answer.run_id == run_id
        assert [(row["place"], row["parser"]) for row in board["parsers"]] == [(1, small.GOOD), (2, small.POOR)]
        assert board["parsers"][1]["failures"] == {"timeout": 1}
        assert board["not_ready"][0]["parser"] == small.HEAVY

        compared = json.loads(server.stub.Compare(pb.CompareRequest(before=run_id, after=run_id)).comparison_json)
        assert compared["worse"] == []
        assert {change["verdict"] for pair in compared["parsers"] for change in pair["changes"]} == {
            "no difference shown"
        }
        with pytest.raises(grpc.RpcError, match="there is no run 'never'"):
            server.stub.Compare(pb.CompareRequest(before=run_id, after="never"))

        names = {relation.name for relation in reference.relations()} - {"schema_version"}
        for format in ("parquet", "csv"):
            files = [Path(file) for file in server.stub.Export(pb.ExportRequest(run_id=run_id, format=format)).files]
            assert {file.stem for file in files} == names
            assert all(file.parent == server.results / "export" / run_id for file in files)
            [kpis] = [file for file in files if file.stem == "kpis"]
            table = pa.parquet.read_table(kpis) if format == "parquet" else pa.csv.read_csv(kpis)
            assert [{"n": table.num_rows}] == server.rows("select count(*) as n from kpis")

    def test_queries_are_answered_while_rows_are_written(self, server: Server) -> None:
        """Nobody waits for the end of a run to look."""
        opened = server.stub.OpenRun(small.open_request(server.results.parent / "corpus"))
        counts = [0]
        for parts in small.everything(opened.run_id):
            server.stub.Submit(parts)
            counts.append(int(str(server.rows("select count(*) as n from parses")[0]["n"])))
        assert counts == list(range(9))

    def test_a_scoring_given_up_leaves_the_figures(self, server: Server) -> None:
        """And the next one may begin at once."""
        _run(server)
        list(server.stub.Score(pb.ScoreRequest(axes=["coverage"])))
        before = server.rows("select * from kpis order by all")
        call = server.stub.Score(pb.ScoreRequest(jobs=2))
        next(iter(call))
        call.cancel()
        deadline = time.monotonic() + 30
        while _code(lambda: list(server.stub.Score(pb.ScoreRequest(axes=["coverage"])))) is not None:
            assert time.monotonic() < deadline  # the scorer learns of it a moment later
            time.sleep(0.1)
        assert server.rows("select * from kpis order by all") == before


class TestKilled:
    def test_nothing_acknowledged_is_lost_and_nothing_doubles(self, folder: Path, embeddings: Path) -> None:
        """The scorer is killed between any two rows, and in the middle of one."""
        corpus = small.corpus(folder / "corpus")
        acknowledged = 0
        keys = [(parser, document) for parser in (small.GOOD, small.POOR) for document in small.DOCUMENTS]
        for round_ in range(4):
            server = Server(folder / "results", embeddings)
            opened = server.stub.OpenRun(small.open_request(corpus))
            assert opened.resumed == (round_ > 0)
            done = {(key.parser, key.document_id) for key in opened.done}
            assert len(done) == acknowledged
            for parser, document in [key for key in keys if key not in done][:2]:
                assert not server.stub.Submit(small.submission(opened.run_id, parser, document)).duplicate
                acknowledged += 1
            assert server.stub.Submit(small.submission(opened.run_id, small.GOOD, "a")).duplicate
            self._die_in_the_middle(server, opened.run_id)
        server = Server(folder / "results", embeddings)
        rows = server.rows("select parser, document, count(*) as n from parses group by all order by all")
        assert [(row["parser"], row["document"]) for row in rows] == sorted(keys)
        assert {row["n"] for row in rows} == {1}
        assert list((folder / "results" / "artifacts" / "arriving").iterdir()) == []
        server.close()

    @staticmethod
    def _die_in_the_middle(server: Server, run_id: str) -> None:
        """Kill the scorer while a repeat that no plan has is being sent."""
        killed = threading.Event()

        def parts() -> Iterator[pb.SubmitRequest]:
            record = small.record(run_id, small.GOOD, "a", repeat=9)
            yield from list(small.parts(record, small.output("a")))[:4]
            time.sleep(0.2)
            server.process.kill()
            killed.set()

        with pytest.raises(grpc.RpcError):
            server.stub.Submit(parts())
        assert killed.wait(timeout=30)
        server.kill()

    def test_the_file_answers_after_a_kill(self, server: Server) -> None:
        """A stale address is no scorer."""
        run_id = _run(server)
        server.kill()
        assert (server.results / address.FILE).exists()
        assert server.rows("select run_id from runs") == [{"run_id": run_id}]


class TestQueries:
    def test_a_query_gives_the_same_through_the_scorer_and_from_the_file(self, server: Server) -> None:
        """Types, nulls, lists, and more rows than one message holds."""
        _run(server)
        sql = "select * from parsers"
        large = "select range as n, repeat('x', 100) as s from range(50000)"
        through = [query.table(server.results, sql), query.table(server.results, large)]
        server.close()
        assert [query.table(server.results, sql), query.table(server.results, large)] == through

    def test_a_row_larger_than_a_message_arrives(self, shared: Server) -> None:
        """The stream is cut anywhere."""
        [row] = shared.rows("select repeat('y', 20000000) as s")
        assert row["s"] == "y" * 20_000_000

    def test_too_many_queries_at_once_leave_room_for_the_run(self, shared: Server) -> None:
        """The ninth is told to come again; a row is still taken."""
        calls = [
            shared.stub.Query(pb.QueryRequest(sql="select count(*) from range(10000000) a, range(10000000) b"))
            for _ in range(8)
        ]
        time.sleep(0.5)
        assert _code(lambda: list(shared.stub.Query(pb.QueryRequest(sql="select 1")))) in (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            None,  # a slow machine may have ended one of the eight by now
        )
        stranger = small.submission("x", small.GOOD, "a")
        assert _code(lambda: shared.stub.Submit(stranger)) == grpc.StatusCode.NOT_FOUND
        assert {_code(lambda call=call: list(call)) for call in calls} == {grpc.StatusCode.DEADLINE_EXCEEDED}

    def test_refusals_and_timeouts_are_told_as_such(self, shared: Server) -> None:
        """With DuckDB's own words."""
        with pytest.raises(QueryRefused, match="INSERT is not allowed"):
            shared.rows("insert into schema_version values (2)")
        with pytest.raises(QueryRefused, match="nowhere does not exist"):
            shared.rows("from nowhere")
        with pytest.raises(QueryTimeout, match="interrupted after 2 s"):
            shared.rows("select count(*) from range(10000000) a, range(10000000) b")

    def test_an_enormous_answer_does_not_fill_the_scorer(self, shared: Server) -> None:
        """A caller takes what it wants and leaves."""
        before = _resident_mib(shared.process.pid)
        taken = 0
        for batch in query.run(shared.results, "select repeat('x', 1000) as s from range(1000000000)"):
            taken += batch.num_rows
            if taken > 300_000:
                break
        assert _resident_mib(shared.process.pid) - before < 250


class TestRefused:
    @pytest.mark.parametrize(
        ("call", "request_", "code"),
        [
            ("CloseRun", pb.CloseRunRequest(run_id="x"), grpc.StatusCode.NOT_FOUND),
            ("Leaderboard", pb.LeaderboardRequest(), grpc.StatusCode.NOT_FOUND),
            ("Export", pb.ExportRequest(format="xls"), grpc.StatusCode.INVALID_ARGUMENT),
            ("Export", pb.ExportRequest(run_id="x"), grpc.StatusCode.NOT_FOUND),
            ("OpenRun", pb.OpenRunRequest(run_id="x"), grpc.StatusCode.NOT_FOUND),
        ],
    )
    def test_a_call_that_cannot_be_answered_has_a_code_and_words(
        self, shared: Server, call: str, request_: object, code: grpc.StatusCode
    ) -> None:
        """Not a traceback."""
        with pytest.raises(grpc.RpcError) as caught:
            getattr(shared.stub, call)(request_)
        assert caught.value.code() == code
        assert caught.value.details()

    def test_a_run_that_differs_is_refused_with_each_difference(self, shared: Server) -> None:
        """FAILED_PRECONDITION, for the command line's exit code 2."""
        corpus = shared.results.parent / "corpus"
        run_id = shared.stub.OpenRun(small.open_request(corpus)).run_id
        request = small.open_request(corpus, plan="other", run_id=run_id)
        with pytest.raises(grpc.RpcError) as caught:
            shared.stub.OpenRun(request)
        assert caught.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        assert "plan was plan, is other" in caught.value.details()

    def test_unknown_axes_and_bad_weights_are_refused_before_anything_is_scored(self, shared: Server) -> None:
        """By name."""
        for request, words in (
            (pb.ScoreRequest(axes=["colour"]), "colour"),
            (pb.ScoreRequest(weights_json="[]"), "weights"),
            (pb.ScoreRequest(suite="other"), "other"),
        ):
            with pytest.raises(grpc.RpcError) as caught:
                list(shared.stub.Score(request))
            assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
            assert words in caught.value.details()
        with pytest.raises(grpc.RpcError) as caught:
            list(shared.stub.Score(pb.ScoreRequest(embedder="nothing")))
        assert caught.value.code() == grpc.StatusCode.FAILED_PRECONDITION

    def test_options_are_checked_without_a_run(self, shared: Server) -> None:
        """What would be refused after hours of parsing is refused before; what is right is not."""
        for request, words in (
            (pb.ScoreRequest(axes=["colour"], suite="bizdoc"), "colour"),
            (pb.ScoreRequest(weights_json='{"speed": -1}', suite="bizdoc"), "weights"),
            (pb.ScoreRequest(embedder="nothing", suite="bizdoc"), "nothing"),
            (pb.ScoreRequest(axes=["tables"], suite="omniparse@rc1"), "leave --axis"),
        ):
            with pytest.raises(grpc.RpcError) as caught:
                shared.stub.CheckScoring(request)
            assert words in caught.value.details()
        shared.stub.CheckScoring(pb.ScoreRequest(axes=["tables"], weights_json='{"tables": 2}', suite="bizdoc"))

    def test_nothing_is_scored_while_a_run_is_timed(self, server: Server) -> None:
        """Its orchestrator holds a lock; one that was killed does not, and the run it left forbids nothing."""
        corpus = small.corpus(server.results.parent / "corpus")
        run_id = server.stub.OpenRun(small.open_request(corpus)).run_id
        request = pb.ScoreRequest(run_id=run_id, axes=["coverage"])
        with (server.results / address.RUNNING).open("w") as running:
            fcntl.flock(running, fcntl.LOCK_EX)
            with pytest.raises(grpc.RpcError) as caught:
                list(server.stub.Score(request))
            assert caught.value.code() == grpc.StatusCode.FAILED_PRECONDITION
            assert f"run {run_id} is being parsed" in caught.value.details()
            server.stub.CloseRun(pb.CloseRunRequest(run_id=run_id))
            assert list(server.stub.Score(request))[-1].done.run_id == run_id

    def test_one_that_only_reads_leaves_the_folder_as_it_is(self, store: Store, tmp_path: Path) -> None:
        """For a folder that cannot be written: the leaderboard and exports elsewhere."""
        store.close_run(store.run())
        store.score(axes=("coverage",))
        store.database.close()
        before = {path: path.stat().st_mtime_ns for path in store.results.rglob("*")}
        reader = Server(store.results, store.cache, "--read-only")
        assert reader.stub.Leaderboard(pb.LeaderboardRequest()).run_id
        assert reader.stub.Export(pb.ExportRequest(folder=str(tmp_path / "tables"))).files
        reader.stub.Shutdown(pb.ScorerShutdownRequest())
        assert reader.process.wait(timeout=30) == 0
        reader.close()
        assert {path: path.stat().st_mtime_ns for path in store.results.rglob("*")} == before


class TestProcess:
    def test_its_address_lies_in_the_folder_while_it_is_alive(self, server: Server) -> None:
        """And only then."""
        assert (server.results / address.FILE).read_text() == f"unix:{server.socket}\n"
        server.stub.Shutdown(pb.ScorerShutdownRequest())
        assert server.process.wait(timeout=30) == 0
        assert not (server.results / address.FILE).exists()

    def test_a_second_scorer_of_the_folder_is_refused(self, shared: Server) -> None:
        """It names the folder, and says in a user's words who has it and what to do."""
        second = subprocess.run(
            [
                *(sys.executable, "-m", "scorer", "--listen", f"unix:{shared.socket}2"),
                *("--results", str(shared.results)),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert second.returncode == 1
        assert f"another docassay command is at work on the results folder {shared.results}: wait" in second.stderr
        assert "Traceback" not in second.stderr
        assert shared.rows("select 1 as one") == [{"one": 1}]

    @pytest.mark.parametrize("results", ["/proc/docassay", "/dev/null/results"])
    def test_a_folder_that_cannot_be_written_is_a_clear_end(self, results: str, folder: Path) -> None:
        """Exit code 1, one line."""
        ended = subprocess.run(
            [sys.executable, "-m", "scorer", "--listen", f"unix:{folder}/s", "--results", results],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ended.returncode == 1
        assert f"docassay scorer: the results folder {results} cannot be written" in ended.stderr
        assert "Traceback" not in ended.stderr

    def test_in_a_container_it_tells_why_it_does_not_serve(self, folder: Path) -> None:
        """Whoever waits for its health is told, and ends it: compose ends everything when it ends by itself."""
        refusing = Server(Path("/proc/docassay"), folder, "--announce", "scorer:50051", socket=folder / "refusing")
        with pytest.raises(grpc.RpcError) as caught:
            health_pb2_grpc.HealthStub(refusing.channel).Check(health_pb2.HealthCheckRequest(), timeout=30)
        assert isinstance(caught.value, grpc.Call)
        assert caught.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        assert "the results folder /proc/docassay cannot be written" in (caught.value.details() or "")
        refusing.stub.Shutdown(pb.ScorerShutdownRequest())
        assert refusing.process.wait(timeout=30) == 1
        assert refusing.process.stderr is not None
        assert b"docassay scorer: the results folder /proc/docassay cannot be written" in refusing.process.stderr.read()
        refusing.close()

    def test_health_and_reflection_are_the_standard_ones(self, shared: Server) -> None:
        """Any gRPC tool can look at it."""
        checks = health_pb2_grpc.HealthStub(shared.channel)
        answer = checks.Check(health_pb2.HealthCheckRequest(service="docassay.v1.Scorer"))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
        mirror = reflection_pb2_grpc.ServerReflectionStub(shared.channel)
        asked = iter([reflection_pb2.ServerReflectionRequest(list_services="")])
        [listed] = list(mirror.ServerReflectionInfo(asked))
        assert "docassay.v1.Scorer" in {service.name for service in listed.list_services_response.service}

    def test_it_ends_with_its_parent(self, folder: Path) -> None:
        """A killed command line leaves no scorer behind."""
        code = (
            "import subprocess, sys, time\n"
            "child = subprocess.Popen([sys.executable, '-m', 'scorer', '--with-parent', *sys.argv[1:]])\n"
            "print(child.pid, flush=True)\ntime.sleep(600)\n"
        )
        words = ["--listen", f"unix:{folder}/s", "--results", str(folder / "results")]
        with subprocess.Popen([sys.executable, "-c", code, *words], cwd=ROOT, stdout=subprocess.PIPE) as parent:
            assert parent.stdout is not None
            child = int(parent.stdout.readline())
            with grpc.insecure_channel(f"unix:{folder}/s") as channel:
                grpc.channel_ready_future(channel).result(timeout=60)
            parent.send_signal(signal.SIGKILL)
        deadline = time.monotonic() + 30
        while _alive(child):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert not (folder / "results" / address.FILE).exists()


def _code(call: Callable[[], object]) -> grpc.StatusCode | None:
    """Return why a call was refused; None when it was not."""
    try:
        call()
    except grpc.RpcError as error:
        code: grpc.StatusCode = error.code()
        return code
    return None


def _resident_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
