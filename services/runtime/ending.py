"""How a server is asked to end: by a signal, by a call, any number of times, at any moment.

A handler written in Python runs in the main thread alone, which may sit in a system call while another thread took the
signal; and it may interrupt the very code that waits, so it must not touch a lock. So the interpreter's own handler
writes the signal's number to a pipe, in whichever thread it runs, and waiting is reading from that pipe. Standard
library only.
"""

import os
import signal
from types import FrameType

_ASKED = b"\0"
"""No signal has this number."""


class Ending:
    """Waits until somebody asks. One in a process, made in its main thread."""

    def __init__(self) -> None:
        self._asked, self._asking = os.pipe()
        os.set_blocking(self._asking, False)
        self._wishes = set(_ASKED)

    def ask(self) -> None:
        """Ask for the end; any thread, as often as it likes."""
        try:
            os.write(self._asking, _ASKED)
        except BlockingIOError:  # the pipe is full of earlier wishes
            pass

    def on(self, *numbers: int) -> None:
        """Take the given signals as wishes."""
        self._wishes.update(numbers)
        signal.set_wakeup_fd(self._asking, warn_on_full_buffer=False)
        for number in numbers:
            signal.signal(number, _nothing)

    def wait(self) -> bool:
        """Wait until the end is asked for; return whether by a call, not by a signal. Later signals do nothing."""
        while self._wishes.isdisjoint(wish := os.read(self._asked, 64)):
            pass
        for number in self._wishes - set(_ASKED):
            signal.signal(number, signal.SIG_IGN)  # one that comes while the interpreter ends would end it otherwise
        return _ASKED in wish


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """What is to be done is done by the interpreter before this runs."""
