"""Predictions made elsewhere: whose they are, where they lie, and what a run of them records of this command."""

import sys
from importlib import metadata
from pathlib import Path

from docassay.v1 import scorer_pb2
from orchestrator import local, machine
from orchestrator.cli.failures import UsageError


def this_run() -> scorer_pb2.Run:
    """Return what a run records of this machine, this code and this command."""
    here = machine.machine()
    commit = machine.commit(local.ROOT, metadata.version("docassay"))
    return scorer_pb2.Run(
        machine_json=here.json(),
        machine_digest=here.digest(),
        commit=commit.name,
        dirty=commit.dirty,
        argv=sys.argv,
    )


def named(predictions: list[str], holds: str) -> dict[str, Path]:
    """Return folders by name; a folder without one has its own.

    Args:
        predictions: `NAME=DIR`, or `DIR` alone.
        holds: what such a folder must hold, for the message.

    Raises:
        UsageError: there is no such folder, or two have one name.
    """
    folders: dict[str, Path] = {}
    for text in predictions:
        name, equals, place = text.partition("=")
        folder = Path(place if equals else text).expanduser()
        name = name if equals else folder.resolve().name
        if not name.strip():
            raise UsageError(f"{text!r} names nobody: write NAME=DIR, or DIR alone")
        if not folder.is_dir():
            raise UsageError(f"there is no folder {folder} of predictions: it must hold {holds}")
        if name in folders:
            raise UsageError(f"two folders of predictions are named {name}: name one of them otherwise, as NAME=DIR")
        folders[name] = folder.resolve()
    return folders
