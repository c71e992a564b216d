"""Types of decoded columns: which of Spark's they become, what a schema selects of them, and how values get there."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest

pytest.importorskip("pyspark")

from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import DataType, StructType, _parse_datatype_json_string

from kafka_nextgen.spark.decoding.converting import converted, converted_rows
from kafka_nextgen.spark.decoding.spark_types import check_selection, spark_type_of
from kafka_nextgen.spark.errors import SchemaError

ONE = UUID("89791762-2336-4186-9674-299b90a802e2")
LINES = pa.list_(pa.field("item", pa.struct([pa.field("sku", pa.string()), pa.field("count", pa.uint8())])))


def simple(kind: pa.DataType) -> str:
    return spark_type_of(kind, "value").simpleString()


def convert(values: Any, kind: pa.DataType) -> list[object]:
    """Convert as a task does: to what Spark takes for the type that it has for ``kind``."""
    target = to_arrow_type(spark_type_of(kind, "value"), timezone="UTC")
    found = converted(pa.array(values, kind), target)
    found.validate(full=True)
    assert found.type.equals(target)
    return found.to_pylist()


@pytest.mark.parametrize(
    ("kind", "expected", "values"),
    [
        (pa.null(), "void", [None]),
        (pa.int8(), "tinyint", [-128, None]),
        (pa.uint8(), "smallint", [255, None]),
        (pa.uint16(), "int", [2**16 - 1]),
        (pa.uint32(), "bigint", [2**32 - 1]),
        (pa.float32(), "float", [0.5]),
        (pa.date32(), "date", []),
        (pa.duration("us"), "interval day to second", [timedelta(seconds=1), None]),
        (pa.binary(4), "binary", [b"abcd", None]),
        (pa.dictionary(pa.int32(), pa.string()), "string", ["NEW", None, "NEW"]),
        (pa.map_(pa.string(), pa.uint8()), "map<string,smallint>", [[("a", 1), ("a", 2)], None, []]),
        (LINES, "array<struct<sku:string,count:smallint>>", [[{"sku": "a", "count": 200}, None], None, []]),
        (pa.struct([]), "struct<>", [{}, None]),
    ],
)
def test_values_stay_the_same(kind: pa.DataType, expected: str, values: list[object]) -> None:
    assert simple(kind) == expected
    assert convert(values, kind) == values


def test_an_unsigned_number_of_64_bits_is_a_decimal() -> None:
    assert simple(pa.uint64()) == "decimal(20,0)"
    assert [int(str(each)) for each in convert([0, 2**64 - 1], pa.uint64())] == [0, 2**64 - 1]


def test_a_decimal_has_at_most_38_digits() -> None:
    assert simple(pa.decimal256(38, 2)) == "decimal(38,2)"
    assert convert([Decimal("1.25"), None], pa.decimal256(38, 2)) == [Decimal("1.25"), None]
    with pytest.raises(SchemaError, match=r"no type for value\.amount, which is decimal256\(39, 2\): leave it out"):
        spark_type_of(pa.struct([("amount", pa.decimal256(39, 2))]), "value")


def test_uuids_are_text() -> None:
    column = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"?" * 16, ONE.bytes, None], pa.binary(16)))
    assert converted(column, pa.string()).to_pylist()[1:] == [str(ONE), None]
    assert converted(column.slice(1), pa.string()).to_pylist() == [str(ONE), None]
    assert simple(pa.uuid()) == "string"


def test_times_of_day_are_text() -> None:
    assert simple(pa.time32("ms")) == "string"
    assert convert([45_015_500, None], pa.time32("ms")) == ["12:30:15.500", None]


@pytest.mark.parametrize(("zone", "expected"), [("UTC", "timestamp"), (None, "timestamp_ntz")])
def test_times_have_microseconds_and_those_before_1970_are_not_rounded_up(zone: str | None, expected: str) -> None:
    kind = pa.timestamp("ns", zone)
    assert simple(kind) == expected
    found = converted(pa.array([-1, 1_999, None], kind), pa.timestamp("us", zone))
    assert found.cast(pa.int64()).to_pylist() == [-1, 1, None]
    assert convert([5], pa.timestamp("ms", zone)) == convert([5_000], pa.timestamp("us", zone))


def test_digits_of_a_duration_below_a_microsecond_are_cut_off() -> None:
    found = converted(pa.array([1_999], pa.duration("ns")), pa.duration("us"))
    assert found.cast(pa.int64()).to_pylist() == [1]


def test_months_and_days_have_no_type() -> None:
    with pytest.raises(SchemaError, match="leave it out"):
        simple(pa.month_day_nano_interval())


def test_a_time_that_spark_has_no_room_for_makes_its_row_bad_and_no_other() -> None:
    kind = pa.struct([pa.field("at", pa.timestamp("ms", "UTC"), nullable=False)])
    rows = [{"at": 1}, {"at": 2**62}, None, {"at": 3}, {"at": -(2**62)}]
    target = pa.struct([pa.field("at", pa.timestamp("us", "UTC"), nullable=False)])
    found, bad = converted_rows(pa.array(rows, kind), target)
    assert [each.row for each in bad] == [1, 4]
    assert "out of bounds" in bad[0].reason
    assert found.is_null().to_pylist() == [False, True, True, False, True]
    assert found.type.equals(target)


def test_nested_columns_are_converted_where_a_part_of_them_is_looked_at() -> None:
    column = pa.array([[{"sku": "a", "count": 1}], [{"sku": "b", "count": 2}], None], LINES)
    target = to_arrow_type(spark_type_of(LINES, "value"), timezone="UTC")
    found = converted(column.slice(1, 2), target)
    found.validate(full=True)
    assert found.to_pylist() == [[{"sku": "b", "count": 2}], None]


# ---- what a schema selects


ORDER = pa.struct(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("lines", LINES),
        pa.field("tags", pa.map_(pa.string(), pa.struct([("a", pa.int32()), ("b", pa.int32())]))),
        pa.field("within", pa.month_day_nano_interval()),
    ]
)


def struct(*fields: str) -> StructType:
    """A struct of fields in Spark's JSON."""
    found = _parse_datatype_json_string('{"type":"struct","fields":[' + ",".join(fields) + "]}")
    assert isinstance(found, StructType)
    return found


