"""Virtual environments from hashed locks, made by uv, kept by content.

An environment's folder is named by the digest of its lock and interpreter, so two versions of one tool lie side by
side, a changed lock makes a new one, and an environment that was not finished is never taken for one.
"""

import contextlib
import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import uv


class EnvironmentFailed(Exception):
    """An environment could not be made; the message says what uv said."""


def cache_folder() -> Path:
    """Return where environments and embeddings are kept: ``DOCASSAY_CACHE``, else the user's cache folder."""
    if named := os.environ.get("DOCASSAY_CACHE"):
        return Path(named).expanduser().resolve()  # a shell leaves a quoted ~ as it is
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "docassay"


def interpreter(version: str) -> str | None:
    """Return a Python of the given version, ``3.11`` say; None when the machine has none."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    return shutil.which(f"python{version}")


def python_of(lock: Path, *, python: str, label: str) -> Path:
    """Return the interpreter of the environment of a lock, making the environment if it is not there.

    Args:
        lock: a hashed requirements file.
        python: the interpreter to base it on.
        label: what the folder's name begins with, for people.

    Raises:
        EnvironmentFailed: uv could not make it.
    """
    digest = hashlib.sha256(lock.read_bytes() + b"\0" + os.path.realpath(python).encode()).hexdigest()[:16]
    folder = cache_folder() / "environments" / f"{label}-{digest}"
    executable = folder / "bin" / "python"
    complete = folder / "complete"
    with _locked(folder.with_suffix(".making")):
        if not complete.is_file():
            shutil.rmtree(folder, ignore_errors=True)
            _uv("venv", "--quiet", "--python", python, str(folder))
            # The lock is complete, so nothing is resolved; every file's hash is checked. Compiling now keeps the
            # first timed import from paying for it.
            requirements, options = _for_cpus(lock.read_text())
            _uv(
                *("pip", "install", "--quiet", "--no-deps", "--require-hashes", "--compile-bytecode"),
                *("--python", str(executable), "--requirement", "-", *options),
                given=requirements,
            )
            complete.touch()
    return executable


def _for_cpus(lock: str) -> tuple[str, tuple[str, ...]]:
    """Return a lock, and uv's options, so that torch is its build for CPUs where the public one needs GPU libraries.

    The build is taken from a folder named for pip or uv, else from torch's publisher. Its version has a local part, and
    uv looks up hashes by the whole version. A lock with torchvision is taken as it is: see ``services.locks``.
    """
    alone = re.search(r"^torch==", lock, re.MULTILINE) and not re.search(r"^torchvision==", lock, re.MULTILINE)
    if not alone or (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return lock, ()
    folders = f"{os.environ.get('UV_FIND_LINKS', '')} {os.environ.get('PIP_FIND_LINKS', '')}".split()
    found = [name for name in folders if any(Path(name).glob("torch-*+cpu-*.whl"))]
    options = ("--find-links", found[0]) if found else ("--torch-backend", "cpu")
    return re.sub(r"^(torch==[0-9.]+)", r"\1+cpu", lock, flags=re.MULTILINE), options


def _uv(*arguments: str, given: str = "") -> None:
    done = subprocess.run([uv.find_uv_bin(), *arguments], input=given, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise EnvironmentFailed(f"uv {' '.join(arguments[:2])} failed: {done.stderr.strip()[-2000:]}")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process at a time make an environment."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = path.open("w")
    except OSError as error:
        raise EnvironmentFailed(
            f"the cache folder {cache_folder()} cannot be written ({error.strerror}): name another in DOCASSAY_CACHE"
        ) from error
    with handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
