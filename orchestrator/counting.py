"""How a message counts things: as the scorer's do."""

from scorer.counting import counted

__all__ = ["counted"]