def field(name: str, kind: str, nullable: bool = True) -> str:
    return f'{{"name":"{name}","type":{kind},"nullable":{str(nullable).lower()},"metadata":{{}}}}'


A_STRING = '{"type":"struct","fields":[' + field("sku", '"string"') + "]}"
LIST = f'{{"type":"array","elementType":{A_STRING},"containsNull":true}}'
MAP = '{"type":"map","keyType":"string","valueType":{"type":"struct","fields":[' + field("b", '"integer"')
MAP += ']},"valueContainsNull":true}'


def test_fields_are_selected_at_any_depth_and_in_any_order_although_others_have_no_type() -> None:
    wanted = struct(field("tags", MAP), field("lines", LIST), field("id", '"long"'))
    check_selection(wanted, ORDER, "value")
    rows = [{"id": 1, "lines": [{"sku": "a", "count": 2}], "tags": [("x", {"a": 1, "b": 2})], "within": None}, None]
    found = converted(pa.array(rows, ORDER), to_arrow_type(wanted, timezone="UTC"))
    found.validate(full=True)
    assert found.to_pylist() == [{"tags": [("x", {"b": 2})], "lines": [{"sku": "a"}], "id": 1}, None]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (struct(field("idd", '"long"')), "value has no field idd. It has id, lines, tags, within"),
        (struct(field("id", '"string"')), r"value\.id is bigint; the schema says string: use cast\(\) after load\(\)"),
        (struct(field("id", A_STRING)), r"value\.id is bigint; the schema says struct"),
        (struct(field("lines", LIST, nullable=False)), r"value\.lines may be null; the schema says NOT NULL"),
        (struct(field("lines", LIST.replace("true}", "false}"))), r"value\.lines\[\] may be null"),
        (struct(field("within", '"long"')), r"no type for value\.within"),
    ],
)
def test_a_schema_that_selects_something_else_is_refused(wanted: DataType, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        check_selection(wanted, ORDER, "value")
