"""Indra OCR's adapter hands over what the tool's own program writes, and says what was read out of that."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator import environments, local
from services.runtime import descriptor

SCRIPT = Path(__file__).with_name("indra_ocr_pages.py")
PICTURE = local.SERVICES / "runtime" / "probes" / "probe.png"


@pytest.mark.parametrize("version", descriptor.read(local.SERVICES / "indra_ocr").versions)
def test_pages_are_written_as_the_tool_writes_them(version: str) -> None:
    """A page whose markdown is empty stays empty: only one without markdown is given as plain text."""
    lock = descriptor.read(local.SERVICES / "indra_ocr").lock(version)
    python = environments.python_of(lock, python=sys.executable, label=f"indra_ocr-{version}")
    done = subprocess.run(
        [python, SCRIPT, PICTURE],
        env={"PYTHONPATH": str(local.ROOT), "PATH": "/usr/bin:/bin", "ORT_DISABLE_TELEMETRY": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    table = "<table><tr><th>a</th></tr><tr><td>b</td></tr></table>"
    assert found["text"] == f"# Title\n\n{table}\n\n\n\nno order model"
    assert found["pages"] == 3
    [heading] = found["headings"]
    assert (heading["text"], heading["level"], heading["page"], heading["source"]) == ("Title", 1, 1, "derived")
    [read] = found["tables"]
    assert (read["page"], read["source"]) == (1, "derived")
    assert [(row["header"], [cell["text"] for cell in row["cells"]]) for row in read["rows"]] == [
        (True, ["a"]),
        (False, ["b"]),
    ]
    [block] = found["blocks"]
    assert (block["page"], block["label"]) == (1, "heading")
