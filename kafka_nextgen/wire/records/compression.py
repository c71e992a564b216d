"""The four codecs, as Kafka's clients write them, and none of them able to fill the memory.

Decompression goes into a buffer that starts at a guess and grows while the data does not fit, never beyond the limit:
64 MiB of zeros are 2 kB of zstd. What the data says of its own size (``stated_size.py``) makes the guess a good one,
and is believed no further.

Snappy comes in two shapes: a bare block (librdkafka), or blocks behind a header of the Java library's own
(xerial), which is no part of snappy. We write the second, since every client reads it and blocks stay small.
lz4 is the frame format with independent blocks, the only ones Kafka's Java reader takes.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import IntEnum

import cramjam

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.wire.records.stated_size import gzip_size, lz4_frame, lz4_size, zstd_size

__all__ = ["Compression", "compress", "decompress", "decompress_view", "trimmed"]

GZIP_MAGIC = b"\x1f\x8b"
GZIP_PART_BYTES = 1024  # read at a time: what follows a small member is copied, and what comes out, twice
XERIAL_MAGIC = b"\x82SNAPPY\0"
XERIAL_HEADER = XERIAL_MAGIC + b"\0\0\0\1\0\0\0\1"  # version and oldest version able to read it
XERIAL_BLOCK_BYTES = 32 * 1024

_REMEDY = "needs a larger fetch.buffer.bytes"

GUESS_AT_LEAST_BYTES = 64 * 1024
GUESS_RATIO = 8


class Compression(IntEnum):
    """A codec, by its number in a batch's attributes."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


def compress(codec: Compression, data: bytes) -> bytes:
    """Compress a batch's records."""
    return _COMPRESS[codec](data)


def decompress(codec: int, data: memoryview, limit_bytes: int) -> bytes:
    """Decompress a batch's records, into at most ``limit_bytes`` bytes.

    Raises ``CorruptRecordError`` if the codec is unknown, the data is not of that codec, or more would come out.
    """
    return bytes(decompress_view(codec, data, limit_bytes))


def decompress_view(codec: int, data: memoryview, limit_bytes: int) -> memoryview:
    """Decompress as ``decompress`` does, but for its last copy; what is not compressed is not copied at all."""
    if codec == Compression.NONE:
        return data
    if codec not in _DECOMPRESS:
        raise CorruptRecordError(f"codec {codec} is unknown")
    try:
        return _DECOMPRESS[Compression(codec)](data, limit_bytes)
    except cramjam.DecompressionError as error:
        raise CorruptRecordError(f"its {Compression(codec).name.lower()} data is broken: {error}") from error


def _growing(
    into: Callable[[memoryview, memoryview], int], stated_size: Callable[[memoryview], int | None]
) -> Callable[[memoryview, int], memoryview]:
    """Decompress with ``into``, trying again with a larger buffer while there is leave to grow.

    Any failure makes it grow, not only a full buffer: the library tells them apart in English only. Broken data
    thus fails a few times instead of once.
    """

    def decompress_growing(data: memoryview, limit_bytes: int) -> memoryview:
        guess = stated_size(data)
        size = min(max(GUESS_AT_LEAST_BYTES, GUESS_RATIO * len(data) if guess is None else guess), limit_bytes)
        while True:
            buffer = _new_buffer(size)
            try:
                return trimmed(buffer, into(data, buffer))
            except cramjam.DecompressionError as error:
                if size == limit_bytes:
                    raise CorruptRecordError(
                        f"its data is broken, or takes more than {limit_bytes} bytes and {_REMEDY}: {error}"
                    ) from error
                size = min(GUESS_RATIO * size, limit_bytes)

    return decompress_growing


def _new_buffer(size: int) -> memoryview:
    """Room for so many bytes; the compiled one is not filled with zeros before, and its memory is used again."""
    return accelerator.new_buffer(size) if ACCELERATED else memoryview(bytearray(size))


def trimmed(buffer: memoryview, used: int) -> memoryview:
    """What was written to ``buffer``, which is let go if most of it was not."""
    return buffer[:used] if 2 * used >= len(buffer) else memoryview(bytes(buffer[:used]))


def _compress_lz4(data: bytes) -> bytes:
    compressor = cramjam.lz4.Compressor(block_linked=False)
    compressor.compress(data)
    return bytes(compressor.finish())


