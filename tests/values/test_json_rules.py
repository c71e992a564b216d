"""The rules of JSON in docs/guides/values.md, each by a small test."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from kafka_nextgen.values import Json
from kafka_nextgen.values.json.program import MOST_JSON_DEPTH
from tests.values.decoding import decoded, framed
from tests.values.json_judges import ORJSON, column, good, loads, why

INT = pa.int64()
ANYTHING = pa.schema([("a", INT)])
NESTED = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}

NOT_JSON = [
    b"",
    b" ",
    b"\xef\xbb\xbf1",
    b"1 2",
    b"{} {}",
    b"nul",
    b"nullx",
    b"True",
    b"NaN",
    b"-Infinity",
    b"Infinity",
    b"01",
    b"-",
    b"+1",
    b".5",
    b"1.",
    b"1.e5",
    b"1e",
    b"1e+",
    b"0x10",
    b"1_000",
    b"--1",
    b"'a'",
    b'"a',
    b'"a\n"',
    b'"\x1f"',
    b'"\\x41"',
    b'"\\u12"',
    b'"\\u12G4"',
    b'"\\',
    b'"\\"',
    b'"\\ud800"',
    b'"\\udc00"',
    b'"\\ud800\\u0041"',
    b'"\\ud800\\ud800"',
    b'"\xff"',
    b'"\xc0\x80"',
    b'"\xed\xa0\x80"',
    b'"\xf4\x90\x80\x80"',
    b'"\xe2\x82"',
    b"[1,]",
    b"[,1]",
    b"[1 2]",
    b"[1",
    b"[1}",
    b"]",
    b"{",
    b'{"a"}',
    b'{"a":}',
    b'{"a":1,}',
    b"{a:1}",
    b'{"a" 1}',
    b"{1:2}",
    b'{"a":1 "b":2}',
    b'{"a":1]',
    b"/**/1",
    b"\x0c1",
    b"\xa01",
    b"1\0",
]
JSON = [
    b"1",
    b" \t\r\n1 \t\r\n",
    b'"\x7f"',
    b'"\\u0000"',
    b'"\\ud83d\\ude00"',
    b"[[],{},[{}]]",
    b'{"":{"":[]}}',
    b'{"a":1,"a":2}',
    b"-0.0e-00",
    b"true",
    b'[" \\" ] "]',
    '["ü",{"ü":"€😀"}]'.encode(),
    b'"0123456789abcdef0123456789abcde\\n"',
]


@pytest.mark.parametrize("value", NOT_JSON)
def test_what_is_no_json_is_bad_wherever_it_stands(value: bytes) -> None:
    if ORJSON is not None:  # json takes some of it
        with pytest.raises(ORJSON.JSONDecodeError):
            loads(value)
    assert why(INT, value).startswith("not JSON: ")
    for around in (b'{"x":%s}', b'{"x":[%s]}', b'{"a":1,"x":%s}'):
        if value.strip() or around != b'{"x":[%s]}':
            assert why(pa.struct([("a", INT)]), around % value).startswith("not JSON: ")


@pytest.mark.parametrize("value", JSON)
def test_what_is_json_may_stand_in_a_field_that_the_schema_has_not(value: bytes) -> None:
    assert loads(value) == json.loads(value)
    assert (
        good(pa.struct([("a", INT)]), b'{"x":%s,"a":1}' % value, b'{"a":1,"x":[%s,%s]}' % (value, value))
        == [{"a": 1}] * 2
    )


@pytest.mark.parametrize(
    ("value", "number"), [(b"1.0", 1), (b"1e3", 1000), (b"-0", 0), (b"-0.0", 0), (b"12300e-2", 123), (b"0e9", 0)]
)
def test_a_number_is_an_integer_if_its_value_is_one(value: bytes, number: int) -> None:
    assert good(INT, value) == [number]
    assert loads(value) == number


@pytest.mark.parametrize("value", [b"1.5", b"1e-1", b"0.1e0", b"1.0000000000000000001"])
def test_a_number_with_a_fraction_is_no_integer(value: bytes) -> None:
    assert why(INT, value) == "value is not exactly int64"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (INT, b"9223372036854775808"),
        (INT, b"-9223372036854775809"),
        (INT, b"1e19"),
        (INT, b"1e999999999999999999999"),
        (INT, b"1" * 400),
        (pa.uint64(), b"-1"),
        (pa.uint64(), b"18446744073709551616"),
        (pa.int8(), b"128"),
        (pa.uint8(), b"256"),
        (pa.int16(), b"-32769"),
        (pa.int32(), b"2147483648"),
        (pa.float64(), b"1e400"),
        (pa.float64(), b"-1e999999999999999"),
        (pa.float64(), b"9" * 400),
        (pa.float32(), b"3.5e38"),
        (pa.decimal128(3, 1), b"100"),
        (pa.decimal128(3, 1), b'"1e99"'),
        (pa.timestamp("ns"), b'"2263-01-01T00:00:00"'),
        (pa.timestamp("ns"), b'"1677-01-01T00:00:00"'),
        (pa.duration("ns"), b'"P200000D"'),
        (pa.duration("s"), b'"P9999999999999D"'),
        (pa.binary(2), b'"AAAA"'),
    ],
)
def test_what_is_out_of_range_is_bad(kind: Any, value: bytes) -> None:
    assert "is out of the range of" in why(kind, value)


def test_the_ends_of_a_range_are_good() -> None:
    found, _ = column(pa.timestamp("ns"), [b'"2262-04-11T23:47:16.854775807"', b'"1677-09-21T00:12:43.145224192"'])
    assert found.cast(pa.int64()).to_pylist() == [2**63 - 1, -(2**63)]
    assert good(pa.float64(), b"1.7976931348623158e308", b"-1e-999999999999") == [1.7976931348623157e308, 0]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.decimal128(9, 2), b"1.005"),
        (pa.decimal128(9, 2), b'"1e-3"'),
        (pa.timestamp("ms"), b'"2026-11-29T12:30:15.1234"'),
        (pa.timestamp("s", "UTC"), b'"2026-11-29T12:30:15.1Z"'),
        (pa.time32("ms"), b'"12:30:15.0001"'),
        (pa.duration("s"), b'"PT0.5S"'),
    ],
)
def test_what_would_have_to_be_rounded_is_bad(kind: Any, value: bytes) -> None:
    assert "is not exactly" in why(kind, value)


def test_zeros_beyond_what_a_column_holds_are_nothing() -> None:
    assert [str(each) for each in good(pa.decimal128(9, 2), b"1.50000")] == ["1.50"]
    assert [str(each) for each in good(pa.time32("s"), b'"12:30:15.000"')] == ["12:30:15"]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (pa.bool_(), b"1", "true or false"),
        (pa.bool_(), b'"true"', "true or false"),
        (INT, b'"1"', "a number"),
        (INT, b"true", "a number"),
        (INT, b"[1]", "a number"),
        (pa.float64(), b'"1.5"', "a number"),
        (pa.string(), b"1", "a string"),
        (pa.string(), b"{}", "a string"),
        (pa.decimal128(9, 2), b"true", "a number or a string"),
        (pa.decimal128(9, 2), b'"+1"', "a number"),
        (pa.decimal128(9, 2), b'" 1"', "a number"),
        (pa.binary(), b"1", "a string"),
        (pa.uuid(), b"1", "a string"),
        (pa.timestamp("us"), b"1", "a string"),
        (pa.date32(), b"1.0", "a string"),
        (pa.list_(INT), b"{}", "an array"),
        (pa.list_(INT), b"1", "an array"),
        (pa.map_(pa.string(), INT), b"[]", "an object"),
        (pa.struct([("a", INT)]), b"[]", "an object"),
        (pa.struct([("a", INT)]), b'"x"', "an object"),
        (pa.null(), b"0", "null"),
    ],
)
def test_a_value_of_another_type_is_bad(kind: Any, value: bytes, expected: str) -> None:
    assert why(kind, value) == f"value is not {expected}"


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (pa.date32(), ["2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-1-01", "26-01-01"]),
        (pa.date32(), ["2026-01-01T", "1900-02-29"]),
        (pa.time32("s"), ["24:00:00", "12:60:00", "12:00:60", "12:00", "12:00:00Z", "12:00:00.", "1:00:00"]),
        (pa.time32("s"), ["12:00:00 "]),
        (pa.timestamp("us"), ["2026-11-29", "2026-11-29T12:30", "2026-11-29T12:30:15Z", "2026-11-29_12:30:15"]),
        (pa.timestamp("us"), ["2026-11-29T12:30:60"]),
        (pa.timestamp("us", "UTC"), ["2026-11-29T12:30:15", "2026-11-29T12:30:15+01"]),
        (pa.timestamp("us", "UTC"), ["2026-11-29T12:30:15+24:00"]),
        (pa.timestamp("us", "UTC"), ["2026-11-29T12:30:15+0100", "2026-11-29T12:30:15 Z"]),
        (pa.timestamp("us", "UTC"), ["2026-11-29T12:30:15*01:00", ""]),
        (pa.duration("us"), ["", "P", "PT", "P1", "P1DT", "P1Y", "P1M", "PT1D", "P1H", "P1D2W", "PT1.5H"]),
        (pa.duration("us"), ["PT1.S", "P1T5S", "+P1D", "P-1D", "PT5SP1D"]),
        (pa.uuid(), ["", "111111111111111111111111111111111111", "12345678-9abc-def0-1234-56789abcdef"]),
        (pa.uuid(), ["12345678-9abc-def0-1234-56789abcdeg0", "{12345678-9abc-def0-1234-56789abcdef}"]),
        (pa.binary(), ["A", "AA", "AAA", "AAA=A", "A===", "====", "AA=A", "AB==", "AAB=", "AA A", "AA-_"]),
        (pa.binary(), ["AAAA\n", "ü==="]),
    ],
)  # fmt: skip
def test_a_string_of_another_form_is_bad(kind: Any, texts: list[str]) -> None:
    for text in texts:
        assert why(kind, json.dumps(text).encode()).startswith("value is not "), text


@pytest.mark.parametrize("text", ["0", "0g", "00 ", "é0"])
def test_odd_or_other_digits_are_no_bytes(text: str) -> None:
    assert why(pa.binary(), json.dumps(text).encode(), binary="hex") == "value is not pairs of hexadecimal digits"


def test_durations_of_all_parts() -> None:
    texts = [b'"P2W"', b'"-P1DT1S"', b'"PT0.000001S"', b'"P1W2DT3H4M5.5S"', b'"PT0S"']
    spans = [14 * 86400, -86401, 1e-6, 9 * 86400 + 3 * 3600 + 4 * 60 + 5.5, 0]
    assert [span.total_seconds() for span in good(pa.duration("us"), *texts)] == spans


def test_the_year_zero_is_a_leap_year() -> None:
    found, bad = column(pa.date32(), [b'"0000-01-01"', b'"0000-02-29"', b'"0000-12-31"', b'"0001-01-01"'])
    assert (bad, found.cast(pa.int32()).to_pylist()) == ([], [-719528, -719469, -719163, -719162])


def test_a_field_that_is_missing_or_null_is_null_where_it_may_be() -> None:
    kind = pa.struct(
        [pa.field("a", INT, nullable=False), ("b", INT), ("c", pa.struct([pa.field("d", INT, nullable=False)]))]
    )
    assert good(kind, b'{"a":1}', b'{"c":null,"b":null,"a":2}') == [
        {"a": 1, "b": None, "c": None},
        {"a": 2, "b": None, "c": None},
    ]
    assert why(kind, b"{}") == "value.a is missing"
    assert why(kind, b'{"a":null}') == "value.a is null"
    assert why(kind, b'{"a":1,"c":{}}') == "value.c.d is missing"
    assert why(kind, b"null") == "value is null"


def test_fields_of_a_value_that_may_not_be_null_are_bad_at_the_top_too() -> None:
    schema = pa.schema([pa.field("a", INT, nullable=False), pa.field("b", pa.string())])
    batch, bad = decoded(Json(schema), [b'{"b":"x"}', b'{"a":1}', None])
    assert (batch.to_pylist(), [each.reason for each in bad]) == (
        [{"a": None, "b": None}, {"a": 1, "b": None}, {"a": None, "b": None}],
        ["a is missing"],
    )


def test_of_a_field_that_is_there_twice_the_last_counts() -> None:
    kind = pa.struct([("a", pa.list_(INT)), ("b", pa.struct([("c", pa.string())]))])
    value = b'{"a":[1,2],"b":{"c":"x","c":"y"},"a":"no list","a":[3],"b":{"c":1,"d":2,"c":"z"}}'
    assert good(kind, b'{"a":[9]}', value) == [{"a": [9], "b": None}, {"a": [3], "b": {"c": "z"}}]
    assert loads(value) == {"a": [3], "b": {"c": "z", "d": 2}}
    assert why(kind, b'{"a":[1],"a":5}') == "value.a is not an array"
    assert good(kind, b'{"a":[1],"a":null}', b'{"b":{"c":"x"},"b":{}}') == [
        {"a": None, "b": None},
        {"a": None, "b": {"c": None}},
    ]


def test_a_key_that_is_there_twice_in_a_map_stays_there_twice() -> None:
    assert good(pa.map_(pa.string(), INT), b'{"a":1,"b":2,"a":3}') == [[("a", 1), ("b", 2), ("a", 3)]]


def test_names_may_be_in_any_order_and_may_have_escapes() -> None:
    kind = pa.struct([("ä", INT), ('"q\\', INT), ("c", INT), ("a long name of a field", INT), ("", INT)])
    values = [
        b'{"a long name of a field":4,"":5,"\\u0063":3,"\\"q\\\\":2,"\\u00e4":1}',
        '{"ä":1,"\\"q\\\\":2,"c":3,"a long name of a field":4,"":5}'.encode(),
    ]
    assert good(kind, *values) == [{"ä": 1, '"q\\': 2, "c": 3, "a long name of a field": 4, "": 5}] * 2
    assert good(kind, b'{"a long name of a fiel":1,"a long name of a field ":1,"cc":2,"C":3}') == [
        dict.fromkeys(loads(values[1]))
    ]


def test_nesting_has_a_limit_wherever_it_is() -> None:
    deep = b"[" * MOST_JSON_DEPTH + b"]" * MOST_JSON_DEPTH
    inner = deep[1:-1]
    kind = pa.struct([("a", INT)])
    assert good(kind, b'{"x":%s,"a":1}' % inner, b'{"y":"%s","a":1}' % (b"[" * 5000)) == [{"a": 1}] * 2
    assert f"nested deeper than {MOST_JSON_DEPTH} levels" in why(kind, b'{"x":%s,"a":1}' % deep)
    assert f"nested deeper than {MOST_JSON_DEPTH} levels" in why(
        kind, b'{"x":%s}' % deep.replace(b"[", b'{"a":').replace(b"]", b"}").replace(b":}", b":1}")
    )
    assert why(kind, b"[" * 100_000).startswith("not JSON")


def test_nulls_in_lists_may_not_take_much_more_than_the_value() -> None:
    wide = pa.list_(pa.struct([(f"f{number}", INT) for number in range(1000)]))
    assert len(good(wide, b"[{},{},null]")[0]) == 3
    assert why(wide, b"[%s]" % b",".join([b"{}"] * 1000)).startswith("value[].f")
    assert why(pa.list_(pa.binary(100_000)), b"[%s]" % b",".join([b"null"] * 1000)) == (
        "value[] is null or missing too often for such a short value"
    )


def test_values_may_have_a_frame_in_front() -> None:
    values = [
        framed(7, b' {"a":1}'),
        framed(8, b""),
        b"\0\0\0\0",
        b"",
        b'{"a":1} ',
        framed(2**31, b"{1"),
        framed(0, b'{"a":"x"}'),
    ]
    batch, bad = decoded(Json(ANYTHING, framed=True), [*values, None])
    no_frame = "the value does not begin with a zero byte and the id of a schema"
    assert batch["a"].to_pylist() == [1] + [None] * 7
    assert [each.reason for each in bad] == [
        "not JSON: Expecting value (at byte 0)",
        *[no_frame] * 3,
        "not JSON: Expecting property name enclosed in double quotes (at byte 1)",
        "a is not a number",
    ]


def test_values_that_are_no_objects_have_one_column_and_null_is_theirs() -> None:
    batch, bad = decoded(Json({"type": ["integer", "null"]}), [b"1", b"null", None, b"x"])
    assert (batch.to_pylist(), [each.row for each in bad]) == (
        [{"value": number} for number in (1, None, None, None)],
        [3],
    )


def test_a_schema_of_objects_or_null_takes_null() -> None:
    schema = {"type": ["object", "null"], "properties": {"a": {"type": "integer"}}}
    batch, bad = decoded(Json(schema), [b"null", b'{"a":1}'])
    assert (bad, batch.to_pylist()) == ([], [{"a": None}, {"a": 1}])


def test_required_and_null_of_a_json_schema() -> None:
    schema = {
        "type": "object",
        "required": ["must", "null"],
        "properties": {"must": {"type": "integer"}, "may": {"type": "integer"}, "null": {"type": ["null", "string"]}},
    }
    assert good(schema, b'{"must":1}', b'{"must":1,"may":null,"null":"x"}') == [
        {"must": 1, "may": None, "null": None},
        {"must": 1, "may": None, "null": "x"},
    ]
    assert why(schema, b"{}") == "value.must is missing"
