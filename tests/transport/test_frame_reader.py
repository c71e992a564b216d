"""Frames from a stream: the same however it is cut, no memory for refused lengths, and reused buffers."""

from __future__ import annotations

import tracemalloc
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.errors import DecodeError, FrameTooLargeError
from kafka_nextgen.transport.frame_reader import KEPT, SMALL_FRAMES, FrameBuffers, FrameReader

from .scripted import framed


def feed(reader: FrameReader, data: bytes, most: int = 1 << 30, frame_by_frame: bool = False) -> list[bytes]:
    """Receive ``data`` in pieces of at most ``most`` bytes; with ``frame_by_frame`` never beyond the end of a frame."""
    frames = []
    while data:
        room = (reader.rest() if frame_by_frame else None) or reader.buffer()
        count = min(len(room), most, len(data))
        room[:count], data = data[:count], data[count:]
        frames += [bytes(frame) for frame in reader.received(count)]
    return frames


@given(st.lists(st.binary(max_size=200), max_size=20), st.integers(1, 300), st.integers(5, 64), st.booleans())
def test_frames_come_out_as_they_went_in_however_they_are_cut(
    frames: list[bytes], most: int, buffer_bytes: int, frame_by_frame: bool
) -> None:
    reader = FrameReader(max_bytes=200, buffer_bytes=buffer_bytes)
    assert feed(reader, b"".join(map(framed, frames)), most, frame_by_frame) == frames


@given(st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=5), st.integers(1, 20))
def test_a_frame_that_is_cut_off_is_not_handed_over(frames: list[bytes], missing: int) -> None:
    data = b"".join(map(framed, frames))[: -min(missing, len(frames[-1]))]
    assert feed(FrameReader(max_bytes=200, buffer_bytes=16), data) == frames[:-1]


def test_small_frames_are_views_of_one_buffer_and_what_is_kept_is_not_written_over() -> None:
    reader = FrameReader(max_bytes=100)
    room = reader.buffer()
    room[:14] = framed(b"one") + framed(b"two")
    first, second = reader.received(14)
    assert first.obj is second.obj is room.obj
    kept = reader.kept(first)
    reader.buffer()[:7] = framed(b"new")
    assert (bytes(first), bytes(kept)) == (b"new", b"one")


def test_a_large_frame_is_received_where_it_is_looked_at_and_kept_without_a_copy() -> None:
    reader = FrameReader(max_bytes=1000, buffer_bytes=16)
    assert feed(reader, framed(bytes(1000))[:16]) == []
    room = reader.buffer()
    assert len(room) == 1000 - 12
    (frame,) = reader.received(len(room))
    assert (frame.obj is room.obj, len(frame)) == (True, 1000)
    assert reader.kept(frame) is frame


@pytest.mark.parametrize(
    ("come", "missing"),
    [
        (b"", None),
        (framed(b"a frame"), None),
        (framed(b"a frame")[:3], None),  # how long it is nobody knows yet
        (framed(b"a frame")[:4], 7),
        (framed(b"a frame")[:10], 1),
        (framed(b"a frame") * 2 + framed(b"a frame")[:6], 5),
        (framed(bytes(1000))[:10], 994),
    ],
)
def test_it_knows_where_the_rest_of_a_frame_goes(come: bytes, missing: int | None) -> None:
    reader = FrameReader(max_bytes=1000, buffer_bytes=32)
    feed(reader, come)
    rest = reader.rest()
    assert (None if rest is None else len(rest)) == missing


def test_a_length_above_the_limit_is_refused_before_anything_is_allocated() -> None:
    reader = FrameReader(max_bytes=100)
    tracemalloc.start()
    try:
        with pytest.raises(FrameTooLargeError, match=r"2147483647 bytes, more than receive\.message\.max\.bytes=100"):
            feed(reader, pack(">i", 2**31 - 1))
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_the_limit_itself_is_allowed_and_no_more_than_half_as_much_again_is_taken() -> None:
    assert feed(FrameReader(max_bytes=100), framed(bytes(100))) == [bytes(100)]
    for length in (1, 2, 3, 5, 64 * 1024 + 1, 12_000_000, 100_000_000):
        whole = FrameBuffers().take(length).obj
        assert length <= len(whole) <= 1.5 * length


@pytest.mark.parametrize("length", [-1, -(2**31)])
def test_a_negative_length_is_no_frame_but_frames_before_it_are_still_handed_over(length: int) -> None:
    reader = FrameReader(max_bytes=100)
    data = framed(b"good") + pack(">i", length)
    reader.buffer()[: len(data)] = data
    received = reader.received(len(data))
    assert bytes(next(received)) == b"good"
    with pytest.raises(DecodeError, match=f"declares a length of {length} bytes"):
        next(received)


@pytest.mark.parametrize(("first_bytes", "hint"), [(b"HTTP/1.1 400", "HTTP"), (b"\x15\x03\x03\x00\x02\x02\x28", "TLS")])
def test_another_services_port_is_recognized(first_bytes: bytes, hint: str) -> None:
    with pytest.raises(FrameTooLargeError, match=f"look like {hint}"):
        feed(FrameReader(max_bytes=100), first_bytes)


def test_a_buffer_nobody_looks_at_is_used_again_as_a_view_of_the_frames_length() -> None:
    buffers = FrameBuffers()
    first = buffers.take(1_000)
    whole = first.obj
    first.release()
    for length in (900, 10, 1_000, 1_024):  # a slightly larger frame fits where one was
        view = buffers.take(length)
        assert (view.obj is whole, len(view)) == (True, length)
        view.release()
    assert len(whole) == 1_024
    assert len(buffers.take(2_000)) == 2_000


def test_a_frame_that_is_looked_at_is_not_written_over() -> None:
    buffers = FrameBuffers()
    frame = buffers.take(1000)
    frame[:3] = b"abc"
    part = frame[1:3]
    frame.release()
    for _ in range(2 * KEPT):
        buffers.take(1000)[:3] = b"xyz"
    assert bytes(part) == b"bc"


def test_a_frame_longer_than_all_buffers_gets_a_new_one_and_few_are_kept() -> None:
    buffers = FrameBuffers()
    for power in range(10, 14):
        assert len(buffers.take(1 << power)) == 1 << power
    assert len(buffers.kept) == KEPT


def test_while_only_small_frames_come_nothing_is_kept() -> None:
    buffers = FrameBuffers()
    buffers.take(1000).release()
    for _ in range(SMALL_FRAMES + 1):
        buffers.note_small()
    assert buffers.kept == []
