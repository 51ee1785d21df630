"""What compose tells by the environment, and the services it names: waited for, and ended."""

import http.server
import json
import os
import signal
import socketserver
import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from docassay.v1 import parser_pb2, parser_pb2_grpc
from orchestrator import corpus, record, selection, staging
from orchestrator.cli import ending
from orchestrator.containers import composed
from orchestrator.interruption import Interrupted
from services.runtime import last_words


class Ending(parser_pb2_grpc.ParserServicer):
    """A parser service that remembers whether it was ended."""

    def __init__(self, told: Callable[[], None] = lambda: None) -> None:
        self.ended = 0
        self._told = told

    def Shutdown(
        self, request: parser_pb2.ShutdownRequest, context: grpc.ServicerContext
    ) -> parser_pb2.ShutdownResponse:
        self.ended += 1
        self._told()
        return parser_pb2.ShutdownResponse()


def unsaid(text: str) -> None:
    """Of services that end nothing is said."""
    raise AssertionError(text)


@pytest.fixture(name="signals")
def _signals() -> Iterator[None]:
    """Ending compose's services lets go of the signals; the tests want theirs back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(name="server")
def _server() -> Iterator[tuple[grpc.Server, str]]:
    server = grpc.server(futures.ThreadPoolExecutor(2))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield server, f"127.0.0.1:{port}"
    server.stop(None)


class TestRead:
    def test_parsers_are_known_by_their_ids(self) -> None:
        """A parser's id is its variable's end in small letters; intake is no parser, an empty variable nothing."""
        found = composed.read(
            {
                "DOCASSAY_PARSER_DOCLING_RS": "docling:50051",
                "DOCASSAY_PARSER_MARKER": "",
                "DOCASSAY_PARSER_INTAKE": "intake:50051",
                "DOCASSAY_PROFILED": "docling_rs, marker",
                "DOCASSAY_GPU_PARSERS": "marker",
                "DOCASSAY_SCORER": "scorer:50051",
                "DOCASSAY_DOCUMENTS": "/documents",
                "PATH": "/bin",
            }
        )
        assert found == composed.Composed(
            {"docling_rs": "docling:50051"},
            ("docling_rs", "marker"),
            ("marker",),
            "intake:50051",
            "scorer:50051",
            Path("/documents"),
        )

    @pytest.mark.parametrize("address", ["markitdown", "markitdown:", ":50051", "markitdown:port"])
    def test_what_is_no_address_is_named(self, address: str) -> None:
        """The message has the variable, what was found, and what it must be."""
        with pytest.raises(composed.ComposedError, match=r"DOCASSAY_PARSER_X is '.*host:port, as markitdown:50051"):
            composed.read({"DOCASSAY_PARSER_X": address})

    @pytest.mark.parametrize(
        ("environment", "gpus"),
        [
            ({"DOCASSAY_GPU_PARSERS": "marker"}, ("L4", "")),
            ({}, ("L4", "L4")),
            ({"DOCASSAY_GPU_PARSERS": ""}, ("", "")),
        ],
    )
    def test_a_gpu_is_that_of_the_parsers_it_was_given_to(
        self, environment: dict[str, str], gpus: tuple[str, ...]
    ) -> None:
        """Compose says which; where nobody does, whoever names a GPU means it for all."""
        around = composed.read(environment)
        assert (around.gpu_of("marker", "L4"), around.gpu_of("docslicer", "L4")) == gpus
        assert around.gpu_of("marker", None) == ""

    def test_a_parser_whose_profile_was_not_given_is_not_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is left out without waiting; one that must be there stays, so that its absence is told."""
        monkeypatch.setenv("DOCASSAY_PARSER_USUAL", "usual.invalid:50051")
        monkeypatch.setenv("DOCASSAY_PARSER_OTHER", "other.invalid:50051")
        monkeypatch.setenv("DOCASSAY_PARSER_STARTED", "localhost:50051")
        monkeypatch.setenv("DOCASSAY_PROFILED", "other,started")
        assert sorted(composed.here().parsers) == ["started", "usual"]


