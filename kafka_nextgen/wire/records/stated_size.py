"""What compressed data says of its size uncompressed: good for a first guess, and for nothing else.

- gzip ends with the size of its last member, modulo 2^32 (RFC 1952, "Member format").
- A zstd frame may say it in its header (RFC 8878, "Frame Header"). librdkafka's do, the Java client's don't.
- An lz4 frame may say it too, but neither client's do. Instead each of its blocks becomes a whole one or less, and how
  large a whole one is the header says: 64 KiB with both (lz4 frame format, "General Structure of LZ4 Frame format").
- A snappy block begins with it; the library reads that.

Each function answers None if there is no such word, or if the data is not of its format.
"""

from __future__ import annotations

__all__ = ["gzip_size", "lz4_size", "zstd_size"]

_GZIP_LEAST_BYTES = 18  # header and trailer
_LZ4_MAGIC = b"\x04\x22\x4d\x18"
_LZ4_MOST_BLOCKS = 1024  # more than that are not worth counting
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_DICTIONARY_ID_BYTES = (0, 1, 2, 4)


def gzip_size(data: memoryview) -> int | None:
    """What the trailer of a gzip file says."""
    return int.from_bytes(data[-4:], "little") if len(data) >= _GZIP_LEAST_BYTES else None


def zstd_size(data: memoryview) -> int | None:
    """What the header of a zstd frame says."""
    if len(data) < 5 or data[:4] != _ZSTD_MAGIC:
        return None
    descriptor = data[4]
    is_single_segment = descriptor >> 5 & 1
    size_bytes = (is_single_segment, 2, 4, 8)[descriptor >> 6]
    start = 5 + (1 - is_single_segment) + _ZSTD_DICTIONARY_ID_BYTES[descriptor & 3]
    if size_bytes == 0 or len(data) < start + size_bytes:
        return None
    size = int.from_bytes(data[start : start + size_bytes], "little")
    return size + 256 if size_bytes == 2 else size


def lz4_size(data: memoryview) -> int | None:
    """At most what the blocks of an lz4 frame become."""
    if len(data) < 7 or data[:4] != _LZ4_MAGIC:
        return None
    flags = data[4]
    block_bytes = 1 << (8 + 2 * (data[5] >> 4 & 7))
    checksum_bytes = 4 * (flags >> 4 & 1)
    at = 7 + 8 * (flags >> 3 & 1) + 4 * (flags & 1)  # a size and the id of a dictionary may be there
    blocks = 0
    while blocks < _LZ4_MOST_BLOCKS and (size := int.from_bytes(data[at : at + 4], "little") & 0x7FFFFFFF):
        blocks += 1
        at += 4 + size + checksum_bytes
    return blocks * block_bytes
