"""Run in a tool's own environment, as ``collected.py PARSER[:SETTING] PATH…``: what its adapter reads, as JSON.

A file whose name begins with ``unreadable`` is spoilt once the tool has read it.
"""

import importlib
import json
import sys
from pathlib import Path
from typing import Any


def collected(adapter: Any, path: Path) -> dict[str, Any]:
    """Text, headings with their levels, the texts of the tables' cells by row, and the blocks."""
    parsed = adapter.parse(path, path.suffix[1:])
    if path.name.startswith("unreadable"):
        path.write_bytes(b"no document")
    found = adapter.collect(parsed)
    return {
        "text": parsed.text,
        "headings": [[heading.text, heading.level] for heading in found.headings],
        "tables": [[[cell.text for cell in row.cells] for row in table.rows] for table in found.tables],
        "blocks": [[block.page, block.label, *block.box] for block in found.blocks],
    }


def main() -> None:
    """Read one file after the other."""
    name, _, setting = sys.argv[1].partition(":")
    adapter = importlib.import_module(f"services.{name}.adapter").Adapter(setting)
    print(json.dumps([collected(adapter, Path(word)) for word in sys.argv[2:]]))


if __name__ == "__main__":
    main()
