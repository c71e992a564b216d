"""Large columns, and what is decompressed, lie in memory that is used again (accelerator/memory.h)."""

from __future__ import annotations

import gc
import tracemalloc
from array import array
from collections.abc import Iterator

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import (
    Columns,
    Compression,
    NewRecord,
    RecordLimits,
    decode_partition,
    encode_batch,
    let_go_of_memory,
)

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the decoder was not compiled")

MIB = 1024 * 1024
PARTITION = TopicPartition("orders", 0)


@pytest.fixture
def traced() -> Iterator[None]:
    let_go_of_memory()
    gc.collect()
    tracemalloc.start()
    yield
    tracemalloc.stop()


def held() -> int:
    return tracemalloc.get_traced_memory()[0]


def batch_of(letter: bytes, compression: Compression = Compression.NONE) -> bytes:
    return encode_batch([NewRecord(letter * 1000)] * 1000, compression=compression)


def decode(data: bytes) -> Columns:
    return decode_partition(data, PARTITION, 0, RecordLimits())


@pytest.mark.parametrize("compression", [Compression.NONE, Compression.LZ4], ids=lambda codec: codec.name.lower())
def test_columns_that_are_held_keep_their_records_and_so_does_a_view_of_one(compression: Compression) -> None:
    batches = {letter: batch_of(letter, compression) for letter in (b"a", b"b", b"c")}
    first, view = decode(batches[b"a"]), memoryview(decode(batches[b"a"]).values.data)
    for _ in range(5):
        decode(batches[b"b"])  # let go at once
        last = decode(batches[b"c"])
    assert set(first.values) == {b"a" * 1000}
    assert set(last.values) == {b"c" * 1000}
    assert bytes(view) == b"a" * 1_000_000


def test_columns_are_not_to_be_written_to() -> None:
    columns = decode(batch_of(b"a"))
    for column in (columns.values.data, columns.values.bounds, columns.offsets):
        assert memoryview(column).readonly


@pytest.mark.usefixtures("traced")
def test_columns_take_the_memory_of_those_let_go() -> None:
    data = batch_of(b"a")
    decode(data)
    before = held()
    for _ in range(20):
        decode(data)
    assert held() - before < 100_000


@pytest.mark.usefixtures("traced")
def test_memory_is_kept_for_columns_to_come_but_not_all_and_not_for_ever() -> None:
    rooms = [accelerator.new_buffer(MIB) for _ in range(64)]
    assert held() > 64 * MIB
    del rooms
    assert 16 * MIB < held() <= 33 * MIB
    let_go_of_memory()
    assert held() < MIB
    accelerator.new_buffer(40 * MIB)
    assert held() < MIB, "it would fill all there is to keep"


@pytest.mark.usefixtures("traced")
def test_many_small_pieces_do_not_keep_others_out() -> None:
    rooms = [accelerator.new_buffer(MIB // 8) for _ in range(1000)]
    del rooms
    room = accelerator.new_buffer(8 * MIB)
    taken = held()
    del room
    accelerator.new_buffer(8 * MIB)
    assert held() <= taken


@pytest.mark.usefixtures("traced")
def test_a_column_that_takes_little_of_the_room_there_was_for_it_holds_little() -> None:
    keyed = encode_batch([NewRecord(b"v" * 1000, b"key-%05d" % number) for number in range(10_000)])
    columns = decode(keyed)  # room for ten million bytes of keys
    let_go_of_memory()
    assert len(columns.keys.data) == 90_000
    assert held() < 1.5 * columns.nbytes + len(array("b", keyed))
