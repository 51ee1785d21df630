"""The limits of one parse, as a person writes them: ``120+3`` seconds, ``4GiB`` of memory."""

import re
from dataclasses import dataclass

_MOST_SECONDS = 7 * 86_400.0
_MOST_BYTES = 1 << 50
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost: a base of seconds, seconds a page, and bytes of memory of the process tree."""

    seconds: float = 120.0
    seconds_per_page: float = 3.0
    memory_bytes: int = 4 << 30

    def deadline(self, pages: int | None) -> float:
        """Return the seconds a document of so many pages may take."""
        return self.seconds + self.seconds_per_page * (pages or 0)


def parse_timeout(text: str) -> tuple[float, float]:
    """Read ``SECONDS`` or ``SECONDS+SECONDS_A_PAGE``.

    Raises:
        ValueError: it is neither, not above zero, or above a week.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?", text.strip())
    seconds, a_page = (float(found[1]), float(found[2] or 0)) if found else (0.0, 0.0)
    if not 0 < seconds <= _MOST_SECONDS or a_page > _MOST_SECONDS:
        raise ValueError(
            f"{text!r} is no time limit: write seconds (60) or seconds plus seconds a page (120+3), at most a week"
        )
    return seconds, a_page


def parse_memory(text: str) -> int:
    """Read ``4GiB``, ``512MiB``, ``2G`` or a number of bytes.

    Raises:
        ValueError: it is none of these, below one MiB, or above 1024 TiB.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    size = float(found[1]) * _UNITS[found[2].upper()] if found else 0.0
    if not 1 << 20 <= size <= _MOST_BYTES:
        raise ValueError(f"{text!r} is no memory limit: write a size from 1 MiB to 1024 TiB, as 4GiB or 512MiB")
    return int(size)
