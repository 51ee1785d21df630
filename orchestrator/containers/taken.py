"""Which names a file of compose uses: of two services, or two networks, by one name it makes one."""

from collections.abc import Mapping
from typing import Any

PARSER = "DOCASSAY_PARSER_"
"""What the variable by which the orchestrator finds a parser begins with."""

_DEFAULT = "default"
"""The network of every service that names none: compose has it without being told."""


def by(name: str, document: Mapping[str, Any]) -> str:
    """Return what a name stands for in a file of compose, in words; nothing when it is free.

    A service of a profile is one like any other: compose reads the whole file, whichever profiles it is given.
    """
    kinds = ["a parser"] if is_parser(name, document) else []
    if not kinds and name in _entries(document, "services"):
        kinds.append("a service")
    if name in (_DEFAULT, *_entries(document, "networks")):
        kinds.append("a network")
    if name in _entries(document, "volumes"):
        kinds.append("a volume")
    return " and ".join((", ".join(kinds[:-1]), kinds[-1])) if len(kinds) > 1 else "".join(kinds)


def is_parser(name: str, document: Mapping[str, Any]) -> bool:
    """Whether a file of compose tells the orchestrator where a parser of that name answers."""
    return f"{PARSER}{name.upper()}" in _entries(document, "services", "orchestrator", "environment")


def _entries(document: Any, *keys: str) -> Mapping[str, Any]:
    """Return the mapping below some keys; an empty one where there is none."""
    for key in keys:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document if isinstance(document, Mapping) else {}
