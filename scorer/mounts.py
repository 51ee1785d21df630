"""The host's folders that compose mounts here, by their names there: whoever reads a message is there."""

import os
import shlex
from pathlib import Path

RESULTS = "DOCASSAY_RESULTS"
"""The variable of compose.yaml that names the results folder."""

_VARIABLES = {Path("/corpus"): "DOCASSAY_HOST_CORPUS", Path("/results"): "DOCASSAY_HOST_RESULTS"}
"""Which variable has what compose was told to mount, as it was told: seen from the folder of compose.yaml."""


def on_host(path: Path) -> str | None:
    """Return what a path is called on the host; None where no folder of the host is mounted."""
    for mounted, variable in _VARIABLES.items():
        if (told := os.environ.get(variable)) and path.is_relative_to(mounted):
            return str(Path(told) / path.relative_to(mounted))
    return None


def named(path: Path) -> str:
    """Return a path for a message, with its name on the host if that is another."""
    host = on_host(path)
    return f"{path}" if host is None else f"{path} ({host} on the host)"


def remedy(folder: Path) -> str:
    """Return what to do about a folder that cannot be written; a container writes as the folder's owner on the host."""
    host = on_host(folder)
    if host is None:
        how = "Make the folder writable, or name another with --results"
    else:
        how = f"Make the folder writable to its owner (chmod u+w {shlex.quote(host)}), or name another in {RESULTS}"
    return f"{how}, and run the same command again"
