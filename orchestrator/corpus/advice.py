"""The commands that mend a corpus, as whoever reads of them can give them: a container sees its corpus read-only."""

import shlex
from pathlib import Path

from scorer import mounts


def init(folder: Path, *options: str) -> str:
    """Return the command that makes the folder's manifest."""
    host = mounts.on_host(folder)
    if host is None:
        return shlex.join(["docassay", "corpus", "init", str(folder), *options])
    # Without a dot or a slash in front it would be the name of a volume.
    source = host if host.startswith(("/", ".", "~")) else f"./{host}"
    mount = ["docker", "compose", "run", "--rm", "--no-deps", "-v", f"{source}:/new"]
    return shlex.join([*mount, "orchestrator", "corpus", "init", "/new", *options])


def make_writable(folder: Path) -> str:
    """Return what to do about a folder in which no manifest can be written."""
    if mounts.on_host(folder) is None:
        return "make the folder writable"
    return f"a container sees its corpus read-only; run `{init(folder, '--replace')}`"


def fetch(folder: Path) -> str:
    """Return the command that fetches the documents with a source, which no container has a way to."""
    host = mounts.on_host(folder)
    command = shlex.join(["docassay", "corpus", "fetch", host or str(folder)])
    return f"`{command}`" if host is None else f"`{command}` outside the containers"
