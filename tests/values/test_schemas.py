"""Schemas that are invalid or can't be converted to columns are refused with a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values import Avro
from tests.values.decoding import decoded


def nested(depth: int, kind: Any = "int") -> Any:
    for _ in range(depth):
        kind = {"type": "array", "items": kind}
    return kind


def maps(depth: int) -> Any:
    """Each is two columns deep."""
    return {"type": "map", "values": maps(depth - 1) if depth > 1 else "int"}


def doubling(count: int) -> Any:
    """A record of two records of two records..., each defined once and then named."""
    kind: Any = "int"
    for number in range(count):
        fields = [{"name": "a", "type": kind}, {"name": "b", "type": f"R{number - 1}" if number else "int"}]
        kind = {"type": "record", "name": f"R{number}", "fields": fields}
    return kind


LIST = {"type": "record", "name": "L", "fields": [{"name": "next", "type": ["null", "L"]}]}
MUTUAL = {
    "type": "record",
    "name": "A",
    "fields": [{"name": "b", "type": {"type": "record", "name": "B", "fields": [{"name": "a", "type": "A"}]}}],
}
#: Whatever else a field is, its name has to be one.
BAD_NAME = {"type": "record", "name": "R", "fields": [{"name": "a-b", "type": "int"}]}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (LIST, "L contains itself"),
        (MUTUAL, "A contains itself"),
        ("{", "the schema is not JSON"),
        ("[" * 5000, "the schema is not JSON"),
        ('"strange"', "unknown type 'strange'"),
        (5, "5 is not a schema"),
        ({"type": "array"}, "there is no 'items'"),
        ({"type": "record", "name": "R"}, "there is no 'fields'"),
        ({"type": "record", "name": "R", "fields": "x"}, "not a list"),
        ({"type": "record", "name": "R", "fields": ["x"]}, "a field without a name"),
        (
            {"type": "record", "name": "R", "fields": 2 * [{"name": "a", "type": "int"}]},
            "two fields with the same name",
        ),
        (BAD_NAME, "a field whose name is not valid"),
        ({"type": "fixed", "name": "F", "size": 0}, "the size of F"),
        ({"type": "fixed", "name": "F", "size": True}, "the size of F"),
        ({"type": "enum", "name": "E", "symbols": []}, "E has no symbols"),
        ({"type": "enum", "name": "E", "symbols": ["\ud800"]}, "no symbols, or a symbol that is empty or not UTF-8"),
        ({"type": "enum", "name": "E", "symbols": ["A", "A"]}, "the same symbol twice"),
        ({"type": "enum", "name": "E", "symbols": ["A"], "default": "B"}, "a default that is not one of its symbols"),
        (["int", "int"], "the same type twice"),
        (["int", ["string"]], "contains a union"),
        ([], "a union is empty"),
        ([{"type": "fixed", "name": f"F{number}", "size": 1} for number in range(1001)], "more than 1000 branches"),
        (nested(5000), "nested deeper than"),
        (nested(62), "nested deeper than"),
        (maps(40), "or columns nested deeper than"),
        (doubling(40), "more than 16384"),
    ],
)
def test_a_schema_is_refused(schema: Any, why: str) -> None:
    with pytest.raises(AvroSchemaError, match=why):
        Avro(schema)


def test_lists_may_be_as_deep_as_columns_can() -> None:
    batch, bad = decoded(Avro(nested(58)), [b"\x02" * 58 + b"\x04" + b"\0" * 58, b"\0"])
    assert bad == []
    assert batch.num_rows == 2


def test_a_schema_is_json_or_what_is_made_of_it() -> None:
    schema = {"type": "record", "name": "R", "namespace": "n", "fields": [{"name": "a", "type": {"type": "int"}}]}
    for form in (schema, json.dumps(schema), json.dumps(schema).encode()):
        assert decoded(Avro(form), [b"\x02"])[0].to_pylist() == [{"a": 1}]


def test_named_types_are_found_in_their_namespaces() -> None:
    inner = {"type": "enum", "name": "E", "symbols": ["A"]}
    fields = [{"name": "a", "type": inner}, {"name": "b", "type": "E"}, {"name": "c", "type": "n.E"}]
    schema = {"type": "record", "name": "n.R", "fields": fields}
    assert decoded(Avro(schema), [b"\0\0\0"])[0].to_pylist() == [{"a": "A", "b": "A", "c": "A"}]
