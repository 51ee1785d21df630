"""Whether a model's file ends before its own format says it should, told from a few of its bytes.

Sources: the safetensors format (a length, a header in JSON, then tensors at the offsets it gives); ONNX, a protobuf
message (fields one after the other, each with its length); JSON. Standard library only.
"""

import json
from typing import BinaryIO

_LARGEST_TEXT = 64 << 20
"""Bytes of JSON that are read; what is longer is taken at its word."""

_MOST_FIELDS = 10_000
"""Fields of a protobuf message that are looked at; a model has a few dozen."""

_VARINT, _COUNTED = 0, 2
_FIXED = {1: 8, 5: 4}
"""Kinds of protobuf fields; those of a fixed length with their bytes."""

_VARINT_BYTES = 10


class _NotSo(Exception):
    """The bytes are not of the format that the file's name says, or they end within it."""


def early(source: BinaryIO, suffix: str, size: int) -> bool:
    """Return whether a file is cut off; files of other formats never are, as far as this can tell.

    Args:
        source: the file; where it stands afterwards is left open.
        suffix: of its name.
        size: its bytes.
    """
    look = {".safetensors": _safetensors, ".onnx": _protobuf, ".json": _json}.get(suffix)
    if look is None:
        return False
    source.seek(0)
    try:
        return look(source, size) > size
    except (_NotSo, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return True


def _safetensors(source: BinaryIO, size: int) -> int:
    """Return the bytes that the header speaks of."""
    length = int.from_bytes(_exactly(source, 8), "little")
    if length > min(size, _LARGEST_TEXT):
        raise _NotSo
    tensors = json.loads(_exactly(source, length))
    return (
        8
        + length
        + max((entry["data_offsets"][1] for name, entry in tensors.items() if name != "__metadata__"), default=0)
    )


def _protobuf(source: BinaryIO, size: int) -> int:
    """Return where the last field ends."""
    at = 0
    for _ in range(_MOST_FIELDS):
        if at >= size:
            break
        kind = _varint(source) & 7
        if kind == _VARINT:
            _varint(source)
        elif kind in _FIXED:
            source.seek(_FIXED[kind], 1)
        elif kind == _COUNTED:
            length = _varint(source)
            if length > size:
                raise _NotSo
            source.seek(length, 1)
        else:
            raise _NotSo
        at = source.tell()
    return at


def _json(source: BinaryIO, size: int) -> int:
    if size <= _LARGEST_TEXT:
        json.loads(source.read())
    return size


def _exactly(source: BinaryIO, length: int) -> bytes:
    found = source.read(length)
    if len(found) < length:
        raise _NotSo
    return found


def _varint(source: BinaryIO) -> int:
    value = 0
    for shift in range(0, 7 * _VARINT_BYTES, 7):
        byte = _exactly(source, 1)[0]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
    raise _NotSo
