"""Records in a table with the fields of their values as columns, by each of the three ways with bad ones."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from kafka_nextgen import DeserializationError, Records, TopicPartition
from kafka_nextgen.errors import BadValueError
from kafka_nextgen.values import Avro
from kafka_nextgen.wire.records import ColumnSlice, NewRecord, RecordLimits, decode_partition, encode_batch
from tests.values.decoding import encoded

SCHEMA = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "id", "type": "long"}, {"name": "tags", "type": {"type": "array", "items": "string"}}],
}
A, B = TopicPartition("orders", 0), TopicPartition("orders", 1)
TIME = dt.datetime(1970, 1, 1, 0, 0, 0, 10_000, dt.timezone.utc)


def slice_of(
    values: list[bytes | None], tp: TopicPartition, start: int = 0, key: bytes | None = b"\x02"
) -> ColumnSlice:
    batch = encode_batch([NewRecord(value, key=key, timestamp=10) for value in values], base_offset=100)
    columns = decode_partition(batch, tp, 0, RecordLimits())
    return ColumnSlice(columns, start, len(columns))


def order(number: int) -> bytes:
    return encoded(SCHEMA, {"id": number, "tags": [f"t{number}"]})


RECORDS = Records([slice_of([b"", order(1), None, order(2)], A, start=1), slice_of([order(3), b"\x08", order(5)], B)])
GOOD = Records([slice_of([order(1), None], A)])


def test_the_fields_of_values_are_columns_beside_partition_offset_and_timestamp() -> None:
    table = GOOD.to_arrow(value=Avro(SCHEMA))
    table.validate(full=True)
    assert table.to_pylist() == [
        {"partition": 0, "offset": 100, "timestamp": TIME, "id": 1, "tags": ["t1"]},
        {"partition": 0, "offset": 101, "timestamp": TIME, "id": None, "tags": None},
    ]
    assert GOOD.batches()[0].to_arrow(value=Avro(SCHEMA)).to_pylist() == table.to_pylist()


def test_without_records_there_are_the_columns() -> None:
    for on_error in ("raise", "skip", "null"):
        empty = Records().to_arrow(value=Avro(SCHEMA), key=Avro("int"), on_error=on_error)
        assert empty.schema == GOOD.to_arrow(value=Avro(SCHEMA), key=Avro("int"), on_error=on_error).schema


def test_a_bad_value_raises_and_names_the_record() -> None:
    with pytest.raises(
        DeserializationError, match=r"orders\[1\] at offset 101: bad value: the value ends too early"
    ) as error:
        RECORDS.to_arrow(value=Avro(SCHEMA))
    assert (error.value.partition, error.value.offset, error.value.field) == (B, 101, "value")
    assert error.value.record.value == b"\x08"
    assert isinstance(error.value.__cause__, BadValueError)
    assert isinstance(error.value.__cause__, ValueError)


def test_records_with_bad_values_are_left_out() -> None:
    table = RECORDS.to_arrow(value=Avro(SCHEMA), on_error="skip")
    rows = [(row["partition"], row["offset"], row["id"], row["tags"]) for row in table.to_pylist()]
    assert rows == [
        (0, 101, 1, ["t1"]),
        (0, 102, None, None),
        (0, 103, 2, ["t2"]),
        (1, 100, 3, ["t3"]),
        (1, 102, 5, ["t5"]),
    ]


def test_bad_values_are_null_beside_the_reason_and_their_bytes() -> None:
    table = RECORDS.to_arrow(value=Avro(SCHEMA), on_error="null")
    table.validate(full=True)
    rows = table.select(["offset", "id", "value_error", "value_raw"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (101, 1, None, None),
        (102, None, None, None),
        (103, 2, None, None),
        (100, 3, None, None),
        (101, None, "the value ends too early (at byte 1)", b"\x08"),
        (102, 5, None, None),
    ]


def test_keys_have_one_column_and_their_own_errors() -> None:
    key = {"type": "record", "name": "K", "fields": [{"name": "k", "type": "int"}]}
    records = Records([slice_of([order(1)], A), slice_of([order(2)], A, key=b""), slice_of([order(3)], A, key=None)])
    rows = (
        records.to_arrow(key=Avro(key), on_error="null").drop_columns(["partition", "offset", "timestamp"]).to_pylist()
    )
    assert rows == [
        {"key": {"k": 1}, "key_error": None, "key_raw": None},
        {"key": None, "key_error": "the value ends too early (at byte 0)", "key_raw": b""},
        {"key": None, "key_error": None, "key_raw": None},
    ]
    with pytest.raises(DeserializationError, match="bad key"):
        records.to_arrow(value=Avro(SCHEMA), key=Avro(key))
    assert records.to_arrow(value=Avro(SCHEMA), key=Avro(key), on_error="skip")["id"].to_pylist() == [1, 3]


def test_of_a_bad_key_and_a_bad_value_the_first_record_s_raises() -> None:
    batch = encode_batch([NewRecord(b"", key=b"\x02"), NewRecord(order(1), key=b"")], base_offset=100)
    columns = decode_partition(batch, A, 0, RecordLimits())
    with pytest.raises(DeserializationError, match="at offset 100: bad value"):
        Records([ColumnSlice(columns, 0, 2)]).to_arrow(value=Avro(SCHEMA), key=Avro("int"))


def test_a_column_of_records_gives_way_to_a_field_of_the_value() -> None:
    names = ("offset", "timestamp", "key", "value_error", "record_offset")
    schema = {"type": "record", "name": "R", "fields": [{"name": name, "type": "int"} for name in names]}
    records = Records([slice_of([b"\x02" * 5], A)])
    table = records.to_arrow(value=Avro(schema), key=Avro("int"), on_error="null")
    assert [name for name in table.column_names if name not in names] == [
        "partition",
        "record_record_offset",
        "record_timestamp",
        "record_key",
        "key_error",
        "key_raw",
        "record_value_error",
        "value_raw",
    ]
    assert len(set(table.column_names)) == len(table.column_names)


def test_a_value_that_is_no_record_is_one_column() -> None:
    table = Records([slice_of([b"\x02", b"\x04"], A)]).to_arrow(value=Avro("int"))
    assert table["value"].to_pylist() == [1, 2]


def test_all_types_can_be_left_out_of_a_table() -> None:
    """Taking rows is pyarrow's, which has to know each type."""
    kinds: list[Any] = [
        "null",
        "boolean",
        {"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"},
        {"type": "string", "logicalType": "uuid"},
        {"type": "map", "values": ["null", "int", "string"]},
        {"type": "enum", "name": "E", "symbols": ["A"]},
        {"type": "bytes", "logicalType": "decimal", "precision": 50},
    ]
    for kind in kinds:
        schema = {
            "type": "record",
            "name": "R",
            "fields": [{"name": "a", "type": ["null", kind] if kind != "null" else kind}],
        }
        nothing = b"" if kind == "null" else b"\0"
        table = Records([slice_of([nothing, b"\x7f", nothing], A)]).to_arrow(value=Avro(schema), on_error="skip")
        assert table["offset"].to_pylist() == [100, 102]


