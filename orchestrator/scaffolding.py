"""A new parser's folder that works at once: copied from ``scaffold/``, to be filled with a tool."""

import keyword
from pathlib import Path

from orchestrator.containers import overriding
from orchestrator.naming import NAME, NAME_FORM

VERSION = "0.1.0"

_SOURCE = Path(__file__).with_name("scaffold")
_TAKEN = ("runtime", "forms", "intake", "locks")


class ScaffoldError(Exception):
    """The folder cannot be made; the message says why and what to do."""


def make(name: str, services: Path) -> list[Path]:
    """Write the folder of a parser below ``services``, which lies beside compose.yaml, and return its files.

    Raises:
        ScaffoldError: the name is none, is taken, or the folder cannot be written.
        OverrideError: compose.yaml cannot be read.
    """
    if (why := _why_not(name, services)) is not None:
        raise ScaffoldError(f"{name!r} cannot be a parser's name: {why}")
    folder = services / name
    if folder.exists():
        raise ScaffoldError(f"{folder} is there already: choose another name, or remove it")
    try:
        folder.mkdir()
        for source in sorted(_SOURCE.iterdir()):
            if source.is_file():
                (folder / source.name).write_text(source.read_text(encoding="utf-8").replace("NAME", name))
        (folder / f"{VERSION}.lock").touch()
    except OSError as error:
        raise ScaffoldError(f"{folder} cannot be written: {error.strerror}") from error
    return sorted(folder.iterdir())


def _why_not(name: str, services: Path) -> str | None:
    """Return why a name is none for a parser and what would be one; None when it is."""
    if not NAME.fullmatch(name):
        return f"write {NAME_FORM}"
    if keyword.iskeyword(name):
        return f"its folder is a Python package, and {name} is a keyword of Python; choose another, {name}_parser say"
    if name in _TAKEN:
        return f"services/{name} is a part of docassay; choose another, {name}_parser say"
    # Its image could never be added.
    if what := overriding.in_compose(name, services.parent):
        return f"it is {what} of {services.parent / overriding.COMPOSE}; choose another, {name}_parser say"
    return None
