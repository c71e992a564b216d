"""Records in the columns of the caller's Arrow schema: chosen by name, of its types, copied only where they must be."""

from __future__ import annotations

import pyarrow as pa
import pytest

from kafka_nextgen import ArrowSchemaError, RecordBatch, Records, TimestampType, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice, NewRecord, RecordLimits, decode_partition, encode_batch
from tests.engine.column_slices import HEADERS, PLAIN, SLICES, A

PAIR = pa.struct([("key", pa.string()), ("value", pa.binary())])
#: What Spark's built-in source has, with headers.
SPARK = pa.schema(
    [
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("us", "UTC")),
        ("timestampType", pa.int32()),
        ("headers", pa.list_(pa.field("element", PAIR))),
    ]
)


def only(name: str, kind: pa.DataType, nullable: bool = True) -> pa.Schema:
    return pa.schema([pa.field(name, kind, nullable)])


def sliced(records: list[NewRecord], start: int = 0) -> ColumnSlice:
    columns = decode_partition(encode_batch(records, leader_epoch=3), A, 0, RecordLimits())
    return ColumnSlice(columns, start, len(columns))


def test_the_columns_of_spark() -> None:
    table = Records(SLICES).to_arrow(SPARK)
    table.validate(full=True)
    assert table.schema == SPARK
    times = table.column("timestamp").cast(pa.int64()).to_pylist()
    rows = table.drop_columns("timestamp").to_pylist()
    for record, row, time in zip(Records(SLICES), rows, times, strict=True):
        headers = [{"key": key, "value": value} for key, value in record.headers]
        assert time == 1000 * record.timestamp
        assert row == {
            "key": record.key,
            "value": record.value,
            "topic": record.topic,
            "partition": record.partition,
            "offset": record.offset,
            "timestampType": record.timestamp_type,
            "headers": headers or None,
        }


def test_columns_are_chosen_and_ordered_by_name() -> None:
    schema = pa.schema([("value", pa.binary()), ("leader_epoch", pa.int32()), ("offset", pa.int64())])
    batch = RecordBatch(SLICES[0]).to_arrow(schema)
    assert batch.to_pydict() == {"value": [b"v0", None], "leader_epoch": [3, 3], "offset": [5, 6]}


def test_no_records_have_the_columns_as_well() -> None:
    table = Records().to_arrow(SPARK)
    assert (table.schema, table.num_rows) == (SPARK, 0)
    with pytest.raises(ArrowSchemaError):
        Records().to_arrow(only("offset", pa.int32()))


@pytest.mark.parametrize("name", ["timestamp_type", "timestampType"])
@pytest.mark.parametrize("kind", [pa.int8(), pa.int32()])
def test_each_record_has_the_timestamp_type_of_its_batch(name: str, kind: pa.DataType) -> None:
    later = encode_batch(HEADERS, base_offset=2, timestamp_type=TimestampType.LOG_APPEND_TIME)
    columns = decode_partition(encode_batch(HEADERS) + later, A, 0, RecordLimits())
    batch = RecordBatch(ColumnSlice(columns, 1, 3))
    assert batch.to_arrow(only(name, kind)).column(0).to_pylist() == [0, 1] == list(batch.timestamp_types)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", None])
@pytest.mark.parametrize(("unit", "factor"), [("ms", 1), ("us", 1000)])
def test_timestamps_have_the_unit_and_the_zone_that_is_asked_for(zone: str | None, unit: str, factor: int) -> None:
    kind = pa.timestamp(unit, zone)
    column = RecordBatch(SLICES[2]).to_arrow(only("timestamp", kind)).column(0)
    assert column.type == kind
    assert column.cast(pa.int64()).to_pylist() == [factor * time for time in RecordBatch(SLICES[2]).timestamps]


def test_a_timestamp_that_has_no_microseconds_is_an_error_and_no_other_time() -> None:
    batch = RecordBatch(sliced([NewRecord(b"v", timestamp=2**62)]))
    with pytest.raises(ArrowSchemaError, match=r"orders\[2\]: a timestamp exceeds 64 bits in microseconds"):
        batch.to_arrow(only("timestamp", pa.timestamp("us", "UTC")))
    assert batch.to_arrow(only("timestamp", pa.timestamp("ms", "UTC"))).num_rows == 1


