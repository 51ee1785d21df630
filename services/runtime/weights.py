"""Model weights that no package brings: whether they are there and can be read, and one digest over them."""

import functools
import hashlib
import itertools
import os
import stat
from pathlib import Path

from services.runtime import cut_off
from services.runtime.descriptor import Descriptor, Stated, Weights

VARIABLE = "DOCASSAY_WEIGHTS"
"""Tells an adapter its own folder of weights; around the services it names the folder of all of them."""

_FILES_TOLD = 3
"""Of one set of weights; how many more are not as they should be is counted."""

_UNREADABLE = "cannot be read"


def lacking(descriptor: Descriptor, folder: Path) -> list[Weights]:
    """Return the weights of which a file is absent.

    Args:
        descriptor: the parser, for one version and setting.
        folder: the parser's weights folder.
    """
    return [entry for entry in descriptor.weights if not all(_found(name, folder) for name in entry.files)]


def unusable(entry: Weights, folder: Path, *, thoroughly: bool = False) -> str:
    """Return which files are there and cannot be what they should be, why, and what to do; empty when none is.

    Args:
        entry: weights of a parser.
        folder: the parser's weights folder.
        thoroughly: also read them whole, where their digest is stated: a second for each GB, once for each file.
    """
    told = []
    for name in entry.files:
        faults = [_fault(path, entry.stated.get(name), thoroughly) for path in _found(name, folder)]
        if all(faults):  # of several that fit one name, one that can be read is enough
            told += faults[:1]
    if not told:
        return ""
    shown, more = told[:_FILES_TOLD], len(told[_FILES_TOLD:])
    files = " and ".join([*shown, *([f"{more} more"] if more else [])])
    them = "them" if told[1:] else "it"
    readable = f"make {them} readable, or " if any(_UNREADABLE in fault for fault in told) else ""
    return f"{files}: {readable}remove {them} and fetch {them} again"


def missing(descriptor: Descriptor, folder: Path, *, thoroughly: bool = False) -> str:
    """Return which weights are absent or unusable, their size and the command that fetches them; empty when none is.

    Args:
        descriptor: the parser, for one version and setting.
        folder: the parser's weights folder.
        thoroughly: as for ``unusable``.
    """
    absent, told = lacking(descriptor, folder), []
    for entry in descriptor.weights:
        said, command = f"{entry.name} ({entry.size}, from {entry.source})", entry.command(folder)
        if entry in absent:
            told.append(f"{said} not in {folder}: {command}")
        elif faults := unusable(entry, folder, thoroughly=thoroughly):
            told.append(f"{said}: {faults}: {command}")
    return "; ".join(told)


def elsewhere(descriptor: Descriptor) -> str:
    """Return how weights come that are another server's; empty when a parser has none there.

    Args:
        descriptor: the parser, for one version and setting.
    """
    commands = descriptor.weights_elsewhere.values()
    return "; ".join(f"its model is its server's, which fetches it by: {command}" for command in commands)


def environment(descriptor: Descriptor, folder: Path) -> dict[str, str]:
    """Return a parser's variables; ``{weights}`` stands for its weights folder, which an adapter is told as well."""
    own = {name: value.replace("{weights}", str(folder)) for name, value in descriptor.environment.items()}
    return {**own, VARIABLE: str(folder)}


def digest(descriptor: Descriptor, folder: Path) -> str:
    """Return a SHA-256 over every file in the folders of a parser's weights; empty when it has none or lacks some.

    Hidden files are left out: there a hub's program notes when it fetched what, so no two downloads would be equal.

    Raises:
        OSError: a file beside the weights cannot be read.
    """
    if not descriptor.weights or missing(descriptor, folder):
        return ""
    tops = {folder / Path(name).parts[0] for entry in descriptor.weights for name in entry.files}
    files = {path for top in tops for path in ([top] if top.is_file() else top.rglob("*")) if path.is_file()}
    over = hashlib.sha256()
    for path in sorted(files):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        try:
            content = _sha256(path)
        except OSError as error:  # of a read, it does not name the file
            raise OSError(error.errno, error.strerror, str(path)) from error
        over.update(f"{path.relative_to(folder)} {content}\n".encode())
    return over.hexdigest()


def _found(name: str, folder: Path) -> list[Path]:
    """Return what a name of ``parser.toml`` stands for; links that lead nowhere are nothing."""
    if "*" not in name:
        return [folder / name] if _there(folder / name) else []
    above = folder.joinpath(*itertools.takewhile(lambda part: "*" not in part, Path(name).parts))
    try:
        with os.scandir(above):
            return [path for path in sorted(folder.glob(name)) if _there(path)]
    except PermissionError:
        return [above]
    except OSError:
        return []


def _there(path: Path) -> bool:
    try:
        path.stat()
    except PermissionError:  # it may well be
        return True
    except OSError:
        return False
    return True


def _fault(path: Path, stated: Stated | None, thoroughly: bool) -> str:
    """Return a file and what is wrong with it; empty for nothing."""
    try:
        fault = _looked_at(path, stated)
        if not fault and stated and thoroughly and (found := _sha256(path)) != stated.sha256:
            fault = f"has the SHA-256 {found}, not {stated.sha256}"
    except OSError as error:
        return f"{path} {_UNREADABLE} ({error.strerror})"
    return f"{path} {fault}" if fault else ""


def _looked_at(path: Path, stated: Stated | None) -> str:
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        with os.scandir(path):  # one that may not be looked into may hold the file
            return "is a folder"
    if not stat.S_ISREG(status.st_mode):
        return "is no file"
    if not status.st_size:
        return "is empty"
    with path.open("rb") as source:
        source.read(1)
        if stated:
            return "" if status.st_size == stated.bytes else f"has {status.st_size} bytes, not {stated.bytes}"
        return "ends too early" if cut_off.early(source, path.suffix, status.st_size) else ""


def _sha256(path: Path) -> str:
    """Return a file's digest; it is read again only when it was written to."""
    status = path.stat()
    return _sha256_of(path, status.st_size, status.st_mtime_ns)


@functools.cache
def _sha256_of(path: Path, _size: int, _written: int) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
