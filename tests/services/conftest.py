"""One faulty server for a module's tests; nothing of it is left when they are over."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from services.runtime import tree
from tests.services.served import Served, adopt_orphans, eventually, running


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    adopt_orphans()
    before = tree.children(os.getpid())
    server = Served(tmp_path_factory.mktemp("served"))
    server.warm()
    yield server
    assert server.close() == 0
    assert_nothing_left(before)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder for a server of the test's own, which must have ended by the end of it."""
    adopt_orphans()
    others = tree.children(os.getpid())
    yield tmp_path
    assert_nothing_left(others)


def assert_nothing_left(others: Sequence[int]) -> None:
    """No process is left below this one but ``others``: an orphan of a server would have come here."""

    def left() -> list[int]:
        found = [pid for pid in tree.children(os.getpid()) if pid not in others]
        for pid in found:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass
        return running([below for pid in found for below in (pid, *tree.descendants(pid))])

    assert eventually(lambda: not left()), left()
