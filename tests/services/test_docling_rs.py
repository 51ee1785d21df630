"""docling.rs's adapter hands over as headings what the tool's markdown shows as headings."""

from pathlib import Path

import pytest

from orchestrator import local
from services.runtime import descriptor
from tests.services.collecting import collect

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
    [found] = collect("docling_rs", version, page, setting="text_layer")
    marked = [line for line in found["text"].splitlines() if line.startswith("#")]
    assert marked == ["# All", "## After"]
    assert found["headings"] == [["All", 1], ["After", 2]]
    assert found["tables"] == [[["In a cell with words", "x"], ["y", "Deep below n"]], [["Deep below", "n"]]]
