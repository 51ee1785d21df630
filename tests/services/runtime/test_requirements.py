"""Programs a parser needs outside its environment: absent, too old, or hanging, each with its remedy."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from docassay.v1 import parser_pb2 as pb
from orchestrator import local
from services.runtime import descriptor, requirements
from tests.services.served import Served, eventually, running

OPENDATALOADER = local.SERVICES / "opendataloader"
REMEDY = "install a Java runtime"


def missing(folder: Path, script: str | None) -> str:
    """Ask with a PATH on which ``java`` is the given shell script alone, or nothing."""
    if script is not None:
        program = folder / "java"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    return requirements.missing(descriptor.read(OPENDATALOADER), {"PATH": str(folder)})


class TestMissing:
    def test_absent(self, tmp_path: Path) -> None:
        """A program that is not on the PATH is named with its remedy."""
        reason = missing(tmp_path, None)
        assert reason.startswith("Java 11 or newer is needed, java was not found: ")
        assert REMEDY in reason

    @pytest.mark.parametrize("told", ['java version "1.8.0_292"', 'openjdk version "10.0.2" 2018-07-17'])
    def test_too_old(self, tmp_path: Path, told: str) -> None:
        """A version before the needed one is told, in Java's old counting too."""
        found = told.split('"')[1].split("_")[0]
        reason = missing(tmp_path, f"echo '{told}' >&2")
        assert reason.startswith(f"Java 11 or newer is needed, found {found}: ")
        assert REMEDY in reason

    @pytest.mark.parametrize(
        "told", ['openjdk version "11.0.1"', 'openjdk version "17.0.15" 2025-04-15', 'java version "25"']
    )
    def test_new_enough(self, tmp_path: Path, told: str) -> None:
        """The needed version and any later one will do."""
        assert missing(tmp_path, f"echo '{told}' >&2") == ""

    def test_says_nothing(self, tmp_path: Path) -> None:
        """A program that tells no version is not what was asked for."""
        assert "found no version" in missing(tmp_path, "true")

    def test_fails(self, tmp_path: Path) -> None:
        """A program that does not run says why."""
        reason = missing(tmp_path, "echo 'no such library' >&2; exit 127")
        assert "java does not run (exit code 127: no such library)" in reason
        assert REMEDY in reason

    def test_hangs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A program that never answers is ended with what it started."""
        monkeypatch.setattr(requirements, "SECONDS", 0.3)
        child = tmp_path / "child"
        reason = missing(tmp_path, f"/bin/sleep 3600 & echo $! > {child}; wait")
        assert "java does not run (no answer in 0.3 s)" in reason
        assert eventually(lambda: running([int(child.read_text())]) == [])

    @pytest.mark.parametrize("told", ["version: 0.6.0-dev (build 1)", "version: 5000 (86a2835)", "built today"])
    def test_any_version_may_do(self, tmp_path: Path, told: str) -> None:
        """A program without a version to be compared has to be there and to run."""
        marker = descriptor.read(local.SERVICES / "marker")
        assert requirements.missing(marker, {"PATH": str(tmp_path)}).startswith("llama.cpp's server is needed, llama-")
        program = tmp_path / "llama-server"
        program.write_text(f"#!/bin/sh\necho '{told}' >&2\n")
        program.chmod(0o755)
        assert requirements.missing(marker, {"PATH": str(tmp_path)}) == ""
        program.write_text("#!/bin/sh\nexit 1\n")
        assert "llama-server does not run (exit code 1" in requirements.missing(marker, {"PATH": str(tmp_path)})

    def test_every_requirement_is_told(self, tmp_path: Path) -> None:
        """Two that are missing are both named."""
        read = descriptor.read(OPENDATALOADER)
        [java] = read.requirements
        other = replace(java, name="Tesseract", probe=("tesseract", "--version"), remedy="install it")
        reason = requirements.missing(replace(read, requirements=(java, other)), {"PATH": str(tmp_path)})
        assert "Java 11" in reason
        assert "Tesseract 11" in reason


def unanswered(**environment: str) -> str:
    """Ask for the server that the vision model needs."""
    return requirements.missing(descriptor.read(local.SERVICES / "vlm"), environment)


class TestServer:
    @pytest.fixture
    def port(self) -> Iterator[int]:
        """Where somebody listens."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            yield listener.getsockname()[1]

    @pytest.mark.parametrize(
        "form", ["127.0.0.1:{}", "http://127.0.0.1:{}", "http://127.0.0.1:{}/", "localhost:{}", ":{}"]
    )
    def test_one_that_takes_connections(self, port: int, form: str) -> None:
        """In every form in which Ollama's own programs read its address; nothing is asked of it."""
        assert unanswered(OLLAMA_HOST=form.format(port)) == ""

    @pytest.mark.parametrize("form", ["127.0.0.1:{}", "http://127.0.0.1:{}"])
    def test_none(self, port: int, form: str) -> None:
        """Where it was looked for, and what to do."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            free = form.format(listener.getsockname()[1])
        reason = unanswered(OLLAMA_HOST=free)
        assert reason.startswith(f"an Ollama server is needed at {free}, and none answers there (")
        assert reason.endswith("): start it with ollama serve, or name another in OLLAMA_HOST")

    @pytest.mark.parametrize("form", ["http://127.0.0.1:{}", "127.0.0.1:{}"])
    @pytest.mark.parametrize("credentials", ["somebody:secret@", "somebody:se@cret@"])
    def test_a_password_is_not_shown(self, form: str, credentials: str) -> None:
        """The address is told without the name and password that it was given with."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            free = form.format(listener.getsockname()[1])
        reason = unanswered(OLLAMA_HOST=free.replace("127", f"{credentials}127"))
        assert reason.startswith(f"an Ollama server is needed at {free}, and none answers there (")
        assert "cret" not in reason

    @pytest.mark.parametrize("form", ["http://127.0.0.1:port", "127.0.0.1:99999", "http://[::1"])
    def test_what_is_no_address(self, form: str) -> None:
        """It is told as what it is."""
        assert unanswered(OLLAMA_HOST=form).startswith(
            f"an Ollama server is needed at {form}, and none answers there ("
        )

    @pytest.mark.parametrize(
        ("address", "endpoint"),
        [
            ("", ("127.0.0.1", 11434)),
            ("example.org", ("example.org", 11434)),
            ("http://example.org", ("example.org", 80)),
            ("https://example.org/path", ("example.org", 443)),
            ("[::1]:5", ("::1", 5)),
        ],
    )
    def test_what_an_address_leaves_out(
        self, monkeypatch: pytest.MonkeyPatch, address: str, endpoint: tuple[str, int]
    ) -> None:
        """Ollama's port alone, a scheme's with a scheme; this machine without a host."""
        asked = []

        def connect(where: tuple[str, int], seconds: float) -> socket.socket:
            asked.append(where)
            raise ConnectionRefusedError

        monkeypatch.setattr(socket, "create_connection", connect)
        assert unanswered(**({"OLLAMA_HOST": address} if address else {}))
        assert asked == [endpoint]


