"""Compressed data that lies about itself: memory as far as it is allowed, and one error for whatever is wrong."""

from __future__ import annotations

import struct
import sys
import tracemalloc
from collections.abc import Callable

import cramjam
import pytest

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.wire.records import Compression, compression
from kafka_nextgen.wire.records.compression import XERIAL_HEADER, compress, decompress

MIB = 1 << 20
LIMIT = 2 * MIB
GZIP, SNAPPY, LZ4, ZSTD = Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD
CODECS = [GZIP, SNAPPY, LZ4, ZSTD]
TEXT = b"orders and audits " * 100
ZSTD_MAGIC = struct.pack("<I", 0xFD2FB528)
#: A frame of independent blocks of up to 4 MiB without checksums; each holds one byte, as it is.
LZ4_BLOCKS_OF_4_MIB = b"\x04\x22\x4d\x18\x60\x70\x73" + b"\x01\0\0\x80a" * 20 + bytes(4)


def zstd_run(size: int) -> bytes:
    """The last block of a frame: one zero, this many times."""
    return struct.pack("<I", 1 | 1 << 1 | size << 3)[:3] + b"\0"


def zstd_of_size(told: int, size: int) -> bytes:
    """A frame in one segment that tells its content size in eight bytes."""
    return ZSTD_MAGIC + b"\xe0" + struct.pack("<Q", told) + zstd_run(size)


def zstd_with_window(exponent: int, size: int) -> bytes:
    """A frame that wants 2 ** (10 + exponent) bytes of what came before to be kept."""
    return ZSTD_MAGIC + bytes([0, exponent << 3]) + zstd_run(size)


def xerial(*blocks: bytes) -> bytes:
    return XERIAL_HEADER + b"".join(struct.pack(">I", len(block)) + block for block in blocks)


def snappy_block(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data))


def told(codec: Compression, data: bytes, limit_bytes: int = LIMIT) -> bytes:
    return decompress(codec, memoryview(data), limit_bytes)


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_a_bomb_takes_no_more_than_is_allowed_and_what_takes_exactly_that_is_read(codec: Compression) -> None:
    bomb = compress(codec, bytes(64 * MIB))

    def explode() -> None:
        with pytest.raises(CorruptRecordError, match="takes more than"):
            told(codec, bomb)

    assert peak_of(explode) < 2 * LIMIT
    assert told(codec, compress(codec, bytes(LIMIT))) == bytes(LIMIT)


def peak_of(use: Callable[[], object]) -> int:
    """The most bytes that are taken meanwhile."""
    tracemalloc.start()
    try:
        use()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_several_streams_follow_each_other_and_count_together(codec: Compression) -> None:
    assert told(codec, compress(codec, b"a") + compress(codec, b"b")) == b"ab"
    with pytest.raises(CorruptRecordError, match="takes more than"):
        told(codec, compress(codec, bytes(MIB)) * 3)


@pytest.mark.parametrize("size", [3, 2, 1, 0])
def test_lz4_frames_are_read_one_by_one_where_the_library_does_not_read_several(size: int) -> None:
    frames = memoryview(b"".join(compress(LZ4, text) for text in (b"a", b"", b"bc")))
    buffer = memoryview(bytearray(size))
    if size < 3:
        with pytest.raises(cramjam.DecompressionError):
            compression._decompress_lz4_frames_into(frames, buffer)
    else:
        assert compression._decompress_lz4_frames_into(frames, buffer) == 3
        assert bytes(buffer) == b"abc"


def test_a_lz4_frame_of_more_blocks_than_are_counted_is_read_whole() -> None:
    buffer = memoryview(bytearray(2_000))
    frame = memoryview(LZ4_BLOCKS_OF_4_MIB[:7] + b"\x01\0\0\x80a" * 2_000 + bytes(4))
    assert compression._decompress_lz4_frames_into(frame, buffer) == 2_000
    assert told(LZ4, bytes(frame)) == bytes(buffer) == b"a" * 2_000


def test_blocks_of_lz4_may_refer_to_each_other() -> None:
    linked = cramjam.lz4.Compressor(block_linked=True)
    linked.compress(TEXT * 100)
    assert told(LZ4, bytes(linked.finish())) == TEXT * 100


def test_blocks_of_snappy_are_not_looked_into_for_more_blocks() -> None:
    assert told(SNAPPY, xerial(snappy_block(b"a"), snappy_block(b""), snappy_block(b"b"))) == b"ab"
    inner = xerial(snappy_block(TEXT))
    assert told(SNAPPY, xerial(snappy_block(inner))) == inner
    with pytest.raises(CorruptRecordError):
        told(SNAPPY, xerial(inner))


