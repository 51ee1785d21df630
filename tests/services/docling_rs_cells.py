"""Run in docling.rs's own environment: what the adapter makes of a document, as JSON."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from services.docling_rs.adapter import Adapter


def main() -> None:
    """Parse one web page and collect."""
    adapter = Adapter("text_layer")
    parsed = adapter.parse(Path(sys.argv[1]), "html")
    collected = adapter.collect(parsed)
    print(
        json.dumps(
            {
                "text": parsed.text,
                "headings": [asdict(heading) for heading in collected.headings],
                "tables": [asdict(table) for table in collected.tables],
            }
        )
    )


if __name__ == "__main__":
    main()
