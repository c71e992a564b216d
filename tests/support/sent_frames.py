"""Compressed batches of two records, and what Kafka 4.4 says to each of them: NONE, or the error."""

from __future__ import annotations

import gzip
from collections.abc import Mapping

import cramjam

from kafka_nextgen.wire.records import Compression
from kafka_nextgen.wire.records.compression import XERIAL_HEADER, compress
from tests.support.odd_batches import HALVES, ONE, SKIPPABLE, TWO, compressed, record, zstd

THREE = HALVES + record(2)
END = b"\0\0\0\0"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def stored(data: bytes) -> bytes:
    return (len(data) | 0x8000_0000).to_bytes(4, "little") + data


def lz4(data: bytes, descriptor: str = "604082", rest: bytes = END) -> bytes:
    """An lz4 frame of one block; ``descriptor`` ends with the header checksum."""
    return b"\x04\x22\x4d\x18" + bytes.fromhex(descriptor) + (stored(data) if data else b"") + rest


def zstd_frame(data: bytes, *, flags: int = 0, fields: bytes = b"\x50", head: int = 1) -> bytes:
    """A zstd frame of one block; ``fields`` are the window (2^20), the dictionary id and the size."""
    return ZSTD_MAGIC + bytes([flags]) + fields + (len(data) << 3 | head).to_bytes(3, "little") + data


def window(log: int, eighths: int = 0) -> bytes:
    return bytes([(log - 10) << 3 | eighths])


def sized(data: bytes, size: int) -> bytes:
    return zstd_frame(data, flags=0xA0, fields=size.to_bytes(4, "little"))


WHOLE_GZIP = gzip.compress(HALVES)
RAW = bytes(cramjam.snappy.compress_raw(HALVES))
XERIAL = compress(Compression.SNAPPY, HALVES)
TINY = b"".join(stored(HALVES[at : at + 1]) for at in range(len(HALVES)))
FAILED, WRONG, TAKEN = "UNKNOWN_SERVER_ERROR", "INVALID_RECORD", "NONE"

_LZ4: Mapping[str, tuple[bytes, str]] = {
    "plain": (lz4(HALVES), TAKEN),
    "linked blocks": (lz4(HALVES, "4040c0"), FAILED),
    "a dictionary id": (lz4(HALVES, "614000000000a0"), FAILED),
    "a reserved flag": (lz4(HALVES, "6240f0"), FAILED),
    "version 0": (lz4(HALVES, "204003"), FAILED),
    "version 2": (lz4(HALVES, "a0400f"), FAILED),
    "version 3": (lz4(HALVES, "e04077"), FAILED),
    "a low reserved bit of the sizes": (lz4(HALVES, "6041bd"), FAILED),
    "the high reserved bit of the sizes": (lz4(HALVES, "60c02a"), FAILED),
    "blocks of 16 KiB": (lz4(HALVES, "6030d4"), FAILED),
    "blocks of 4 MiB": (lz4(HALVES, "607073"), TAKEN),
    "a wrong header checksum": (lz4(HALVES, "604083"), FAILED),
    "a wrong size": (lz4(HALVES, "6840050000000000000061"), TAKEN),
    "a cut size": (lz4(b"", "6840", b""), FAILED),
    "a wrong content checksum": (lz4(HALVES, "6440a7", END + b"abcd"), TAKEN),
    "no content checksum": (lz4(HALVES, "6440a7"), FAILED),
    "a wrong block checksum": (lz4(HALVES, "7040ad", b"abcd" + END), FAILED),
    "no end mark": (lz4(HALVES, rest=b""), FAILED),
    "two blocks": (lz4(ONE, rest=stored(TWO) + END), TAKEN),
    "a block for each byte": (lz4(b"", rest=TINY + END), TAKEN),
    "a stored block of nothing": (lz4(b"", rest=stored(b"") + stored(HALVES) + END), WRONG),
    "a broken block": (lz4(b"", rest=b"\5\0\0\0\xff\xff\xff\xff\xff" + END), FAILED),
    "a block larger than its kind": (lz4(b"x" * 70_000), FAILED),
    "two frames": (lz4(ONE) + lz4(TWO), WRONG),
    "an empty frame in front": (lz4(b"") + lz4(HALVES), WRONG),
    "an empty frame behind": (lz4(HALVES) + lz4(b""), TAKEN),
    "a skippable frame in front": (SKIPPABLE + lz4(HALVES), FAILED),
    "a skippable frame behind": (lz4(HALVES) + SKIPPABLE, TAKEN),
    "garbage behind": (lz4(HALVES) + b"garbage", TAKEN),
    "a legacy frame": (b"\x02\x21\x4c\x18" + b"\0" * 10, FAILED),
    "garbage": (b"garbage garbage", FAILED),
    "nothing": (b"", FAILED),
    "a cut magic": (lz4(HALVES)[:3], FAILED),
    "a cut header": (lz4(HALVES)[:6], FAILED),
    "a cut block": (lz4(HALVES)[:20], FAILED),
    "three records": (lz4(THREE), WRONG),
}