@pytest.mark.parametrize(
    ("arguments", "kind", "why"),
    [
        ({"value": Avro("int"), "on_error": "ignore"}, ValueError, "'raise', 'skip' or 'null'"),
    ],
)
def test_arguments_that_are_none_are_refused(arguments: Any, kind: type[Exception], why: str) -> None:
    with pytest.raises(kind, match=why):
        GOOD.to_arrow(**arguments)


def test_formats_can_be_made_without_pyarrow() -> None:
    use = "from kafka_nextgen.values import Avro; Avro('int').decoder('v', True)"
    program = f"import sys; sys.modules['pyarrow'] = None; {use}"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("call", ["to_arrow", "to_polars", "to_pandas"])
def test_data_frames_take_the_same_arguments_as_tables(call: str) -> None:
    def rows(records: Any, **arguments: Any) -> list[Any]:
        frame = getattr(records, call)(**arguments)
        found: list[Any] = {
            "to_arrow": lambda: frame.to_pylist(),
            "to_polars": lambda: frame.to_dicts(),
            "to_pandas": lambda: frame.astype(object).where(frame.notna(), None).to_dict("records"),
        }[call]()
        return found

    first, *_ = GOOD.batches()
    key = Avro("bytes")
    for records in (GOOD, first):
        for arguments in (
            {"value": Avro(SCHEMA)},
            {"schema": pa.schema({"offset": pa.int64()}), "value": Avro(SCHEMA)},
        ):
            found = rows(records, **arguments)
            assert [row["id"] for row in found] == records.to_arrow(value=Avro(SCHEMA))["id"].to_pylist()
            assert ("partition" in found[0]) == ("schema" not in arguments)
    with pytest.raises(DeserializationError, match="bad value"):
        rows(RECORDS, value=Avro(SCHEMA))
    assert len(rows(RECORDS, value=Avro(SCHEMA), on_error="skip")) < len(RECORDS)
    assert "key_error" in rows(RECORDS, key=key, on_error="null")[0]


@pytest.mark.parametrize("call", ["to_arrow", "to_polars", "to_pandas"])
@pytest.mark.parametrize("given", [Avro, "avro", {"type": "int"}])
def test_what_is_no_format_is_refused(call: str, given: Any) -> None:
    for records in (GOOD, GOOD.batches()[0]):
        for name in ("key", "value"):
            with pytest.raises(TypeError, match=rf"{name} takes a format .*Avro\(\.\.\.\), Json.* or Protobuf"):
                getattr(records, call)(**{name: given})
