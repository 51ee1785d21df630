"""What a parser can do to its service: every fault costs one document, and the next one is parsed."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.runtime import tree
from tests.services.served import GOOD, MB, Served, eventually, running

HANGS = ["hang", "hang_holding_gil", "hang_in_regex", "hang_with_signals_blocked"]
RAISES = {
    "raise_base": "BaseException: at the root",
    "raise_exit": "SystemExit: leaving",
    "raise_interrupt": "KeyboardInterrupt",
    "raise_unreadable": "Unreadable: (its message could not be read)",
    "raise_exit_when_read": "ExitsWhenRead: (its message could not be read)",
    "raise_surrogates": "ValueError: half a pair \ufffd and a NUL \ufffd",
}


@pytest.fixture(autouse=True)
def next_document_is_parsed(served: Served) -> Iterator[None]:
    """After every fault the next document is parsed, and nothing but the worker is left below the server."""
    yield
    after = served.parse(GOOD)
    assert (after.status, after.text) == ("ok", GOOD.decode())
    assert len(running(tree.children(served.process.pid))) == 1


class TestHanging:
    @pytest.mark.parametrize("name", HANGS)
    def test_deadline_ends_any_hang(self, served: Served, name: str) -> None:
        """A parser that never returns is ended at its deadline, in Python or in C, with signals or without."""
        answer = served.fault(name, seconds=0.5)
        assert answer.status == "timeout"
        assert answer.reason == "still working after 0.5 s"
        assert answer.done.worker_ended
        assert answer.order == ("started", "done")

    def test_result_that_cannot_be_read(self, served: Served) -> None:
        """An adapter that fails on the tool's result fails the document, and says at which step."""
        answer = served.fault("collect_raises")
        assert answer.status == "error"
        assert answer.reason == "while reading the tool's result: LookupError: no structure"
        assert answer.order[:2] == ("started", "finished")


class TestMemory:
    @pytest.mark.parametrize("name", ["grow", "grow_at_once", "grow_in_child"])
    def test_limit_holds_for_the_whole_tree(self, served: Served, name: str) -> None:
        """Memory past the limit is seen when it grows slowly, in one step that is over at once, or in a child."""
        answer = served.fault(name, memory_bytes=300 * MB)
        assert answer.status == "oom"
        assert "300 MiB allowed" in answer.reason
        assert answer.done.worker_ended

    def test_python_says_it_is_out_of_memory(self, served: Served) -> None:
        """A MemoryError is out of memory, and the worker lives on."""
        answer = served.fault("memory_error")
        assert (answer.status, answer.done.worker_ended) == ("oom", False)


class TestDying:
    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("exit_now", "the parser left with exit code 7; its last words: my last words"),
            ("segfault", "the parser was ended by SIGSEGV"),
            ("abort", "the parser was ended by SIGABRT"),
            ("kill_self", "the parser was ended by SIGKILL"),
            ("realtime_signal", "the parser was ended by signal 40"),
            ("leave_pipe_holder", "the parser left with exit code 9"),
        ],
    )
    def test_death_is_a_crash_that_says_how(self, served: Served, name: str, reason: str) -> None:
        """A parser that dies is a crash with the signal or exit code, also when a child holds the pipe open."""
        answer = served.fault(name)
        assert answer.status == "crash"
        assert answer.reason.startswith(reason)
        assert answer.done.worker_ended

    def test_deep_recursion_in_c(self, served: Served) -> None:
        """A stack that runs over in C is a crash of one document, or an error if the interpreter sees it."""
        assert served.fault("recurse_in_c").status in ("crash", "error")


