"""Make or check the hashed lock of one version of a parser: ``python -m services.locks NAME VERSION [--check]``.

The first line of ``requirements.in`` is the tool itself; its version is what the lock is named after.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import uv

from services.runtime import descriptor

SERVICES = Path(__file__).resolve().parent


class LockFailed(Exception):
    """A lock could not be made; the message says what uv said, or what is wrong with the folder."""


def requirements(folder: Path, version: str) -> str:
    """Return the requirements of one version: ``requirements.in`` with the tool pinned.

    Raises:
        LockFailed: there are none.
    """
    path = folder / "requirements.in"
    lines = [line.strip() for line in path.read_text().splitlines()] if path.is_file() else []
    wanted = [line for line in lines if line and not line.startswith("#")]
    if not wanted:
        raise LockFailed(f"{path} must name the tool on its first line")
    return "\n".join([f"{wanted[0]}=={version}", *wanted[1:], ""])


def compile_lock(folder: Path, version: str) -> str:
    """Return the lock of one version for its parser's Python; pins of a lock that is there are kept where they can be.

    Raises:
        LockFailed: uv found no solution.
        DescriptorError: ``parser.toml`` cannot be read.
    """
    python = descriptor.read(folder).python
    existing = folder / f"{version}.lock"
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "requirements.in", Path(name) / "lock"
        source.write_text(requirements(folder, version))
        if existing.is_file():
            shutil.copy(existing, target)
        done = subprocess.run(
            [
                uv.find_uv_bin(),
                *("pip", "compile", "--quiet", "--generate-hashes", "--universal", "--python-version", python),
                *("--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate"),
                *("--output-file", str(target), str(source)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise LockFailed(f"no lock for {folder.name} {version}: {done.stderr.strip()[-2000:]}")
        return target.read_text()


def main() -> int:
    """Make or check one lock; 1 when a checked lock is not what uv would make of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", help="the parser's folder below services/")
    parser.add_argument("version", help="the tool's version")
    parser.add_argument("--check", action="store_true", help="compare with the lock that is there")
    options = parser.parse_args()
    folder = SERVICES / options.name
    try:
        lock = compile_lock(folder, options.version)
    except (LockFailed, descriptor.DescriptorError) as error:
        sys.exit(str(error))
    path = folder / f"{options.version}.lock"
    if not options.check:
        path.write_text(lock)
        print(f"{path.relative_to(SERVICES.parent)}: written; name {options.version} in {folder.name}/parser.toml")
        return 0
    if not path.is_file() or path.read_text() != lock:
        print(f"{path.relative_to(SERVICES.parent)} is not what its requirements give: make it again without --check")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