class TestAmong:
    ADDRESSES = {"markitdown": "m:1", "docslicer": "d:1"}

    def test_all_of_them_without_names(self) -> None:
        """Whoever names none wants all that compose started."""
        assert [entry.name for entry in selection.among([], self.ADDRESSES)] == ["docslicer", "markitdown"]

    def test_a_version_is_kept_to_be_held_against_the_service(self) -> None:
        """A service has one version; another one must not pass for it."""
        [entry] = selection.among(["markitdown@0.1.9"], self.ADDRESSES)
        assert (entry.key, entry.addresses) == ("markitdown@0.1.9", ("m:1",))

    def test_a_setting_may_have_a_service_of_its_own(self) -> None:
        """``unstructured:hi_res`` is the service unstructured_hi_res where there is one."""
        addresses = {"unstructured": "u:1", "unstructured_hi_res": "h:1", "vlm_qwen3_vl_8b": "v:1"}
        names = ["unstructured@1:hi_res", "unstructured@1:fast", "vlm:qwen3-vl-8b"]
        assert [(entry.addresses, entry.version, entry.setting) for entry in selection.among(names, addresses)] == [
            (("h:1",), "1", "hi_res"),
            (("u:1",), "1", "fast"),
            (("v:1",), "", "qwen3-vl-8b"),
        ]

    @pytest.mark.parametrize(
        ("names", "why"),
        [(["marker"], "unknown parser 'marker'; services are known of: docslicer, markitdown"),
         (["docslicer", "docslicer@1"], "docslicer was asked for twice")],
    )  # fmt: skip
    def test_what_cannot_be_is_refused(self, names: list[str], why: str) -> None:
        """A service that is not there, and one asked for twice."""
        with pytest.raises(selection.SelectionError, match=why):
            selection.among(names, self.ADDRESSES)


class TestAwaitHealth:
    def test_a_service_that_serves_is_waited_for(self, server: tuple[grpc.Server, str]) -> None:
        """SERVING ends the wait; what it says before does not."""
        checks = health.HealthServicer()
        checks.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(checks, server[0])
        looks = 0

        def look() -> None:
            nonlocal looks
            looks += 1
            if looks == 3:
                checks.set("", health_pb2.HealthCheckResponse.SERVING)

        composed.await_health(server[1], service="markitdown", seconds=60, check=look)
        assert looks == 3

    def test_one_that_does_not_speak_the_contract_is_not_waited_for(self, server: tuple[grpc.Server, str]) -> None:
        """A gRPC server without the health service will not get one by waiting."""
        with pytest.raises(
            composed.ComposedError, match=r"^odd at .* does not speak the contract\); .*compose logs --tail 20 odd"
        ):
            composed.await_health(server[1], service="odd", seconds=60)

    def test_one_that_speaks_another_protocol_is_not_waited_for(self) -> None:
        """Neither will a web server become one."""
        with socketserver.TCPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as web:
            threading.Thread(target=web.serve_forever, daemon=True).start()
            try:
                with pytest.raises(composed.ComposedError, match=r"no gRPC service, so it does not speak the contract"):
                    composed.await_health(f"127.0.0.1:{web.server_address[1]}", service="odd", seconds=3600)
            finally:
                web.shutdown()

    def test_one_that_tells_why_it_does_not_start_is_quoted(self, server: tuple[grpc.Server, str]) -> None:
        """Its last words are in the message, and nothing in them reaches a terminal as a command."""

        class Telling(health_pb2_grpc.HealthServicer):
            def Check(
                self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext
            ) -> health_pb2.HealthCheckResponse:
                context.abort(last_words.CODE, "exit code 1 at once: \x1b[31mno\nparser.toml")

        health_pb2_grpc.add_HealthServicer_to_server(Telling(), server[0])
        told = r"\(its server does not start\); its last words: exit code 1 at once: \\x1b\[31mno parser\.toml$"
        with pytest.raises(composed.ComposedError, match=told):
            composed.await_health(server[1], service="mytool", seconds=3600)

    def test_one_that_never_serves_is_named_with_the_time(self, server: tuple[grpc.Server, str]) -> None:
        """Which service, where, after how long, why, and where its last words are."""
        checks = health.HealthServicer()
        checks.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(checks, server[0])
        with pytest.raises(composed.ComposedError, match=r"not healthy after 1 s \(NOT_SERVING\)"):
            composed.await_health(server[1], service="slow", seconds=0.6)

    def test_one_whose_container_has_ended_is_not_waited_for(self) -> None:
        """A container that ended has no name any more: that is told at once, not when the time is over."""
        looks = 0

        def look() -> None:
            nonlocal looks
            looks += 1
            assert looks < 5, "it is still waited for"

        with pytest.raises(composed.ComposedError, match="no container of that name is running"):
            composed.await_health("nobody.invalid:50051", service="nobody", seconds=3600, check=look)