_ZSTD: Mapping[str, tuple[bytes, str]] = {
    "a window of 2^10": (zstd_frame(HALVES, fields=window(10)), TAKEN),
    "a window of 2^27": (zstd_frame(HALVES, fields=window(27)), TAKEN),
    "a window of 2^27 and an eighth": (zstd_frame(HALVES, fields=window(27, 1)), FAILED),
    "a window of 2^28": (zstd_frame(HALVES, fields=window(28)), FAILED),
    "a window of 2^28 in the second frame": (zstd_frame(ONE) + zstd_frame(TWO, fields=window(28)), FAILED),
    "a window of 2^28 behind all records": (zstd_frame(HALVES) + zstd_frame(TWO, fields=window(28)), FAILED),
    "a window of 2^28 behind a skippable frame": (SKIPPABLE + zstd_frame(HALVES, fields=window(28)), FAILED),
    "a single segment of 2^28": (sized(HALVES, 2**28), FAILED),
    "a single segment": (sized(HALVES, len(HALVES)), TAKEN),
    "a wrong size": (sized(HALVES, len(HALVES) + 1), FAILED),
    "a dictionary id": (zstd_frame(HALVES, flags=1, fields=b"\x50\1"), FAILED),
    "the dictionary id 0": (zstd_frame(HALVES, flags=1, fields=b"\x50\0"), TAKEN),
    "the reserved bit": (zstd_frame(HALVES, flags=8), FAILED),
    "the unused bit": (zstd_frame(HALVES, flags=16), TAKEN),
    "a wrong checksum": (zstd_frame(HALVES, flags=4) + b"abcd", FAILED),
    "no checksum": (zstd_frame(HALVES, flags=4), FAILED),
    "no last block": (zstd_frame(HALVES, head=0), FAILED),
    "a reserved kind of block": (zstd_frame(HALVES, head=7), FAILED),
    "skippable frames": (SKIPPABLE + zstd(HALVES) + SKIPPABLE, TAKEN),
    "a cut skippable frame behind": (zstd(HALVES) + SKIPPABLE[:-1], TAKEN),
    "only a skippable frame": (SKIPPABLE, WRONG),
    "only a cut skippable frame": (SKIPPABLE[:-1], FAILED),
    "a magic behind": (zstd(HALVES) + ZSTD_MAGIC, TAKEN),
    "the beginning of a magic behind": (zstd(HALVES) + ZSTD_MAGIC[:1], TAKEN),
    "the beginning of a skippable magic behind": (zstd(HALVES) + SKIPPABLE[:3], TAKEN),
    "the header of a frame behind": (zstd(HALVES) + ZSTD_MAGIC + b"\0\x50", TAKEN),
    "one byte behind": (zstd(HALVES) + b"g", FAILED),
    "garbage behind": (zstd(HALVES) + b"garbage", FAILED),
    "garbage": (b"garbage garbage", FAILED),
    "nothing": (b"", WRONG),
    "a cut magic": (zstd(HALVES)[:3], FAILED),
    "a cut frame": (zstd(HALVES)[:-3], FAILED),
    "one record": (zstd(ONE), WRONG),
    "three records": (zstd(THREE), WRONG),
    "a byte behind the records": (zstd(HALVES + b"x"), WRONG),
    "a cut record": (zstd(HALVES[:-1]), WRONG),
}

_SNAPPY: Mapping[str, tuple[bytes, str]] = {
    "the framed format": (bytes(cramjam.snappy.compress(HALVES)), FAILED),
    "a bare block": (RAW, TAKEN),
    "a bare block and garbage": (RAW + b"xx", FAILED),
    "an empty bare block": (b"\0", WRONG),
    "the Java library's blocks": (XERIAL, TAKEN),
    "a cut header of the Java library": (XERIAL_HEADER[:12], FAILED),
    "no block": (XERIAL_HEADER, WRONG),
    "a cut block": (XERIAL[:-3], FAILED),
    "a cut length behind": (XERIAL + b"\0\0", TAKEN),
    "garbage behind": (XERIAL + b"garbage", FAILED),
    "garbage": (b"garbage garbage garbage", FAILED),
    "nothing": (b"", FAILED),
    "three records": (compress(Compression.SNAPPY, THREE), WRONG),
}

_GZIP: Mapping[str, tuple[bytes, str]] = {
    "two members": (gzip.compress(ONE) + gzip.compress(TWO), TAKEN),
    "a member of nothing in front": (gzip.compress(b"") + WHOLE_GZIP, TAKEN),
    "a magic and garbage behind": (WHOLE_GZIP + b"\x1f\x8bgarbage", TAKEN),
    "a cut member behind": (WHOLE_GZIP + gzip.compress(TWO)[:15], TAKEN),
    "a broken member behind": (WHOLE_GZIP + gzip.compress(TWO)[:10] + b"\xff" * 20, FAILED),
    "a wrong checksum": (WHOLE_GZIP[:-8] + b"abcd" + WHOLE_GZIP[-4:], FAILED),
    "a wrong size": (WHOLE_GZIP[:-4] + b"abcd", FAILED),
    "a cut trailer": (WHOLE_GZIP[:-3], FAILED),
    "a cut member": (WHOLE_GZIP[:-12], FAILED),
    "garbage": (b"garbage garbage", FAILED),
    "nothing": (b"", FAILED),
    "three records": (gzip.compress(THREE), WRONG),
}

_PLAIN: Mapping[str, tuple[bytes, str]] = {"three records": (THREE, WRONG), "one record": (ONE, WRONG)}

_BY_CODEC = {
    Compression.LZ4: _LZ4,
    Compression.ZSTD: _ZSTD,
    Compression.SNAPPY: _SNAPPY,
    Compression.GZIP: _GZIP,
    Compression.NONE: _PLAIN,
}

#: The batches, each by its codec and what is odd about it.
FRAMES: Mapping[str, bytes] = {
    f"{codec.name.lower()}: {name}": compressed(codec, payload)
    for codec, cases in _BY_CODEC.items()
    for name, (payload, _) in cases.items()
}

#: What Kafka answers to each of ``FRAMES``.
ANSWERS: Mapping[str, str] = {
    f"{codec.name.lower()}: {name}": answer for codec, cases in _BY_CODEC.items() for name, (_, answer) in cases.items()
}
