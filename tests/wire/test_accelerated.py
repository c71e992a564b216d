"""The compiled decoder against its twin in Python: the same columns, or the same error, for the same bytes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.types import TimestampType, TopicPartition
from kafka_nextgen.wire.records import Columns, Compression, NewRecord, RecordLimits, decode_partition, encode_batch
from kafka_nextgen.wire.records.accelerated import decode_sound
from kafka_nextgen.wire.records.decode import decode_in_python
from tests.support.examples import examples
from tests.support.odd_batches import ODD_BATCHES
from tests.wire.columns import RECORDS, compacted, content

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the decoder was not compiled")

ORDERS = TopicPartition("orders", 3)
LIMITS = RecordLimits()


def by(decode: Callable[..., Columns | CorruptRecordError], data: bytes | memoryview, *how: object) -> object:
    try:
        decoded = decode(data, ORDERS, *how)
    except CorruptRecordError as error:
        decoded = error
    return content(decoded) if isinstance(decoded, Columns) else str(decoded)


def assert_same(
    data: bytes, fetch_offset: int = 0, limits: RecordLimits = LIMITS, skipped: tuple[int, ...] = ()
) -> None:
    how = fetch_offset, limits, True, skipped
    assert by(decode_partition, data, *how) == by(decode_in_python, memoryview(data), *how)


def is_accelerated(data: bytes, fetch_offset: int = 0, skipped: tuple[int, ...] = ()) -> bool:
    """Whether the compiled decoder takes the data as sound, so that the twin is not asked."""
    limit_bytes = LIMITS.max_decompressed_bytes
    return decode_sound(memoryview(data), ORDERS, fetch_offset, limit_bytes, True, skipped) is not None


def test_both_agree_on_what_is_odd() -> None:
    for name, batch in ODD_BATCHES.items():
        for fetch_offset in (0, 1):
            try:
                assert_same(batch, fetch_offset)
            except AssertionError as error:
                raise AssertionError(f"{name} from {fetch_offset} on: {error}") from error


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
