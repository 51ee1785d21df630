"""The service between its callers and its worker: order, refusals, and the end of everything."""

import hashlib
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from docassay.v1 import parser_pb2 as pb
from orchestrator import local
from services.runtime import supervisor, tree
from tests.services.served import FOLDER, GOOD, MB, Served, eventually, outcome, requests, running


def header(**fields: object) -> pb.ParseHeader:
    return pb.ParseHeader(**{"document_id": "d", "format": "html", "deadline_seconds": 20.0, **fields})


def refused(call: grpc.RpcError) -> grpc.StatusCode:
    assert isinstance(call, grpc.Call)
    return call.code()


def start(server: Served, name: str, **fields: object) -> "grpc.CallIterator[pb.ParseResponse]":
    """Begin a parse and return once its parser works on it."""
    call = server.stub.Parse(requests(header(**fields), f"fault: {name}\n".encode()), timeout=120)
    assert next(call).WhichOneof("part") == "started"
    return call


class TestDocuments:
    def test_bytes_beyond_any_message_limit(self, served: Served) -> None:
        """A document of 63 MiB and a bit comes in parts and arrives whole."""
        content = b"0123456789abcdef" * (63 * MB // 16) + b"the end"
        answer = served.parse(content)
        assert answer.status == "ok"
        assert hashlib.sha256(answer.text.encode()).digest() == hashlib.sha256(content).digest()

    def test_path(self, served: Served) -> None:
        """A path under the documents folder is read where it lies."""
        (served.documents / "a").mkdir(exist_ok=True)
        (served.documents / "a" / "b.html").write_text("below")
        answer = outcome(served.stub.Parse(iter([pb.ParseRequest(header=header(path="a/b.html"))])))
        assert (answer.status, answer.text, answer.order) == ("ok", "below", ("started", "finished", "output", "done"))

    @pytest.mark.parametrize(
        "path",
        ["../parser.log", "a/../../scratch", "/etc/passwd", "no\0where", "a", ".", "missing.html", "//etc/passwd"],
    )
    def test_path_that_leaves(self, served: Served, path: str) -> None:
        """A path out of the folder, or to no file, is refused and nothing is parsed."""
        (served.documents / "a").mkdir(exist_ok=True)
        with pytest.raises(grpc.RpcError) as error:
            list(served.stub.Parse(iter([pb.ParseRequest(header=header(path=path))])))
        assert refused(error.value) == grpc.StatusCode.NOT_FOUND
        assert served.parse(GOOD).status == "ok"

    def test_no_two_documents_have_one_name(self, served: Served) -> None:
        """Of those sent as bytes: a tool may keep what it found under the name of a file, and would find it again."""
        names = [served.fault("tell_name").text for _ in range(3)]
        assert len(set(names)) == 3
        assert all(name.endswith(".html") for name in names)

    def test_probe_digest(self, served: Served) -> None:
        """Describe tells the digest of a file that both sides should see, and nothing of any other."""
        (served.documents / "probe").write_bytes(b"probe")
        assert served.client.describe(probe_path="probe").probe_sha256 == hashlib.sha256(b"probe").hexdigest()
        assert served.client.describe(probe_path="/etc/passwd").probe_sha256 == ""
        assert served.client.describe(probe_path="../s.log").probe_sha256 == ""

    @pytest.mark.parametrize(
        "parts",
        [
            [],
            [pb.ParseRequest(data=b"x")],
            [pb.ParseRequest(header=header(deadline_seconds=0.0))],
            [pb.ParseRequest(header=header(deadline_seconds=float("nan")))],
            [pb.ParseRequest(header=header(deadline_seconds=-1.0))],
            [pb.ParseRequest(header=header()), pb.ParseRequest(header=header())],
        ],
    )
    def test_malformed_request(self, served: Served, parts: list[pb.ParseRequest]) -> None:
        """A stream without a header, with two, or without a deadline is refused, and the next document is parsed."""
        with pytest.raises(grpc.RpcError) as error:
            list(served.stub.Parse(iter(parts)))
        assert refused(error.value) == grpc.StatusCode.INVALID_ARGUMENT
        assert served.parse(GOOD).status == "ok"

    def test_unsupported_format(self, served: Served) -> None:
        """A format the parser does not declare never reaches it."""
        answer = outcome(served.stub.Parse(requests(header(format="pdf"), b"%PDF-")))
        assert (answer.status, answer.order) == ("unsupported", ("done",))


class TestChunks:
    def test_shared_chunker(self, served: Served) -> None:
        """A tool without a chunker is chunked by the shared one, marked so."""
        done, chunks = served.chunk(served.parse(b"one\n\ntwo").done.parse_id)
        assert (done.native, done.chunker) == (False, "docassay-sections@1")
        assert chunks == [{"kind": "chunk", "text": "one\n\ntwo", "heading": None}]

    def test_only_the_last_document_once(self, served: Served) -> None:
        """A document is held until the next parse, its chunks, or a new worker, and no longer."""
        first = served.parse(GOOD).done.parse_id
        second = served.parse(GOOD).done.parse_id
        assert first != second
        served.chunk(second)
        third = served.parse(GOOD).done.parse_id
        served.warm()
        for gone in (first, second, third, ""):
            with pytest.raises(grpc.RpcError) as error:
                served.chunk(gone)
            assert refused(error.value) == grpc.StatusCode.FAILED_PRECONDITION

    def test_document_sent_as_bytes_is_kept_for_them(self, served: Served) -> None:
        """A tool that reads its document again to chunk it finds it, and it is gone afterwards."""
        done = served.parse(GOOD).done
        assert len(list(served.scratch.glob("*/inbox/*"))) == 1
        served.chunk(done.parse_id)
        assert list(served.scratch.glob("*/inbox/*")) == []


class TestCallers:
    def test_second_caller_is_refused_at_once(self, served: Served) -> None:
        """While one document is parsed every other call for work is refused, never queued."""
        call = start(served, "slow")
        for other in (
            lambda: served.parse(GOOD),
            lambda: served.warm(),
            lambda: served.client.unload(),
            lambda: served.chunk("1"),
        ):
            with pytest.raises(grpc.RpcError) as error:
                other()
            assert refused(error.value) == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert served.client.describe().name == "faulty_parser"
        assert outcome(call).status == "ok"

    def test_caller_that_leaves(self, served: Served) -> None:
        """A caller that disconnects in the middle of a parse frees the service; the worker is ended."""
        call = start(served, "hang", deadline_seconds=600.0)
        call.cancel()
        assert eventually(lambda: served.below == [])
        assert eventually(lambda: _free(served))

    def test_caller_that_reads_slowly(self, served: Served) -> None:
        """Time in which the worker waits for its caller to read is not the worker's."""
        call = served.stub.Parse(requests(header(deadline_seconds=20.0), b"fault: large\n"), timeout=120)
        parts = 0
        for _ in call:
            parts += 1
            if parts == 5:
                call.cancel()
                break
        assert eventually(lambda: _free(served))


class TestWorker:
    def test_warmup_twice(self, served: Served) -> None:
        """Warmup starts a fresh worker each time and parses every probe."""
        first = served.warm()
        [before] = served.below
        second = served.warm()
        [after] = served.below
        assert before != after
        for answer in (first, second):
            assert answer.state == pb.PARSER_STATE_READY
            assert [(probe.format, probe.status) for probe in answer.probes] == [("html", pb.PARSE_STATUS_OK)]

    def test_parse_without_a_worker(self, served: Served) -> None:
        """After Unload nothing runs, and the next document starts a worker before its time begins."""
        served.client.unload()
        assert served.below == []
        answer = served.parse(GOOD)
        assert (answer.status, answer.order[0]) == ("ok", "started")

    @pytest.mark.parametrize(
        ("how", "reason"),
        [("exit", "the parser left with exit code 3"), ("raise", "RuntimeError: the tool does not start")],
    )
    def test_tool_that_does_not_load(self, folder: Path, how: str, reason: str) -> None:
        """A tool that cannot be loaded is unhealthy with its reason; a document is told so too."""
        parser = copy(folder, environment=f'FAULTY_LOAD = "{how}"')
        server = Served(folder, parser=parser)
        answer = server.warm()
        assert (answer.state, answer.reason) == (pb.PARSER_STATE_UNHEALTHY, reason)
        document = server.parse(GOOD)
        assert document.status == "crash"
        assert reason in document.reason
        assert server.close() == 0

    def test_interpreter_that_is_not_there(self, folder: Path) -> None:
        """An environment without an interpreter is said to be so."""
        server = Served(folder, python=folder / "nothing" / "python")
        answer = server.warm()
        assert answer.state == pb.PARSER_STATE_UNHEALTHY
        assert "nothing/python could not be started" in answer.reason
        assert server.close() == 0

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--setting", "other"], "faulty_parser 1 has no setting 'other'; it has strict"),
            (["--version", "2"], "faulty_parser has no version 2; it has 1"),
        ],
    )
    def test_wrong_selection(self, folder: Path, arguments: list[str], said: str) -> None:
        """A version or setting the parser does not have ends the server before it takes a call."""
        with pytest.raises(local.ServiceFailed, match=said):
            Served(folder, *arguments)


