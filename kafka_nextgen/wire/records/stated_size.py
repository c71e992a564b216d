"""The uncompressed size that compressed data states; it is only used as a first guess.

- gzip ends with the size of its last member, modulo 2^32 (RFC 1952, "Member format").
- A zstd frame may state it in its header (RFC 8878, "Frame Header"). librdkafka's frames do; the Java client's don't.
- An lz4 frame may state it too, but neither client's frames do. Instead the header gives the maximum size of a block:
  64 KiB with both clients (lz4 frame format, "General Structure of LZ4 Frame format").
- A snappy block begins with its size; the library reads it.

Each of these functions returns None if no size is stated, or if the data is not in its format. Blocks state their own
lengths, so the end of a frame can be found from its headers as well (``CompressedFrame``).
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CompressedFrame", "gzip_size", "lz4_frame", "lz4_size", "zstd_frame", "zstd_size"]

_GZIP_LEAST_BYTES = 18  # header and trailer
_LZ4_MAGIC = b"\x04\x22\x4d\x18"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_DICTIONARY_ID_BYTES = (0, 1, 2, 4)
_ZSTD_BLOCK_BYTES = 128 * 1024  # the maximum decompressed size of a block (RFC 8878, "Blocks")
_ZSTD_RUN, _ZSTD_RESERVED = 1, 3  # kinds of blocks
_MOST_BLOCKS = 1024  # beyond this number, blocks are not counted


class CompressedFrame(NamedTuple):
    """The end of a frame, which may be after the end of the data, and its maximum decompressed size."""

    end: int
    most_bytes: int


def gzip_size(data: memoryview) -> int | None:
    """The size in the trailer of a gzip file."""
    return int.from_bytes(data[-4:], "little") if len(data) >= _GZIP_LEAST_BYTES else None


def zstd_size(data: memoryview) -> int | None:
    """The size in the header of a zstd frame."""
    if len(data) < 5 or data[:4] != _ZSTD_MAGIC:
        return None
    start, size_bytes = _zstd_size_field(data[4])
    if size_bytes == 0 or len(data) < start + size_bytes:
        return None
    size = int.from_bytes(data[start : start + size_bytes], "little")
    return size + 256 if size_bytes == 2 else size


def zstd_frame(data: memoryview) -> CompressedFrame | None:
    """The zstd frame at the beginning of the data; None if there is none, or if it has too many blocks."""
    if len(data) < 5 or data[:4] != _ZSTD_MAGIC:
        return None
    descriptor = data[4]
    at = sum(_zstd_size_field(descriptor))
    for blocks in range(1, _MOST_BLOCKS):
        head = int.from_bytes(data[at : at + 3], "little")
        is_last, kind, size = head & 1, head >> 1 & 3, head >> 3
        if kind == _ZSTD_RESERVED or at >= len(data):
            return None
        at += 3 + (1 if kind == _ZSTD_RUN else size)
        if is_last:
            checksum_bytes = 4 * (descriptor >> 2 & 1)
            return CompressedFrame(at + checksum_bytes, blocks * _ZSTD_BLOCK_BYTES)
    return None


def _zstd_size_field(descriptor: int) -> tuple[int, int]:
    """The position and length of the size field; the length is 0 if there is none."""
    is_single_segment = descriptor >> 5 & 1
    size_bytes = (is_single_segment, 2, 4, 8)[descriptor >> 6]
    return 5 + (1 - is_single_segment) + _ZSTD_DICTIONARY_ID_BYTES[descriptor & 3], size_bytes


def lz4_size(data: memoryview) -> int | None:
    """The maximum decompressed size of the blocks of an lz4 frame."""
    frame = lz4_frame(data)
    return None if frame is None else frame.most_bytes


def lz4_frame(data: memoryview) -> CompressedFrame | None:
    """The lz4 frame at the beginning of the data; None if there is none, or if it has too many blocks."""
    if len(data) < 7 or data[:4] != _LZ4_MAGIC:
        return None
    flags = data[4]
    block_bytes = 1 << (8 + 2 * (data[5] >> 4 & 7))
    block_checksum_bytes, checksum_bytes = 4 * (flags >> 4 & 1), 4 * (flags >> 2 & 1)
    at = 7 + 8 * (flags >> 3 & 1) + 4 * (flags & 1)  # a size and a dictionary id may follow
    blocks = 0
    while blocks < _MOST_BLOCKS and (size := int.from_bytes(data[at : at + 4], "little") & 0x7FFFFFFF):
        blocks += 1
        at += 4 + size + block_checksum_bytes
    return CompressedFrame(at + 4 + checksum_bytes, blocks * block_bytes)
