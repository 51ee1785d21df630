"""Reading a page of markdown that somebody else wrote."""

from pathlib import Path

__all__ = ["not_utf8", "read_markdown"]


def read_markdown(path: Path) -> str:
    """Return a page of markdown; bytes that are no UTF-8 become U+FFFD."""
    return path.read_text(encoding="utf-8", errors="replace")


def not_utf8(path: Path) -> str:
    """Return where a page of markdown is no UTF-8, empty where it is."""
    content = path.read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        return (
            f"{path}, line {line}: byte {fault.start}, {content[fault.start]:#04x}, is no UTF-8; what is not was read "
            "as U+FFFD: write the file in UTF-8"
        )
    return ""
