"""The pipe between server and worker, however it is cut."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.runtime import frames

PAYLOADS = st.lists(st.tuples(st.sampled_from(frames.Kind), st.binary(max_size=300)), max_size=8)


def encoded(payloads: list[tuple[frames.Kind, bytes]]) -> bytes:
    return b"".join(bytes([kind]) + len(payload).to_bytes(4, "big") + payload for kind, payload in payloads)


class TestReader:
    @given(payloads=PAYLOADS, cuts=st.lists(st.integers(1, 400), max_size=20))
    def test_any_cutting_gives_the_same_frames(
        self, payloads: list[tuple[frames.Kind, bytes]], cuts: list[int]
    ) -> None:
        """Frames come out whole and in order, wherever the stream is cut between two reads."""
        stream, found = encoded(payloads), []
        read, write = os.pipe()
        try:
            reader = frames.Reader(read)
            for cut in [*cuts, len(stream) + 1]:
                piece, stream = stream[:cut], stream[cut:]
                if not piece:
                    continue
                os.write(write, piece)
                reader.fill()
                while (frame := reader.take()) is not None:
                    found.append(frame)
        finally:
            os.close(write)
            os.close(read)
        assert found == payloads

    @given(payloads=PAYLOADS)
    def test_next_ends_with_the_stream(self, payloads: list[tuple[frames.Kind, bytes]]) -> None:
        """Waiting for frames gives every one and then None, also when the last one is cut short."""
        read, write = os.pipe()
        try:
            os.write(write, encoded(payloads) + b"\x01\x00")
            os.close(write)
            reader = frames.Reader(read)
            assert [reader.next() for _ in payloads] == payloads
            assert reader.next() is None
        finally:
            os.close(read)

    @pytest.mark.parametrize(
        "head", [b"\x00\x00\x00\x00\x01", b"\x03\x00\x00\x00\x01", b"\x02\x00\x10\x00\x01", b"\xff" * 5]
    )
    def test_no_frame(self, head: bytes) -> None:
        """An unknown kind, or a payload longer than a slice, is refused before any of it is kept."""
        read, write = os.pipe()
        try:
            os.write(write, head)
            reader = frames.Reader(read)
            reader.fill()
            with pytest.raises(frames.FrameError):
                reader.take()
        finally:
            os.close(write)
            os.close(read)


class TestMessage:
    @pytest.mark.parametrize("payload", [b"", b"{", b"5", b"[]", b"\xff", b'"text"'])
    def test_no_message(self, payload: bytes) -> None:
        """A payload that is no JSON object is refused."""
        with pytest.raises(frames.FrameError):
            frames.message(payload)
