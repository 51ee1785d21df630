"""Reading pages of markdown that somebody else wrote."""

from collections.abc import Iterator
from pathlib import Path

from services.runtime.form import Repair

__all__ = ["GradingError", "absent", "faults", "gold_files", "read_markdown"]


class GradingError(ValueError):
    """Files that cannot be graded: the message names the file, what was found and what was looked for."""


def gold_files(folder: Path) -> list[Path]:
    """List the files of a folder of gold markdown by name; raises `GradingError` where there is none, or no file."""
    paths = sorted(folder.glob("*.md"))
    if not paths:
        raise GradingError(f"{folder}: expected a folder of gold markdown, found no *.md in it")
    for path in paths:
        if not path.is_file():
            found = "a folder" if path.is_dir() else "none"
            raise GradingError(f"{path}: expected a file of gold markdown, found {found}: take it out of {folder}")
    return paths


def absent(path: Path) -> str:
    """Say why there is no prediction where one was looked for."""
    return f"{path.name} is a folder, no file" if path.is_dir() else f"there is no {path.name}"


def read_markdown(path: Path, repair: Repair | None = None) -> str:
    """Return a page of markdown as the store can hold it; bytes that are no UTF-8, and NULs, become U+FFFD.

    Args:
        path: of the file.
        repair: counts the NULs.

    Raises:
        GradingError: it cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as fault:
        raise GradingError(f"{path}: cannot be read ({fault.strerror})") from fault
    return (repair or Repair())(text)


def faults(path: Path) -> Iterator[str]:
    """Say what `read_markdown` replaces in a page: the first of each kind by its line and byte."""
    content = path.read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as fault:
        yield (
            f"{_place(path, content, fault.start)}, {content[fault.start]:#04x}, is no UTF-8; what is not was read "
            "as U+FFFD: write the file in UTF-8"
        )
    if (at := content.find(0)) >= 0:
        yield f"{_place(path, content, at)}, is a NUL; NULs were read as U+FFFD: take them out of the file"


def _place(path: Path, content: bytes, at: int) -> str:
    line = content.count(b"\n", 0, at) + 1
    return f"{path}, line {line}: byte {at}"
