"""Files of models that end before their own format says: told from a few bytes, for every length they could have."""

import json
from io import BytesIO

import pytest

from services.runtime import cut_off


def safetensors(tensors: int) -> bytes:
    """Return a file of that many bytes of tensors: the length of the header, the header, the bytes."""
    header = json.dumps(
        {"__metadata__": {"format": "pt"}, "a": {"dtype": "U8", "shape": [tensors], "data_offsets": [0, tensors]}}
    ).encode()
    return len(header).to_bytes(8, "little") + header + bytes(tensors)


ONNX = (
    b"\x08\x0a"  # field 1, a number: the version of the format
    b"\x12\x02pt"  # field 2, two bytes: what wrote it
    b"\x3a\xac\x02"
    + bytes(300)  # field 7, 300 bytes: the graph
    + b"\x29"
    + bytes(8)
    + b"\x35"
    + bytes(4)  # a field of eight bytes, one of four
)
"""A message by the rules of protobuf: a key, number of the field times eight plus its kind, then the value."""


def early(content: bytes, suffix: str) -> bool:
    return cut_off.early(BytesIO(content), suffix, len(content))


@pytest.mark.parametrize(
    ("whole", "suffix"), [(safetensors(64), ".safetensors"), (safetensors(0), ".safetensors"), (b'{"a": [1]}', ".json")]
)
def test_every_shorter_one_is_cut_off(whole: bytes, suffix: str) -> None:
    """However much is left of it."""
    assert not early(whole, suffix)
    assert all(early(whole[:length], suffix) for length in range(1, len(whole)))


def test_a_message_of_fields_is_whole_where_a_field_ends() -> None:
    """Its format does not say how many there are; the graph is nearly all of a model, and one field."""
    ends = {2, 6, 6 + 3 + 300, 6 + 3 + 300 + 9, len(ONNX)}
    assert {length for length in range(1, len(ONNX) + 1) if not early(ONNX[:length], ".onnx")} == ends


@pytest.mark.parametrize(
    ("content", "suffix"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n", ".safetensors"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n", ".onnx"),
        (b"<html>not found</html>", ".onnx"),
        (b"<html>not found</html>", ".json"),
        (b"\xff" * 64, ".safetensors"),
        (b"\xff" * 64, ".onnx"),
        (b"\x12" + b"\xff" * 9 + b"\x01", ".onnx"),
        (b"\x02\x00\x00\x00\x00\x00\x00\x00[]", ".safetensors"),
        (b'\x08\x00\x00\x00\x00\x00\x00\x00{"a": 1}', ".safetensors"),
        (b"[" * 100_000, ".json"),
    ],
)
def test_something_else_under_such_a_name(content: bytes, suffix: str) -> None:
    """A pointer in place of a large file, a server's page, noise: none is a model."""
    assert early(content, suffix)


def test_other_formats_are_taken_at_their_word() -> None:
    """Nothing is known of them."""
    assert not early(b"x", ".bin")


def test_a_file_of_endless_small_fields_is_not_read_to_its_end() -> None:
    """It is no model; to count them all would take as long as it has bytes."""
    assert not early(b"\x08\x00" * 50_000 + b"\x08", ".onnx")
