"""What is left when a server is killed: nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from docassay.v1 import parser_pb2 as pb
from docassay.v1 import parser_pb2_grpc
from orchestrator import local
from services.runtime import guard, tree
from tests.services.served import FOLDER, eventually, requests, running


class Guarded:
    """A faulty parser's server under a guard."""

    def __init__(self, folder: Path) -> None:
        scratch = folder / "scratch"
        scratch.mkdir()
        command = [sys.executable, "-m", "services.runtime.server", "--with-parent", "--parser", str(FOLDER)]
        command += ["--version", "1", "--python", sys.executable, "--scratch", str(scratch)]
        self.service = local.launch(command, socket=folder / "s", guarded=True)
        local.wait(self.service)
        self.channel = grpc.insecure_channel(self.service.address)
        self.stub = parser_pb2_grpc.ParserStub(self.channel)

    @property
    def server(self) -> int:
        """The process of the server itself."""
        [found] = tree.children(self.service.process.pid)
        return found

    def below(self) -> list[int]:
        """Every process below the guard that has not ended."""
        return running(list(tree.descendants(self.service.process.pid)))

    def busy(self) -> list[int]:
        """Have the parser wait for children of its own; return everything below the guard."""
        assert self.stub.Warmup(pb.WarmupRequest(), timeout=60).state == pb.PARSER_STATE_READY
        header = pb.ParseHeader(document_id="d", format="html", deadline_seconds=600.0)
        self.call = self.stub.Parse(requests(header, b"fault: wait_for_children\n"), timeout=600)
        # The server, its worker, and two children: one of the worker's, one adopted by the server.
        assert eventually(lambda: len(self.below()) == 4), self.below()
        return self.below()


@pytest.fixture(name="guarded")
def _guarded(folder: Path) -> Iterator[Guarded]:
    made = Guarded(folder)
    yield made
    made.channel.close()
    local.stop(made.service)


class TestGuard:
    def test_a_killed_server_leaves_nothing(self, guarded: Guarded) -> None:
        """Its worker, what the tool started, and what that left behind, all end; the guard says how the server did."""
        below = guarded.busy()
        os.kill(guarded.server, signal.SIGKILL)
        assert guarded.service.process.wait(timeout=60) == 128 + signal.SIGKILL
        assert running(below) == []

    def test_a_killed_guard_leaves_nothing(self, guarded: Guarded) -> None:
        """The server ends in its own way, with all below it."""
        below = guarded.busy()
        guarded.service.process.kill()
        assert eventually(lambda: running(below) == [], seconds=60)

    def test_one_that_is_asked_ends_in_its_own_way(self, guarded: Guarded) -> None:
        """The guard passes the wish on, and the exit code back."""
        below = guarded.busy()
        guarded.service.process.terminate()
        assert guarded.service.process.wait(timeout=60) == 0
        assert running(below) == []

    def test_it_ends_however_often_it_is_asked(self, guarded: Guarded) -> None:
        """Signals interrupt each other's handlers; none of them may wait for a lock."""
        below = guarded.below()
        for _ in range(200):
            guarded.service.process.terminate()
        assert guarded.service.process.wait(timeout=60) == 0
        assert running(below) == []

    def test_one_that_is_deaf_is_ended(self, folder: Path) -> None:
        """A server that does not listen has its time, and not more."""
        code = "import signal, subprocess, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        code += "subprocess.Popen(['sleep', '3600']); time.sleep(3600)"
        service = local.launch([sys.executable, "-c", code], socket=folder / "s", guarded=True)
        assert eventually(lambda: len(list(tree.descendants(service.process.pid))) == 2)
        below = list(tree.descendants(service.process.pid))
        local.stop(service)
        assert service.process.returncode == 128 + signal.SIGKILL
        assert running(below) == []

    def test_nothing_is_started_for_a_parent_that_has_ended(self, folder: Path) -> None:
        """It may have, before the guard could have the kernel tell it so."""
        command = [sys.executable, "-c", "import sys; open(sys.argv[1], 'w')", str(folder / "started")]
        gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
        for parent, starts in ((gone.stdout.strip(), False), (str(os.getpid()).encode(), True)):
            words = b"\0".join([parent, *map(os.fsencode, command)])
            ended = subprocess.run([sys.executable, "-m", guard.__name__], input=words, cwd=local.ROOT, check=True)
            assert (ended.returncode, (folder / "started").exists()) == (0, starts)

    def test_killing_servers_by_name_spares_the_guard(self, guarded: Guarded) -> None:
        """Its command line is not the server's, so that what ends all servers at once does not end it too."""
        assert b"services.runtime.server" not in Path(f"/proc/{guarded.service.process.pid}/cmdline").read_bytes()

    def test_a_server_that_does_not_come_up_is_named(self, folder: Path) -> None:
        """Its last words are told, and nothing is left."""
        command = [sys.executable, "-m", "services.runtime.server", "--parser", str(folder), "--version", "1"]
        service = local.launch([*command, "--python", sys.executable], socket=folder / "s", guarded=True)
        with pytest.raises(
            local.ServiceFailed, match=r"-m services.runtime.server did not come up \(exit code 1\): .*toml"
        ):
            local.wait(service)
