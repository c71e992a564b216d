"""Protobuf's rules, one test each, with protobuf's own classes as the judge."""

from __future__ import annotations

import struct
from typing import Any

import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2

from kafka_nextgen.values import Protobuf
from tests.values.protobuf_messages import F, check, decoded, delimited, made, rows_of, tag, varint

COLORS = {"Color": {"RED": 0, "GREEN": 1, "BLUE": 7, "AZURE": 7, "BELOW": -3}}
FEATURES = descriptor_pb2.FeatureSet


def column(kind: Any, values: list[bytes], name: str = "a", **options: Any) -> list[Any]:
    return [row[name] for row in rows_of(check(kind, values, **options))]


# ---- presence and defaults


def test_a_proto3_field_that_is_not_there_is_its_default_and_an_optional_one_null() -> None:
    fields = [F("a", 1, "int32"), F("b", 2, "int32", "optional"), F("c", 3, "string"), F("d", 4, "bool", "optional")]
    batch = check(made(fields), [b"", b"\x08\x00\x10\x00"])
    assert rows_of(batch)[0] == {"a": 0, "b": None, "c": "", "d": None}
    assert rows_of(batch)[1]["b"] == 0


def test_a_proto2_field_that_is_not_there_is_null_whatever_its_default() -> None:
    fields = [F("a", 1, "int32", "optional", default="5"), F("b", 2, "int32", "required"), F("c", 3, ".t.N")]
    assert rows_of(check(made(fields, "proto2", N=[F("x", 1, "int32")]), [b""])) == [{"a": None, "b": None, "c": None}]


def test_presence_by_a_feature_of_an_edition() -> None:
    fields = [
        F("a", 1, "int32"),
        F("b", 2, "int32", features={"field_presence": FEATURES.IMPLICIT}),
        F("c", 3, "int32", features={"field_presence": FEATURES.LEGACY_REQUIRED}),
    ]
    assert rows_of(check(made(fields, "editions"), [b""])) == [{"a": None, "b": 0, "c": None}]


def test_columns_are_nullable_where_fields_may_be_absent() -> None:
    inner = [F("a", 1, "int32"), F("b", 2, "int32", "optional"), F("c", 3, "int32", "repeated"), F("d", 4, ".t.O")]
    kind = made([F("n", 1, ".t.N", "repeated")], N=inner, O=[F("x", 1, "int32")])
    item = check(kind, [b"\x0a\x00"]).schema.field("n").type.value_type
    assert [field.nullable for field in item] == [False, True, False, True]


def test_a_null_value_is_null_in_each_column_and_an_empty_one_has_defaults() -> None:
    kind = made([F("a", 1, "int32"), F("b", 2, "int32", "repeated"), F("c", 3, "int32", "string")])
    batch, bad = decoded(Protobuf(kind), [None, b""])
    assert bad == []
    assert rows_of(batch) == [{"a": None, "b": None, "c": None}, {"a": 0, "b": [], "c": {}}]


# ---- fields that are there more than once


def test_the_last_of_several_values_of_a_field_counts() -> None:
    fields = [F("a", 1, "int32"), F("s", 2, "string"), F("b", 3, "bool"), F("d", 4, "double", "optional")]
    value = b"\x08\x05" + delimited(2, b"long one") + b"\x18\x01" + b"\x21" + struct.pack("<d", 1.5)
    other = b"\x08\x06" + delimited(2, b"s") + b"\x18\x00" + b"\x21" + struct.pack("<d", 2.5)
    batch = check(made(fields), [value + other, value + other + other])
    assert rows_of(batch)[0] == {"a": 6, "s": "s", "b": False, "d": "2.5"}


def test_a_message_that_is_given_twice_is_merged() -> None:
    inner = [F("x", 1, "int32"), F("y", 2, "int32"), F("l", 3, "int32", "repeated")]
    value = delimited(1, b"\x08\x01\x18\x05") + delimited(1, b"\x10\x02\x18\x06")
    kind = made([F("a", 1, ".t.N"), F("b", 2, "int32")], N=inner)
    assert column(kind, [value + b"\x10\x07", value])[0] == {"x": 1, "y": 2, "l": [5, 6]}


