"""A parser that fails as its document says: ``fault: NAME`` on the first line; any other document is its own text."""

import ctypes
import gc
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from services.runtime.form import Collected, Encrypted, Parsed, Unsupported

MB = 1 << 20


class Adapter:
    """Finds what to do in the document."""

    def __init__(self, setting: str) -> None:
        if os.environ.get("FAULTY_LOAD") == "exit":
            os._exit(3)
        if os.environ.get("FAULTY_LOAD") == "raise":
            raise RuntimeError("the tool does not start")

    def parse(self, path: Path, format: str) -> Parsed:
        text = path.read_bytes().decode("utf-8", "replace")
        found = re.match(r"fault: (\w+)", text)
        if not found:
            return Parsed(text, "plain")
        if found[1] == "tell_name":
            return Parsed(path.name, "plain")
        return Parsed(FAULTS[found[1]](), "plain", found[1])

    def collect(self, parsed: Parsed) -> Collected:
        if parsed.native == "collect_raises":
            raise LookupError("no structure")
        if parsed.native == "collect_hangs":
            time.sleep(3600)
        return Collected()


FAULTS: dict[str, Callable[[], Any]] = {}


def fault(function: Callable[[], Any]) -> Callable[[], Any]:
    FAULTS[function.__name__] = function
    return function


class Unreadable(Exception):
    def __str__(self) -> str:
        raise ValueError("no message")


class ExitsWhenRead(Exception):
    def __str__(self) -> str:
        raise SystemExit(5)


def _detached(seconds: float, *, forks: int = 1) -> None:
    """Leave a process behind that has left its session and ignores every polite signal."""
    for _ in range(forks):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                    signal.signal(number, signal.SIG_IGN)
                time.sleep(seconds)
            os._exit(0)
        os.wait()


def _pipes() -> list[int]:
    return [int(argument) for argument in sys.argv[1:3]]


@fault
def hang() -> str:
    while True:
        time.sleep(0.01)


@fault
def hang_holding_gil() -> str:
    ctypes.PyDLL(None).sleep(3600)
    return ""


@fault
def hang_in_regex() -> str:
    re.match(r"(a*)*b", "a" * 60)
    return ""


@fault
def hang_with_signals_blocked() -> str:
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
    while True:
        pass


@fault
def grow() -> str:
    held = []
    while True:
        held.append(b"x" * (8 * MB))
        time.sleep(0.002)


@fault
def grow_at_once() -> str:
    b"x" * (600 * MB)  # gone again before anybody looks
    return "done"


@fault
def grow_in_child() -> str:
    subprocess.run([sys.executable, "-c", "import time; held = b'x' * (600 << 20); time.sleep(60)"], check=True)
    return ""


@fault
def wait_for_children() -> str:
    """As a tool does that starts a JVM; another child has left its session and its parent."""
    _detached(3600)
    subprocess.run(["sleep", "3600"], check=True)
    return ""


@fault
def memory_error() -> str:
    raise MemoryError


@fault
def exit_now() -> str:
    print("my last words", flush=True)
    os._exit(7)


@fault
def segfault() -> str:
    ctypes.string_at(0)
    return ""


@fault
def abort() -> str:
    os.abort()


@fault
def kill_self() -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


@fault
def kill_server() -> str:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
    return ""


@fault
def realtime_signal() -> str:
    os.kill(os.getpid(), 40)
    return ""


@fault
def raise_base() -> str:
    raise BaseException("at the root")


@fault
def raise_exit() -> str:
    sys.exit("leaving")


@fault
def raise_interrupt() -> str:
    raise KeyboardInterrupt


@fault
def raise_unreadable() -> str:
    raise Unreadable


@fault
def raise_exit_when_read() -> str:
    raise ExitsWhenRead


@fault
def raise_long() -> str:
    raise ValueError("long " * (2 * MB))


@fault
def raise_surrogates() -> str:
    raise ValueError("half a pair \ud800 and a NUL \x00")


@fault
def raise_encrypted() -> str:
    raise Encrypted("a password is needed")


@fault
def raise_unsupported() -> str:
    raise Unsupported("not this kind")


@fault
def return_none() -> None:
    return None


@fault
def return_bytes() -> bytes:
    return b"bytes"


@fault
def return_blank() -> str:
    return " \n\t "


@fault
def surrogates() -> str:
    return "a\ud800b\x00c\udfff"


@fault
def large() -> str:
    return "0123456789" * (20 * MB)


@fault
def babble() -> str:
    line = b"x" * 65536
    while True:
        os.write(1, line)
        os.write(2, line)


@fault
def babble_afterwards() -> str:
    if os.fork() == 0:
        while True:
            os.write(1, b"x" * 65536)
    return "babbling on"


@fault
def garbage_into_pipe() -> str:
    os.write(_pipes()[1], b"\xff" * 4096)
    return "written"


