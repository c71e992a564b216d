"""Every row of the table of types in docs/guides/values.md, with fastavro as the judge."""

from __future__ import annotations

import datetime as dt
import io
import re
import struct
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from kafka_nextgen.values import Avro
from tests.values.decoding import column_of, decoded, encoded

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "values.md"
UTC = dt.timezone.utc
ID = uuid.UUID("12345678-9abc-def0-1234-56789abcdef0")
NOON = dt.datetime(2026, 11, 29, 12, 30, 15, 123456, UTC)


def logical(kind: Any, name: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **more}


ROWS: dict[str, tuple[Any, list[Any]]] = {
    "null": ("null", [None, None]),
    "boolean": ("boolean", [True, False, True]),
    "int": ("int", [0, -1, 63, 64, -65, 2**31 - 1, -(2**31)]),
    "long": ("long", [0, -1, 2**63 - 1, -(2**63), 300]),
    "float": ("float", [0.0, 1.5, -2.25, float("inf")]),
    "double": ("double", [0.1, -1e300, float("-inf")]),
    "bytes": ("bytes", [b"", b"\x00\xff", b"x" * 300]),
    "string": ("string", ["", "plain ASCII text", "ü€😀", "x" * 200]),
    "fixed": ({"type": "fixed", "name": "F", "size": 4}, [b"abcd", b"\0\0\0\0"]),
    "enum": ({"type": "enum", "name": "E", "symbols": ["A", "B", "C"]}, ["C", "A", "B", "A"]),
    "array": ({"type": "array", "items": "int"}, [[], [1], [1, 2, 3]]),
    "map": ({"type": "map", "values": "int"}, [{}, {"a": 1}, {"a": 1, "ü": 2}]),
    "record": ({"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}, [{"a": 1}, {"a": 2}]),
    "union of null and another": (["null", "int"], [None, 1, None]),
    "other union": (["null", "int", "string"], [None, 1, "x"]),
    "decimal": (
        logical("bytes", "decimal", precision=9, scale=2),
        [Decimal("1.50"), Decimal("-9999999.99"), Decimal("0.00"), Decimal("1.27"), Decimal("-1.28")],
    ),
    "uuid": (logical("string", "uuid"), [ID]),
    "date": (logical("int", "date"), [dt.date(2026, 11, 29), dt.date(1969, 12, 31)]),
    "time-millis": (logical("int", "time-millis"), [dt.time(12, 30, 15, 123000), dt.time(0)]),
    "time-micros": (logical("long", "time-micros"), [dt.time(23, 59, 59, 999999)]),
    "timestamp-millis": (logical("long", "timestamp-millis"), [NOON.replace(microsecond=123000)]),
    "timestamp-micros": (logical("long", "timestamp-micros"), [NOON, dt.datetime(1901, 1, 1, tzinfo=UTC)]),
    "timestamp-nanos": (logical("long", "timestamp-nanos"), [1_764_419_415_123_456_789]),
    "local-timestamp-millis": (logical("long", "local-timestamp-millis"), [dt.datetime(2026, 11, 29, 12)]),
    "local-timestamp-micros": (logical("long", "local-timestamp-micros"), [NOON.replace(tzinfo=None)]),
    "local-timestamp-nanos": (logical("long", "local-timestamp-nanos"), [1_764_419_415_123_456_789]),
    "duration": ({"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"}, [struct.pack("<III", 1, 2, 3)]),
}


def table() -> dict[str, str]:
    """The Arrow type of each row in the documents."""
    text = PAGE.read_text().partition("| Avro | Arrow |")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| ([\w\- ]+?) \| `([^`]+)` \|", text, re.MULTILINE))


def test_the_table_has_these_rows() -> None:
    assert table().keys() == ROWS.keys()


def plain(value: Any) -> Any:
    """What differs between Arrow's objects and fastavro's, put alike."""
    if type(value).__name__ == "MonthDayNano":
        return struct.pack("<III", value.months, value.days, value.nanoseconds // 1_000_000)
    return value


@pytest.mark.parametrize("row", ROWS)
def test_a_type_becomes_what_the_table_says_and_has_the_values_that_fastavro_reads(row: str) -> None:
    schema, values = ROWS[row]
    column = column_of(schema, values)
    assert str(column.type) == table()[row]
    parsed = fastavro.parse_schema(schema)
    judged = [fastavro.schemaless_reader(io.BytesIO(encoded(schema, value)), parsed, None) for value in values]
    if row == "other union":
        assert column.to_pylist() == [None, {"int": 1, "string": None}, {"int": None, "string": "x"}]
    elif "nanos" in row:
        assert column.cast(pa.int64()).to_pylist() == judged
    else:
        assert [dict(value) if row == "map" else plain(value) for value in column.to_pylist()] == judged


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (logical("bytes", "decimal", precision=50, scale=10), Decimal("-" + "9" * 40 + "." + "9" * 10)),
        (logical("bytes", "decimal", precision=76), Decimal("9" * 76)),
        ({"type": "fixed", "name": "F", "size": 5, "logicalType": "decimal", "precision": 9}, Decimal("-123456789")),
        ({"type": "fixed", "name": "F", "size": 40, "logicalType": "decimal", "precision": 38}, Decimal("-1")),
    ],
)
def test_decimals_of_all_sizes(schema: Any, value: Decimal) -> None:
    column = column_of(schema, [value, value.copy_negate()])
    assert column.to_pylist() == [value, value.copy_negate()]


def test_a_union_of_all_primitives_keeps_its_branches() -> None:
    """Also where it is read by itself as a reader's schema, or by one in another order."""
    union = ["double", "float", "long", "int", "bytes", "string", "boolean", "null"]
    values = [b"\0" + struct.pack("<d", 0.1), b"\x02" + struct.pack("<f", 0.5), b"\x04\x04", b"\x06\x06"]
    values += [b"\x08\x02x", b"\x0a\x02x", b"\x0c\x01", b"\x0e"]
    for reader in (None, union, union[::-1]):
        batch, bad = decoded(Avro(union, reader_schema=reader), values)
        rows = [row and {name: each for name, each in row.items() if each is not None} for row in batch[0].to_pylist()]
        assert bad == []
        assert rows == [
            {"double": 0.1},
            {"float": 0.5},
            {"long": 2},
            {"int": 3},
            {"bytes": b"x"},
            {"string": "x"},
            {"boolean": True},
            None,
        ]


def test_a_uuid_of_sixteen_bytes() -> None:
    schema = {"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}
    column = column_of(schema, [ID.bytes])
    assert (column.type, column.to_pylist()) == (pa.uuid(), [ID])


def test_a_logical_type_that_does_not_fit_counts_as_none() -> None:
    assert column_of(logical("string", "date"), ["x"]).type == pa.string()
    batch, bad = decoded(Avro(logical("bytes", "decimal", precision=2, scale=3)), [b"\x02x"])  # fastavro refuses it
    assert (batch.to_pylist(), bad) == ([{"value": b"x"}], [])
    assert column_of(logical("int", "made-up"), [1]).type == pa.int32()


def test_types_within_types() -> None:
    inner = {
        "type": "record",
        "name": "Inner",
        "fields": [
            {"name": "tags", "type": {"type": "array", "items": ["null", "string"]}},
            {"name": "more", "type": ["null", {"type": "map", "values": {"type": "array", "items": "long"}}]},
        ],
    }
    schema = {
        "type": "record",
        "name": "Outer",
        "fields": [
            {"name": "one", "type": ["null", inner]},
            {"name": "many", "type": {"type": "array", "items": ["int", "Inner", "null"]}},
        ],
    }
    good = {"tags": ["a", None], "more": {"k": [1, 2], "l": []}}
    values = [
        {"one": None, "many": []},
        {"one": good, "many": [1, None, good]},
        {"one": {"tags": [], "more": None}, "many": [5]},
    ]
    batch, bad = decoded_of(schema, values)
    assert bad == []
    arrow = {"tags": ["a", None], "more": [("k", [1, 2]), ("l", [])]}
    assert batch.to_pylist() == [
        {"one": None, "many": []},
        {"one": arrow, "many": [{"int": 1, "Inner": None}, None, {"int": None, "Inner": arrow}]},
        {"one": {"tags": [], "more": None}, "many": [{"int": 5, "Inner": None}]},
    ]


def decoded_of(schema: Any, values: list[Any]) -> Any:
    return decoded(Avro(schema), [encoded(schema, value) for value in values])
