"""Indra OCR's adapter hands over what the tool's own program writes, and says what was read out of that."""

from pathlib import Path

import pytest

from orchestrator import local
from services.runtime import descriptor
from tests.services.collecting import answer

SCRIPT = Path(__file__).with_name("indra_ocr_pages.py")
PICTURE = local.SERVICES / "runtime" / "probes" / "probe.png"


@pytest.mark.parametrize("version", descriptor.read(local.SERVICES / "indra_ocr").versions)
def test_pages_are_written_as_the_tool_writes_them(version: str) -> None:
    """A page whose markdown is empty stays empty: only one without markdown is given as plain text."""
    found = answer("indra_ocr", version, SCRIPT, PICTURE, ORT_DISABLE_TELEMETRY="1")
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