class TestRaising:
    @pytest.mark.parametrize(("name", "reason"), RAISES.items())
    def test_anything_raised_is_an_error(self, served: Served, name: str, reason: str) -> None:
        """Whatever is raised is an error with a line a person can read, and costs no restart."""
        answer = served.fault(name)
        assert (answer.status, answer.reason, answer.done.worker_ended) == ("error", reason, False)
        assert answer.order == ("started", "finished", "done")

    def test_long_message_is_cut(self, served: Served) -> None:
        """A message of ten megabytes becomes one line of a few hundred characters."""
        answer = served.fault("raise_long")
        assert answer.status == "error"
        assert answer.reason.startswith("ValueError: long long")
        assert len(answer.reason) == 400

    def test_deep_recursion(self, served: Served) -> None:
        """Recursion without end is an error."""
        answer = served.fault("recurse")
        assert (answer.status, answer.done.worker_ended) == ("error", False)

    @pytest.mark.parametrize(
        ("name", "status"), [("raise_encrypted", "encrypted"), ("raise_unsupported", "unsupported")]
    )
    def test_adapter_may_say_what_it_is(self, served: Served, name: str, status: str) -> None:
        """An adapter that recognises its tool's complaint gives it its status."""
        assert served.fault(name).status == status


class TestReturning:
    @pytest.mark.parametrize(("name", "given"), [("return_none", "NoneType"), ("return_bytes", "bytes")])
    def test_no_text(self, served: Served, name: str, given: str) -> None:
        """A tool that returns something that is no text has failed."""
        answer = served.fault(name)
        assert (answer.status, answer.reason) == ("error", f"the tool returned {given} where its text was expected")

    def test_blank(self, served: Served) -> None:
        """White space alone is empty, which is not ok."""
        assert served.fault("return_blank").status == "empty"

    def test_what_cannot_be_stored(self, served: Served) -> None:
        """Lone surrogates and NULs become U+FFFD and are counted."""
        answer = served.fault("surrogates")
        assert (answer.status, answer.text) == ("ok", "a\ufffdb\ufffdc\ufffd")
        assert answer.done.repaired_code_points == 3

    def test_large_text(self, served: Served) -> None:
        """200 MB of text pass through the server in slices: its own memory does not grow with them."""
        served.parse(GOOD)
        tree.reset_peak(served.process.pid)
        before = served.peak_bytes()
        answer = served.fault("large")
        assert answer.status == "ok"
        assert answer.text == "0123456789" * (20 * MB)
        assert served.peak_bytes() - before < 40 * MB


class TestWriting:
    def test_endless_babble_is_cut(self, served: Served) -> None:
        """Standard output and error without end fill no disk."""
        assert served.fault("babble", seconds=1.0).status == "timeout"
        assert _log_bytes(served) < 4 * MB

    def test_babble_between_documents_is_cut(self, served: Served) -> None:
        """The log is cut while nobody calls, too."""
        assert served.fault("babble_afterwards").status == "ok"
        assert eventually(lambda: _log_bytes(served) > MB)
        assert eventually(lambda: _log_bytes(served) < MB)
        served.client.unload()

    @pytest.mark.parametrize("name", ["garbage_into_pipe", "unknown_message_into_pipe"])
    def test_garbage_in_the_pipe(self, served: Served, name: str) -> None:
        """A parser that writes into the service's own pipe has crashed."""
        answer = served.fault(name)
        assert answer.status == "crash"
        assert answer.reason.startswith("the parser wrote into the service's pipe")

    def test_half_a_frame(self, served: Served) -> None:
        """A frame that is never finished is a hang like any other."""
        assert served.fault("endless_half_frame", seconds=0.5).status == "timeout"

    def test_garbage_after_the_document(self, served: Served) -> None:
        """What a parser writes into the pipe after its document is not held against the next one."""
        answer = served.fault("garbage_afterwards")
        assert answer.status == "ok"
        time.sleep(0.6)  # the garbage comes 0.3 s after the document

    @pytest.mark.parametrize("name", ["close_descriptors", "close_descriptors_and_stay"])
    def test_closed_descriptors(self, served: Served, name: str) -> None:
        """A parser that closes every descriptor has crashed, whether it dies of it or not."""
        answer = served.fault(name)
        assert answer.status == "crash"
        assert answer.done.worker_ended