class TestEnding:
    def test_shutdown_during_a_parse(self, folder: Path) -> None:
        """Shutdown gives up the document under way, says so, and everything ends."""
        server = Served(folder)
        server.warm()
        call = start(server, "hang", deadline_seconds=600.0)
        server.client.shutdown()
        answer = outcome(call)
        assert (answer.status, answer.done.worker_ended) == ("crash", True)
        assert server.close() == 0
        assert list(server.scratch.iterdir()) == []

    @pytest.mark.parametrize("name", ["hang_with_signals_blocked", "leave_child", "leave_detached"])
    def test_sigterm(self, folder: Path, name: str) -> None:
        """SIGTERM ends the service and all below it, busy or idle."""
        server = Served(folder)
        server.warm()
        call = start(server, name, deadline_seconds=600.0)
        server.process.terminate()
        assert server.process.wait(timeout=60) == 0
        call.cancel()
        server.close()

    def test_killed_server(self, folder: Path) -> None:
        """A server that is killed takes its worker with it."""
        server = Served(folder)
        server.warm()
        below = server.below
        assert len(below) == 1
        server.process.kill()
        server.process.wait()
        assert eventually(lambda: running(below) == [])
        server.close()

    def test_killed_parent(self, folder: Path) -> None:
        """With --with-parent, a parent that is killed takes service and worker with it."""
        (folder / "documents").mkdir()
        code = (
            "import subprocess, sys, time\n"
            "subprocess.Popen([sys.executable, *sys.argv[1:]])\n"
            "print('started', flush=True)\n"
            "time.sleep(600)\n"
        )
        command = ["-m", "services.runtime.server", "--parser", FOLDER, "--version", "1", "--python", sys.executable]
        more = ["--listen", f"unix:{folder / 's'}", "--scratch", folder, "--with-parent"]
        with subprocess.Popen(
            [sys.executable, "-c", code, *command, *more], stdout=subprocess.PIPE, cwd=local.ROOT
        ) as parent:
            with grpc.insecure_channel(f"unix:{folder / 's'}") as channel:
                grpc.channel_ready_future(channel).result(timeout=30)
                pb_stub = channel.unary_unary(
                    "/docassay.v1.Parser/Warmup",
                    request_serializer=pb.WarmupRequest.SerializeToString,
                    response_deserializer=pb.WarmupResponse.FromString,
                )
                assert pb_stub(pb.WarmupRequest(), timeout=60).state == pb.PARSER_STATE_READY
            below = list(tree.descendants(parent.pid))
            assert len(below) == 2
            parent.kill()
        assert eventually(lambda: running(below) == [])

    def test_calls_while_ending(self, folder: Path) -> None:
        """A second Shutdown, and one from another thread, harm nobody."""
        server = Served(folder)
        server.warm()
        threads = [threading.Thread(target=_shutdown, args=(server,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.process.wait(timeout=60) == 0
        server.close()


class TestHealth:
    def test_serving(self, served: Served) -> None:
        """The standard health service says SERVING for the server and for the parser."""
        stub = health_pb2_grpc.HealthStub(served.channel)
        for name in ("", "docassay.v1.Parser"):
            answer = stub.Check(health_pb2.HealthCheckRequest(service=name))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING

    def test_not_serving_once_it_ends(self, folder: Path) -> None:
        """From the moment the end begins, health says NOT_SERVING."""
        server = Served(folder)
        server.warm()
        watch = health_pb2_grpc.HealthStub(server.channel).Watch(health_pb2.HealthCheckRequest(), timeout=60)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        server.client.shutdown()
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        watch.cancel()
        assert server.close() == 0

    def test_reflection(self, served: Served) -> None:
        """The server tells a caller without our files what it serves."""
        stub = reflection_pb2_grpc.ServerReflectionStub(served.channel)
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        [answer] = stub.ServerReflectionInfo(iter([request]))
        names = {service.name for service in answer.list_services_response.service}
        assert {"docassay.v1.Parser", "grpc.health.v1.Health"} <= names


def copy(folder: Path, *, environment: str) -> Path:
    """Return a faulty parser's folder with variables of its own."""
    parser = folder / "faulty_copy"
    parser.mkdir()
    for path in FOLDER.iterdir():
        if path.is_file():
            (parser / path.name).write_bytes(path.read_bytes())
    with (parser / "parser.toml").open("a") as target:
        target.write(f"\n[environment]\n{environment}\n")
    return parser


def _free(served: Served) -> bool:
    try:
        return served.parse(GOOD).status == "ok"
    except grpc.RpcError as error:
        assert refused(error) == grpc.StatusCode.RESOURCE_EXHAUSTED
        return False


def _shutdown(server: Served) -> None:
    try:
        server.client.shutdown()
    except grpc.RpcError:
        pass  # the other one was quicker


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    """One line that says where, and what to do; no traceback."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = subprocess.run(
            [
                *(sys.executable, "-m", "services.runtime.server", "--parser", FOLDER, "--version", "1"),
                *("--python", sys.executable, "--scratch", tmp_path, "--listen", address),
            ],
            capture_output=True,
            text=True,
            cwd=local.ROOT,
            env={**os.environ, "PYTHONPATH": f"{local.ROOT}:{local.ROOT / 'proto'}", "GRPC_VERBOSITY": "NONE"},
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(f"{address} cannot be listened at: end what listens there")
    assert "Traceback" not in done.stderr


class TestSurroundings:
    def test_threads_follow_the_affinity_and_nothing_reports_home(self, tmp_path: Path) -> None:
        """OpenMP and ONNX Runtime are told how many CPUs there are for them; what would call home is told not to."""
        worker = supervisor.Supervisor(
            python=Path(sys.executable), adapter=FOLDER, setting="", environment={}, scratch=tmp_path
        )
        found = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(found)})
        try:
            given = worker.environment(tmp_path, tmp_path)
        finally:
            os.sched_setaffinity(0, found)
        names = ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "ORT_INTRA_OP_NUM_THREADS")
        assert [given[name] for name in names] == ["1", "1", "1"]
        assert (given["ORT_DISABLE_TELEMETRY"], given["DO_NOT_TRACK"], given["HF_HUB_OFFLINE"]) == ("1", "1", "1")
