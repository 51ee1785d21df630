"""The documents as parsers see them: a folder of opaque names, nothing of the gold beside them."""

import hashlib
import secrets
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.corpus import Document, sgml
from services.runtime.picture import IMAGE_SUFFIXES

PROBE_NAME = "probe"


class StagingFailed(Exception):
    """The documents cannot be put where the parsers see them; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Staged:
    """The folder of one run.

    Attributes:
        folder: what a service is given as its documents folder.
        probe_sha256: the digest of the probe file in it: a service that answers with it sees the same folder.
    """

    folder: Path
    probe_sha256: str


def stage(documents: Iterable[Document], folder: Path) -> tuple[Staged, tuple[Document, ...]]:
    """Link the documents into an empty folder under opaque names, with a probe file of random bytes.

    Returns what was staged, and the documents with the file that a parser reads.
    """
    folder.mkdir()
    placed = []
    for document in documents:
        target = folder / opaque_name(document)
        if document.assisted == "parse":
            placed.append(_unwrapped(document, target))
            continue
        if not target.is_symlink():  # two entries of one content are one file
            target.symlink_to(document.path)
        placed.append(document)
    probe = secrets.token_bytes(64)
    (folder / PROBE_NAME).write_bytes(probe)
    return Staged(folder, hashlib.sha256(probe).hexdigest()), tuple(placed)


def copy(documents: Sequence[Document], folder: Path) -> tuple[Staged, tuple[Document, ...]]:
    """Copy the documents into a folder that other containers see, where a link would lead nowhere.

    Returns what was staged, and the documents as they lie there: that copy is the file a parser reads, so it is the
    one to warm.

    Raises:
        StagingFailed: the folder cannot be written.
    """
    try:
        clear(folder)
        copies = []
        for document in documents:
            target = folder / opaque_name(document)
            if document.assisted == "parse":
                copies.append(_unwrapped(document, target))
                continue
            if not target.exists():
                shutil.copyfile(document.path, target)
                target.chmod(0o644)
            copies.append(replace(document, path=target))
        probe = secrets.token_bytes(64)
        (folder / PROBE_NAME).write_bytes(probe)
        (folder / PROBE_NAME).chmod(0o644)
    except OSError as error:
        raise StagingFailed(
            f"the documents cannot be copied to {folder} ({error.strerror}): see that it has space and, if another "
            "user's run left files there, remove its volume with docker compose down --volumes"
        ) from error
    return Staged(folder, hashlib.sha256(probe).hexdigest()), tuple(copies)


def _unwrapped(document: Document, target: Path) -> Document:
    """Write the page that a document holds inside its SGML, and return the document as it lies there."""
    target.write_bytes(sgml.unwrapped(document.path.read_bytes()))
    target.chmod(0o644)
    return replace(document, path=target)


def clear(folder: Path) -> None:
    """Empty a folder of staged documents."""
    for entry in folder.iterdir():
        entry.unlink()


def opaque_name(document: Document) -> str:
    """Return a name that tells a parser nothing but the format; of an image, which kind it is: tools go by that."""
    suffix = f".{document.format}"
    if document.format == "image" and (own := document.path.suffix.lower()) in IMAGE_SUFFIXES:
        suffix = own
    return f"{document.sha256[:32]}{suffix}"


def warm(document: Document) -> None:
    """Read the whole file once, so that every parser meets it in the page cache."""
    with document.path.open("rb") as source:
        while source.read(1 << 20):
            pass