class TestProcesses:
    @pytest.mark.parametrize("name", ["leave_detached", "leave_many", "leave_forking"])
    def test_detached_processes_are_ended(self, served: Served, name: str) -> None:
        """What left its session and ignores signals is ended with its document, and counted."""
        answer = served.fault(name)
        assert answer.status == "ok"
        assert answer.done.leftover_processes >= (20 if name == "leave_many" else 1)
        count = answer.done.leftover_processes
        assert answer.done.warnings[0] == f"ended {count} process{'' if count == 1 else 'es'} the parser left behind"
        assert len(running(tree.children(served.process.pid))) == 1

    def test_fork_bomb(self, served: Served) -> None:
        """Processes that multiply and stay are all ended with the worker at the deadline."""
        assert served.fault("fork_bomb", seconds=1.0).status == "timeout"
        assert served.below == []

    def test_child_of_the_worker_ends_with_it(self, served: Served) -> None:
        """A child the tool keeps lives as long as the worker and no longer."""
        assert served.fault("leave_child").status == "ok"
        assert len(served.below) == 2
        served.client.unload()
        assert served.below == []

    @pytest.mark.parametrize("name", ["child_returns", "child_raises"])
    def test_a_fork_that_comes_back(self, served: Served, name: str) -> None:
        """A forked child that returns or raises out of the call never answers in the worker's place."""
        answer = served.fault(name)
        assert (answer.status, answer.text) == ("ok", "the parent")

    def test_spawn(self, served: Served) -> None:
        """multiprocessing with spawn works: the worker's program has its guard."""
        assert served.fault("spawn").text == "spawned, exit code 0"


class TestSurroundings:
    def test_changes_are_undone(self, served: Served) -> None:
        """Folder, mask, environment and streams a parser changed are as before for the next document."""
        before = served.fault("tell_surroundings").text
        assert before.startswith("True ")
        assert served.fault("change_surroundings").status == "ok"
        assert served.fault("tell_surroundings").text == before

    @pytest.mark.parametrize(
        "name",
        [
            "fill_temporary_folder",
            "delete_temporary_folder",
            "replace_temporary_folder",
            "nest_temporary_folder",
        ],
    )
    def test_temporary_folder_is_empty_for_the_next(self, served: Served, name: str) -> None:
        """Whatever was done to the temporary folder, the next document finds it there and empty."""
        assert served.fault(name).status == "ok"
        assert served.fault("list_temporary_folder").text == "found []"
        assert not any(path.name == "large" for path in served.scratch.rglob("*"))

    def test_full_disk(self, folder: Path) -> None:
        """A parser that fills the disk of its temporary files fails alone: the space is there for the next document."""
        (folder / "scratch").mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder / "scratch")]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("only root may mount a small disk")
        try:
            server = Served(folder)
            server.warm()
            answer = server.fault("fill_temporary_folder")
            assert (answer.status, answer.done.worker_ended) == ("error", False)
            assert "No space left on device" in answer.reason
            after = server.parse(GOOD)
            assert (after.status, after.text) == ("ok", GOOD.decode())
            assert server.close() == 0
        finally:
            subprocess.run(["umount", str(folder / "scratch")], check=True)


class TestMeasuring:
    def test_known_load(self, served: Served) -> None:
        """CPU seconds and peak memory are those of the whole tree: half a second and 100 MiB here, and in a child."""
        served.parse(GOOD)
        base = served.parse(GOOD).done.peak_memory_bytes
        done = served.fault("work").done
        assert 1.0 <= done.cpu_seconds <= 1.4
        assert 200 * MB <= done.peak_memory_bytes - base <= 230 * MB


def _log_bytes(served: Served) -> int:
    [log] = served.scratch.glob("*/parser.log")
    return os.stat(log).st_size
