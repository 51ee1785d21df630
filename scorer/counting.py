"""How a message counts and lists things."""

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """Return a number and its noun, the noun in the plural unless it is one: ``1 fault``, ``2 faults``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Sequence[str], most: int) -> str:
    """Return the first names, and how many more there are: ``a, b and 4 more``."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
