"""The payload of a produced batch as Kafka's decompressors read it.

They are stricter than the decompression libraries used here, and laxer in a few places:

| codec | refused | ignored |
|---|---|---|
| lz4 | linked blocks, a dictionary id, reserved bits, a wrong header checksum | size and checksum of the content |
| lz4 | a truncated first frame | everything after the first frame |
| zstd | a window of more than 2^27 bytes in any frame | an incomplete last frame without content |
| gzip | | a truncated member, or anything else, after a complete one |
| snappy | an empty payload, a truncated header of the Java library's format | a truncated length after its last block |

The fields of an lz4 header are checked without decompressing anything (``Lz4BlockInputStream``
of Kafka's clients); for zstd, only frame and block headers are read (RFC 8878).
"""

from __future__ import annotations

import zlib

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.wire.records import Compression
from kafka_nextgen.wire.records.compression import GZIP_MEMBER, XERIAL_HEADER, XERIAL_MAGIC, decompress_view

__all__ = ["payload_of"]

_LZ4_MAGIC = b"\x04\x22\x4d\x18"
_LZ4_FIXED = 0xE3  # version, linked blocks, reserved, dictionary id
_LZ4_INDEPENDENT = 0x60  # version 1, independent blocks
_LZ4_BLOCK_CHECKSUM, _LZ4_SIZE, _LZ4_CHECKSUM = 0x10, 0x08, 0x04
_LZ4_BLOCK_SIZES = (0x40, 0x50, 0x60, 0x70)
_LZ4_END = b"\0\0\0\0"
_STORED = 0x8000_0000

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE_MAGICS = tuple(bytes([low]) + b"\x2a\x4d\x18" for low in range(0x50, 0x60))
_ZSTD_SINGLE_SEGMENT, _ZSTD_CHECKSUM = 0x20, 0x04
_ZSTD_DICTIONARY_ID_BYTES = (0, 1, 2, 4)
_ZSTD_RUN = 1
_LARGEST_WINDOW_BYTES = 2**27


def payload_of(codec: int, data: memoryview, limit_bytes: int) -> memoryview:
    """The uncompressed records, at most ``limit_bytes``; raises ``CorruptRecordError`` where Kafka can't read them."""
    if codec == Compression.LZ4:
        data = _first_lz4_frame(data)
    elif codec == Compression.ZSTD:
        if not data:
            return data
        data = _zstd_frames(data)
    elif codec == Compression.SNAPPY:
        data = _snappy_blocks(data)
    try:
        return decompress_view(codec, data, limit_bytes)
    except CorruptRecordError:
        if codec != Compression.GZIP:
            raise
        return _gzip_members(bytes(data), limit_bytes)


def _snappy_blocks(data: memoryview) -> memoryview:
    """The blocks, without a truncated length after the last one."""
    is_framed = data[: len(XERIAL_MAGIC)] == XERIAL_MAGIC
    if not data or (is_framed and len(data) < len(XERIAL_HEADER)):
        raise CorruptRecordError("its snappy data ends before the first block")
    at = 0
    while is_framed and at + 4 <= len(data):
        if data[at : at + len(XERIAL_MAGIC)] == XERIAL_MAGIC:
            at += len(XERIAL_HEADER)
        else:
            at += 4 + int.from_bytes(data[at : at + 4], "big")
    return data[:at] if is_framed else data


def _gzip_members(data: bytes, limit_bytes: int) -> memoryview:
    """The content of the complete members; the first one must be complete."""
    content, at = bytearray(), 0
    while at == 0 or data.startswith(GZIP_MEMBER, at):
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            part = member.decompress(data[at:], limit_bytes + 1 - len(content))
        except zlib.error as error:
            raise CorruptRecordError(f"its gzip data is broken: {error}") from error
        if len(content) + len(part) > limit_bytes or (at == 0 and not member.eof):
            raise CorruptRecordError(f"its gzip data is incomplete, or larger than {limit_bytes} bytes")
        if not member.eof:
            break
        content += part
        at = len(data) - len(member.unused_data)
    return memoryview(content)


