"""How a server is asked to end: by a signal, by a call, any number of times, at any moment.

A signal handler may interrupt the very code that waits, so it must not touch a lock; writing a byte to a pipe takes
none. Standard library only.
"""

import os
import signal
from types import FrameType


class Ending:
    """Waits until somebody asks."""

    def __init__(self) -> None:
        self._asked, self._asking = os.pipe()
        os.set_blocking(self._asking, False)

    def ask(self) -> None:
        """Ask for the end; any thread, any signal handler, as often as it likes."""
        try:
            os.write(self._asking, b".")
        except BlockingIOError:  # the pipe is full of earlier wishes
            pass

    def on(self, *numbers: int) -> None:
        """Take the given signals as wishes."""

        def handle(_number: int, _frame: FrameType | None) -> None:
            self.ask()

        for number in numbers:
            signal.signal(number, handle)

    def wait(self) -> None:
        """Return once the end was asked for."""
        os.read(self._asked, 1)
