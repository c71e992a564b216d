"""The compiled decoder against its twin in Python: the same columns, or the same error, for the same bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.types import TimestampType, TopicPartition
from kafka_nextgen.wire.records import (
    Columns,
    Compression,
    NewRecord,
    RecordLimits,
    decode_partition,
    encode_batch,
)
from kafka_nextgen.wire.records.accelerated import decode_sound
from kafka_nextgen.wire.records.batch_header import HEADER
from kafka_nextgen.wire.records.decode import decode_in_python
from kafka_nextgen.wire.records.encode import seal
from tests.support.examples import examples
from tests.support.odd_batches import ODD_BATCHES
from tests.wire.columns import RECORDS, compacted, content
from tests.wire.kafka_python_records import Row, read_by_peer, rows_of

needs_accelerator = pytest.mark.skipif(not ACCELERATED, reason="the decoder was not compiled")
pytestmark = needs_accelerator

ORDERS = TopicPartition("orders", 3)
LIMITS = RecordLimits()


def outcome(decoded: Columns | CorruptRecordError) -> object:
    return content(decoded) if isinstance(decoded, Columns) else str(decoded)


def by_twin(data: bytes, fetch_offset: int, limits: RecordLimits, check_crc: bool, skipped: tuple[int, ...]) -> object:
    try:
        return outcome(decode_in_python(memoryview(data), ORDERS, fetch_offset, limits, check_crc, skipped))
    except CorruptRecordError as error:
        return outcome(error)


def by_both(data: bytes, fetch_offset: int, limits: RecordLimits, check_crc: bool, skipped: tuple[int, ...]) -> object:
    try:
        return outcome(decode_partition(data, ORDERS, fetch_offset, limits, check_crc, skipped))
    except CorruptRecordError as error:
        return outcome(error)


def assert_same(
    data: bytes,
    fetch_offset: int = 0,
    limits: RecordLimits = LIMITS,
    check_crc: bool = True,
    skipped: tuple[int, ...] = (),
) -> None:
    assert by_both(data, fetch_offset, limits, check_crc, skipped) == by_twin(
        data, fetch_offset, limits, check_crc, skipped
    )


def is_accelerated(data: bytes, fetch_offset: int = 0, skipped: tuple[int, ...] = ()) -> bool:
    """Whether the compiled decoder takes the data as sound, so that the twin is not asked."""
    limit_bytes = LIMITS.max_decompressed_bytes
    return decode_sound(memoryview(data), ORDERS, fetch_offset, limit_bytes, True, skipped) is not None


@pytest.mark.parametrize("name", ODD_BATCHES)
@pytest.mark.parametrize("fetch_offset", [0, 1])
def test_both_agree_on_what_is_odd(name: str, fetch_offset: int) -> None:
    assert_same(ODD_BATCHES[name], fetch_offset)


def test_padded_numbers_and_odd_lengths_need_no_twin() -> None:
    names = [name for name in ODD_BATCHES if ("padded" in name and "gzip" not in name) or "length of -2" in name]
    assert len(names) > 8
    assert all(is_accelerated(ODD_BATCHES[name]) for name in names)


@st.composite
def batches(draw: st.DrawFn) -> list[bytes]:
    """Batches of a log: compressed or not, compacted, of markers, with times of the producer's or the log's."""
    log: list[bytes] = []
    base_offset = draw(st.integers(0, 2**40))
    codecs = draw(st.sampled_from([tuple(Compression), (Compression.LZ4,), (Compression.ZSTD,)]))
    for _ in range(draw(st.integers(0, 4))):
        gap = draw(st.integers(1, 3))
        records = [compacted(record, i * gap) for i, record in enumerate(draw(RECORDS) * draw(st.integers(0, 3)))]
        span = max(len(records) * gap - 1, 0) + draw(st.integers(0, 2))
        kind = draw(st.sampled_from(TimestampType))
        log.append(
            encode_batch(
                records,
                draw(st.sampled_from(codecs)),
                base_offset=base_offset,
                leader_epoch=draw(st.integers(-1, 5)),
                last_offset_delta=span,
                timestamp_type=kind,
                control=draw(st.integers(0, 5)) == 0,
            )
        )
        base_offset += span + 1 + draw(st.integers(0, 2))
    return log


def base_offset_of(batch: bytes) -> int:
    return int.from_bytes(batch[:8], "big")


@st.composite
def answers(draw: st.DrawFn) -> tuple[bytes, int, tuple[int, ...]]:
    """What a Fetch may answer: bytes, the offset asked for, base offsets of batches that were aborted."""
    log = draw(batches())
    bases = [base_offset_of(batch) for batch in log]
    data = b"".join(log)
    cut = draw(st.integers(0, 100))
    start = draw(st.integers(0, 60)) + (bases[0] if bases else 0)
    skipped = tuple(base for base in bases if draw(st.integers(0, 4)) == 0)
    return data[: len(data) - cut] if cut < len(data) and draw(st.booleans()) else data, start, skipped


@settings(max_examples=examples(300))
@given(answers())
def test_sound_data_gives_the_columns_of_the_twin_and_never_needs_it(
    answer: tuple[bytes, int, tuple[int, ...]],
) -> None:
    data, fetch_offset, skipped = answer
    assert is_accelerated(data, fetch_offset, skipped)
    assert_same(data, fetch_offset, skipped=skipped)


@settings(max_examples=examples(300))
@given(answers(), st.data())
def test_damaged_data_gives_the_columns_or_the_error_of_the_twin(
    answer: tuple[bytes, int, tuple[int, ...]], draws: st.DataObject
) -> None:
    data, fetch_offset, skipped = answer
    bad = bytearray(data)
    for _ in range(draws.draw(st.integers(1, 3)) if bad else 0):
        place = draws.draw(st.integers(0, len(bad) - 1))
        bad[place] = draws.draw(st.integers(0, 255))
    assert_same(bytes(bad), fetch_offset, RecordLimits(200_000), check_crc=False, skipped=skipped)


@settings(max_examples=examples(300))
@given(RECORDS, st.data())
def test_damaged_records_in_a_batch_with_the_right_checksum_too(records: list[NewRecord], draws: st.DataObject) -> None:
    bad = bytearray(encode_batch(records))
    for _ in range(draws.draw(st.integers(1, 3))):
        bad[draws.draw(st.integers(HEADER.size - 8, len(bad) - 1))] = draws.draw(st.integers(0, 255))
    assert_same(seal(bad))


@settings(max_examples=examples(300))
@given(st.binary(max_size=80), st.integers(1, 4))
def test_noise_for_records_too(noise: bytes, count: int) -> None:
    batch = bytearray(encode_batch([NewRecord(b"")] * count)[: HEADER.size] + noise)
    batch[8:12] = (len(batch) - 12).to_bytes(4, "big")
    assert_same(seal(batch))


@given(RECORDS, st.sampled_from(Compression), st.integers(0, 3000))
def test_the_limit_ends_reading_where_the_twin_ends_it(
    records: list[NewRecord], codec: Compression, limit_bytes: int
) -> None:
    data = encode_batch(records, codec) + encode_batch(records, codec, base_offset=len(records))
    assert_same(data, limits=RecordLimits(limit_bytes))


@pytest.mark.parametrize("codec", [Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD])
def test_the_limit_is_kept_without_the_twin_if_a_batch_came_before_it(codec: Compression) -> None:
    batch = [NewRecord(b"v" * 100)] * 20
    data = memoryview(b"".join(encode_batch(batch, codec, base_offset=20 * i) for i in range(3)))
    columns = decode_sound(data, ORDERS, 0, 5_000, True, ())
    assert columns is not None
    assert (len(columns), columns.next_offset, columns.truncated) == (40, 40, False)
    assert decode_sound(data, ORDERS, 40, 1_000, True, ()) is None


@given(RECORDS, st.sampled_from([Compression.NONE, Compression.GZIP]))
def test_the_peer_reads_the_same_records(records: list[NewRecord], codec: Compression) -> None:
    data = encode_batch(records, codec, base_offset=7)
    columns = decode_sound(memoryview(data), ORDERS, 0, LIMITS.max_decompressed_bytes, True, ())
    assert columns is not None
    rows: list[Row] = rows_of(columns)
    assert rows == read_by_peer(data)