@pytest.mark.parametrize("name", ["Timestamp", "Duration", "Int32Value", "Struct", "Value", "ListValue", "Any"])
def test_a_well_known_message_that_is_given_twice_is_merged(name: str) -> None:
    first, second = {
        "Timestamp": (b"\x08\x05", b"\x10\x07"),
        "Duration": (b"\x08\x05", b"\x10\x07"),
        "Int32Value": (b"\x08\x05", b""),
        "Struct": (delimited(1, b"\x0a\x01a\x12\x02\x20\x01"), delimited(1, b"\x0a\x01b\x12\x02\x20\x01")),
        "Value": (b"\x20\x01", b""),
        "ListValue": (delimited(1, b"\x20\x01"), delimited(1, b"\x20\x00")),
        "Any": (delimited(1, b"t"), delimited(2, b"v")),
    }[name]
    check(made([F("a", 1, f".google.protobuf.{name}")]), [delimited(1, first) + delimited(1, second)])


def test_of_a_oneof_the_last_member_is_set_and_the_others_are_null() -> None:
    fields = [F("a", 1, "int32", oneof="o"), F("b", 2, "string", oneof="o"), F("c", 3, ".t.N", oneof="o")]
    kind = made([*fields, F("d", 4, "int32")], N=[F("x", 1, "int32")])
    one, text, message = b"\x08\x00", delimited(2, b""), delimited(3, b"\x08\x01")
    values = [b"", one, text, message, one + text, message + one + message, one + one, message + delimited(3, b"")]
    assert column(kind, values) == [None, 0, None, None, None, None, 0, None]


def test_fields_may_come_in_any_order() -> None:
    fields = [F(f"f{number}", number, "int32") for number in (1, 2, 3, 9, 15, 16, 200, 536870911)]
    data = [tag(field.number, 0) + varint(field.number) for field in fields]
    check(made(fields), [b"".join(data), b"".join(data[::-1]), b"".join(data[::2] + data[1::2]), data[5] + data[0]])


# ---- repeated fields and maps


def test_repeated_numbers_are_read_packed_and_unpacked_and_mixed() -> None:
    for syntax in ("proto2", "proto3"):
        kind = made([F("a", 1, "int32", "repeated"), F("b", 2, "fixed64", "repeated")], syntax)
        fixed = delimited(2, struct.pack("<2Q", 1, 2)) + b"\x11" + struct.pack("<Q", 3)
        value = b"\x08\x01" + fixed + b"\x0a\x02\x02\x03" + b"\x08\x04" + b"\x0a\x00"
        assert column(kind, [value, b"\x0a\x00", b""]) == [[1, 2, 3, 4], [], []]


@pytest.mark.parametrize("value", [b"\x0a\x01\x80", b"\x0a\x03\x01\x02", b"\x12\x03abc", b"\x12\x09" + bytes(9)])
def test_packed_items_that_do_not_end_with_their_bytes_are_bad(value: bytes) -> None:
    check(made([F("a", 1, "int32", "repeated"), F("b", 2, "fixed64", "repeated")]), [value])


def test_the_last_entry_of_a_key_counts() -> None:
    kind = made([F("a", 1, "int32", "string"), F("b", 2, "int32", "int64"), F("c", 3, "int32", "bool")])
    entries = [delimited(1, b"\x0a\x01" + bytes((key,)) + b"\x10" + bytes((key % 7,))) for key in range(65, 95)]
    numbers = [delimited(2, b"\x08" + bytes((key,)) + b"\x10\x01") for key in (5, 3, 9)]
    bits = [delimited(3, b"\x08\x01\x10\x01"), delimited(3, b"\x08\x00\x10\x02")]
    everything = b"".join(entries + numbers + bits)
    again = [delimited(1, b"\x0a\x01B\x10\x63"), delimited(2, b"\x08\x03\x10\x63"), delimited(3, b"\x08\x01\x10\x63")]
    check(kind, [everything, *(everything + each for each in again), entries[0] + entries[0]])


