"""What is asked of a tool in its own environment, where nothing of this one's is installed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from orchestrator import environments, local
from services.runtime import descriptor

SCRIPT = Path(__file__).with_name("collected.py")


def answer(name: str, version: str, script: Path, *words: str | Path, **environment: str) -> Any:
    """Run a script in a parser's environment; return the JSON on the last line that it prints."""
    lock = descriptor.read(local.SERVICES / name).lock(version)
    python = environments.python_of(lock, python=sys.executable, label=f"{name}-{version}")
    done = subprocess.run(
        [python, script, *words],
        env={"PYTHONPATH": str(local.ROOT), "PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def collect(name: str, version: str, *paths: Path, setting: str = "") -> list[dict[str, Any]]:
    """Return what the parser's adapter reads of each document: text, headings, tables and blocks."""
    parser = f"{name}:{setting}" if setting else name
    found: list[dict[str, Any]] = answer(name, version, SCRIPT, parser, *paths, TMPDIR=str(paths[0].parent))
    return found
