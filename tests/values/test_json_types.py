"""Every row of the tables of JSON in docs/guides/values.md, with orjson or json, and Python's own, as judges."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from kafka_nextgen.values import Json
from tests.values.json_judges import (
    AS_BYTES,
    AS_DATE,
    AS_DECIMAL,
    AS_DURATION,
    AS_TIME,
    AS_TIMESTAMP,
    AS_UUID,
    column,
    good,
    loads,
    why,
)

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "values.md"
TEXTS = [b'""', b'"plain ASCII text of some length"', '"ü€😀"'.encode(), rb'"\u00fc\ud83d\ude00\"\\\/\b\f\n\r\t"']
BASE64 = [b'""', b'"AP8="', b'"AA=="', b'"YWJjZGVm"']
TIMES = [b'"12:30:15"', b'"00:00:00.000"', b'"23:59:59.000000"']
STAMPS = [b'"2026-11-29T12:30:15.5Z"', b'"1901-02-28 23:59:59-01:30"', b'"0001-01-02t00:00:00.123456z"']
LIST, MAP, STRUCT = pa.list_(pa.int32()), pa.map_(pa.string(), pa.int32()), pa.struct([("a", pa.int32())])


def _integers(bits: int, is_signed: bool) -> list[bytes]:
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
    return [b"%d" % number for number in (0, 1, least, most)] + [b"-0", b"1.0", b"1e2", b"1200E-2"]


#: The type, good values, and what reads one as the judge.
ROWS: tuple[tuple[pa.DataType, list[bytes], Callable[[bytes], Any]], ...] = (
    (pa.null(), [b"null"], loads),
    (pa.bool_(), [b"true", b"false"], loads),
    *((getattr(pa, f"int{bits}")(), _integers(bits, True), loads) for bits in (8, 16, 32, 64)),
    *((getattr(pa, f"uint{bits}")(), _integers(bits, False), loads) for bits in (8, 16, 32, 64)),
    (
        pa.float32(),
        [b"0", b"-0.0", b"1.5", b"3e38", b"-2.5e-3"],
        lambda data: pa.scalar(loads(data), pa.float32()).as_py(),
    ),
    (
        pa.float64(),
        [b"0", b"1", b"0.1", b"-1e300", b"5e-324", b"123456789012345678901234567890", b"13.436424411240122"],
        lambda data: float(loads(data)),
    ),
    (pa.decimal128(9, 2), [b"1.5", b"-9999999.99", b'"12.30"', b"1e2", b"0", b"1.2300", b'"-0.0"'], AS_DECIMAL),
    (pa.decimal256(76, 2), [b"9" * 74 + b".99", b"-1e73", b'"0.01"'], AS_DECIMAL),
    *((kind, TEXTS, loads) for kind in (pa.string(), pa.large_string(), pa.string_view())),
    (pa.dictionary(pa.int32(), pa.string()), TEXTS, loads),
    *((kind, BASE64, AS_BYTES) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())),
    (pa.binary(4), [b'"AAAAAA=="', b'"/+8BAg=="'], AS_BYTES),
    (pa.uuid(), [b'"12345678-9abc-def0-1234-56789ABCDEF0"'], AS_UUID),
    (pa.date32(), [b'"2026-11-29"', b'"1969-12-31"', b'"0001-01-01"', b'"9999-12-31"', b'"2000-02-29"'], AS_DATE),
    (pa.date64(), [b'"2026-11-29"', b'"1969-12-31"'], AS_DATE),
    (pa.time32("s"), TIMES, AS_TIME),
    (pa.time32("ms"), [*TIMES, b'"12:30:15.123"'], AS_TIME),
    (pa.time64("us"), [*TIMES, b'"12:30:15.123456"'], AS_TIME),
    (pa.time64("ns"), [*TIMES, b'"12:30:15.123456000"'], AS_TIME),
    (pa.timestamp("us", "UTC"), STAMPS, AS_TIMESTAMP),
    (pa.timestamp("us"), [b'"2026-11-29T12:30:15.5"', b'"1901-02-28 23:59:59"'], AS_TIMESTAMP),
    (pa.duration("us"), [b'"P1DT2H30M0.5S"'], AS_DURATION),
    (LIST, [b"[]", b"[1]", b" [ 1 , null , 3 ] "], loads),
    (pa.large_list(pa.int32()), [b"[]", b"[1, 2]"], loads),
    (pa.list_(pa.int32(), 2), [b"[1, 2]", b"[null,3]"], loads),
    (MAP, [b"{}", b'{"a":1}', '{ "a" : 1 , "ü" : null }'.encode()], lambda data: list(loads(data).items())),
    (STRUCT, [b'{"a":1}', b'{"a":null}', b' { "a" : 1 } '], loads),
)
_BY_NAME = {str(kind): (kind, values, judge) for kind, values, judge in ROWS}


def rows_below(heading: str) -> list[list[str]]:
    """The cells in backticks of each row of a table."""
    text = PAGE.read_text().partition(heading)[2].partition("\n\n")[0]
    return [re.findall(r"\| `([^`]+)`", line) for line in text.splitlines() if line.startswith("| `")]


def test_the_table_of_types_has_these_rows() -> None:
    assert [cells[0] for cells in rows_below("| Arrow | JSON |")] == list(_BY_NAME)


@pytest.mark.parametrize("row", _BY_NAME)
def test_a_type_takes_what_the_table_says_and_has_the_values_that_the_judge_reads(row: str) -> None:
    kind, values, judge = _BY_NAME[row]
    found, bad = column(kind, [*values, None])
    assert (bad, found.type) == ([], kind)
    assert repr(found.to_pylist()[:-1]) == repr([plain(judge(each), kind) for each in values])


def plain(value: Any, kind: pa.DataType) -> Any:
    """The judge's value as Arrow has it in Python."""
    return int(value) if pa.types.is_integer(kind) else pa.scalar(value, kind).as_py()


