"""Frames from a stream of bytes, received in place: four bytes with the length, then that many bytes.

Small frames are received into one buffer, and returned as views of it. A view is valid until the next bytes arrive;
``FrameReader.kept`` makes it permanent. A larger frame gets a separate buffer, and the rest of it is received directly
into that buffer. So no pieces are joined, and no data is overwritten while a view of it exists.

Each length is checked before memory is allocated.
"""

from __future__ import annotations

import asyncio
from asyncio.trsock import TransportSocket
from collections.abc import Callable, Iterator
from struct import Struct

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.errors import DecodeError, FrameTooLargeError
from kafka_nextgen.wire.records import unfilled

__all__ = ["FrameBuffers", "FrameReader", "Receive", "receiver_of"]

_LENGTH = Struct(">i")
_BUFFER_BYTES = 64 * 1024

#: The number of large-frame buffers kept, and the number of consecutive small frames after which they are freed.
KEPT = 2
SMALL_FRAMES = 200

#: Milliseconds that ``receiver_of`` may receive before other connections get their turn.
MAX_RECEIVE_MS = 5

#: Receives bytes that arrive soon into a buffer; returns their number.
Receive = Callable[[memoryview], int]


class FrameReader:
    """Receive into ``buffer``, then call ``received``; ``max_bytes`` is the longest frame."""

    def __init__(self, max_bytes: int, buffer_bytes: int = _BUFFER_BYTES) -> None:
        assert buffer_bytes > _LENGTH.size
        self.limit(max_bytes, "receive.message.max.bytes")
        self._buffer = bytearray(buffer_bytes)
        self._view = memoryview(self._buffer)
        self._end = 0  # how much of the buffer is filled
        self._buffers = FrameBuffers()
        self._large: memoryview | None = None
        self._large_end = 0

    def limit(self, max_bytes: int, rule: str) -> None:
        """From now on, refuse longer frames; the error names this limit ``rule``."""
        self._max_bytes, self._rule = max_bytes, rule

    def buffer(self) -> memoryview:
        """The buffer for the next bytes; never empty."""
        if self._large is not None:
            return self._large[self._large_end :]
        return self._view[self._end :]

    @property
    def is_empty(self) -> bool:
        """Whether there is no part of a frame that is still incomplete."""
        return self._large is None and self._end == 0

    def rest(self) -> memoryview | None:
        """The buffer for the rest of an incomplete frame; None if its length is not known yet.

        All complete frames must have been taken from ``received``.
        """
        if self._large is not None:
            return self.buffer()
        if self._end < _LENGTH.size:
            return None
        return self._view[self._end : _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]]

    def received(self, count: int) -> Iterator[memoryview]:
        """The frames completed by ``count`` more bytes, without their length prefixes.

        Each must be used before the next is taken, and all must be taken. Raises ``DecodeError``, or
        ``FrameTooLargeError`` for a length above the limit; the stream can't be used after that.
        """
        if self._large is not None:
            self._large_end += count
            if self._large_end == len(self._large):
                frame, self._large = self._large, None
                yield frame
            return
        self._end += count
        start = 0
        while self._end - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer, start)
            if not 0 <= length <= self._max_bytes:
                raise self._refused(length)
            first, after = start + _LENGTH.size, start + _LENGTH.size + length
            if after - start > len(self._buffer):
                self._begin_large(length, first)
                return
            if after > self._end:
                break
            if self._buffers.kept:
                self._buffers.note_small()
            yield self._view[first:after]
            start = after
        rest = self._end - start
        if start and rest:
            self._buffer[:rest] = self._buffer[start : self._end]
        self._end = rest

    def kept(self, frame: memoryview) -> memoryview:
        """The frame in memory that stays valid; it is a copy if the frame is in the buffer for small frames."""
        return memoryview(bytes(frame)) if frame.obj is self._buffer else frame

    def _begin_large(self, length: int, first: int) -> None:
        self._large = self._buffers.take(length)
        self._large_end = self._end - first
        self._large[: self._large_end] = self._view[first : self._end]
        self._end = 0

    def _refused(self, length: int) -> DecodeError:
        head = _LENGTH.pack(length)
        hint = "; its first bytes look like HTTP: this may be another service's port" if head == b"HTTP" else ""
        if head[0] in (0x15, 0x16) and head[1] == 0x03:
            hint = "; its first bytes look like TLS: set security.protocol to SSL or SASL_SSL for this port"
        if length < 0:
            return DecodeError(f"a frame declares a length of {length} bytes: this is not Kafka's protocol{hint}")
        limit = f"{self._rule}={self._max_bytes}"
        return FrameTooLargeError(f"a frame declares a length of {length} bytes, more than {limit}{hint}")


class FrameBuffers:
    """Buffers for the large frames of one connection, reused once no view of their content exists.

    Filling a page of fresh memory costs twice as much as filling a used one. Two buffers are kept: one is filled while
    the frame in the other is decoded. They are freed when many small frames come in a row.
    """

    def __init__(self) -> None:
        self.kept: list[bytearray] = []
        self._small_frames = 0

    def take(self, length: int) -> memoryview:
        """A buffer of ``length`` bytes, which is in use as long as a view of it exists."""
        self._small_frames = 0
        for at, buffer in enumerate(self.kept):
            if len(buffer) >= length and _is_free(buffer):
                self.kept.append(self.kept.pop(at))
                return memoryview(buffer)[:length]
        buffer = unfilled(_capacity_for(length))
        self.kept = [*self.kept[1 - KEPT :], buffer]
        return memoryview(buffer)[:length]

    def note_small(self) -> None:
        """Count a small frame, which needs no separate buffer."""
        self._small_frames += 1
        if self._small_frames > SMALL_FRAMES:
            self.kept.clear()


def _capacity_for(length: int) -> int:
    """A power of two or three quarters of one, so that a slightly longer frame fits as well."""
    power = 1 << (length - 1).bit_length()
    return 3 * power // 4 if length <= 3 * power // 4 else power


def _is_free(buffer: bytearray) -> bool:
    """Whether no view of the buffer exists, so that it can be resized."""
    try:
        buffer.append(buffer.pop())
    except BufferError:
        return False
    return True


def receiver_of(transport: asyncio.Transport) -> Receive | None:
    """A C function that receives the rest of a frame from a plain socket of asyncio's own event loops.

    Returns None with TLS, on another event loop (such as uvloop), or without the C extension.

    The event loop waits for the GIL twice for each piece it receives, and a busy thread of the application releases it
    only every 5 ms (``sys.getswitchinterval``). Megabytes would arrive in pieces, milliseconds apart. A small answer
    may also arrive in pieces, since a broker writes records separately from the rest of the answer. Other connections
    wait in the meantime, but no longer than the application's thread delays them anyway.
    """
    plain = transport.get_extra_info("socket")
    if not isinstance(plain, TransportSocket) or transport.get_extra_info("sslcontext") is not None:
        return None
    if not ACCELERATED or not hasattr(accelerator, "receive"):
        return None
    return lambda to: accelerator.receive(plain.fileno(), to, MAX_RECEIVE_MS)