def test_what_an_entry_lacks_is_a_default() -> None:
    fields = [
        F("a", 1, "int32", "string"),
        F("b", 2, ".t.N", "int32"),
        F("c", 3, ".google.protobuf.Timestamp", "int32"),
        F("d", 4, ".google.protobuf.Value", "int32"),
        F("e", 5, ".t.Color", "int32", what="enum"),
        F("f", 6, ".google.protobuf.Int32Value", "int32"),
        F("g", 7, ".google.protobuf.Empty", "int32"),
    ]
    kind = made(fields, enums=COLORS, N=[F("x", 1, "int32"), F("y", 2, ".t.O")], O=[F("x", 1, "int32")])
    check(kind, [b"".join(delimited(number, b"") for number in range(1, 8))])


def test_an_entry_with_unknown_fields_counts_as_unknown_as_protobuf_has_it() -> None:
    kind = made([F("a", 1, ".t.N", "string"), F("b", 2, "int32", "repeated")], N=[F("x", 1, "int32", "repeated")])
    good, bad = b"\x0a\x01a\x12\x04\x08\x01\x08\x02", b"\x0a\x01b\x12\x02\x08\x03\x18\x01"
    inner = b"\x0a\x01c\x12\x04\x08\x03\x10\x01"
    value = delimited(1, good) + delimited(1, bad) + delimited(1, inner)
    assert sorted(column(kind, [value, delimited(1, bad)])[0]) == ["a", "c"]  # protobuf keeps no order


def test_what_is_in_an_entry_that_counts_as_unknown_does_no_harm() -> None:
    fields = [
        F("a", 1, ".t.Color", "string", what="enum"),
        F("b", 2, ".google.protobuf.Timestamp", "string"),
        F("c", 3, ".google.protobuf.Value", "string"),
        F("d", 4, ".google.protobuf.Struct"),
        F("e", 5, ".t.N", "string"),
    ]
    kind = made(fields, enums=COLORS, N=[F("x", 1, ".t.Color", what="enum"), F("l", 2, "int32", "int32")])
    key, unknown, good = b"\x0a\x01k", b"\x18\x01", b"\x0a\x01g"
    not_a_number = delimited(2, b"\x11\0\0\0\0\0\0\xf8\x7f")
    contents = [b"\x10\x05", delimited(2, b"\x10\x7f\x08\x7f\x10\xff\xff\xff\xff\x07"), not_a_number, None]
    contents.append(delimited(2, delimited(2, b"\x08\x01\x10\x01") + b"\x08\x05"))
    values = []
    for number, content in enumerate(contents, 1):
        if content is None:
            inner = (
                not_a_number,
                delimited(2, delimited(5, delimited(1, good + b"\x12\x00") + delimited(1, b"\x0a\x01h"))),
            )
            entries = [delimited(1, b"\x0a\x01k" + each + unknown) for each in inner]
            values.append(delimited(4, entries[0] + delimited(1, good) + entries[1]))
            values.append(delimited(4, delimited(1, key + not_a_number)))
        else:
            entry, other = delimited(number, key + content + unknown), delimited(number, good)
            values += [
                other + entry + other,
                delimited(number, unknown + key + content),
                delimited(number, key + content),
            ]
    check(kind, values)


def test_an_entry_of_a_key_that_is_not_utf8_counts_as_unknown_with_a_number_that_its_closed_enum_has_not() -> None:
    kind = made([F("a", 1, ".t.Color", "string", what="enum")], "proto2", COLORS)
    values = [delimited(1, b"\x0a\x01\xff\x10" + number) for number in (b"\x05", b"\x01", b"\x80")]
    check(kind, [*values, values[0] + delimited(1, b"\x0a\x01a\x10\x01")])


# ---- enums


def test_an_enum_is_its_name() -> None:
    kind = made([F("a", 1, ".t.Color", what="enum"), F("b", 2, ".t.Color", "repeated", what="enum")], enums=COLORS)
    below = varint(-3)
    values = [b"", b"\x08\x07", b"\x08" + below, b"\x12" + varint(len(below) + 2) + b"\x01\x07" + below]
    batch = check(kind, values)
    assert batch.schema.field("a").type == pa.dictionary(pa.int32(), pa.string())
    assert batch["a"].to_pylist() == ["RED", "BLUE", "BELOW", "RED"]


