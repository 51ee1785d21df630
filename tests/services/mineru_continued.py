"""Run in the environment of MinerU 4: what the adapter makes of a table that goes on over a page's end, as JSON."""

import json
from typing import Any

from mineru.parser.base import ParseResult

from services.mineru import version_4
from services.runtime.form import Parsed


def table(*rows: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A block in the tool's form; boxes are shares of the page."""
    html = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    place = {"index": 0, "bbox": [0.1, 0.1, 0.9, 0.9]}
    body = {"type": "table_body", "content": f"<table>{html}</table>", **place}
    return {"type": "table", "content": [body], **place, **more}


def main() -> None:
    """A document as the tool would have read it: the second page's table continues the first one's."""
    pages = [
        [table(("Name", "1996"), ("Austria", "59"))],
        [table(("Name", "1996"), ("Belgium", "61"), ("Croatia", "70"), continues_prev=True)],
        [table(("a", "b"), ("c", "d"))],
    ]
    result = ParseResult.from_dict(
        {
            "schema": "docvortex.middle",
            "schema_version": "2.0",
            "metadata": {"file_suffix": "pdf", "producer": {"name": "by hand", "version": "1"}},
            "is_full_document": True,
            "pages": [{"page_idx": index, "blocks": blocks} for index, blocks in enumerate(pages)],
        }
    )
    collected = version_4.collect(Parsed("", "markdown", result))
    print(
        json.dumps(
            {
                "text": result.markdown(),
                "tables": [
                    (one.page, [[cell.text for cell in row.cells] for row in one.rows]) for one in collected.tables
                ],
                "blocks": [(block.page, block.label) for block in collected.blocks],
            }
        )
    )


if __name__ == "__main__":
    main()
