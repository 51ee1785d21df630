"""Ctrl-C, SIGTERM and a closed terminal, told apart from what they interrupt.

An exception raised by a signal handler inside gRPC leaves its locks held. So while calls are under way a signal only
sets a flag, and a thread of its own cancels the calls; elsewhere it raises at once.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Protocol

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """The user asked for the end."""


class Cancellable(Protocol):
    """A call that another thread may give up."""

    def cancel(self) -> object:
        """Give it up."""
        ...


class Interruption:
    """Whether the end was asked for, and the calls to give up when it is."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._lock = threading.Lock()
        self._calls: list[Cancellable] = []
        self._deferred = False
        self._terminals: list[int] = []

    def install(self) -> None:
        """Take over SIGINT and SIGTERM of this process, and SIGHUP unless it was started with nohup."""
        self._terminals = [descriptor for descriptor in (0, 1, 2) if os.isatty(descriptor)]
        for number in _SIGNALS:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def check(self) -> None:
        """Raise Interrupted if the end was asked for."""
        if self._asked.is_set():
            raise Interrupted

    @contextlib.contextmanager
    def deferred(self) -> Iterator[None]:
        """Let a signal give up the calls under way, instead of raising wherever the program happens to be."""
        canceller = threading.Thread(target=self._cancel_when_asked, daemon=True)
        canceller.start()
        self._deferred = True
        try:
            yield
        finally:
            self._deferred = False
            self.check()

    @contextlib.contextmanager
    def giving_up(self, call: Cancellable) -> Iterator[None]:
        """Have a call cancelled when the end is asked for while it is under way; what comes of it is Interrupted."""
        with self._lock:
            self._calls.append(call)
        try:
            if self._asked.is_set():
                call.cancel()
            yield
        except Exception:
            self.check()
            raise
        finally:
            with self._lock:
                self._calls.remove(call)

    def _cancel_when_asked(self) -> None:
        self._asked.wait()
        with self._lock:
            for call in self._calls:
                call.cancel()

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        # Once is enough: what is being ended must not be interrupted by an impatient second Ctrl-C.
        for ignored in _SIGNALS:
            signal.signal(ignored, signal.SIG_IGN)
        if number == signal.SIGHUP:
            self._let_go_of_terminals()
        self._asked.set()
        if not self._deferred:
            raise Interrupted

    def _let_go_of_terminals(self) -> None:
        """Write to nowhere from now on: a terminal that was closed refuses every word, the last ones too."""
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in self._terminals:
            os.dup2(nowhere, descriptor)
        os.close(nowhere)
