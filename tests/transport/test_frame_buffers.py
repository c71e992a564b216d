"""Buffers of large frames: used again, but never under somebody's eyes."""

from __future__ import annotations

from kafka_nextgen.transport.frame_buffers import KEPT, SMALL_FRAMES, FrameBuffers


def test_a_buffer_nobody_looks_at_is_used_again() -> None:
    buffers = FrameBuffers()
    first = buffers.take(1000)
    whole = first.obj
    first.release()
    assert buffers.take(900).obj is whole


def test_a_frame_that_is_looked_at_is_not_written_over() -> None:
    buffers = FrameBuffers()
    frame = buffers.take(1000)
    frame[:3] = b"abc"
    part = frame[1:3]
    frame.release()
    for _ in range(2 * KEPT):
        buffers.take(1000)[:3] = b"xyz"
    assert bytes(part) == b"bc"


def test_a_view_is_as_long_as_the_frame() -> None:
    buffers = FrameBuffers()
    buffers.take(1000).release()
    assert [len(buffers.take(length)) for length in (1000, 10, 2000)] == [1000, 10, 2000]


def test_a_frame_longer_than_all_buffers_gets_a_new_one_and_few_are_kept() -> None:
    buffers = FrameBuffers()
    for power in range(10, 14):
        assert len(buffers.take(1 << power)) == 1 << power
    assert len(buffers._kept) == KEPT


def test_while_only_small_frames_come_nothing_is_kept() -> None:
    buffers = FrameBuffers()
    buffers.take(1000).release()
    for _ in range(SMALL_FRAMES + 1):
        buffers.note_small()
    assert buffers._kept == []


def test_a_slightly_larger_frame_fits_where_one_was() -> None:
    buffers = FrameBuffers()
    frame = buffers.take(1_000)
    whole = frame.obj
    frame.release()
    assert (buffers.take(1_024).obj is whole, len(whole)) == (True, 1_024)


def test_no_more_than_half_as_much_again_is_taken() -> None:
    for length in (1, 2, 3, 5, 64 * 1024 + 1, 12_000_000, 100_000_000):
        whole = FrameBuffers().take(length).obj
        assert length <= len(whole) <= 1.5 * length
