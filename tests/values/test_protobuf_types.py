"""Every row of Protobuf's table of types in docs/guides/values.md, with protobuf's own classes as the judge."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kafka_nextgen.values import Protobuf
from tests.values.protobuf_messages import F, check, decoded, made, rows_of

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "values.md"
Fill = Callable[[Any], object]


def numbers(*values: Any) -> list[Fill]:
    return [lambda message, value=value: setattr(message, "a", value) for value in values]


def parts(*values: dict[str, Any]) -> list[Fill]:
    def filled(value: dict[str, Any]) -> Fill:
        return lambda message: [message.a.SetInParent(), *(setattr(message.a, *pair) for pair in value.items())]

    return [filled(value) for value in values]


_SIGNED4 = numbers(0, 1, -1, 127, 128, 2**31 - 1, -(2**31))
_SIGNED8 = numbers(0, -1, 2**63 - 1, -(2**63), 300)
_NESTED = {
    "s": 'ü"\\\n\x01€',
    "n": [1.5, -2, 1e300, 0.1, 123456789012345.0, 1e-7],
    "o": {"t": True, "n": None, "l": []},
}
_COLOR = F("a", 1, ".t.Color", what="enum")
ROWS: dict[str, tuple[list[F], list[Fill]]] = {
    "double": ([F("a", 1, "double")], numbers(0.0, -0.0, 1.5, float("inf"), float("nan"))),
    "float": ([F("a", 1, "float")], numbers(0.0, 1.5, float("-inf"))),
    "int32, sint32, sfixed32": ([F("a", 1, kind) for kind in ("int32", "sint32", "sfixed32")], _SIGNED4),
    "uint32, fixed32": ([F("a", 1, kind) for kind in ("uint32", "fixed32")], numbers(0, 1, 2**32 - 1)),
    "int64, sint64, sfixed64": ([F("a", 1, kind) for kind in ("int64", "sint64", "sfixed64")], _SIGNED8),
    "uint64, fixed64": ([F("a", 1, kind) for kind in ("uint64", "fixed64")], numbers(0, 1, 2**64 - 1)),
    "bool": ([F("a", 1, "bool")], numbers(True, False)),
    "string": ([F("a", 1, "string")], numbers("", "plain ASCII text", "ü€😀", "x" * 200)),
    "bytes": ([F("a", 1, "bytes")], numbers(b"", b"\0\xff", b"x" * 300)),
    "enum": ([_COLOR], numbers(0, 1, 7, -3)),
    "enum as a number": ([_COLOR], []),
    "repeated": ([F("a", 1, "int32", "repeated")], [lambda m: m.a.extend([]), lambda m: m.a.extend([1, -2, 3])]),
    "map": ([F("a", 1, "int32", "string")], [lambda m: m.a.update({}), lambda m: m.a.update({"x": 1, "": 0, "ü": 5})]),
    "message, group": ([F("a", 1, ".t.N"), F("a", 1, ".t.N", what="group")], parts({}, {"x": 5})),
    "message without fields": ([F("a", 1, ".t.Nothing")], parts({})),
    "Timestamp": (
        [F("a", 1, ".google.protobuf.Timestamp")],
        parts({}, {"seconds": 5, "nanos": 7}, {"seconds": -1, "nanos": 999999999}, {"seconds": 9223372036}),
    ),
    "Duration": (
        [F("a", 1, ".google.protobuf.Duration")],
        parts({}, {"seconds": 5, "nanos": 7}, {"seconds": -5, "nanos": -7}, {"nanos": -7}),
    ),
    "Int32Value and other wrappers": (
        [F("a", 1, ".google.protobuf.Int32Value")],
        parts({}, {"value": 0}, {"value": 5}),
    ),
    "Struct, Value, ListValue": (
        [F("a", 1, ".google.protobuf.Struct")],
        [lambda m: m.a.SetInParent(), lambda m: m.a.update(_NESTED)],
    ),
    "Any": ([F("a", 1, ".google.protobuf.Any")], parts({}, {"type_url": "t", "value": b"v"})),
    "FieldMask": ([F("a", 1, ".google.protobuf.FieldMask")], [lambda m: m.a.paths.extend(["a.b", "c"])]),
    "Empty": ([F("a", 1, ".google.protobuf.Empty")], parts({})),
}
_MORE: dict[str, Any] = {"N": [F("x", 1, "int32")], "Nothing": []}
_COLORS = {"Color": {"RED": 0, "GREEN": 1, "BLUE": 7, "AZURE": 7, "BELOW": -3}}


def table() -> dict[str, str]:
    """The Arrow type of each row in the documents."""
    text = PAGE.read_text().partition("| Protobuf | Arrow |")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| ([\w\-, ]+?) \| `([^`]+)` \|", text, re.MULTILINE))


def test_the_table_has_these_rows() -> None:
    assert table().keys() == ROWS.keys()


@pytest.mark.parametrize("row", ROWS)
def test_a_type_becomes_what_the_table_says_and_has_the_values_of_protobuf(row: str) -> None:
    fields, fills = ROWS[row]
    for field in fields:
        kind = made([field], "proto2" if field.what == "group" else "proto3", _COLORS, **_MORE)
        values = [b""]
        for fill in fills:
            message = kind()
            fill(message)
            values.append(message.SerializeToString())
        if row == "enum as a number":
            batch, _ = decoded(Protobuf(kind, enums="number"), [b"", b"\x08\x07", b"\x08\x63"])
            assert batch["a"].to_pylist() == [0, 7, 99]
        else:
            batch = check(kind, values)
        if field.what != "group":  # of proto2, of which all fields have presence
            assert str(batch["a"].type) == table()[row]


@pytest.mark.parametrize(
    ("name", "form", "value"),
    [
        ("Double", "double", 1.5),
        ("Float", "float", 1.5),
        ("Int64", "int64", -5),
        ("UInt64", "uint64", 2**64 - 1),
        ("UInt32", "uint32", 2**32 - 1),
        ("Bool", "bool", True),
        ("String", "string", "x"),
        ("Bytes", "binary", b"x"),
    ],
)
def test_each_wrapper_is_its_value_or_null(name: str, form: str, value: Any) -> None:
    fields = [F("a", 1, f".google.protobuf.{name}Value"), F("l", 2, f".google.protobuf.{name}Value", "repeated")]
    kind = made(fields)
    message = kind()
    message.a.value = value
    message.l.add()
    message.l.add(value=value)
    batch = check(kind, [b"", message.SerializeToString(), kind(a={}).SerializeToString()])
    assert (str(batch["a"].type), batch["a"].null_count) == (form, 1)


@pytest.mark.parametrize("name", ["Value", "ListValue", "Struct"])
def test_json_of_any_kind(name: str) -> None:
    kind = made([F("a", 1, f".google.protobuf.{name}")])
    values: dict[str, list[Any]] = {
        "Value": [None, True, False, 0, -1.25, "x", [1, [2, {"a": []}]], {"b": {"c": None}}],
        "ListValue": [[], [None], ["x", 1.5, False]],
        "Struct": [{}, {str(number): number / 7 for number in range(40)}],
    }
    messages = []
    for value in values[name]:
        message = kind()
        if name == "Value":
            inner = message.a
            holder = type(inner)()
            _set(holder, value)
            inner.CopyFrom(holder)
        elif name == "ListValue":
            message.a.SetInParent()
            message.a.extend(value)
        else:
            message.a.SetInParent()
            message.a.update(value)
        messages.append(message.SerializeToString())
    check(kind, messages)


def _set(holder: Any, value: Any) -> None:
    if value is None:
        holder.null_value = 0
    elif isinstance(value, bool):
        holder.bool_value = value
    elif isinstance(value, str):
        holder.string_value = value
    elif isinstance(value, list):
        holder.list_value.extend(value)
    elif isinstance(value, dict):
        holder.struct_value.update(value)
    else:
        holder.number_value = value


def test_microseconds_have_room_for_all_timestamps_and_cut_off_what_is_smaller() -> None:
    kind = made([F("a", 1, ".google.protobuf.Timestamp"), F("b", 2, ".google.protobuf.Duration")])
    values, expected = [], []
    for seconds, nanos in [(-62135596800, 0), (253402300799, 999999999), (-1, 999), (0, 1999)]:
        values.append(kind(a={"seconds": seconds, "nanos": nanos}).SerializeToString())
        expected.append(seconds * 10**6 + nanos // 1000)
    batch, bad = decoded(Protobuf(kind, unit="us"), [*values, kind(b={"nanos": -1999}).SerializeToString()])
    assert ([row["a"] for row in rows_of(batch)], bad) == ([*expected, None], [])
    assert (batch["b"].view(pa.int64()).to_pylist()[-1], str(batch["b"].type)) == (-1, "duration[us]")


@pytest.mark.parametrize(
    ("name", "seconds", "nanos"),
    [
        ("Timestamp", 253402300800, 0),
        ("Timestamp", -62135596801, 0),
        ("Timestamp", 0, -1),
        ("Timestamp", 0, 10**9),
        ("Timestamp", 9223372036, 854775808),
        ("Timestamp", -9223372037, 145224191),
        ("Timestamp", 2**63 - 1, 0),
        ("Duration", 315576000001, 0),
        ("Duration", 1, -1),
        ("Duration", -1, 1),
        ("Duration", -9223372036, -854775809),
        ("Duration", 0, -(10**9)),
    ],
)
def test_times_out_of_range_are_bad_unless_they_are_merged_with_others(name: str, seconds: int, nanos: int) -> None:
    kind = made([F("a", 1, f".google.protobuf.{name}")])
    value = kind(a={"seconds": seconds, "nanos": nanos}).SerializeToString()
    check(kind, [value, value + b"\x0a\x04\x08\x00\x10\x00"])


@pytest.mark.parametrize(
    ("seconds", "nanos"), [(9223372036, 854775807), (-9223372037, 145224192), (-1, 0), (-1, 999999999)]
)
def test_the_first_and_the_last_nanosecond(seconds: int, nanos: int) -> None:
    kind = made([F("a", 1, ".google.protobuf.Timestamp")])
    batch = check(kind, [kind(a={"seconds": seconds, "nanos": nanos}).SerializeToString()])
    assert rows_of(batch) == [{"a": seconds * 10**9 + nanos}]


def test_a_number_that_json_has_not_is_bad() -> None:
    kind = made([F("a", 1, ".google.protobuf.Value")])
    for number in (float("nan"), float("inf"), 1.0):
        check(kind, [kind(a={"number_value": number}).SerializeToString()])


def test_types_within_types() -> None:
    inner = [F("tags", 1, "string", "repeated"), F("more", 2, ".t.O", "int64"), F("t", 3, ".google.protobuf.Timestamp")]
    kind = made(
        [F("one", 1, ".t.N"), F("many", 2, ".t.N", "repeated"), F("by", 3, ".t.N", "string")],
        N=inner,
        O=[F("x", 1, "int32", "repeated"), F("j", 2, ".google.protobuf.Struct", "repeated")],
    )
    good = {"tags": ["a", ""], "more": {1: {"x": [1, 2]}, -5: {}}, "t": {"seconds": 1}}
    messages = [kind(), kind(one=good, many=[{}, good, {"tags": ["z"]}]), kind(by={"k": good, "": {}}), kind(one={})]
    check(kind, [message.SerializeToString() for message in messages])


def test_parquet_can_hold_what_all_types_become(tmp_path: Path) -> None:
    for fields, _ in ROWS.values():
        kind = made(fields[:1], "proto2" if fields[0].what == "group" else "proto3", _COLORS, **_MORE)
        columns, _ = Protobuf(kind).decoder("value", True).decode((b"", memoryview(b"\0" * 8).cast("i"), None), 0, 1)
        batch = pa.record_batch(columns)
        pq.write_table(pa.Table.from_batches([batch]), tmp_path / "t.parquet")
        assert pq.read_table(tmp_path / "t.parquet").num_rows == 1


@pytest.mark.parametrize("name", ["Timestamp", "StringValue", "Struct", "Empty", "Duration"])
def test_a_value_that_is_a_well_known_message_is_one_column(name: str) -> None:
    from google.protobuf import duration_pb2, empty_pb2, struct_pb2, timestamp_pb2, wrappers_pb2

    modules = (duration_pb2, empty_pb2, struct_pb2, timestamp_pb2, wrappers_pb2)
    kind = next(getattr(module, name) for module in modules if hasattr(module, name))
    batch, bad = decoded(Protobuf(kind), [b"", None])
    assert (batch.schema.names, batch.column(0).null_count, bad) == (["value"], 1, [])