class TestService:
    def test_describe_and_warmup_say_so(self, folder: Path) -> None:
        """Without Java the service comes up, and both calls say what is missing and what to do."""
        empty = folder / "bin"
        empty.mkdir()
        server = Served(
            folder, parser=OPENDATALOADER, version="2.5.16", environment={"PATH": str(empty), "JAVA_HOME": ""}
        )
        for answer in (server.client.describe(), server.warm(), server.client.describe()):
            assert answer.state == pb.PARSER_STATE_REQUIREMENT_MISSING
            assert answer.reason.startswith("Java 11 or newer is needed, java was not found: ")
            assert REMEDY in answer.reason
        assert server.below == []
        assert server.close() == 0


class TestExact:
    @pytest.mark.parametrize(("told", "reason"), [("5.3.0", ""), ("5.3.1", "found 5.3.1"), ("5.2", "found 5.2")])
    def test_a_program_that_is_the_tool_itself(self, tmp_path: Path, told: str, reason: str) -> None:
        """Another version, newer or older, is another parser."""
        program = tmp_path / "tesseract"
        program.write_text(f"#!/bin/sh\necho 'tesseract {told}'\n")
        program.chmod(0o755)
        missing = requirements.missing(descriptor.read(local.SERVICES / "tesseract"), {"PATH": str(tmp_path)})
        assert missing.startswith(f"Tesseract 5.3.0 is needed, {reason}") if reason else missing == ""