def test_a_number_without_a_name_is_bad_in_an_open_enum_and_kept_as_a_number() -> None:
    kind = made([F("a", 1, ".t.Color", what="enum")], enums=COLORS)
    _, bad = decoded(Protobuf(kind), [b"\x08\x05"])
    assert "an enum has a number without a name: 5" in bad[0].reason
    batch, bad = decoded(Protobuf(kind, enums="number"), [b"\x08\x05", b"", b"\x08\x05\x08\x01"])
    assert (rows_of(batch), bad) == ([{"a": 5}, {"a": 0}, {"a": 1}], [])


def test_a_number_without_a_name_that_is_overwritten_does_no_harm() -> None:
    kind = made([F("a", 1, ".t.Color", what="enum")], enums=COLORS)
    assert column(kind, [b"\x08\x05\x08\x01"]) == ["GREEN"]


@pytest.mark.parametrize("enums", ["name", "number"])
def test_a_number_that_a_closed_enum_has_not_is_an_unknown_field(enums: Any) -> None:
    fields = [
        F("a", 1, ".t.Color", "optional", what="enum"),
        F("b", 2, ".t.Color", "repeated", what="enum"),
        F("c", 3, ".t.Color", "string", what="enum"),
        F("d", 4, ".t.Color", oneof="o", what="enum"),
        F("e", 5, "int32", oneof="o"),
    ]
    kind = made(fields, "proto2", COLORS)
    values = [
        b"\x08\x05",
        b"\x08\x01\x08\x05",
        b"\x12\x03\x01\x05\x07",
        b"\x10\x05\x10\x01",
        delimited(3, b"\x0a\x01a\x10\x05") + delimited(3, b"\x0a\x01b\x10\x01"),
        b"\x28\x01\x20\x05",
        b"\x28\x01\x20\x01",
        delimited(3, b"\x0a\x01a"),
    ]
    if enums == "name":
        check(kind, values)
    else:
        batch, bad = decoded(Protobuf(kind, enums="number"), values)
        assert (batch["a"].to_pylist()[:2], batch["b"].to_pylist()[2], bad) == ([None, 1], [1, 7], [])


# ---- numbers


def test_numbers_are_cut_off_as_protobuf_does() -> None:
    fields = [F(f"f{place}", place + 1, kind) for place, kind in enumerate(("int32", "uint32", "sint32", "bool"))]
    fields += [F(f"g{place}", place + 11, kind) for place, kind in enumerate(("int64", "uint64", "sint64"))]
    numbers = [
        b"\x81\x80\x80\x80\x10",
        b"\xff" * 9 + b"\x01",
        b"\xff" * 9 + b"\x7f",
        b"\x80" * 9 + b"\x02",
        b"\x80\x00",
    ]
    numbers += [b"\x80" * 10 + b"\x01", b"\xff" * 8]
    check(made(fields), [tag(field.number, 0) + number for field in fields for number in numbers])


def test_tags_and_lengths_may_be_padded_up_to_five_bytes() -> None:
    kind = made([F("a", 1, "int32"), F("s", 2, "string")])
    tags = [
        b"\x88\x00",
        b"\x88\x80\x80\x80\x00",
        b"\x88\x80\x80\x80\x80\x00",
        b"\x88\x80\x80\x80\x10",
        b"\x88\x80\x80\x80\x0f",
    ]
    lengths = [b"\x81\x00", b"\x81\x80\x80\x80\x00", b"\x81\x80\x80\x80\x80\x00", b"\x81\x80\x80\x80\x10"]
    check(kind, [each + b"\x05" for each in tags] + [b"\x12" + each + b"A" for each in lengths])


# ---- strings


def test_a_string_is_utf8() -> None:
    kind = made([F("a", 1, "string"), F("b", 2, "bytes"), F("l", 3, "string", "repeated")])
    texts = ["ü€😀".encode(), b"x" * 20 + b"\xff", b"\xed\xa0\x80", b"12345678\xc3"]
    check(kind, [delimited(number, text) for number in (1, 2, 3) for text in texts])


def test_a_string_of_proto2_that_is_not_utf8_is_bad_unless_a_later_one_counts() -> None:
    kind = made([F("a", 1, "string", "optional")], "proto2")
    batch, bad = decoded(Protobuf(kind), [b"\x0a\x01\xff", b"\x0a\x01\xff\x0a\x01x", b"\x0a\x01y"])
    assert (batch["a"].to_pylist(), [each.row for each in bad]) == ([None, "x", "y"], [0])
    check(made([F("a", 1, "string")]), [b"\x0a\x01\xff\x0a\x01x"])  # proto3 refuses it


