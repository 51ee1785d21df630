"""The pipe between server and worker: a kind, a length, a payload. Standard library only."""

import json
import os
import struct
from enum import IntEnum
from typing import Any

_HEAD = struct.Struct(">BI")

SLICE = 1 << 20
"""Bytes of output in one frame and in one message of the service, at most."""


class Kind(IntEnum):
    """What a frame holds: one JSON message, or a slice of output."""

    MESSAGE = 1
    OUTPUT = 2


class FrameError(Exception):
    """The other side sent something that is no frame."""


def write(descriptor: int, kind: Kind, payload: bytes) -> None:
    """Write one frame whole.

    Raises:
        OSError: the other side is gone.
    """
    view = memoryview(_HEAD.pack(kind, len(payload)) + payload)
    while view:
        view = view[os.write(descriptor, view) :]


def write_message(descriptor: int, message: dict[str, Any]) -> None:
    """Write one JSON message."""
    write(descriptor, Kind.MESSAGE, json.dumps(message).encode())


def message(payload: bytes) -> dict[str, Any]:
    """Return the message a frame holds.

    Raises:
        FrameError: it is no JSON object.
    """
    try:
        words = json.loads(payload)
    except ValueError as error:
        raise FrameError(f"a message that is no JSON: {error}") from error
    if not isinstance(words, dict):
        raise FrameError(f"a message that is no JSON object: {str(words)[:40]}")
    return words


class Reader:
    """Collects frames from a descriptor without ever waiting inside one.

    A worker that dies or hangs in the middle of a frame must not hold its server, so the server reads what is there
    and asks for whole frames.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pending = bytearray()
        self.ended = False

    def fill(self) -> None:
        """Read what is there (waits if nothing is); sets ``ended`` at the end of the stream."""
        data = os.read(self._descriptor, SLICE + _HEAD.size)
        if data:
            self._pending += data
        else:
            self.ended = True

    def take(self) -> tuple[Kind, bytes] | None:
        """Return the next whole frame, None when it is not there yet.

        Raises:
            FrameError: an unknown kind, or a longer payload than a frame may have.
        """
        if len(self._pending) < _HEAD.size:
            return None
        kind, length = _HEAD.unpack_from(self._pending)
        if kind not in (Kind.MESSAGE, Kind.OUTPUT) or length > SLICE:
            raise FrameError(f"the worker's pipe holds no frame (kind {kind}, {length} bytes)")
        end = _HEAD.size + length
        if len(self._pending) < end:
            return None
        payload = bytes(self._pending[_HEAD.size : end])
        del self._pending[:end]
        return Kind(kind), payload

    def next(self) -> tuple[Kind, bytes] | None:
        """Wait for the next frame; None at the end of the stream."""
        while (frame := self.take()) is None:
            if self.ended:
                return None
            self.fill()
        return frame
