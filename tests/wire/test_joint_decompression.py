"""Batches decompressed by one call: each becomes what it becomes alone, or they are left to be decompressed singly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from unittest.mock import patch

import cramjam
import lz4.frame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Compression, NewRecord, RecordLimits, accelerated, decode_partition, encode_batch
from kafka_nextgen.wire.records.compression import READS_LZ4_FRAMES_IN_A_ROW, compress
from kafka_nextgen.wire.records.joint_decompression import decompress_jointly

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the decoder was not compiled")

GZIP, SNAPPY, LZ4, ZSTD = Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD
JOINED = [LZ4, ZSTD] if READS_LZ4_FRAMES_IN_A_ROW else [ZSTD]
joins_lz4 = pytest.mark.skipif(not READS_LZ4_FRAMES_IN_A_ROW, reason="this cramjam reads one lz4 frame at a time")
LIMIT = 64 * 1024 * 1024
MARK = b"\xffbetween batches"  # what is put in between
TEXTS = [b"orders " * 100, b"", b"audits " * 30_000, bytes(range(256))]


def streamed(data: bytes) -> bytes:
    """As the Java client compresses by zstd: the frame does not say how much it becomes."""
    compressor = cramjam.zstd.Compressor()
    compressor.compress(data)
    return bytes(compressor.finish())


def with_everything(data: bytes) -> bytes:
    """An lz4 frame with all that may be in it, in blocks that need each other."""
    return lz4.frame.compress(
        data, block_linked=True, block_checksum=True, content_checksum=True, store_size=True, block_size=5
    )


def laid_out(codec: Compression, frames: Sequence[bytes]) -> tuple[bytes, list[tuple[int, int, int]]]:
    """Frames that have something in front and behind, as batches have headers; and where they are."""
    data, places = b"", []
    for frame in frames:
        data += b"header"
        places.append((int(codec), len(data), len(data) + len(frame)))
        data += frame
    return data + b"cut", places


def jointly(codec: Compression, frames: Sequence[bytes], limit_bytes: int = LIMIT) -> list[bytes] | None:
    data, places = laid_out(codec, frames)
    parts = decompress_jointly(memoryview(data), places, limit_bytes)
    return None if parts is None else [bytes(part) for part in parts]


@pytest.mark.parametrize(
    ("codec", "make"),
    [
        pytest.param(LZ4, lambda data: compress(LZ4, data), marks=joins_lz4),
        pytest.param(LZ4, with_everything, marks=joins_lz4),
        (ZSTD, lambda data: compress(ZSTD, data)),
        (ZSTD, streamed),
    ],
    ids=["lz4", "lz4 with everything", "zstd", "a stream of zstd"],
)
def test_each_becomes_what_it_becomes_alone(codec: Compression, make: Callable[[bytes], bytes]) -> None:
    assert jointly(codec, [make(text) for text in TEXTS]) == TEXTS


#: Without the mark, but with parts of it.
UNMARKED = st.binary(max_size=40).filter(lambda text: MARK not in text)


@given(
    st.sampled_from(JOINED),
    st.lists(UNMARKED | st.sampled_from([MARK[:7], MARK[7:], b"\xff" * 20, b"a" * 70_000]), min_size=2),
)
def test_whatever_is_in_front_of_a_mark_or_behind_it(codec: Compression, texts: list[bytes]) -> None:
    assert jointly(codec, [compress(codec, text) for text in texts]) == texts


@pytest.mark.parametrize("codec", JOINED)
@pytest.mark.parametrize("texts", [[MARK, b""], [b"a" + MARK + b"a", b"b"], [b"a", MARK * 100]])
def test_records_that_have_the_mark_are_left(codec: Compression, texts: list[bytes]) -> None:
    assert jointly(codec, [compress(codec, text) for text in texts]) is None


@pytest.mark.parametrize("codec", [Compression.NONE, GZIP, SNAPPY, 7])
def test_codecs_whose_frames_say_nothing_of_their_end_are_left(codec: Compression) -> None:
    frames = [compress(codec, b"a") if codec in list(Compression) else b"a"] * 2
    assert jointly(codec, frames) is None


def test_one_batch_or_several_codecs_are_left() -> None:
    first, second = compress(LZ4, b"a"), compress(ZSTD, b"a")
    assert jointly(LZ4, [first]) is None
    assert jointly(LZ4, []) is None
    places = [(int(LZ4), 0, len(first)), (int(ZSTD), len(first), len(first) + len(second))]
    assert decompress_jointly(memoryview(first + second), places, LIMIT) is None


@pytest.mark.parametrize(("codec", "most_bytes"), [pytest.param(LZ4, 65_536, marks=joins_lz4), (ZSTD, 131_072)])
def test_what_may_take_more_than_is_allowed_is_left(codec: Compression, most_bytes: int) -> None:
    frames = [compress(codec, b"orders")] * 3
    assert jointly(codec, frames, limit_bytes=3 * most_bytes) == [b"orders"] * 3
    assert jointly(codec, frames, limit_bytes=3 * most_bytes - 1) is None


@joins_lz4
def test_what_was_decompressed_counts_as_what_it_is() -> None:
    frames = [compress(LZ4, b"orders")] * 100  # of 64 KiB at most, each
    assert jointly(LZ4, frames, limit_bytes=2_200_000) == [b"orders"] * 100
    frames = [compress(LZ4, bytes(1_300_000))] * 3
    assert jointly(LZ4, frames, limit_bytes=3_950_000) == [bytes(1_300_000)] * 3
    assert jointly(LZ4, frames, limit_bytes=3_900_000) is None, "the last could be longer than it is"


@joins_lz4
def test_small_batches_do_not_keep_the_room_they_might_have_taken() -> None:
    data, places = laid_out(LZ4, [compress(LZ4, b"orders")] * 16)
    parts = decompress_jointly(memoryview(data), places, LIMIT)
    assert parts is not None
    assert {memoryview(part.obj).nbytes for part in parts} == {16 * len(b"orders") + 15 * len(MARK)}


def lz4_block(data: bytes) -> bytes:
    return (len(data) | 1 << 31).to_bytes(4, "little") + data


LZ4_HEAD = compress(LZ4, b"a")[:7]
SWALLOWS = LZ4_HEAD + (100 | 1 << 31).to_bytes(4, "little") + b"begins here, "
ZSTD_HEAD = b"\x28\xb5\x2f\xfd\x00\x48"  # a window of 512 KiB


@pytest.mark.parametrize(
    ("codec", "frame"),
    [
        (LZ4, compress(LZ4, b"a")[:-1]),
        (LZ4, compress(LZ4, b"a")[:-4]),
        (LZ4, compress(LZ4, b"a") * 2),
        (LZ4, compress(LZ4, b"a") + b"\0"),
        (LZ4, SWALLOWS),
        (LZ4, LZ4_HEAD + lz4_block(b"a") * 1024 + bytes(4)),
        (LZ4, b""),
        (LZ4, b"noise, and no frame"),
        (LZ4, LZ4_HEAD + b"\x05\0\0\0noise" + bytes(4)),
        (ZSTD, compress(ZSTD, b"a" * 300)[:-1]),
        (ZSTD, compress(ZSTD, b"a") * 2),
        (ZSTD, ZSTD_HEAD + b"\x00\x00\x00"),
        (ZSTD, ZSTD_HEAD + b"\x07\x00\x00"),
        (ZSTD, ZSTD_HEAD + b"\x00\x00\x00" * 1024 + b"\x01\x00\x00"),
        (ZSTD, ZSTD_HEAD + b"\x25\x00\x00noise"),
        (ZSTD, ZSTD_HEAD[:4]),
        (ZSTD, b"noise"),
    ],
)
@pytest.mark.parametrize("sound_first", [False, True])
def test_what_is_no_whole_frame_is_left(codec: Compression, frame: bytes, sound_first: bool) -> None:
    sound = compress(codec, b"sound")
    assert jointly(codec, [sound, frame] if sound_first else [frame, sound]) is None


@joins_lz4
@pytest.mark.parametrize(
    ("sizes", "together"),
    [
        ([40_000] * 3, [3]),
        ([128 * 1024] * 40, [16, 16, 8]),
        ([3_000_000, 1, 1], [1, 2]),
        ([1, 3_000_000, 1], [1, 1, 1]),
        ([1_900_000, 1_900_000], [1, 1]),
    ],
)
def test_some_lie_in_one_piece_of_memory_and_nothing_is_kept_of_the_data(sizes: list[int], together: list[int]) -> None:
    laid, places = laid_out(LZ4, [compress(LZ4, b"a" * size) for size in sizes])
    data = bytearray(laid)
    parts = decompress_jointly(memoryview(data), places, LIMIT)
    assert parts is not None
    assert [len(part) for part in parts] == sizes
    assert [len(list(piece)) for _, piece in groupby(parts, key=lambda part: id(part.obj))] == together
    data.append(0)  # a BufferError as long as somebody holds it


@pytest.mark.parametrize("codec", JOINED)
def test_batches_of_one_codec_are_not_decompressed_one_by_one_unless_a_record_has_the_mark(codec: Compression) -> None:
    def read(values: Sequence[bytes]) -> list[bytes | None]:
        data = b"".join(encode_batch([NewRecord(value)], codec, base_offset=at) for at, value in enumerate(values))
        columns = decode_partition(data, TopicPartition("orders", 0), 0, RecordLimits())
        return columns.values.to_list(0, len(values))

    with patch.object(accelerated, "decompress_view", side_effect=AssertionError("one by one")):
        assert read([b"v0", b"v1", b"v2", b""]) == [b"v0", b"v1", b"v2", b""]
    assert read([b"a", MARK, MARK * 3, b""]) == [b"a", MARK, MARK * 3, b""]
