"""The four codecs, as Kafka's clients write them, with a limit on decompressed sizes.

Data is decompressed into a buffer that starts with a guessed size and grows while the data does not fit, but never
beyond the limit: 64 MiB of zeros take 2 kB in zstd. The size that the data itself states (``stated_size.py``) is only
used for that guess.

Snappy has two forms: a bare block (librdkafka), or blocks after a header that the Java library (xerial) defines. We
write the second, since every client reads it and blocks stay small. lz4 is the frame format with independent blocks,
the only kind that Kafka's Java reader accepts. The versions of cramjam for Python 3.10 (before 2.14) silently read
only the first of several frames.
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

__all__ = ["READS_LZ4_FRAMES_IN_A_ROW", "Compression", "compress", "decompress", "decompress_view", "trimmed"]

GZIP_MAGIC = b"\x1f\x8b"
GZIP_MEMBER = GZIP_MAGIC + b"\x08"  # deflate, the only method there is
#: How many bytes are read at a time: bytes after a small member are copied, and the output is copied twice.
GZIP_PART_BYTES = 1024
XERIAL_MAGIC = b"\x82SNAPPY\0"
XERIAL_HEADER = XERIAL_MAGIC + b"\0\0\0\1\0\0\0\1"  # version, and the oldest version that can read it
XERIAL_BLOCK_BYTES = 32 * 1024
SNAPPY_OF_NOTHING = b"\0"  # a block whose stated length is 0

_TOO_LARGE = "takes more than {} bytes and needs a larger fetch.buffer.bytes"

GUESS_AT_LEAST_BYTES = 64 * 1024
GUESS_RATIO = 8

#: The maximum compression ratios, so that a short batch does not get a large buffer.
GZIP_MOST = 1032  # 258 bytes from two bits (zlib, "Technical Details")
LZ4_MOST = 255  # added by each further byte of a length (lz4 block format)
ZSTD_MOST = 32 * 1024  # a block of 128 KiB from four bytes (RFC 8878, "RLE_Block")


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

    Raises ``CorruptRecordError`` if the codec is unknown, the data is not in its format, or the result would be larger.
    """
    return bytes(decompress_view(codec, data, limit_bytes))


def decompress_view(codec: int, data: memoryview, limit_bytes: int) -> memoryview:
    """Decompress like ``decompress``, but without its last copy; uncompressed data is not copied at all."""
    if codec == Compression.NONE:
        return data
    if codec not in _DECOMPRESS:
        raise CorruptRecordError(f"codec {codec} is unknown")
    try:
        return _DECOMPRESS[Compression(codec)](data, limit_bytes)
    except cramjam.DecompressionError as error:
        raise CorruptRecordError(f"its {Compression(codec).name.lower()} data is broken: {error}") from error


def _growing(
    into: Callable[[memoryview, memoryview], int], stated_size: Callable[[memoryview], int | None], most_ratio: int
) -> Callable[[memoryview, int], memoryview]:
    """Decompress with ``into``, and retry with larger buffers up to the limit.

    Any failure leads to a retry, not only a full buffer, because the library distinguishes them only by the English
    message. Corrupt data therefore fails a few times instead of once.
    """

    def decompress_growing(data: memoryview, limit_bytes: int) -> memoryview:
        guess = stated_size(data)
        most = min(most_ratio * len(data), limit_bytes)
        size = min(max(GUESS_AT_LEAST_BYTES, GUESS_RATIO * len(data) if guess is None else guess), most)
        while True:
            buffer = _new_buffer(size)
            try:
                return trimmed(buffer, into(data, buffer))
            except cramjam.DecompressionError as error:
                if size == most:
                    doubt = f", or {_TOO_LARGE.format(limit_bytes)}" if most == limit_bytes else ""
                    raise CorruptRecordError(f"its data is broken{doubt}: {error}") from error
                size = min(GUESS_RATIO * size, most)

    return decompress_growing


def _new_buffer(size: int) -> memoryview:
    """A buffer of this size; the compiled version is not filled with zeros, and reuses memory."""
    return accelerator.new_buffer(size) if ACCELERATED else memoryview(bytearray(size))


def trimmed(buffer: memoryview, used: int) -> memoryview:
    """The written part of ``buffer``; it is copied, to free the buffer, if that is less than half."""
    return buffer[:used] if 2 * used >= len(buffer) else memoryview(bytes(buffer[:used]))