@pytest.mark.parametrize("child", ["element", "item"])
@pytest.mark.parametrize("nullable", [True, False])
def test_no_headers_are_null_where_that_may_be(child: str, nullable: bool) -> None:
    nothing = None if nullable else []
    schema = only("headers", pa.list_(pa.field(child, PAIR)), nullable)
    mixed = [*HEADERS, NewRecord(b"x"), NewRecord(b"y", headers=[("b", b"2")])]
    some = [nothing, [{"key": "a", "value": b"1"}, {"key": "ü", "value": None}], nothing, [{"key": "b", "value": b"2"}]]
    for start in range(4):
        batch = RecordBatch(sliced(mixed, start)).to_arrow(schema)
        batch.validate(full=True)
        assert batch.schema == schema
        assert batch.column(0).type.value_field.name == child, "types are equal without it, and Spark looks at it"
        assert batch.column(0).to_pylist() == some[start:]
    assert RecordBatch(SLICES[3]).to_arrow(schema).column(0).to_pylist() == [nothing] * 20


@pytest.mark.parametrize("count", [1, 4095, 4096, 4097])
def test_lists_without_headers_have_as_many_bounds_as_they_need(count: int) -> None:
    """One more than there are records; the zeros for them are shared, and have few sizes."""
    part = sliced([NewRecord(b"v")] * count)
    for schema in (None, only("headers", SPARK.field("headers").type)):
        batch = RecordBatch(part).to_arrow(schema)
        batch.validate(full=True)
        assert batch.num_rows == count


def test_what_lies_there_in_that_type_is_not_copied() -> None:
    part = SLICES[2]
    batch = RecordBatch(part).to_arrow(SPARK)
    assert batch.column("offset").buffers()[1].address == pa.py_buffer(part.columns.offsets).address
    assert batch.column("value").buffers()[2].address == pa.py_buffer(part.columns.values.data).address


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("topic", pa.large_string(), "column 'topic' can't be large_string; it can be string, or a dictionary"),
        ("partition", pa.int64(), "it can be int32"),
        ("offset", pa.int32(), "it can be int64"),
        ("timestamp", pa.timestamp("ns", "UTC"), r"it can be timestamp\[ms\] or timestamp\[us\]"),
        ("timestamp", pa.int64(), r"it can be timestamp\[ms\]"),
        ("timestampType", pa.int64(), "it can be int32 or int8"),
        ("leader_epoch", pa.string(), "it can be int32"),
        ("key", pa.string(), "it can be binary"),
        ("value", pa.large_binary(), "it can be binary"),
        ("headers", pa.map_(pa.string(), pa.binary()), "a list of structs of key"),
        ("headers", pa.list_(pa.string()), "a list of structs of key"),
        ("headers", pa.list_(pa.struct([("key", pa.binary()), ("value", pa.binary())])), "a list of structs of key"),
        ("ofset", pa.int64(), "records have no column 'ofset'; they have topic, partition, offset"),
    ],
)
def test_what_records_do_not_have_is_named_with_what_they_have(name: str, kind: pa.DataType, words: str) -> None:
    with pytest.raises(ArrowSchemaError, match=words) as caught:
        Records(SLICES).to_arrow(only(name, kind))
    assert caught.value.column == name


def test_no_columns_and_no_schema_are_refused() -> None:
    with pytest.raises(ArrowSchemaError, match="the number of records"):
        Records(SLICES).to_arrow(pa.schema([]))
    with pytest.raises(TypeError, match=r"the schema must be a pyarrow\.Schema, not \['offset'\]"):
        Records(SLICES).to_arrow(["offset"])


def test_columns_that_were_cut_at_the_end_of_a_range_are_whole_in_arrow() -> None:
    columns = sliced([*HEADERS, *PLAIN]).columns.before(2)
    table = Records([ColumnSlice(columns, 0, len(columns))]).to_arrow(SPARK)
    table.validate(full=True)
    assert table.column("value").to_pylist() == [b"v0", None]
    assert TopicPartition(table.column("topic")[0].as_py(), 2) == A
