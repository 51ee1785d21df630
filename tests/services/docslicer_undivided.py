"""Run in DocSlicer's own environment: what the adapter gives beside what undivided calls of the tool give, as JSON."""

import json
import sys
from pathlib import Path
from typing import Any

import docslicer


def undivided(path: Path) -> dict[str, Any]:
    """Text and structure of a call without chunking, chunks of one with it."""
    options = {"use_browser": False} if path.suffix == ".html" else {}
    parsed = docslicer.parse_document(path, chunking=False, **options)
    chunked = docslicer.parse_document(path, **options)
    return {
        "text": parsed.export_to_markdown(),
        "headings": [node.text for node in parsed.hierarchy.flatten()],
        "tables": len(parsed.tables),
        "chunks": [chunk.text for chunk in chunked.chunks],
    }


def adapted(adapter: Any, path: Path) -> dict[str, Any]:
    """The same of the adapter."""
    parsed = adapter.parse(path, path.suffix[1:])
    collected = adapter.collect(parsed)
    return {
        "text": parsed.text,
        "headings": [heading.text for heading in collected.headings],
        "tables": len(collected.tables),
        "chunks": [chunk.text for chunk in adapter.chunk(parsed)],
    }


def main() -> None:
    """Undivided calls first: making the adapter changes how the tool is called."""
    paths = [Path(word) for word in sys.argv[1:]]
    expected = [undivided(path) for path in paths]
    from services.docslicer.adapter import Adapter

    adapter = Adapter("")
    print(json.dumps([expected, [adapted(adapter, path) for path in paths]]))


if __name__ == "__main__":
    main()
