"""What compressed data says of its own size: a guess near enough, or none."""

from __future__ import annotations

import cramjam
import lz4.frame
import pytest

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.wire.records.compression import Compression, compress, decompress
from kafka_nextgen.wire.records.stated_size import (
    CompressedFrame,
    gzip_size,
    lz4_frame,
    lz4_size,
    zstd_frame,
    zstd_size,
)

SIZES = [0, 1, 255, 256, 300, 65_535, 65_536, 65_537, 70_000, 200_000]
LIMIT_BYTES = 1_000_000


def test_gzip_ends_with_it_and_zstd_begins_with_it() -> None:
    for size in SIZES:
        assert gzip_size(memoryview(compress(Compression.GZIP, b"a" * size))) == size
        assert zstd_size(memoryview(compress(Compression.ZSTD, b"a" * size))) == size


def test_a_stream_of_zstd_does_not_know_it() -> None:
    compressor = cramjam.zstd.Compressor()
    compressor.compress(b"a" * 70_000)
    data = bytes(compressor.finish())
    assert zstd_size(memoryview(data)) is None
    assert decompress(Compression.ZSTD, memoryview(data), LIMIT_BYTES) == b"a" * 70_000


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("block_size", [lz4.frame.BLOCKSIZE_MAX64KB, lz4.frame.BLOCKSIZE_MAX256KB])
@pytest.mark.parametrize("with_checksums", [False, True])
def test_lz4_becomes_no_more_than_its_blocks(size: int, block_size: int, with_checksums: bool) -> None:
    data = lz4.frame.compress(
        b"a" * size,
        block_size=block_size,
        block_checksum=with_checksums,
        store_size=with_checksums,
    )
    most = lz4_size(memoryview(data))
    assert most is not None
    block_bytes = 256 * 1024 if block_size == lz4.frame.BLOCKSIZE_MAX256KB else 64 * 1024
    assert size <= most < size + block_bytes
    assert lz4_frame(memoryview(data + b"more")) == CompressedFrame(len(data), most)


@pytest.mark.parametrize("size", [*SIZES, 131_072, 131_073, 300_000])
@pytest.mark.parametrize("is_stream", [False, True])
def test_zstd_becomes_no_more_than_its_blocks(size: int, is_stream: bool) -> None:
    compressor = cramjam.zstd.Compressor()
    compressor.compress(b"a" * size)
    data = bytes(compressor.finish()) if is_stream else compress(Compression.ZSTD, b"a" * size)
    frame = zstd_frame(memoryview(data + b"more"))
    assert frame is not None
    assert frame.end == len(data)
    assert size <= frame.most_bytes < size + 2 * 131_072


def test_lz4_without_an_end_is_counted_as_far_as_it_is_worth() -> None:
    endless = b"\x04\x22\x4d\x18\x60\x40\x82" + b"\x01\x00\x00\x80a" * 5_000
    assert lz4_size(memoryview(endless)) == 1024 * 64 * 1024


@pytest.mark.parametrize("data", [b"", b"\x04\x22\x4d", b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd\xa0\x01", b"noise" * 3])
def test_what_is_cut_or_of_another_format_says_nothing(data: bytes) -> None:
    view = memoryview(data)
    assert (gzip_size(view), zstd_size(view), lz4_size(view)) == (None, None, None)
    assert (zstd_frame(view), lz4_frame(view)) == (None, None)


@pytest.mark.parametrize("stated", [0, 1, 2**32 - 1])
def test_a_false_statement_is_not_believed(stated: int) -> None:
    data = bytearray(compress(Compression.GZIP, b"a" * 200_000))
    data[-4:] = stated.to_bytes(4, "little")
    with pytest.raises(CorruptRecordError, match="broken"):
        decompress(Compression.GZIP, memoryview(data), LIMIT_BYTES)
