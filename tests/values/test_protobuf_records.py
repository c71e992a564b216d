"""Protobuf values of records in a table, by each of the ways with bad ones; and memory that runs out anywhere."""

from __future__ import annotations

import pytest

from kafka_nextgen import DeserializationError, Records, TopicPartition
from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.values import Protobuf
from kafka_nextgen.values.columns import flattened
from kafka_nextgen.values.protobuf.compiling import compiled
from kafka_nextgen.values.protobuf.layout import layout_of
from kafka_nextgen.values.protobuf.shapes import shape_of
from kafka_nextgen.wire.records import ColumnSlice, NewRecord, RecordLimits, decode_partition, encode_batch
from tests.support.failing_memory import fails_at_each_allocation
from tests.values.decoding import buffers_of
from tests.values.protobuf_messages import F, made
from tests.values.protobuf_samples import GOOD, WIDE

A, B = TopicPartition("orders", 0), TopicPartition("orders", 1)
ORDER = made([F("id", 1, "int64"), F("tags", 2, "string", "repeated")])


def slice_of(
    values: list[bytes | None], tp: TopicPartition, start: int = 0, key: bytes | None = b"\x08\x02"
) -> ColumnSlice:
    batch = encode_batch([NewRecord(value, key=key, timestamp=10) for value in values], base_offset=100)
    columns = decode_partition(batch, tp, 0, RecordLimits())
    return ColumnSlice(columns, start, len(columns))


def order(number: int) -> bytes:
    data: bytes = ORDER(id=number, tags=[f"t{number}"]).SerializeToString()
    return data


RECORDS = Records(
    [slice_of([b"\x0f", order(1), None, order(2)], A, start=1), slice_of([order(3), b"\x08", order(5)], B)]
)


def test_a_bad_value_raises_and_names_the_record() -> None:
    with pytest.raises(DeserializationError, match=r"orders\[1\] at offset 101: bad value: ") as error:
        RECORDS.to_arrow(value=Protobuf(ORDER))
    assert error.value.record.value == b"\x08"


def test_records_with_bad_values_are_left_out() -> None:
    table = RECORDS.to_arrow(value=Protobuf(ORDER), on_error="skip")
    assert table.select(["offset", "id", "tags"]).to_pylist() == [
        {"offset": 101, "id": 1, "tags": ["t1"]},
        {"offset": 102, "id": None, "tags": None},
        {"offset": 103, "id": 2, "tags": ["t2"]},
        {"offset": 100, "id": 3, "tags": ["t3"]},
        {"offset": 102, "id": 5, "tags": ["t5"]},
    ]


def test_bad_values_are_null_beside_the_reason_and_their_bytes() -> None:
    table = RECORDS.to_arrow(value=Protobuf(ORDER), on_error="null")
    assert table["value_raw"].to_pylist() == [None, None, None, None, b"\x08", None]
    assert table["value_error"].null_count == 5


def test_a_key_has_one_column() -> None:
    records = Records([slice_of([order(1)], A, key=b"\x08\x07"), slice_of([order(1)], A, key=b"\x0f")])
    table = records.to_arrow(key=Protobuf(ORDER), on_error="null")
    assert table["key"].to_pylist() == [{"id": 7, "tags": []}, None]
    assert table["key_raw"].to_pylist() == [None, b"\x0f"]


def test_all_types_can_be_left_out_of_a_table() -> None:
    good = WIDE(**GOOD[1]).SerializeToString()
    table = Records([slice_of([good, b"\x0f", good], A)]).to_arrow(value=Protobuf(WIDE), on_error="skip")
    assert table["offset"].to_pylist() == [100, 102]


@pytest.mark.skipif(not ACCELERATED, reason="the extension is not there")
@pytest.mark.parametrize("is_for_good", [False, True])
def test_where_memory_runs_out_it_is_a_memory_error(is_for_good: bool) -> None:
    shape = shape_of(WIDE.DESCRIPTOR, True, "ns")
    root = layout_of(shape, "value", True)
    layout, program = flattened(root), compiled(shape, root, True, ())
    goods = [WIDE(**value).SerializeToString() for value in GOOD]
    merged = goods[1] + goods[1]
    values = buffers_of([*goods, goods[1][:9], None, b"", merged, *goods] * 4)
    merge = ([goods[1]] * len(values[1])).__getitem__  # no function of Python: without memory it has no frame

    def decode() -> None:
        builder = accelerator.ColumnBuilder(layout)
        accelerator.protobuf_decode(builder, program, values, 0, len(values[1]) - 1, merge)
        builder.__arrow_c_array__()

    fails_at_each_allocation(decode, 800, is_for_good)
