"""The first process of a parser's container: ``python -m services.runtime.first``.

It serves the parser, and serves it again when its server ended, whatever ended it: compose takes the end of any
container for the end of the whole run. Only a Shutdown or a signal from outside the container ends it. The parser has
the same user: it may kill or stop the server, and take every process there may be, but it does not stop the first
process. Standard library only, to be small.
"""

import contextlib
import os
import resource
import signal
import sys
import time
from pathlib import Path

from services.runtime import contained

_TICK_SECONDS = 1.0
_STOP_SECONDS = 8.0
"""How long the server may take to end: engines kill a container ten seconds after its signal."""

_AGAIN_SECONDS = 0.5
_TERMINATION = {signal.SIGTERM, signal.SIGINT}
_SIGNALS = {*_TERMINATION, signal.SIGCHLD}
_LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]


def main() -> None:
    """Serve until the end is asked for from outside."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    contained.hide()
    started = True
    while True:
        server = _Server(telling=not started)
        code = server.wait()
        if code == 0 or server.stopping:
            sys.exit(0)
        # One that did not start is started once more by a program that tells whoever asks why.
        started = server.started()
        print(
            f"the server of {os.environ['PARSER']} ended with exit code {code} and is started again",
            file=sys.stderr,
            flush=True,
        )
        _clear()


class _Server:
    """The server of the parser, a child of this process."""

    def __init__(self, *, telling: bool) -> None:
        self.stopping = False
        self._ready, ready = os.pipe()
        os.set_blocking(self._ready, False)
        os.set_inheritable(ready, True)
        self._own = [resource.getrlimit(limit) for limit in _LIMITS]
        self._pid = _spawn(_command(ready, telling=telling))
        os.close(ready)

    def started(self) -> bool:
        """Whether it took calls at any time; asked once, after its end."""
        try:
            return bool(os.read(self._ready, 1))
        except BlockingIOError:  # something it left behind holds the other end
            return False
        finally:
            os.close(self._ready)

    def wait(self) -> int:
        """Wait for its end and return its exit code; below zero the signal that ended it."""
        deadline = float("inf")
        while True:
            asked = signal.sigtimedwait(_SIGNALS, _TICK_SECONDS)
            # The kernel gives a sender outside the container the number 0.
            if asked and asked.si_signo in _TERMINATION and asked.si_pid == 0 and not self.stopping:
                self.stopping = True
                deadline = time.monotonic() + _STOP_SECONDS
                self._send(signal.SIGTERM)
            if (code := _reap(self._pid)) is not None:
                return code
            self._send(signal.SIGCONT)
            if time.monotonic() > deadline or self._is_limited():
                self._send(signal.SIGKILL)

    def _is_limited(self) -> bool:
        """Whether somebody took from it what it may use: it cannot get that back."""
        try:
            return [resource.prlimit(self._pid, limit) for limit in _LIMITS] != self._own
        except OSError:  # it has ended
            return False

    def _send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, number)


def _command(ready: int, *, telling: bool) -> list[str]:
    environment = os.environ
    python = [sys.executable, "-m"]
    return [
        *([*python, "services.runtime.last_words"] if telling else []),
        *(*python, "services.runtime.server", "--parser", f"services/{environment['PARSER']}"),
        *("--version", environment["VERSION"], "--setting", environment.get("SETTING", "")),
        *("--python", "/opt/parser/bin/python", "--listen", "0.0.0.0:50051"),
        *("--documents", "/documents", "--weights", "/weights", "--scratch", "/tmp", "--contained", str(ready)),
    ]


def _spawn(command: list[str]) -> int:
    """Begin a process, as soon as one may be begun."""
    while True:
        try:
            return os.posix_spawn(command[0], command, os.environ, setsigmask=[])
        except BlockingIOError:  # every process there may be is taken
            _clear()


def _reap(wanted: int) -> int | None:
    """Let go of children that have ended; return the exit code of the wanted one if it is among them."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == wanted:
                code = os.waitstatus_to_exitcode(ended[1])
    return code


def _clear() -> None:
    """End every other process, and remove what they left; nothing is begun at once again."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    time.sleep(_AGAIN_SECONDS)
    _reap(0)
    contained.remove_strays(Path("/tmp"))
    contained.remove_shared_memory()


if __name__ == "__main__":
    main()
