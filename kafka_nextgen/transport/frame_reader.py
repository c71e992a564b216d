"""Frames cut from a stream of bytes, received in place.

A frame is four bytes of length and that many bytes. Bytes are received into one buffer that is used again and
again; a frame is handed over as a view of it, to be read before the next bytes arrive (``kept`` is for later). A frame
longer than that buffer gets one of its own (``frame_buffers``), into which the rest is received directly: nothing is
concatenated, and nothing written over that somebody still has a view of.

A length is checked before anything is allocated for it, so four bytes from a stranger cost four bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct

from kafka_nextgen.errors import DecodeError, FrameTooLargeError
from kafka_nextgen.transport.frame_buffers import FrameBuffers

__all__ = ["FrameReader"]

_LENGTH = Struct(">i")
_BUFFER_BYTES = 64 * 1024


class FrameReader:
    """Receives with ``buffer`` and ``received``; a peer that breaks the framing is a ``DecodeError``."""

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
        """Refuse longer frames from here on; ``rule`` is what the error calls this limit."""
        self._max_bytes, self._rule = max_bytes, rule

    def buffer(self) -> memoryview:
        """Where to receive the next bytes; never empty."""
        if self._large is not None:
            return self._large[self._large_end :]
        return self._view[self._end :]

    @property
    def is_between_frames(self) -> bool:
        """Whether nothing was received of the next frame."""
        return self._end == 0 and self._large is None

    def rest(self) -> memoryview | None:
        """Where to receive the rest of a frame whose length is known, once all before it were asked for; or None."""
        if self._large is not None:
            return self.buffer()
        if self._end < _LENGTH.size:
            return None
        return self._view[self._end : _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]]

    def received(self, count: int) -> Iterable[memoryview]:
        """Hand over the frames that ``count`` more bytes complete, without their lengths.

        Each must be used before the next is asked for, and all must be asked for. Raises ``DecodeError``, and
        ``FrameTooLargeError`` for a length above the limit; the stream is of no use after that.
        """
        if self._large is None:
            self._end += count
            frame = self._just_one()
            return self._small_frames() if frame is None else (frame,)
        self._large_end += count
        if self._large_end < len(self._large):
            return ()
        frame, self._large = self._large, None
        return (frame,)

    def kept(self, frame: memoryview) -> memoryview:
        """The frame, to be looked into for as long as somebody likes: a copy where its place is used again."""
        return memoryview(bytes(frame)) if frame.obj is self._buffer else frame

    def _just_one(self) -> memoryview | None:
        """What has come, if that is one whole frame, as it is mostly: then there is nothing to cut."""
        end = self._end
        if end < _LENGTH.size or _LENGTH.unpack_from(self._buffer)[0] != end - _LENGTH.size or end > self._max_bytes:
            return None
        self._buffers.note_small()
        self._end = 0
        return self._view[_LENGTH.size : end]

    def _small_frames(self) -> Iterator[memoryview]:
        start = 0
        while self._end - start >= _LENGTH.size:
            length = self._checked(_LENGTH.unpack_from(self._buffer, start)[0])
            first, after = start + _LENGTH.size, start + _LENGTH.size + length
            if after - start > len(self._buffer):
                self._begin_large(length, first)
                return
            if after > self._end:
                break
            self._buffers.note_small()
            yield self._view[first:after]
            start = after
        self._keep_from(start)

    def _begin_large(self, length: int, first: int) -> None:
        self._large = self._buffers.take(length)
        self._large_end = self._end - first
        self._large[: self._large_end] = self._view[first : self._end]
        self._end = 0

    def _keep_from(self, start: int) -> None:
        rest = self._end - start
        if start and rest:
            self._buffer[:rest] = self._buffer[start : self._end]
        self._end = rest

    def _checked(self, length: int) -> int:
        if length < 0:
            raise DecodeError(f"a frame announces {length} bytes: this is not Kafka's protocol{_hint(length)}")
        if length > self._max_bytes:
            raise FrameTooLargeError(f"a frame announces {length} bytes, {self._rule}={self._max_bytes}{_hint(length)}")
        return length


def _hint(length: int) -> str:
    head = _LENGTH.pack(length)
    if head[0] in (0x15, 0x16) and head[1] == 0x03:
        return "; its first bytes look like TLS: security.protocol is to be SSL or SASL_SSL for this port"
    return "; its first bytes look like HTTP: is this another service's port?" if head == b"HTTP" else ""
