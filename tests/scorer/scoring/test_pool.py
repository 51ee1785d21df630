"""Work spread over processes ends when it is told to."""

import threading
from collections.abc import Callable

import pytest

from scorer.scoring.pool import Spread, Stopped


def _endless() -> Callable[[int], int]:
    return lambda job: sum(iter(lambda: job, None))  # in one native call, which no signal handler gets into


class TestStop:
    def test_single_job(self) -> None:
        """A single job, deep in a native call, is given up when asked to: a page alone can take a minute."""
        stop = threading.Event()
        threading.Timer(0.5, stop.set).start()
        with pytest.raises(Stopped):
            list(Spread(_endless, [0], processes=2, stop=stop).results())
