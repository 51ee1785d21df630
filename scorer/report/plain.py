"""Values of the store as JSON has them."""

from datetime import datetime
from typing import Any


def interval(lower: float | None, upper: float | None) -> list[float] | None:
    """Return the ends of an interval; None when it is not known."""
    return None if lower is None or upper is None else [lower, upper]


def plain(value: Any) -> Any:
    """Return a value with its times as ISO 8601 text, tuples as lists."""
    match value:
        case datetime():
            return value.isoformat() + "Z"
        case dict():
            return {name: plain(item) for name, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
    return value
