"""Buffers for large frames, used again as soon as nobody looks at what they hold.

A page of fresh memory costs about as much as filling it, so a consumer that reads megabytes at a time would spend half
of its receiving on memory it gives back a moment later. Two are kept: one is received into while the frame in the other
is decoded. Those that are not used while many small frames come are let go.
"""

from __future__ import annotations

from kafka_nextgen.wire.records import unfilled

__all__ = ["FrameBuffers"]

#: How many buffers are kept, and for how many small frames in a row.
KEPT = 2
SMALL_FRAMES = 200


class FrameBuffers:
    """Gives buffers for frames, of one connection."""

    def __init__(self) -> None:
        self._kept: list[bytearray] = []
        self._small_frames = 0

    def take(self, length: int) -> memoryview:
        """A buffer of ``length`` bytes, which is in use as long as there is a view of it."""
        self._small_frames = 0
        for at, buffer in enumerate(self._kept):
            if len(buffer) >= length and _is_free(buffer):
                self._kept.append(self._kept.pop(at))
                return memoryview(buffer)[:length]
        buffer = unfilled(_size_for(length))
        self._kept = [*self._kept[1 - KEPT :], buffer]
        return memoryview(buffer)[:length]

    def note_small(self) -> None:
        """A frame came that needs no buffer of its own."""
        if self._kept:
            self._small_frames += 1
            if self._small_frames > SMALL_FRAMES:
                self._kept.clear()


def _size_for(length: int) -> int:
    """A power of two, or one and a half: so that a frame fits where a slightly smaller one was."""
    power = 1 << (length - 1).bit_length()
    return 3 * power // 4 if length <= 3 * power // 4 else power


def _is_free(buffer: bytearray) -> bool:
    """Whether there is no view of it: then only can it be resized."""
    try:
        buffer.append(buffer.pop())
    except BufferError:
        return False
    return True
