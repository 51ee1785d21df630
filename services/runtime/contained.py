"""What a service does in a container, where its parser has the same user but may neither look into it nor end it.

Standard library and system calls only. Linux.
"""

import ctypes
import os
import socket
from pathlib import Path

from services.runtime import scratch

_PR_SET_DUMPABLE = 4
_IPC_RMID = 0
_SHARED = Path("/dev/shm")
_IPC = Path("/proc/sysvipc")


def hide() -> None:
    """Let no other process of this user open this one's memory, trace it or see its descriptors."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def is_inside(peer: str) -> bool:
    """Whether a caller is in this container.

    Args:
        peer: as gRPC writes it: ``ipv4:172.18.0.3:40000``, ``ipv6:%5B::1%5D:40000``, ``unix:``.
    """
    family, _, place = peer.partition(":")
    if family not in ("ipv4", "ipv6"):
        return True
    address = place.rpartition(":")[0].replace("%5B", "").replace("%5D", "").strip("[]").partition("%")[0]
    try:
        # Only an address of this machine can be bound.
        with socket.socket(socket.AF_INET6 if family == "ipv6" else socket.AF_INET) as own:
            own.bind((address, 0))
    except OSError:
        return False
    return True


def remove_strays(folder: Path, *, spare: Path | None = None) -> None:
    """Remove what lies in a folder that belongs to the container, all but ``spare``; what cannot go stays."""
    for path in folder.iterdir():
        if path != spare:
            try:
                scratch.remove(path)
            except OSError:  # another process is at it
                continue


def remove_shared_memory() -> None:
    """Remove shared memory, semaphores and queues, which outlive the processes that made them."""
    remove_strays(_SHARED)
    system = ctypes.CDLL(None, use_errno=True)
    for kind, remove, more in (
        ("shm", system.shmctl, (_IPC_RMID, None)),
        ("sem", system.semctl, (0, _IPC_RMID)),
        ("msg", system.msgctl, (_IPC_RMID, None)),
    ):
        for line in (_IPC / kind).read_text().splitlines()[1:]:
            remove(int(line.split()[1]), *more)


def ready(descriptor: int) -> None:
    """Tell the first process that calls are taken."""
    os.write(descriptor, b"\0")
    os.close(descriptor)
