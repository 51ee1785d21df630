"""How long Marker waits for a server of its own that it has just started: until that answers, or has ended.

By itself it waits the whole time it would give a server that loads, minutes, for one that ended at once, for want of
weights say. What it makes of a document is the same.
"""

import os
import time
from pathlib import Path
from typing import Any


def end_with_the_server(spawn: Any) -> None:
    """Make the tool's module for starting servers give up on one that has ended.

    Args:
        spawn: the module ``surya.inference.backends.spawn``, which notes a server's port and process before it waits.
    """
    note, processes = spawn._write_sentinel, dict[int, int]()

    def noted(backend: str, data: dict[str, Any]) -> None:
        if data["cleanup_kind"] == "process":
            processes[data["port"]] = data["pid"]
        note(backend, data)

    def healthy(base_url: str, total_timeout: float = 300.0, interval: float = 1.0) -> bool:
        process = processes.get(int(base_url.rpartition(":")[2]))
        deadline = time.monotonic() + total_timeout
        while time.monotonic() < deadline:
            if spawn.probe_health(base_url):
                return True
            if process is not None and _ended(process):
                return False
            time.sleep(interval)
        return False

    spawn._write_sentinel, spawn.wait_for_health = noted, healthy


def _ended(process: int) -> bool:
    """Return whether a child has ended; the tool need not have waited for it."""
    try:
        if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return True
    except ChildProcessError:  # the tool has waited for it
        pass
    return not Path(f"/proc/{process}").exists()
