"""Whether a parser has what it needs around its environment: programs and servers, then model weights."""

from pathlib import Path

from services.runtime import requirements, weights
from services.runtime.descriptor import Descriptor

READY = "ready"
REQUIREMENT_MISSING = "requirement_missing"
WEIGHTS_UNAVAILABLE = "weights_unavailable"


def look(
    descriptor: Descriptor,
    folder: Path,
    environment: dict[str, str],
    *,
    interpreter: str = "",
    thoroughly: bool = False,
) -> tuple[str, str]:
    """Return a parser's state and everything it lacks: who installs a program learns of the gigabytes beforehand.

    Args:
        descriptor: the parser, for one version and setting.
        folder: the parser's weights folder.
        environment: the worker's variables.
        interpreter: what is to be said of a Python that the parser needs and that is not here.
        thoroughly: weights are read whole, where their digest is stated and nothing else keeps the parser from working.
    """
    needed = "; ".join(filter(None, (interpreter, requirements.missing(descriptor, environment))))
    absent = weights.missing(descriptor, folder, thoroughly=thoroughly and not needed)
    if needed:
        return REQUIREMENT_MISSING, "; ".join(filter(None, (needed, absent, weights.elsewhere(descriptor))))
    return (WEIGHTS_UNAVAILABLE, absent) if absent else (READY, "")
