"""A server that does not start: whoever asks for its health is told why, until its end is asked for."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from docassay.v1 import parser_pb2, parser_pb2_grpc
from orchestrator import local
from services.runtime import last_words


@contextmanager
def telling(program: str, socket: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a Python program as the server."""
    ready, its_ready = os.pipe()
    server = [sys.executable, "-c", program, "--listen", f"unix:{socket}", "--contained", str(its_ready)]
    command = [sys.executable, "-m", "services.runtime.last_words", *server]
    process = subprocess.Popen(command, cwd=local.ROOT, stderr=subprocess.PIPE, text=True, pass_fds=(its_ready,))
    os.close(its_ready)
    try:
        yield process, ready
    finally:
        os.close(ready)
        process.kill()
        process.communicate()


def asked(channel: grpc.Channel) -> grpc.Call:
    """Return how the health service refuses to answer."""
    with pytest.raises(grpc.RpcError) as caught:
        health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=30, wait_for_ready=True)
    assert isinstance(caught.value, grpc.Call)
    return caught.value


LINES = """import sys
for number in range(100):
    print("line", number, file=sys.stderr)
sys.exit("parser.toml is not TOML")
"""


def test_the_last_lines_are_told_until_shutdown(tmp_path: Path) -> None:
    """With the exit code, what was printed last at the end; and Shutdown ends it with 0, as it ends a server."""
    with telling(LINES, tmp_path / "s") as (process, _), grpc.insecure_channel(f"unix:{tmp_path / 's'}") as channel:
        for _ in range(2):
            told = asked(channel)
            assert told.code() == last_words.CODE
            assert told.details() is not None
            assert str(told.details()).startswith("exit code 1 at once: line 81")
            assert str(told.details()).endswith("line 99\nparser.toml is not TOML")
        parser_pb2_grpc.ParserStub(channel).Shutdown(parser_pb2.ShutdownRequest(), timeout=30)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 0
        assert "line 0\n" in errors, "the container's log has all of it"


def test_a_signal_ends_it_too(tmp_path: Path) -> None:
    """As docker stop does."""
    with telling(LINES, tmp_path / "s") as (process, _), grpc.insecure_channel(f"unix:{tmp_path / 's'}") as channel:
        asked(channel)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0


@pytest.mark.parametrize(("code", "started"), [(0, b""), (0, b"\0"), (3, b"\0")])
def test_a_server_that_did_start_ends_with_its_own_exit_code(tmp_path: Path, code: int, started: bytes) -> None:
    """However soon: 0 is its end, and with another one it is started again by whoever is told that it had started."""
    program = f"import os, sys; os.write(int(sys.argv[-1]), {started!r}); sys.exit({code})"
    with telling(program, tmp_path / "s") as (process, ready):
        assert process.wait(timeout=30) == code
        assert os.read(ready, 9) == started
