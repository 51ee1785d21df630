"""A query's rows and values in the forms that tables, JSON and CSV have. docs/sql.md describes them."""

import json
import math
from collections.abc import Iterable, Iterator
from datetime import date, time
from decimal import Decimal
from typing import Any

import pyarrow as pa

from orchestrator.cli.failures import UsageError

_NO_NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def rows(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a batch by position, as two columns may have one name.

    Raises:
        UsageError: a column has a time beyond what Python can hold, such as infinity.
    """
    columns = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            columns.append([plain(value) for value in column.to_pylist()])
        except (OverflowError, ValueError) as error:
            raise UsageError(
                f"column {name} has a time that cannot be shown ({error}): write {name}::varchar in the query"
            ) from error
    yield from zip(*columns, strict=True)


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it.

    NaN and the infinities are texts, for null means that there is no value; bytes are hexadecimal digits; a time is
    ISO 8601, and so is an interval; a decimal is a number; what has no form of its own is a text.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else _NO_NUMBERS[str(value)]
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case bytes():
            return value.hex()
        case date() | time():
            return value.isoformat()
        case dict():
            return {name: plain(item) for name, item in value.items()}
        case pa.MonthDayNano():
            return _duration(value)
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return str(value)


def json_lines(batches: Iterable[pa.RecordBatch]) -> Iterator[str]:
    """Yield each row as a JSON object.

    Raises:
        UsageError: two columns have one name, which an object cannot.
    """
    for batch in batches:
        names = batch.schema.names
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise UsageError(f"several columns are called {', '.join(repeated)}: rename them with AS, or use --csv")
        for row in rows(batch):
            yield written(dict(zip(names, row, strict=True)))


def _duration(value: pa.MonthDayNano) -> str:
    """Return an interval as ISO 8601 has it: ``P1M2DT3.5S``, each part with its own sign."""
    seconds = Decimal(value.nanoseconds) / 1_000_000_000
    parts = [(value.months, "M"), (value.days, "D")]
    dated = "".join(f"{number}{unit}" for number, unit in parts if number)
    timed = f"T{seconds.normalize():f}S" if seconds or not dated else ""
    return f"P{dated}{timed}"


def written(value: Any) -> str:
    """Return a value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def csv_row(row: tuple[Any, ...]) -> list[Any]:
    """Return a row as CSV can hold it: lists, structures and truth values as JSON."""
    return [written(value) if isinstance(value, list | dict | bool) else value for value in row]
