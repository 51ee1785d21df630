"""How a message counts things."""


def counted(number: int, noun: str) -> str:
    """Return a number and its noun, the noun in the plural unless it is one: ``1 fault``, ``2 faults``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
