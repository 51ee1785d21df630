"""The command line as a shell meets it: exit code, what was printed, what was complained of."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from orchestrator import local


def docassay(
    *arguments: object, cwd: Path = local.ROOT, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, "-c", "from orchestrator.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
    )
