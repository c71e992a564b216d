"""Records in a table with the fields of their JSON values as columns, by each of the three ways with bad ones."""

from __future__ import annotations

import pyarrow as pa
import pytest

from kafka_nextgen import DeserializationError, Records
from kafka_nextgen.values import Json
from tests.values.slices import slice_of

ORDER = Json(pa.schema([pa.field("id", pa.int64(), nullable=False), ("tags", pa.list_(pa.large_string()))]))
KEY = Json({"type": "object", "properties": {"k": {"type": "integer"}}})


RECORDS = Records(
    [
        slice_of([b"", b'{"id":1}', None, b'{"tags":["x"],"id":2}'], 0, 1, b'{"k":1}'),
        slice_of([b'{"id":3}', b'{"id":"4"}', b'{"id":5,"tags":null}'], 1, 0, b"{}"),
    ]
)


def test_a_bad_value_raises_and_names_the_record() -> None:
    with pytest.raises(DeserializationError, match=r"orders\[1\] at offset 101: bad value: id is not a number"):
        RECORDS.to_arrow(value=ORDER)


def test_records_with_bad_values_are_left_out() -> None:
    table = RECORDS.to_arrow(value=ORDER, key=KEY, on_error="skip")
    table.validate(full=True)
    rows = [(row["partition"], row["offset"], row["key"]["k"], row["id"], row["tags"]) for row in table.to_pylist()]
    assert rows == [
        (0, 101, 1, 1, None),
        (0, 102, 1, None, None),
        (0, 103, 1, 2, ["x"]),
        (1, 100, None, 3, None),
        (1, 102, None, 5, None),
    ]


def test_bad_values_are_null_beside_the_reason_and_their_bytes() -> None:
    table = RECORDS.to_arrow(value=ORDER, on_error="null")
    rows = table.select(["offset", "id", "value_error", "value_raw"]).to_pylist()
    assert [tuple(row.values()) for row in rows if row["value_error"]] == [
        (101, None, "id is not a number", b'{"id":"4"}')
    ]
    assert table["id"].null_count == 2


def test_without_records_there_are_the_columns() -> None:
    assert (
        Records().to_arrow(value=ORDER, key=KEY).schema
        == RECORDS.to_arrow(value=ORDER, key=KEY, on_error="skip").schema
    )