class TestEndedAfterwards:
    def test_compose_s_services_end_with_the_command(
        self, server: tuple[grpc.Server, str], tmp_path: Path, signals: None
    ) -> None:
        """Also when the command fails; and a signal that comes meanwhile no longer changes the exit code."""
        parser = Ending()
        parser_pb2_grpc.add_ParserServicer_to_server(parser, server[0])
        environment = {"DOCASSAY_PARSER_X": server[1], "DOCASSAY_DOCUMENTS": str(tmp_path)}
        with pytest.raises(LookupError), composed.ended_afterwards(environment, say=unsaid):
            raise LookupError
        assert parser.ended == 1
        signal.raise_signal(signal.SIGTERM)

    def test_services_that_another_run_uses_are_left_to_it(
        self, server: tuple[grpc.Server, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A second command that is refused, whatever for, does not end the first one's services."""
        parser = Ending()
        parser_pb2_grpc.add_ParserServicer_to_server(parser, server[0])
        monkeypatch.setenv("DOCASSAY_PARSER_X", server[1])
        monkeypatch.setenv("DOCASSAY_DOCUMENTS", str(tmp_path))
        with record.alone(tmp_path), pytest.raises(LookupError), ending.recorded(tmp_path):
            raise LookupError
        assert parser.ended == 0
        assert not (tmp_path / record.RECORD).exists()

    def test_one_that_does_not_answer_is_named_with_the_command_that_stops_it(
        self, server: tuple[grpc.Server, str], tmp_path: Path, signals: None
    ) -> None:
        """It speaks another contract, say, and compose waits for it; one that is not there keeps nobody waiting."""
        environment = {
            "DOCASSAY_PARSER_ODD": server[1].replace("127.0.0.1", "localhost"),
            "DOCASSAY_PARSER_GONE": "nobody.invalid:50051",
            "DOCASSAY_DOCUMENTS": str(tmp_path),
        }
        said: list[str] = []
        with composed.ended_afterwards(environment, say=said.append):
            pass
        [text] = said
        assert text.startswith("localhost does not end: stop it with: docker compose stop localhost (")
        assert "--exit-code-from orchestrator" in text

    def test_of_a_command_that_compose_itself_stops_nothing_is_said(
        self, server: tuple[grpc.Server, str], tmp_path: Path, signals: None
    ) -> None:
        """With --exit-code-from it stops everything once a service has ended, so nothing is left to a person."""
        parser = Ending(told=lambda: os.kill(os.getpid(), signal.SIGTERM))
        parser_pb2_grpc.add_ParserServicer_to_server(parser, server[0])
        environment = {
            "DOCASSAY_PARSER_X": server[1],
            "DOCASSAY_SCORER": server[1].replace("127.0.0.1", "localhost"),  # where no scorer answers
            "DOCASSAY_DOCUMENTS": str(tmp_path),
        }
        with composed.ended_afterwards(environment, say=unsaid):
            pass
        assert parser.ended == 1

    def test_services_outside_compose_are_left_alone(self, server: tuple[grpc.Server, str]) -> None:
        """Somebody else keeps them, and ends them."""
        parser = Ending()
        parser_pb2_grpc.add_ParserServicer_to_server(parser, server[0])
        with composed.ended_afterwards({"DOCASSAY_PARSER_X": server[1]}, say=unsaid):
            pass
        assert parser.ended == 0


class TestInterruption:
    def test_compose_s_signal_after_the_scorer_s_end_is_that_end(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signals: None
    ) -> None:
        """It is a failure, with the scorer's name, and no interruption by anybody."""
        monkeypatch.setenv("DOCASSAY_DOCUMENTS", str(tmp_path))
        monkeypatch.setenv("DOCASSAY_SCORER", "nobody.invalid:50051")
        with pytest.raises(composed.ComposedError, match="the scorer at nobody"), ending.recorded(tmp_path):
            raise Interrupted
        assert json.loads((tmp_path / record.RECORD).read_text())["exit_code"] == 1

    def test_a_person_s_is_an_interruption(
        self, server: tuple[grpc.Server, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signals: None
    ) -> None:
        """The scorer is there."""
        monkeypatch.setenv("DOCASSAY_DOCUMENTS", str(tmp_path))
        monkeypatch.setenv("DOCASSAY_SCORER", server[1])
        with pytest.raises(Interrupted), ending.recorded(tmp_path):
            raise Interrupted
        assert json.loads((tmp_path / record.RECORD).read_text())["exit_code"] == 130


class TestCopy:
    def test_the_copies_are_what_a_parser_reads(self, tmp_path: Path) -> None:
        """Opaque names, readable by all, nothing left of the run before; and the documents say where they lie."""
        folder, shared = tmp_path / "corpus", tmp_path / "shared"
        folder.mkdir()
        shared.mkdir()
        (shared / "left.html").write_text("of the run before")
        (folder / "secret-name.html").write_text("<p>text</p>")
        (folder / "secret-name.html").chmod(0o600)
        corpus.init(folder)
        [document] = corpus.load(folder).documents
        staged, [copy] = staging.copy([document], shared)
        assert sorted(path.name for path in shared.iterdir()) == sorted([staging.opaque_name(document), "probe"])
        assert copy.path == shared / staging.opaque_name(document)
        assert copy.path.read_text() == "<p>text</p>"
        assert {path.stat().st_mode & 0o777 for path in shared.iterdir()} == {0o644}
        assert staged.folder == shared

    def test_a_folder_that_cannot_be_written_is_told(self, tmp_path: Path) -> None:
        """The message has the folder, the reason, and what to do."""
        with pytest.raises(staging.StagingFailed, match=r"copied to .*/nowhere \(No such file.*down --volumes"):
            staging.copy([], tmp_path / "nowhere")
