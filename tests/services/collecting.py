"""What a parser's adapter reads of documents, asked in the tool's own environment."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from orchestrator import environments, local
from services.runtime import descriptor

SCRIPT = Path(__file__).with_name("collected.py")


def python_of(name: str, version: str) -> Path:
    """Return the interpreter of a parser's environment."""
    lock = descriptor.read(local.SERVICES / name).lock(version)
    return environments.python_of(lock, python=sys.executable, label=f"{name}-{version}")


def collect(name: str, version: str, *paths: Path) -> list[dict[str, Any]]:
    """Return text, headings, tables and blocks of each document."""
    done = subprocess.run(
        [python_of(name, version), SCRIPT, name, *paths],
        env={"PYTHONPATH": str(local.ROOT), "PATH": "/usr/bin:/bin", "TMPDIR": str(paths[0].parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found