@fault
def unknown_message_into_pipe() -> str:
    body = b'{"op":"surprise"}'
    os.write(_pipes()[1], b"\x01" + len(body).to_bytes(4, "big") + body)
    return "written"


@fault
def endless_half_frame() -> str:
    os.write(_pipes()[1], b"\x01\x00\x0f\xff\xff")
    time.sleep(3600)
    return ""


@fault
def garbage_afterwards() -> str:
    answers = _pipes()[1]

    def write() -> None:
        time.sleep(0.3)
        os.write(answers, b"\xff" * 64)

    threading.Thread(target=write, daemon=True).start()
    return "written later"


@fault
def close_descriptors() -> str:
    os.closerange(0, 256)
    return "closed"


@fault
def close_descriptors_and_stay() -> str:
    os.closerange(0, 256)
    while True:
        time.sleep(1)


@fault
def leave_child() -> str:
    subprocess.Popen(["sleep", "3600"])
    gc.collect()
    return "left"


@fault
def leave_detached() -> str:
    _detached(3600)
    return "left"


@fault
def leave_many() -> str:
    _detached(3600, forks=20)
    return "left"


@fault
def leave_forking() -> str:
    """A detached process that replaces itself again and again."""
    if os.fork() == 0:
        os.setsid()
        for _ in range(400):
            if os.fork():
                os._exit(0)
            time.sleep(0.001)
        time.sleep(3600)
    os.wait()
    return "left"


@fault
def fork_bomb() -> str:
    """Sixty-four processes, all of which stay."""
    for _ in range(6):
        os.fork()
    time.sleep(3600)
    return ""


@fault
def leave_pipe_holder() -> str:
    """A forked copy that holds every descriptor, the pipe's too, when this process dies."""
    if os.fork() == 0:
        os.setsid()
        time.sleep(3600)
    os._exit(9)


@fault
def child_returns() -> str:
    """A fork whose child comes back from the call as if it were the worker."""
    if os.fork() == 0:
        return "the child"
    os.wait()
    return "the parent"


@fault
def child_raises() -> str:
    if os.fork() == 0:
        raise ValueError("in the child")
    os.wait()
    return "the parent"


@fault
def recurse() -> str:
    def deeper(level: int) -> int:
        return deeper(level + 1) + 1

    return str(deeper(0))


@fault
def recurse_in_c() -> str:
    sys.setrecursionlimit(1 << 30)
    nested: list[Any] = []
    for _ in range(1 << 20):
        nested = [nested]
    return repr(nested)


@fault
def change_surroundings() -> str:
    os.chdir("/")
    os.umask(0o777)
    os.environ.clear()
    for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    sys.stdout = sys.stderr = None
    return "changed"


@fault
def tell_surroundings() -> str:
    mask = os.umask(0o022)
    os.umask(mask)
    folder = Path(tempfile.mkdtemp())
    (folder / "file").write_text("x")
    assert sys.stdout is not None
    return f"{Path.cwd() == Path(os.environ['TMPDIR'])} {mask:o} {sorted(os.environ)}"


@fault
def spawn() -> str:
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=print, args=("spawned",))
    process.start()
    process.join()
    return f"spawned, exit code {process.exitcode}"


@fault
def delete_temporary_folder() -> str:
    os.rmdir(os.environ["TMPDIR"])
    return "deleted"


@fault
def replace_temporary_folder() -> str:
    os.rmdir(os.environ["TMPDIR"])
    os.symlink(os.environ["HOME"], os.environ["TMPDIR"])
    return "replaced"


@fault
def fill_temporary_folder() -> str:
    folder = Path(tempfile.mkdtemp())
    with (folder / "large").open("wb") as target:
        for _ in range(64):
            target.write(bytes(MB))
    (folder / "closed").mkdir()
    (folder / "closed" / "file").write_text("x")
    (folder / "closed").chmod(0)
    return "filled"


@fault
def nest_temporary_folder() -> str:
    for _ in range(2000):
        os.mkdir("d")
        os.chdir("d")
    return "nested"


@fault
def list_temporary_folder() -> str:
    return f"found {sorted(os.listdir(os.environ['TMPDIR']))}"


@fault
def work() -> str:
    """A known load: half a second and 100 MiB here, the same in a child, at the same time."""
    code = "import time\nheld = b'x' * (100 << 20)\nwhile time.process_time() < 0.5: pass\ntime.sleep(0.4)"
    child = subprocess.Popen([sys.executable, "-I", "-c", code])
    held = b"x" * (100 * MB)
    begun = time.process_time()
    while time.process_time() < begun + 0.5:
        pass
    child.wait()
    return f"worked on {len(held)}"


@fault
def collect_raises() -> str:
    return "text"


@fault
def collect_hangs() -> str:
    return "text"


@fault
def slow() -> str:
    time.sleep(1.5)
    return "slow"
