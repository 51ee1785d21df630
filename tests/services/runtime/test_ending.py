"""Asking servers to end, more often than is polite."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator import local
from tests.services import served

STORM = (signal.SIGTERM, signal.SIGINT) * 200


def storm(process: subprocess.Popen[bytes]) -> int:
    """Send many signals at once and return the exit code; a server that hangs fails the wait."""
    for number in STORM:
        if process.poll() is None:
            os.kill(process.pid, number)
    return process.wait(timeout=60)


class TestStorm:
    @pytest.mark.parametrize("attempt", range(3))
    def test_a_parser_service_ends_however_often_it_is_asked(self, tmp_path: Path, attempt: int) -> None:
        """Signals interrupt each other's handlers; none of them may wait for a lock."""
        server = served.Served(tmp_path)
        server.warm()
        try:
            assert storm(server.process) == 0
        finally:
            server.close()

    def test_the_scorer_ends_however_often_it_is_asked(self, tmp_path: Path) -> None:
        """The same for the other server."""
        command = [sys.executable, "-m", "scorer", "--results", str(tmp_path / "results")]
        started = local.start(command, socket=tmp_path / "s")
        assert storm(started.process) == 0