def _first_lz4_frame(data: memoryview) -> memoryview:
    """The first frame, without the size and the checksum of its content, which Kafka does not compare."""
    if len(data) < 7 or data[:4] != _LZ4_MAGIC:
        raise CorruptRecordError("its lz4 data does not begin with a frame")
    flags, sizes = data[4], data[5]
    if flags & _LZ4_FIXED != _LZ4_INDEPENDENT or sizes not in _LZ4_BLOCK_SIZES:
        raise CorruptRecordError(f"its lz4 frame has flags {flags:#04x} and sizes {sizes:#04x}, which Kafka refuses")
    checksum_at = 14 if flags & _LZ4_SIZE else 6
    if data[checksum_at : checksum_at + 1] != _lz4_header_checksum(bytes(data[4:checksum_at])):
        raise CorruptRecordError("its lz4 frame has a wrong header checksum")
    blocks = checksum_at + 1
    end = _end_of_lz4_blocks(data, blocks, 4 if flags & _LZ4_BLOCK_CHECKSUM else 0)
    if end + (4 if flags & _LZ4_CHECKSUM else 0) > len(data):
        raise CorruptRecordError("its lz4 frame is incomplete")
    if not flags & (_LZ4_SIZE | _LZ4_CHECKSUM) and data[end - 4 : end] == _LZ4_END:
        return data[:end]
    descriptor = bytes([flags & ~(_LZ4_SIZE | _LZ4_CHECKSUM), sizes])
    return memoryview(_LZ4_MAGIC + descriptor + _lz4_header_checksum(descriptor) + data[blocks : end - 4] + _LZ4_END)


def _end_of_lz4_blocks(data: memoryview, at: int, checksum_bytes: int) -> int:
    """The position after the end mark; for Kafka, any block without content is one."""
    while size := int.from_bytes(data[at : at + 4], "little") & ~_STORED:
        at += 4 + size + checksum_bytes
    return at + 4


def _lz4_header_checksum(descriptor: bytes) -> bytes:
    """The second byte of the XXH32 of 2 or 10 bytes (the algorithm for fewer than 16)."""
    mixed = (374761393 + len(descriptor)) & 0xFFFFFFFF
    whole = len(descriptor) & ~3
    for at in range(0, whole, 4):
        word = int.from_bytes(descriptor[at : at + 4], "little")
        mixed = _rotated(mixed + word * 3266489917, 17) * 668265263
    for byte in descriptor[whole:]:
        mixed = _rotated(mixed + byte * 374761393, 11) * 2654435761
    mixed &= 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 15) * 2246822519 & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 13) * 3266489917 & 0xFFFFFFFF
    return bytes([(mixed ^ mixed >> 16) >> 8 & 0xFF])


def _rotated(number: int, bits: int) -> int:
    number &= 0xFFFFFFFF
    return number << bits | number >> 32 - bits


def _zstd_frames(data: memoryview) -> memoryview:
    """The frames, without a truncated one at the end that Kafka ignores."""
    at = 0
    while at < len(data):
        magic = bytes(data[at : at + 4])
        if magic == _ZSTD_MAGIC:
            content, end = _zstd_extent(data, at)
        elif magic in _SKIPPABLE_MAGICS:
            content = end = at + 8 + int.from_bytes(data[at + 4 : at + 8], "little")
        elif any(known.startswith(magic) for known in (_ZSTD_MAGIC, *_SKIPPABLE_MAGICS)):
            content = end = at + 4
        else:
            break  # the library refuses it
        if at and end > len(data) and content >= len(data):
            return data[:at]
        at = end
    return data


def _zstd_extent(data: memoryview, start: int) -> tuple[int, int]:
    """Where the blocks of a frame begin, and where the frame ends, which may be after the end of the data."""
    descriptor = int.from_bytes(data[start + 4 : start + 5], "little")
    is_single = bool(descriptor & _ZSTD_SINGLE_SEGMENT)
    size_at = start + (5 if is_single else 6) + _ZSTD_DICTIONARY_ID_BYTES[descriptor & 3]
    size_bytes = (int(is_single), 2, 4, 8)[descriptor >> 6]
    at = blocks = size_at + size_bytes
    window = int.from_bytes(data[size_at:blocks], "little") if is_single else _window_of(data[start + 5 : start + 6])
    if window > _LARGEST_WINDOW_BYTES:
        raise CorruptRecordError(
            f"its zstd data needs a window of {window} bytes; at most {_LARGEST_WINDOW_BYTES} are allowed"
        )
    is_last = False
    while not is_last and at < len(data):
        head = int.from_bytes(data[at : at + 3], "little")
        is_last = bool(head & 1)
        at += 3 + (1 if head >> 1 & 3 == _ZSTD_RUN else head >> 3)
    return blocks, at + (0 if is_last else 1) + (4 if descriptor & _ZSTD_CHECKSUM else 0)


def _window_of(descriptor: memoryview) -> int:
    number = int.from_bytes(descriptor, "little")
    base = 1 << (10 + (number >> 3))
    return base + (base >> 3) * (number & 7)
