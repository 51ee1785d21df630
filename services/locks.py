"""Make or check the hashed lock of one version of a parser: ``python -m services.locks NAME VERSION[:SETTING]``.

The first line of ``requirements.in`` is the tool itself; its version is what the lock is named after. A version whose
requirements are others has a file ``VERSION.in``, a setting with other packages a ``VERSION-SETTING.in``; what such a
setting can do without is in the ``.overrides`` beside that.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import uv

from services.runtime import descriptor

SERVICES = Path(__file__).resolve().parent

CPU_BUILDS = {
    "torch==2.13.0": ("6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b",),
}
"""SHA-256 of the builds without GPU support, by release: Python 3.11, Linux, x86-64."""

_GPU_LIBRARY = re.compile(r"(nvidia-|cuda-|triton==)")


class LockFailed(Exception):
    """A lock could not be made; the message says what uv said, or what is wrong with the folder."""


def requirements(folder: Path, version: str, setting: str = "") -> str:
    """Return the requirements of one version: those of its folder with the tool pinned.

    A tool that is no package (a system program) is in none of its folder's requirements; they stay as they are.

    Raises:
        LockFailed: there are none.
    """
    own = folder / f"{version}{f'-{setting}' if setting else ''}.in"
    path = own if own.is_file() or setting else folder / "requirements.in"
    lines = [line.strip() for line in path.read_text().splitlines()] if path.is_file() else []
    wanted = [line for line in lines if line and not line.startswith("#")]
    if not wanted:
        raise LockFailed(f"{path} must name the tool on its first line")
    if "==" in wanted[0]:
        return "\n".join([*wanted, ""])
    return "\n".join([f"{wanted[0]}=={version}", *wanted[1:], ""])


def compile_lock(folder: Path, version: str, setting: str = "") -> str:
    """Return the lock of one version for its parser's Python; pins of a lock that is there are kept where they can be.

    Raises:
        LockFailed: uv found no solution.
        DescriptorError: ``parser.toml`` cannot be read.
    """
    python = descriptor.read(folder).python
    existing = path_of(folder, version, setting)
    overrides = existing.with_suffix(".overrides")
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "requirements.in", Path(name) / "lock"
        source.write_text(requirements(folder, version, setting))
        if existing.is_file():
            shutil.copy(existing, target)
        done = subprocess.run(
            [
                uv.find_uv_bin(),
                *("pip", "compile", "--quiet", "--generate-hashes", "--universal", "--python-version", python),
                *("--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate"),
                *(("--override", str(overrides)) if overrides.is_file() else ()),
                *("--output-file", str(target), str(source)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise LockFailed(f"no lock for {folder.name} {version}: {done.stderr.strip()[-2000:]}")
        return with_cpu_builds(without_the_left_out(target.read_text()))


def path_of(folder: Path, version: str, setting: str = "") -> Path:
    """Return where the lock of a version lies, and that of a setting with packages of its own."""
    return folder / f"{version}{f'-{setting}' if setting else ''}.lock"


def without_the_left_out(lock: str) -> str:
    """Return a lock without the entries that overrides left out, by a marker that holds nowhere."""
    return "\n".join([*(entry for entry in _entries(lock) if "'never'" not in entry), ""])


def with_cpu_builds(lock: str) -> str:
    """Return a lock that the builds for CPUs alone fit as well, of every release that has one.

    The public release of torch for x86-64 needs gigabytes of GPU libraries; the build without them has the same
    version with a local part (``+cpu``), which the same pin admits. Its hash is added and the libraries are left out.
    A lock with torchvision stays as it is: its public build works with the public torch alone.
    """
    if "\ntorchvision==" in lock:
        return lock
    kept = []
    for entry in _entries(lock):
        release, marks, rest = entry.partition(" ")
        if _GPU_LIBRARY.match(release):
            continue
        known = "".join(f" \\\n    --hash=sha256:{value}" for value in CPU_BUILDS.get(release, ()) if value not in rest)
        kept.append(release + marks + rest + known)
    return "\n".join([*kept, ""])


def _entries(lock: str) -> list[str]:
    return re.split(r"\n(?=\S)", lock.rstrip("\n"))


def main() -> int:
    """Make or check one lock; 1 when a checked lock is not what uv would make of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", help="the parser's folder below services/")
    parser.add_argument("version", help="the tool's version; VERSION:SETTING for a setting with packages of its own")
    parser.add_argument("--check", action="store_true", help="compare with the lock that is there")
    options = parser.parse_args()
    folder = SERVICES / options.name
    version, _, setting = options.version.partition(":")
    try:
        lock = compile_lock(folder, version, setting)
    except (LockFailed, descriptor.DescriptorError) as error:
        sys.exit(str(error))
    path = path_of(folder, version, setting)
    if not options.check:
        path.write_text(lock)
        print(f"{path.relative_to(SERVICES.parent)}: written; name {version} in {folder.name}/parser.toml")
        return 0
    if not path.is_file() or path.read_text() != lock:
        print(f"{path.relative_to(SERVICES.parent)} is not what its requirements give: make it again without --check")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
