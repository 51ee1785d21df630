"""One document's common output form against what was recorded of the tool."""

from collections.abc import Iterable
from typing import Any


def differences(recorded: dict[str, Any] | None, lines: Iterable[dict[str, Any]] | None) -> dict[str, str]:
    """Return what differs: a line of explanation for each of ``parsed``, ``text``, ``headings`` and ``tables``.

    Args:
        recorded: markdown, headings and tables; None when the tool failed on the document.
        lines: the objects of the common form; None when the parse failed.
    """
    if recorded is None or lines is None:
        if recorded is None and lines is None:
            return {}
        return {"parsed": f"recorded {recorded is not None}, now {lines is not None}"}
    items = list(lines)
    text = "".join(item["text"] for item in items if item["kind"] == "text")
    headings = [(item["text"], item["level"]) for item in items if item["kind"] == "heading"]
    tables = [flat_rows(item) for item in items if item["kind"] == "table"]
    pairs: dict[str, tuple[list[Any], list[Any]]] = {
        "text": (recorded["markdown"].split("\n"), text.split("\n")),
        "headings": ([(entry["text"], entry["level"]) for entry in recorded["headings"]], headings),
        "tables": (
            [[(row["header"], row["cells"]) for row in table["rows"]] for table in recorded["tables"]],
            tables,
        ),
    }
    return {name: _first(was, now) for name, (was, now) in pairs.items() if was != now}


def flat_rows(table: dict[str, Any]) -> list[tuple[bool, list[str]]]:
    """Return a table's rows as lists of texts: a cell's at its top-left position, covered positions empty."""
    rows: list[tuple[bool, dict[int, str]]] = [(row["header"], {}) for row in table["rows"]]
    for row in table["rows"]:
        for cell in row["cells"]:
            for down in range(cell["row"], min(cell["row"] + cell["rowspan"], len(rows))):
                for right in range(cell["col"], cell["col"] + cell["colspan"]):
                    rows[down][1].setdefault(right, "")
            rows[cell["row"]][1][cell["col"]] = cell["text"]
    return [(header, [cells.get(column, "") for column in range(max(cells, default=-1) + 1)]) for header, cells in rows]


def _first(was: list[Any], now: list[Any]) -> str:
    """Describe the first place at which two lists part."""
    for index, (a, b) in enumerate(zip(was, now, strict=False)):
        if a != b:
            if isinstance(a, list) and isinstance(b, list):
                return f"item {index}: {_first(a, b)}"
            return f"item {index}: recorded {str(a)[:200]!r}, now {str(b)[:200]!r}"
    return f"recorded {len(was)} items, now {len(now)}"
