"""Model weights that no package brings: whether they are there, and one digest over them."""

import hashlib
from pathlib import Path

from services.runtime.descriptor import Descriptor, Weights

VARIABLE = "DOCASSAY_WEIGHTS"
"""Tells an adapter its own folder of weights; around the services it names the folder of all of them."""


def lacking(descriptor: Descriptor, folder: Path) -> list[Weights]:
    """Return the weights of which a file is absent.

    Args:
        descriptor: the parser, for one version and setting.
        folder: the parser's weights folder.
    """
    return [
        entry
        for entry in descriptor.weights
        if not all(any(path.is_file() for path in folder.glob(name)) for name in entry.files)
    ]


def missing(descriptor: Descriptor, folder: Path) -> str:
    """Return which weights are absent, their size and the command that fetches them; empty when none is."""
    return "; ".join(
        f"{entry.name} ({entry.size}, from {entry.source}) not in {folder}: {entry.fetch.format(folder=folder)}"
        for entry in lacking(descriptor, folder)
    )


def environment(descriptor: Descriptor, folder: Path) -> dict[str, str]:
    """Return a parser's variables; ``{weights}`` stands for its weights folder, which an adapter is told as well."""
    own = {name: value.replace("{weights}", str(folder)) for name, value in descriptor.environment.items()}
    return {**own, VARIABLE: str(folder)}


def digest(descriptor: Descriptor, folder: Path) -> str:
    """Return a SHA-256 over every file in the folders of a parser's weights; empty when it has none or lacks some."""
    if not descriptor.weights or missing(descriptor, folder):
        return ""
    tops = {folder / Path(name).parts[0] for entry in descriptor.weights for name in entry.files}
    files = {path for top in tops for path in ([top] if top.is_file() else top.rglob("*")) if path.is_file()}
    over = hashlib.sha256()
    for path in sorted(files):
        with path.open("rb") as source:
            content = hashlib.file_digest(source, "sha256").hexdigest()
        over.update(f"{path.relative_to(folder)} {content}\n".encode())
    return over.hexdigest()
