"""A parser that tries to break out: ``try: NAME ARGUMENTS`` in the document says how.

Its text is one line of JSON: what it got by the attempt, or the error that stopped it.
"""

import ctypes
import errno
import json
import mmap
import os
import re
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from services.runtime.form import Collected, Parsed

SECONDS = 3.0


class Adapter:
    """Finds what to try in the document."""

    def __init__(self, setting: str) -> None: ...

    def parse(self, path: Path, format: str) -> Parsed:
        text = path.read_text()
        found = re.search(r"try: (\w+)([^<]*)", text)
        if not found:
            return Parsed("a document without fault", "plain")
        try:
            got: Any = ATTEMPTS[found[1]](*found[2].split())
        except OSError as error:
            return Parsed(json.dumps({"stopped": errno.errorcode.get(error.errno or 0, str(error))}), "plain")
        return Parsed(json.dumps({"got": got}), "plain")

    def collect(self, parsed: Parsed) -> Collected:
        return Collected()


ATTEMPTS: dict[str, Callable[..., Any]] = {}


def attempt(function: Callable[..., Any]) -> Callable[..., Any]:
    ATTEMPTS[function.__name__] = function
    return function


@attempt
def connect(host: str, port: str) -> str:
    """Reach somebody: by address or name."""
    with socket.create_connection((host, int(port)), timeout=SECONDS):
        return f"{host}:{port} answers"


@attempt
def resolve(name: str) -> list[str]:
    """Have a name looked up: a name service is a way out even where no connection is."""
    return sorted({str(entry[4][0]) for entry in socket.getaddrinfo(name, 80)})


@attempt
def ask_name_server(address: str) -> int:
    """Send a question to a name server, and wait for any answer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.settimeout(SECONDS)
        question = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07outside\x07example\x00\x00\x01\x00\x01"
        asked.sendto(question, (address, 53))
        answer = asked.recv(512)
        return int.from_bytes(answer[6:8], "big")  # how many answers are in it


@attempt
def find(needle: str) -> list[str]:
    """Look through every file for words that only the gold has."""
    found, wanted = [], needle[::-1].encode()  # written backwards, so that the attempt itself does not count
    for folder, folders, names in os.walk("/"):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys", "/dev")]
        for name in names:
            path = Path(folder, name)
            try:
                if path.is_file() and path.stat().st_size < 1 << 24 and wanted in path.read_bytes():
                    found.append(str(path))
            except OSError:
                continue
    return found


@attempt
def documents() -> list[str]:
    """Read what the documents are called."""
    return sorted(os.listdir("/documents"))


@attempt
def write(*paths: str) -> dict[str, str]:
    """Leave something behind."""
    outcome = {}
    for path in paths:
        try:
            Path(path).write_text("burglar")
            outcome[path] = "written"
        except OSError as error:
            outcome[path] = errno.errorcode[error.errno or 0]
    return outcome


@attempt
def mount() -> str:
    """Make the root writable."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(None, b"/", None, 32, None) == 0:  # MS_REMOUNT
        return "remounted"
    raise OSError(ctypes.get_errno(), "mount")


@attempt
def new_user_namespace() -> str:
    """Become root of a world of one's own."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x10000000) == 0:  # CLONE_NEWUSER
        return "in a new namespace"
    raise OSError(ctypes.get_errno(), "unshare")


@attempt
def become_root() -> int:
    """Be somebody else."""
    os.setuid(0)
    return os.getuid()


@attempt
def raw_socket() -> str:
    """What CAP_NET_RAW allows."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP):
        return "a raw socket"