@pytest.mark.parametrize("row", rows_below("| JSON Schema | Arrow |"), ids=lambda row: row[0])
def test_a_json_schema_becomes_what_the_table_says(row: list[str]) -> None:
    for schema in (row[0], row[0].encode(), json.loads(row[0])):
        columns, _ = Json(schema).decoder("value", False).decode((b"", memoryview(b"\0\0\0\0").cast("i"), None), 0, 0)  # type: ignore[arg-type]
        assert str(pa.record_batch(columns).schema.field(0).type) == row[1]


def test_values_of_a_json_schema_are_read_as_those_of_its_arrow_type() -> None:
    enum = {"enum": ["A", None, "B", "A"]}
    assert good(enum, b'"B"', b"null", rb'"\u0041"') == ["B", None, "A"]
    assert good({"type": "string", "contentEncoding": "base16"}, b'"00fF"') == [b"\0\xff"]
    assert good({"oneOf": [{"type": "null"}, {"type": "integer"}]}, b"null", b"5") == [None, 5]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_each_unit_as_texts_and_as_integers(unit: str) -> None:
    for kind in (pa.timestamp(unit), pa.timestamp(unit, "Europe/Berlin"), pa.duration(unit)):
        text = (
            b'"PT1H"'
            if pa.types.is_duration(kind)
            else b'"1970-01-01T01:00:00"'
            if kind.tz is None
            else b'"1970-01-01T01:00:00Z"'
        )
        found, bad = column(kind, [text, b"3600", b"-1.0"], integer_times=True)
        scale = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
        assert (bad, found.cast(pa.int64()).to_pylist()) == ([], [3600 * scale, 3600, -1])


def test_dates_and_times_as_integers_are_days_and_within_a_day() -> None:
    assert [str(day) for day in good(pa.date32(), b"1", integer_times=True)] == ["1970-01-02"]
    assert [str(day) for day in good(pa.date64(), b"86400000", integer_times=True)] == ["1970-01-02"]
    assert [str(time) for time in good(pa.time32("s"), b"86399", integer_times=True)] == ["23:59:59"]


def test_what_is_nested_is_cast_too() -> None:
    kind = pa.struct(
        [pa.field("a", pa.large_list(pa.field("item", pa.dictionary(pa.int8(), pa.string()))), nullable=False)]
    )
    found, bad = column(kind, [b'{"a":["x","y","x",null]}', None])
    assert (bad, found.type, found.to_pylist()) == ([], kind, [{"a": ["x", "y", "x", None]}, None])


def test_lists_of_fixed_size_have_that_size_wherever_they_are() -> None:
    vector = pa.list_(pa.float32(), 2)
    assert good(pa.list_(vector), b"[[1,2],null,[3,4]]", b"[]") == [[[1, 2], None, [3, 4]], []]
    assert good(pa.struct([("v", vector)]), b'{"v":[1,2]}', b"{}") == [{"v": [1, 2]}, {"v": None}]
    for value in (b"[1]", b"[1,2,3]", b"[]"):
        assert why(vector, value) == "value is out of the range of 2 items"
    assert "too often" in why(pa.list_(pa.list_(pa.int64(), 1_000_000)), b"[null]")


@pytest.mark.parametrize(
    ("kind", "day", "unit"),
    [
        (pa.time32("s"), 86_400, "seconds"),
        (pa.time32("ms"), 86_400_000, "milliseconds"),
        (pa.time64("us"), 86_400_000_000, "microseconds"),
        (pa.time64("ns"), 86_400_000_000_000, "nanoseconds"),
    ],
)
def test_a_time_as_an_integer_is_less_than_a_day(kind: pa.DataType, day: int, unit: str) -> None:
    good(kind, b"%d" % (day - 1), integer_times=True)
    assert why(kind, b"%d" % day, integer_times=True) == f"value is out of the range of a time in {unit}"


def test_metadata_of_a_schema_is_kept() -> None:
    schema = pa.schema([pa.field("a", pa.int32(), metadata={"k": "v"})], metadata={"s": "t"})
    columns, _ = (
        Json(schema).decoder("value", True).decode((b"{}", memoryview(b"\0\0\0\0\2\0\0\0").cast("i"), None), 0, 1)
    )  # type: ignore[arg-type]
    assert pa.record_batch(columns).schema.equals(schema, check_metadata=True)