def _compress_lz4(data: bytes) -> bytes:
    compressor = cramjam.lz4.Compressor(block_linked=False)
    compressor.compress(data)
    return bytes(compressor.finish())


def _decompress_lz4_frames_into(data: memoryview, buffer: memoryview) -> int:
    """Does the same as the versions of ``cramjam.lz4.decompress_into`` that read all frames."""
    used = 0
    while True:
        frame = lz4_frame(data)
        # If no frame follows, the end may be unknown: the blocks of a long frame are not counted to the end.
        end = len(data) if frame is None or lz4_frame(data[frame.end :]) is None else frame.end
        used += cramjam.lz4.decompress_into(data[:end], buffer[used:])
        data = data[end:]
        if not data:
            return used


def _compress_snappy(data: bytes) -> bytes:
    out = bytearray(XERIAL_HEADER)
    for start in range(0, len(data), XERIAL_BLOCK_BYTES):
        block = bytes(cramjam.snappy.compress_raw(data[start : start + XERIAL_BLOCK_BYTES]))
        out += len(block).to_bytes(4, "big") + block
    return bytes(out)


def _decompress_gzip(view: memoryview, limit_bytes: int) -> memoryview:
    data = bytes(view)
    size = gzip_size(view) or 0
    if size <= min(GZIP_MOST * len(data), limit_bytes) and data.find(GZIP_MEMBER, len(GZIP_MEMBER)) < 0:
        with suppress(cramjam.DecompressionError):  # data after the member, or corrupt
            buffer = _new_buffer(size)
            return trimmed(buffer, cramjam.gzip.decompress_into(data, buffer))
    return memoryview(b"".join(_gzip_members(data, limit_bytes)))


def _gzip_members(data: bytes, limit_bytes: int) -> Iterator[bytes]:
    """Decompress one member after the other. Like Kafka, ignore other data after the last one."""
    pos, left_bytes = 0, limit_bytes
    while pos == 0 or data.startswith(GZIP_MAGIC, pos):
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        while not member.eof:
            part = data[pos : pos + GZIP_PART_BYTES]
            content = _unzip(member, part, left_bytes + 1)
            pos += len(part) - len(member.unused_data)
            left_bytes -= len(content)
            if left_bytes < 0:
                raise CorruptRecordError(f"its data {_TOO_LARGE.format(limit_bytes)}")
            if content:
                yield content


def _unzip(member: zlib._Decompress, part: bytes, most_bytes: int) -> bytes:
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
    # Like Kafka, ignore what follows. The error is gone, and with it the buffer that its traceback holds.
    return _lz4_frames(data[: frame.end], limit_bytes)


def _decompress_snappy(data: memoryview, limit_bytes: int) -> memoryview:
    blocks: list[bytes] = []
    size = 0
    for block in _xerial_blocks(bytes(data)) if data[: len(XERIAL_MAGIC)] == XERIAL_MAGIC else (bytes(data),):
        size += cramjam.snappy.decompress_raw_len(block)
        if size > limit_bytes:
            raise CorruptRecordError(f"its data {_TOO_LARGE.format(limit_bytes)}")
        blocks.append(block)
    buffer = _new_buffer(size)
    used = 0
    for block in blocks:
        used += cramjam.snappy.decompress_raw_into(block, buffer[used:])
    return trimmed(buffer, used)


def _xerial_blocks(data: bytes) -> Iterator[bytes]:
    """The blocks of one or several streams, without empty ones."""
    pos, end = 0, len(data)
    while pos < end:
        start = pos + 4
        stop = start + int.from_bytes(data[pos:start], "big")
        if stop <= end:
            if (block := data[start:stop]) != SNAPPY_OF_NOTHING:
                yield block
            pos = stop
        elif data.startswith(XERIAL_MAGIC, pos):  # as a length it would exceed any batch
            pos += len(XERIAL_HEADER)
        else:
            raise CorruptRecordError(f"a snappy block ends {stop - end} bytes after the batch")


#: Whether the library reads consecutive frames as one.
READS_LZ4_FRAMES_IN_A_ROW = bytes(cramjam.lz4.decompress(2 * _compress_lz4(b"a"))) == b"aa"

_lz4_frames = _growing(
    cramjam.lz4.decompress_into if READS_LZ4_FRAMES_IN_A_ROW else _decompress_lz4_frames_into, lz4_size, LZ4_MOST
)

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
    Compression.ZSTD: _growing(cramjam.zstd.decompress_into, zstd_size, ZSTD_MOST),
}