@attempt
def gain_capability() -> str:
    """Ask the kernel for every capability."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    if libc.capset(header, data) == 0:
        return "capabilities"
    raise OSError(ctypes.get_errno(), "capset")


@attempt
def privileges() -> dict[str, str]:
    """Read what this process may do, and which files would let it do more."""
    lines = Path("/proc/self/status").read_text().splitlines()
    told = dict(line.split(":\t", 1) for line in lines if line.startswith(("Cap", "NoNewPrivs", "Uid", "Seccomp:")))
    raised = [
        os.path.join(folder, name)
        for folder, _, names in os.walk("/usr")
        for name in names
        if os.path.isfile(os.path.join(folder, name)) and os.stat(os.path.join(folder, name)).st_mode & 0o6000
    ]
    return {**told, "set_user_id": " ".join(raised)}


@attempt
def fork_bomb() -> str:
    """Take every process number there is."""
    while True:
        try:
            if os.fork() == 0:
                os.setsid()
        except OSError:
            time.sleep(0.01)


@attempt
def allocate(size: str) -> str:
    """Take more memory than there is, in one step."""
    with mmap.mmap(-1, int(size), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x8000) as taken:  # MAP_POPULATE
        return f"{len(taken)} bytes"


@attempt
def fill_scratch() -> int:
    """Fill the scratch space."""
    with open("/tmp/full", "wb") as target:
        while True:
            target.write(b"x" * (1 << 20))


@attempt
def kill_server() -> str:
    """End the service itself, in a way that it cannot answer."""
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(3600)
    return ""


@attempt
def stop_server() -> str:
    """Make the service stand still, so that it neither answers nor ends."""
    os.kill(os.getppid(), signal.SIGSTOP)
    return "stopped it"


@attempt
def terminate_server() -> str:
    """End the service as its keeper would."""
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(3600)
    return ""


@attempt
def terminate_first() -> str:
    """End the container as the engine would."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        os.kill(1, number)
    time.sleep(2)
    return "signalled"


@attempt
def call_shutdown() -> str:
    """End the service as the orchestrator would."""
    address = "http://127.0.0.1:50051/docassay.v1.Parser/Shutdown"
    headers = ("--header", "content-type: application/grpc", "--header", "te: trailers")
    asked = ("curl", "--silent", "--include", "--max-time", "5", "--http2-prior-knowledge", "--data-binary", "@-")
    done = subprocess.run([*asked, *headers, address], input=bytes(5), capture_output=True, check=False)
    return done.stdout.decode(errors="replace")


@attempt
def open_memory() -> dict[str, str]:
    """Open the memory of the service and of the first process, to write into it."""
    outcome = {}
    for name, number in (("first", 1), ("server", os.getppid())):
        try:
            with open(f"/proc/{number}/mem", "r+b"):
                outcome[name] = "opened"
        except OSError as error:
            outcome[name] = errno.errorcode[error.errno or 0]
    return outcome


@attempt
def limit_server() -> str:
    """Take every descriptor from the service that it has not yet."""
    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))
    time.sleep(3600)
    return ""


def _leave() -> None:
    """Leave files where they are found last, and memory that outlives every process."""
    Path("/tmp/.hidden").write_bytes(b"x" * (1 << 20))
    Path("/tmp/closed/in").mkdir(parents=True)
    Path("/tmp/closed").chmod(0)
    Path("/dev/shm/left").write_bytes(b"x")
    ctypes.CDLL(None, use_errno=True).shmget(0, 1 << 20, 0o1600)  # IPC_PRIVATE, IPC_CREAT


@attempt
def leave_files() -> str:
    """Leave something for the next document to find."""
    Path("/tmp/full").write_bytes(b"x" * (1 << 20))
    Path("/tmp/.hidden").write_bytes(b"x")
    return "left them"


@attempt
def leave_and_end() -> str:
    """Leave everything, and go."""
    _leave()
    os._exit(3)


@attempt
def leave_and_kill() -> str:
    """Leave everything, and take the service along."""
    _leave()
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(3600)
    return ""


@attempt
def strays() -> list[str]:
    """Name what lies about that no document of this worker's brought."""
    files = [name for name in os.listdir("/tmp") if not name.startswith("docassay-")]
    segments = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return [*files, *os.listdir("/dev/shm"), *segments]


@attempt
def escape() -> str:
    """Leave a process behind that has left its group, its session and its parent, and hears no signal."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, signal.NSIG):
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    continue
            os.setpgid(0, 0)
            time.sleep(3600)
        os._exit(0)
    os.wait()
    return "left one behind"


@attempt
def others() -> list[str]:
    """Name the processes beside the service's own and this one; those that the engine began inside are none of ours."""
    above, commands = {}, {}
    for number in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            commands[number] = Path(f"/proc/{number}/cmdline").read_text().replace("\0", " ").strip()
            above[number] = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue

    def first(number: int) -> int:
        """Where a process descends from: 1, or what came from outside, whose parent has no number here."""
        while above.get(number, 0):
            number = above[number]
        return number

    own = (1, os.getppid(), os.getpid())
    return [commands[number] for number in above if number not in own and first(number) == 1]
