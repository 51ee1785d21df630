"""DocSlicer's adapter calls the tool in two parts; together they give what undivided calls give."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator import environments, local
from services.runtime import descriptor

SCRIPT = Path(__file__).with_name("docslicer_undivided.py")
DOCUMENTS = sorted((local.ROOT / "annotations" / "sample" / "documents").glob("report_*.*"))


@pytest.mark.parametrize("version", descriptor.read(local.SERVICES / "docslicer").versions)
def test_text_structure_and_chunks_are_those_of_undivided_calls(version: str) -> None:
    """One document in every format; two of its chunks or more."""
    lock = descriptor.read(local.SERVICES / "docslicer").lock(version)
    python = environments.python_of(lock, python=sys.executable, label=f"docslicer-{version}")
    done = subprocess.run(
        [python, SCRIPT, *DOCUMENTS],
        env={"PYTHONPATH": str(local.ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    expected, adapted = json.loads(done.stdout.splitlines()[-1])
    assert len(expected) == 4
    assert all(len(found["chunks"]) > 2 for found in expected)
    assert adapted == expected
