"""Stands above a server: when that ends, however it does, nothing it started is left.

A server ends what is below it, and its worker dies with it. But what the worker started, a JVM say, belongs to nobody
once a server was killed: it comes to the next process above that adopts orphans, which is this one. The command is read
from standard input, so that whoever kills servers by their command line does not kill their guards as well. Linux,
standard library only.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from types import FrameType

from services.runtime import tree

GRACE_SECONDS = 15
"""How long a server that was asked to end may take."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def packed(command: Sequence[str]) -> bytes:
    """Return a command as the guard reads it."""
    return b"\0".join(os.fsencode(word) for word in command)


def main() -> None:
    """Run the command and end with its exit code; asked to end, ask the server, and make it."""
    parent = os.getppid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the parent's to answer
    system = ctypes.CDLL(None, use_errno=True)
    system.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    system.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:  # it ended before the line above
        return
    server = subprocess.Popen(sys.stdin.buffer.read().split(b"\0"), stdin=subprocess.DEVNULL)
    handle = os.pidfd_open(server.pid)

    def send(number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has ended
            signal.pidfd_send_signal(handle, number)

    def ask(_number: int, _frame: FrameType | None) -> None:
        signal.alarm(GRACE_SECONDS)
        send(signal.SIGTERM)

    def make(_number: int, _frame: FrameType | None) -> None:
        send(signal.SIGKILL)

    signal.signal(signal.SIGALRM, make)
    signal.signal(signal.SIGTERM, ask)
    code = server.wait()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # one that comes while the interpreter ends would end it otherwise
    tree.end()
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
