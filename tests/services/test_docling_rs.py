"""docling.rs's adapter hands over as headings what the tool's markdown shows as headings."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator import environments, local
from services.runtime import descriptor

SCRIPT = Path(__file__).with_name("docling_rs_cells.py")
PAGE = """
<h1>All</h1>
<table>
  <tr><td><h2>In a cell</h2><p>with words</p></td><td>x</td></tr>
  <tr><td>y</td><td><table><tr><td><h3>Deep</h3><p>below</p></td><td>n</td></tr></table></td></tr>
</table>
<h2>After</h2>
"""


@pytest.mark.parametrize("version", descriptor.read(local.SERVICES / "docling_rs").versions)
def test_a_heading_in_a_cell_is_its_text(version: str, tmp_path: Path) -> None:
    """Nor is one in a table in a cell a heading; that table is one of its own."""
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    lock = descriptor.read(local.SERVICES / "docling_rs").lock(version)
    python = environments.python_of(lock, python=sys.executable, label=f"docling_rs-{version}")
    done = subprocess.run(
        [python, SCRIPT, page],
        env={"PYTHONPATH": str(local.ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    marked = [line for line in found["text"].splitlines() if line.startswith("#")]
    assert marked == ["# All", "## After"]
    assert [(heading["text"], heading["level"]) for heading in found["headings"]] == [("All", 1), ("After", 2)]
    assert [[len(row["cells"]) for row in table["rows"]] for table in found["tables"]] == [[2, 2], [2]]