# ---- unknown fields and groups


def test_unknown_fields_are_skipped() -> None:
    kind = made([F("a", 5, "int32")])
    unknown = [b"\x08\x01", b"\x09" + bytes(8), delimited(1, b"xyz"), b"\x0d" + bytes(4), b"\x0b\x10\x01\x0c"]
    unknown += [
        b"\x0b\x13\x0b\x0c\x14\x0c",
        b"\x2d" + bytes(4),
        delimited(5, b"a"),
        b"\x2b\x2c",
        tag(2**29 - 1, 0) + b"\x01",
    ]
    assert column(kind, [each + b"\x28\x07" + each for each in unknown]) == [7] * len(unknown)


@pytest.mark.parametrize("group", [b"\x0b%b\x0c", b"\x0b\x13%b\x14\x0c"], ids=["in a group", "in a group in a group"])
def test_a_field_of_number_0_is_bad_unless_it_is_in_an_unknown_group(group: bytes) -> None:
    kind = made([F("a", 5, "int32"), F("m", 6, "int32", "string"), F("s", 7, ".google.protobuf.Struct")])
    fields = [b"\x00\x05", b"\x80\x00\x05", b"\x01" + bytes(8), b"\x02\x01a", b"\x05" + bytes(4), b"\x03\x04"]
    fields += [b"\x03", b"\x04", b"\x06", b"\x07", b"\x80\x80\x80\x80\x10\x05"]
    within = [group % each for each in fields]
    check(kind, [*within, *fields, *(delimited(number, each) for number in (6, 7) for each in within)])


@pytest.mark.parametrize(
    "value",
    [
        b"\x00\x05",
        b"\x04",
        b"\x0c",
        b"\x0b",
        b"\x0b\x14",
        b"\x0b\x13\x0c\x14",
        b"\x0e\x00",
        b"\x0f",
        b"\x0a\x01\x0c",
        b"\x0b\x06",
    ],
)
def test_what_is_no_field_is_bad(value: bytes) -> None:
    check(made([F("a", 1, ".t.N"), F("b", 9, "int32")], N=[F("x", 1, "int32")]), [value, delimited(1, value)])


def test_groups_are_messages() -> None:
    kind = made(
        [F("a", 1, ".t.N", what="group"), F("b", 2, ".t.N", "repeated", what="group")], "proto2", N=[F("x", 1, "int32")]
    )
    values = [b"\x0b\x08\x05\x0c", b"\x0b\x0c", b"\x13\x08\x01\x14\x13\x14", b"\x0b\x08\x05", b"\x0b\x14", b"\x0a\x00"]
    values += [b"\x0b\x08\x05\x0c\x0b\x0c", b"\x0b\x10\x05\x0c", b"\x8b\x00\x8c\x00", b"\x0b\x08"]
    check(kind, values)


def test_messages_of_an_edition_may_be_delimited_as_groups() -> None:
    fields = [F("a", 1, ".t.N", features={"message_encoding": FEATURES.DELIMITED})]
    check(made(fields, "editions", N=[F("x", 1, "int32")]), [b"\x0b\x08\x05\x0c", b"\x0a\x02\x08\x05"])


def test_levels_are_counted_as_protobuf_counts_them() -> None:
    kind = made([F("a", 1, ".t.N")], N=[F("x", 1, ".google.protobuf.Value")])
    for levels in range(96, 103):
        groups = tag(9, 3) * levels + tag(9, 4) * levels
        check(kind, [groups, delimited(1, groups), delimited(1, delimited(1, groups))])
    for levels in (47, 48, 49, 50, 51):
        nested = b""
        for _ in range(levels):
            nested = delimited(6, delimited(1, nested))
        check(kind, [delimited(1, delimited(1, nested))])
    for levels in (31, 32, 33, 34):
        nested = b""
        for _ in range(levels):
            nested = delimited(5, delimited(1, b"\x0a\x01a" + delimited(2, nested)))
        check(kind, [delimited(1, delimited(1, nested))])
