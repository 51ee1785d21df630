"""What an examination finds: a verdict a point, with the faults or the reason."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.conformity.subject import Subject


class Verdict(Enum):
    """How a point stands."""

    HOLDS = "holds"
    FAILS = "fails"
    UNPROVEN = "unproven"


class Unproven(Exception):
    """A point can be neither shown nor refuted with this service; the message says why."""


class Remark(str):
    """What a reader should know of a point that holds: how far the proof goes."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the contract.

    Attributes:
        name: short, fixed: machines read it.
        claim: the sentence that is examined.
        check: yields every fault it finds, and remarks; raises Unproven when nothing can be said.
    """

    name: str
    claim: str
    check: "Callable[[Subject], Iterator[str]]"


@dataclass(frozen=True, slots=True)
class Finding:
    """How one point stands, and why: the faults of one that fails, the reason of one unproven, else remarks."""

    point: str
    claim: str
    verdict: Verdict
    words: tuple[str, ...]