@pytest.mark.parametrize(
    ("codec", "data", "complaint"),
    [
        pytest.param(ZSTD, zstd_of_size(1 << 40, 1000), "too much memory", id="zstd that tells of a terabyte"),
        pytest.param(ZSTD, zstd_of_size(10, 1000), "broken", id="zstd that tells of less than it has"),
        pytest.param(ZSTD, zstd_of_size(2000, 1000), "broken", id="zstd that tells of more than it has"),
        pytest.param(ZSTD, zstd_with_window(20, 1000), "too much memory", id="zstd with a window of a gigabyte"),
        pytest.param(ZSTD, ZSTD_MAGIC + b"\x01\x00\x07" + zstd_run(9), "broken", id="zstd with a dictionary"),
        pytest.param(SNAPPY, b"\xff\xff\xff\xff\x0f" + b"a", "takes more", id="snappy that tells of four gigabytes"),
        pytest.param(SNAPPY, b"\xff\xff\xff\xff\xff\x0f", "broken", id="snappy with a length of six bytes"),
        pytest.param(SNAPPY, b"\x80\x80\x40" + b"\x00a", "broken", id="snappy that tells of more than it has"),
        pytest.param(SNAPPY, xerial(b""), "broken", id="an empty block of snappy"),
        pytest.param(SNAPPY, XERIAL_HEADER + b"\xff\xff\xff\xff", "ends", id="a block longer than the batch"),
        pytest.param(SNAPPY, xerial(snappy_block(b"a")) + b"\0", "ends", id="half a length of a block"),
    ],
)
def test_lies_are_refused(codec: Compression, data: bytes, complaint: str) -> None:
    with pytest.raises(CorruptRecordError, match=complaint):
        told(codec, data)


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_what_is_cut_is_refused(codec: Compression) -> None:
    sound = compress(codec, TEXT)
    assert told(codec, sound) == TEXT
    for data in (b"", sound[: len(sound) // 2], sound[:-1]):
        with pytest.raises(CorruptRecordError):
            told(codec, data)


@pytest.mark.parametrize("behind", [b"orders", bytes(8), b"\x1f"])
def test_what_follows_is_refused_or_passed_over_where_kafka_does_not_look_at_it(behind: bytes) -> None:
    for codec in (SNAPPY, ZSTD):
        with pytest.raises(CorruptRecordError):
            told(codec, compress(codec, TEXT) + behind)
    for codec in (GZIP, LZ4):
        assert told(codec, compress(codec, TEXT) + behind) == TEXT


def test_many_small_members_of_gzip_are_read_in_little_memory() -> None:
    members = compress(GZIP, b"a") * 20_000
    assert peak_of(lambda: told(GZIP, members)) < 4 * MIB
    assert told(GZIP, compress(GZIP, b"a") * 100) == b"a" * 100


MANY = 10_000
EMPTY_GZIP, EMPTY_LZ4, EMPTY_ZSTD = (compress(codec, b"") for codec in (GZIP, LZ4, ZSTD))

MANY_PIECES = {
    "snappy of empty blocks": (SNAPPY, xerial(*[snappy_block(b"")] * MANY)),
    "snappy of blocks of a byte": (SNAPPY, xerial(*[snappy_block(b"a")] * MANY)),
    "snappy of many streams": (SNAPPY, XERIAL_HEADER * MANY),
    "gzip of empty members": (GZIP, EMPTY_GZIP * MANY),
    "gzip of members of a byte": (GZIP, compress(GZIP, b"a") * MANY),
    "lz4 of empty frames": (LZ4, EMPTY_LZ4 * MANY),
    "zstd of empty frames": (ZSTD, EMPTY_ZSTD * MANY),
}


@pytest.mark.parametrize(("codec", "data"), MANY_PIECES.values(), ids=MANY_PIECES)
def test_many_small_pieces_take_less_than_a_call_for_each_byte_and_memory_in_proportion(
    codec: Compression, data: bytes
) -> None:
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        told(codec, data)
    finally:
        sys.setprofile(None)
    assert calls < len(data)
    assert peak_of(lambda: told(codec, data)) < 12 * len(data)


@pytest.mark.parametrize(
    ("codec", "data", "decompressed"),
    [
        pytest.param(LZ4, compress(LZ4, b"a") + b"behind", b"a", id="lz4 with something behind"),
        pytest.param(LZ4, LZ4_BLOCKS_OF_4_MIB, b"a" * 20, id="lz4 of large blocks that are hardly filled"),
        pytest.param(GZIP, compress(GZIP, b"a") + b"\0\0\0\3", b"a", id="gzip that ends with a false size"),
    ],
)
def test_a_short_batch_gets_no_large_buffer(
    codec: Compression, data: bytes, decompressed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def new_buffer(size: int) -> memoryview:
        sizes.append(size)
        return memoryview(bytearray(size))

    monkeypatch.setattr(compression, "_new_buffer", new_buffer)
    assert told(codec, data, 64 * MIB) == decompressed
    assert sum(sizes) < MIB


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_other_codecs_are_refused(codec: int) -> None:
    with pytest.raises(CorruptRecordError, match=f"codec {codec} is unknown"):
        decompress(codec, memoryview(TEXT), LIMIT)
