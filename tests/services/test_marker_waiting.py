"""How long Marker waits for a server of its own: not longer than that lives."""

import subprocess
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from services.marker import waiting

ADDRESS = "http://127.0.0.1:8920"
FOREVER = 3_600.0


def spawn(answers: Iterator[bool]) -> SimpleNamespace:
    """Return what the tool's module has of what is used, its servers answering in this way."""
    notes: list[tuple[str, int]] = []
    made = SimpleNamespace(
        notes=notes,
        probe_health=lambda _: next(answers),
        _write_sentinel=lambda backend, data: notes.append((backend, data["port"])),
    )
    waiting.end_with_the_server(made)
    return made


def never() -> Iterator[bool]:
    while True:
        yield False


@pytest.mark.parametrize("waited_for", [False, True])
def test_a_server_that_has_ended_is_given_up(waited_for: bool) -> None:
    """Whether or not the tool knows that it has: an hour is not waited for it."""
    child = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    tool = spawn(never())
    tool._write_sentinel("layout", {"port": 8920, "pid": child.pid, "cleanup_kind": "process"})
    assert tool.notes == [("layout", 8920)]
    if waited_for:
        child.wait()
    assert tool.wait_for_health(ADDRESS, total_timeout=FOREVER, interval=0.01) is False
    assert child.wait() == 3  # it was looked at, not waited for in the tool's place


def test_one_that_loads_has_its_whole_time() -> None:
    """Ready after a while, or after too long, just as by the tool alone."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        data = {"port": 8920, "pid": child.pid, "cleanup_kind": "process"}
        slow = spawn(iter([False, False, True]))
        slow._write_sentinel("layout", data)
        assert slow.wait_for_health(ADDRESS, total_timeout=FOREVER, interval=0.01) is True
        hung = spawn(never())
        hung._write_sentinel("layout", data)
        begun = time.monotonic()
        assert hung.wait_for_health(ADDRESS, total_timeout=0.2, interval=0.01) is False
        assert time.monotonic() - begun >= 0.2
        assert child.poll() is None


def test_a_server_that_is_no_process_here_has_its_whole_time() -> None:
    """One in a container, or one that somebody else started, is not looked at."""
    tool = spawn(iter([False, True]))
    tool._write_sentinel("layout", {"port": 8920, "pid": None, "cleanup_kind": "docker"})
    assert tool.wait_for_health(ADDRESS, total_timeout=FOREVER, interval=0.01) is True
    other = spawn(iter([False, True]))
    assert other.wait_for_health("http://127.0.0.1:1", total_timeout=FOREVER, interval=0.01) is True