def _compress_snappy(data: bytes) -> bytes:
    out = bytearray(XERIAL_HEADER)
    for start in range(0, len(data), XERIAL_BLOCK_BYTES):
        block = bytes(cramjam.snappy.compress_raw(data[start : start + XERIAL_BLOCK_BYTES]))
        out += len(block).to_bytes(4, "big") + block
    return bytes(out)


def _decompress_gzip(data: memoryview, limit_bytes: int) -> memoryview:
    size = gzip_size(data) or 0
    if size <= limit_bytes:
        with suppress(cramjam.DecompressionError):  # several members, something behind the last one, or broken
            return _gzip_member(data, size)
    return memoryview(b"".join(_gzip_members(data, limit_bytes)))


def _gzip_member(data: memoryview, size: int) -> memoryview:
    buffer = _new_buffer(size)
    return trimmed(buffer, cramjam.gzip.decompress_into(data, buffer))


def _gzip_members(data: memoryview, limit_bytes: int) -> Iterator[bytes]:
    """Decompress one member after the other. What else follows the last one is nothing to Kafka, nor to us."""
    pos, left_bytes = 0, limit_bytes
    while pos == 0 or data[pos : pos + len(GZIP_MAGIC)] == GZIP_MAGIC:
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        while not member.eof:
            part = data[pos : pos + GZIP_PART_BYTES]
            content = _unzip(member, part, left_bytes + 1)
            pos += len(part) - len(member.unused_data)
            left_bytes -= len(content)
            if left_bytes < 0:
                raise CorruptRecordError(f"its data takes more than {limit_bytes} bytes and {_REMEDY}")
            yield content


def _unzip(member: zlib._Decompress, part: memoryview, most_bytes: int) -> bytes:
    if not part:
        raise CorruptRecordError("its gzip data is broken: it ends too early")
    try:
        return member.decompress(part, most_bytes)
    except zlib.error as error:
        raise CorruptRecordError(f"its gzip data is broken: {error}") from error


def _decompress_lz4(data: memoryview, limit_bytes: int) -> memoryview:
    try:
        return _lz4_frames(data, limit_bytes)
    except CorruptRecordError:
        frame = lz4_frame(data)
        if frame is None or frame.end >= len(data) or lz4_frame(data[frame.end :]) is not None:
            raise
        return _lz4_frames(data[: frame.end], limit_bytes)  # what follows is nothing to Kafka, nor to us


def _decompress_snappy(data: memoryview, limit_bytes: int) -> memoryview:
    if data[: len(XERIAL_MAGIC)] != XERIAL_MAGIC:
        return _snappy_block(data, limit_bytes)
    parts: list[memoryview] = []
    left = limit_bytes
    pos = len(XERIAL_HEADER)
    while pos < len(data):
        if data[pos : pos + len(XERIAL_MAGIC)] == XERIAL_MAGIC:  # another stream
            pos += len(XERIAL_HEADER)
            continue
        stop = pos + 4 + int.from_bytes(data[pos : pos + 4], "big")
        if stop > len(data):
            raise CorruptRecordError(f"a snappy block ends {stop - len(data)} bytes after the batch")
        part = _snappy_block(data[pos + 4 : stop], left)
        left -= len(part)
        parts.append(part)
        pos = stop
    return parts[0] if len(parts) == 1 else memoryview(b"".join(parts))


def _snappy_block(block: memoryview, limit_bytes: int) -> memoryview:
    size = cramjam.snappy.decompress_raw_len(block)
    if size > limit_bytes:
        raise CorruptRecordError(f"a snappy block of {size} bytes exceeds the {limit_bytes} bytes allowed: {_REMEDY}")
    buffer = _new_buffer(size)
    return buffer[: cramjam.snappy.decompress_raw_into(block, buffer)]


_lz4_frames = _growing(cramjam.lz4.decompress_into, lz4_size)

_COMPRESS: dict[Compression, Callable[[bytes], bytes]] = {
    Compression.NONE: bytes,
    Compression.GZIP: lambda data: bytes(cramjam.gzip.compress(data)),
    Compression.SNAPPY: _compress_snappy,
    Compression.LZ4: _compress_lz4,
    Compression.ZSTD: lambda data: bytes(cramjam.zstd.compress(data)),
}

_DECOMPRESS: dict[Compression, Callable[[memoryview, int], memoryview]] = {
    Compression.GZIP: _decompress_gzip,
    Compression.SNAPPY: _decompress_snappy,
    Compression.LZ4: _decompress_lz4,
    Compression.ZSTD: _growing(cramjam.zstd.decompress_into, zstd_size),
}
