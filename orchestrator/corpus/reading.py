"""Reading the files of a corpus so that whatever is wrong with one becomes a fault, never a traceback."""

import hashlib
import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from annotations.schemas import schema
from orchestrator.corpus.layout import Fault

_SHOWN = 80


class ReadError(Exception):
    """A file that gives nothing to work with; ``fault`` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class MissingFile(ReadError):
    """There is no file where one should lie."""


def inside(root: Path, path: str, *, named_at: tuple[str, str]) -> Path:
    """Return where a path of a corpus leads, links followed, whether or not something lies there.

    Args:
        root: the corpus folder, resolved.
        path: as a manifest or the layout has it.
        named_at: file and place that name it, for the fault.

    Raises:
        ReadError: it leaves the folder, or no file can have it.
    """
    file, place = named_at

    def refuse(text: str) -> NoReturn:
        raise ReadError(Fault(file, place, text))

    if "\0" in path or path.startswith(("/", "\\")) or Path(path).is_absolute():
        refuse(f"found the path {shown(path)}, expected a path relative to the corpus folder; correct it")
    try:
        resolved = (root / path).resolve()
        if not resolved.is_relative_to(root):
            refuse(
                f"found the path {shown(path)}, which leaves the corpus folder; expected a file inside it; "
                "copy the file into the folder and name it there"
            )
    except UnicodeEncodeError:
        refuse(f"found the path {shown(path)}, which no file can have; correct it")
    except (OSError, RuntimeError) as error:
        refuse(f"the file {shown(path)} cannot be reached ({reason(error)}); mend the path or the permissions")
    return resolved


def locate(root: Path, path: str, *, named_at: tuple[str, str]) -> Path:
    """Return the regular file a corpus means by a path: ``inside``, but it must be there.

    Raises:
        MissingFile: there is none.
        ReadError: it leaves the folder, or is no regular file.
    """
    resolved = inside(root, path, named_at=named_at)
    file, place = named_at

    def refuse(text: str) -> NoReturn:
        raise ReadError(Fault(file, place, text))

    try:
        mode = resolved.stat().st_mode
    except FileNotFoundError:
        text = f"the file {shown(path)} is missing; put it there, or take its entry out of the manifest"
        raise MissingFile(Fault(file, place, text)) from None
    except (OSError, RuntimeError) as error:
        refuse(f"the file {shown(path)} cannot be reached ({reason(error)}); mend the path or the permissions")
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        refuse(f"{shown(path)} is {kind}, expected a file; correct the path")
    return resolved


def digest(path: Path, name: str) -> str:
    """Return the SHA-256 of a file, read in pieces.

    Raises:
        ReadError: it cannot be read.
    """
    try:
        with path.open("rb") as source:
            return hashlib.file_digest(source, "sha256").hexdigest()
    except OSError as error:
        raise ReadError(Fault(name, "", f"cannot be read ({reason(error)}); mend its permissions")) from error


def text(path: Path, name: str) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark.

    Raises:
        ReadError: it cannot be read, or is not UTF-8.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ReadError(Fault(name, "", f"cannot be read ({reason(error)}); mend its permissions")) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"found the byte 0x{content[error.start]:02x}, expected UTF-8; save the file as UTF-8"
        raise ReadError(Fault(name, f"line {line}", found)) from error


def document(path: Path, name: str, *, schema_name: str) -> tuple[Any, list[Fault]]:
    """Return what a JSON file holds, with a fault for each thing its schema does not allow.

    Whatever of it has a fault may be of any kind.

    Raises:
        ReadError: it cannot be read or is no JSON.
    """
    source = text(path, name)
    try:
        value = json.loads(source, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ReadError(Fault(name, place, f"no JSON: {error.msg}; mend the file there")) from error
    except (ValueError, RecursionError) as error:
        kind = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ReadError(Fault(name, "", f"no JSON that can be read: {kind}; mend the file")) from error
    validator = Draft202012Validator(schema(schema_name))
    try:
        faults = [_schema_fault(name, error) for error in validator.iter_errors(value)]
        faults += [*_lone_surrogates(value, name), *_unknown_keys(value, validator.schema, name)]
    except RecursionError as error:
        raise ReadError(Fault(name, "", "nested too deeply to be read; mend the file")) from error
    return value, faults


def pointer(*steps: str | int) -> str:
    """Return the JSON pointer (RFC 6901) of a place."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def shown(value: object) -> str:
    """Return a value as a message shows it: as JSON, and short."""
    written = json.dumps(value, ensure_ascii=False).encode(errors="replace").decode()
    return written if len(written) <= _SHOWN else written[: _SHOWN - 1] + "…"


def reason(error: Exception) -> str:
    """Return what the system said, without the path it said it of."""
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _schema_fault(name: str, error: ValidationError) -> Fault:
    place = pointer(*error.absolute_path)
    if error.validator == "required":
        return Fault(name, place, f"the key {error.message.split(' is a ')[0]} is missing; add it")
    expected = error.schema.get("description", error.message) if isinstance(error.schema, dict) else error.message
    if error.validator == "type" and error.validator_value == "object":
        expected = "an object"
    return Fault(name, place, f"found {shown(error.instance)}, expected {expected}; correct it")


def _unknown_keys(value: Any, shape: Any, name: str) -> Iterator[Fault]:
    """Warn of keys no schema names: misspelt, or a corpus's own notes."""
    definitions = shape.get("$defs", {})

    def walk(item: Any, shape: Any, steps: tuple[str | int, ...]) -> Iterator[Fault]:
        if reference := shape.get("$ref"):
            shape = definitions[reference.rpartition("/")[2]]
        if isinstance(item, list):
            for index, part in enumerate(item):
                yield from walk(part, shape.get("items", {}), (*steps, index))
        elif isinstance(item, dict) and "properties" in shape:
            for key, part in item.items():
                if key in shape["properties"]:
                    yield from walk(part, shape["properties"][key], (*steps, key))
                else:
                    known = ", ".join(shape["properties"])
                    yield Fault(
                        name,
                        pointer(*steps, key),
                        f"the key {shown(key)} is not read (read are {known}); correct it if it is misspelt",
                        warning=True,
                    )

    return walk(value, shape, ())


def _lone_surrogates(value: Any, name: str, steps: tuple[str | int, ...] = ()) -> Iterator[Fault]:
    """Find texts that JSON can escape but no file can hold."""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            yield Fault(
                name, pointer(*steps), f"found {shown(value)}, half of a surrogate pair in it; write the character"
            )
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _lone_surrogates(part, name, (*steps, index))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _lone_surrogates(key, name, steps)
            yield from _lone_surrogates(part, name, (*steps, key))
