"""Run in Indra OCR's own environment: what the adapter makes of pages as the tool hands them over, as JSON."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

from services.indra_ocr.adapter import Adapter

PAGES = [
    SimpleNamespace(
        markdown="# Title\n\n<table><tr><th>a</th></tr><tr><td>b</td></tr></table>",
        text="Title a b",
        blocks=[{"bbox": [10, 20, 30, 40], "label": "Section-Header"}],
        rotation=0,
    ),
    SimpleNamespace(markdown="", text="a running header alone", blocks=[], rotation=0),
    SimpleNamespace(markdown=None, text="no order model", blocks=[], rotation=0),
]
"""One with all the tool gives, one of which its markdown leaves everything out, one that it made no markdown of."""


def main() -> None:
    """Parse and collect, the tool's converter replaced by one that has read these pages: models are not at hand."""
    adapter = Adapter.__new__(Adapter)
    adapter._converter = SimpleNamespace(convert=lambda _: enumerate(PAGES))
    parsed = adapter.parse(Path(sys.argv[1]), "image")
    collected = adapter.collect(parsed)
    print(
        json.dumps(
            {
                "text": parsed.text,
                "pages": collected.pages,
                "headings": [asdict(heading) for heading in collected.headings],
                "tables": [asdict(table) for table in collected.tables],
                "blocks": [asdict(block) for block in collected.blocks],
            }
        )
    )


if __name__ == "__main__":
    main()
