"""JSON files as this suite reads and writes them: UTF-8, whole or not at all.

A prediction may hold half of a surrogate pair, which JSON can escape and UTF-8 cannot hold: it is written escaped
again.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


class UnreadableError(ValueError):
    """A file or a text that cannot be read; in words that go on after its name, such as "isn't JSON: …"."""


def read_text(path: Path) -> str:
    """Return a file's text, a byte-order mark aside.

    Raises:
        UnreadableError: it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is not UTF-8 at byte {error.start}") from None


def parsed_json(text: str) -> Any:
    """Return what a text holds.

    Raises:
        UnreadableError: it is no JSON.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise UnreadableError("isn't JSON that can be read: it is nested too deeply") from None
    except ValueError as error:  # a number of too many digits, too
        raise UnreadableError(f"isn't JSON: {error}") from None


def read_json(path: Path) -> Any:
    """Return what a file holds, a byte-order mark aside.

    Raises:
        UnreadableError: it cannot be read, or is no JSON.
    """
    return parsed_json(read_text(path))


def write_json(path: Path, value: Any, *, indent: int | None = None) -> None:
    """Write a value, indented for people or on one line.

    Raises:
        OSError: the file cannot be written.
    """
    _write(path, _written(value, indent) + ("" if indent is None else "\n"))


def write_json_lines(path: Path, values: Iterable[Mapping[str, Any]]) -> None:
    """Write each value on a line of its own.

    Raises:
        OSError: the file cannot be written.
    """
    _write(path, "".join(_written(value) + "\n" for value in values))


def _written(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(path.name + ".partial")
    # What UTF-8 cannot hold stands in a JSON string, where an escape of Python's is the one of JSON.
    temporary.write_bytes(text.encode("utf-8", "backslashreplace"))
    os.replace(temporary, path)  # noqa: PTH105 (atomic on every platform, over an existing file)
