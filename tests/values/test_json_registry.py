"""JSON with a registry: whose columns they are, what a union of schemas is, and schemas that refer to others."""

from __future__ import annotations

import json
import struct
from typing import Any

import pyarrow as pa
import pytest

from kafka_nextgen import Records
from kafka_nextgen.errors import ConfigError, JsonSchemaError
from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values import Json, RegisteredSchema, SchemaRegistry
from tests.values.decoding import decoded, framed
from tests.values.slices import slice_of

NUMBER, STRING, INTEGER, SYMBOL = {"type": "number"}, {"type": "string"}, {"type": "integer"}, {"enum": ["A"]}


def of(*required: str, **fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(required)}


def value(schema_id: int, **fields: Any) -> bytes:
    return framed(schema_id, json.dumps(fields).encode())


OLD, NEW = of("a", a=INTEGER, gone=STRING), of("a", a=NUMBER, b=STRING)


def test_the_newest_schema_defines_the_columns_and_ids_are_not_looked_up() -> None:
    batch, bad = decoded(
        Json(registry={1: OLD, 2: NEW}), [value(1, a=1, gone="x"), None, value(9, a=2.5, b="y"), b"{}"]
    )
    assert batch.to_pylist()[:3] == [{"a": 1.0, "b": None}, {"a": None, "b": None}, {"a": 2.5, "b": "y"}]
    assert [(each.row, each.reason) for each in bad] == [
        (3, "the value does not begin with a zero byte and the id of a schema")
    ]


def test_a_union_has_the_fields_of_all_schemas() -> None:
    json_ = Json(registry={1: OLD, 2: NEW}, columns="union")
    batch, bad = decoded(json_, [value(1, a=1, gone="x"), value(2, a=2.5, b="y"), value(2, b="no a")])
    assert batch.to_pylist()[:2] == [{"a": 1.0, "b": None, "gone": "x"}, {"a": 2.5, "b": "y", "gone": None}]
    assert [each.reason for each in bad] == ["a is missing"]


def test_a_schema_that_comes_later_adds_its_columns_to_its_table_and_to_all_later_ones() -> None:
    schemas: dict[int, Any] = {1: OLD}
    json_ = Json(registry=schemas.__getitem__, columns="union")
    assert json_.decoder("value", True).names == ()
    assert decoded(json_, [None])[0].num_columns == 0
    assert decoded(json_, [value(1, a=1)])[0].to_pylist() == [{"a": 1, "gone": None}]
    schemas[2] = NEW
    slices = [slice_of([value(1, a=1)], 0, 0, b""), slice_of([value(2, a=2.5, b="y")], 1, 0, b"")]
    table = Records(slices).to_arrow(value=json_).select(["a", "gone", "b"])
    assert table.to_pylist() == [{"a": 1.0, "gone": None, "b": None}, {"a": 2.5, "gone": None, "b": "y"}]


def test_values_of_unknown_schemas_and_of_those_without_a_union_are_bad() -> None:
    schemas = {1: OLD, 3: of(a=STRING), 4: RegisteredSchema("AVRO", '"int"')}
    json_ = Json(registry=schemas.__getitem__, columns="union")
    values = [value(1, a=1), None, value(2, a=1), value(3, a="x"), value(4, a=1), b"\0", framed(1, b"{")]
    for _ in range(2):
        batch, bad = decoded(json_, values, start=0)
        assert batch.to_pylist() == [{"a": 1, "gone": None}] + [{"a": None, "gone": None}] * 6
        assert [each.row for each in bad] == [2, 3, 4, 5, 6]
        assert [each.reason for each in bad[:3]] == [
            "schema 2: the registry has no schema 2",
            "schema 3: can't be united with the schemas before it: a: string and integer have no type in common",
            "schema 4: the schema has the type AVRO, not JSON",
        ]


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (INTEGER, NUMBER, pa.float64()),
        (NUMBER, INTEGER, pa.float64()),
        (NUMBER, NUMBER, pa.float64()),
        ({"type": "null"}, STRING, pa.string()),
        (STRING, {"type": "null"}, pa.string()),
        ({"enum": ["A", "B"]}, STRING, pa.string()),
        (STRING, {"enum": ["A", "B"]}, pa.string()),
        ({"enum": ["B"]}, {"enum": ["A", "B"]}, pa.dictionary(pa.int32(), pa.string())),
        ({"type": "array", "items": INTEGER}, {"type": "array", "items": NUMBER}, None),
        ({"type": "object", "additionalProperties": INTEGER}, {"type": "object", "additionalProperties": NUMBER}, None),
        (of("x", x=INTEGER), of("y", y=INTEGER), None),
    ],
)
def test_what_two_types_become(one: Any, other: Any, kind: pa.DataType | None) -> None:
    json_ = Json(registry={1: of("a", a=other), 2: of("a", a=one)}, columns="union")
    batch, _ = decoded(json_, [])
    if kind is not None:
        assert batch.schema.field("a").type == kind
    both = {"array": "list<item: double not null>", "x": "struct<x: int64, y: int64>"}
    text = str(batch.schema.field("a").type)
    if one.get("type") == "array":
        assert text == both["array"]
    elif "x" in one.get("properties", {}):
        assert text == both["x"]
    elif "additionalProperties" in one:
        assert text.startswith("map<string, double")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (INTEGER, STRING),
        (STRING, {"type": "string", "format": "date"}),
        (of(x=INTEGER), NUMBER),
        ({"enum": ["A"]}, NUMBER),
    ],
)
def test_types_without_a_union_are_refused(one: Any, other: Any) -> None:
    with pytest.raises(JsonSchemaError, match=r"schema 1: can't be united with .*: a: .* no type in common"):
        Json(registry={1: of(a=one), 2: of(a=other)}, columns="union")


def test_ids_in_headers_and_of_apicurio_are_found_as_for_avro() -> None:
    json_ = Json(OLD, framed=True, framing="apicurio")
    records = Records([slice_of([b"\0" + struct.pack(">q", 2**40) + b'{"a":1}'], 0, 0, b"")])
    assert records.to_arrow(value=json_)["a"].to_pylist() == [1]
    assert Json(OLD).framing is None


# ---- with a client


def test_schemas_of_a_subject_and_what_they_refer_to() -> None:
    customer = json.dumps({"definitions": {"name": STRING}, **of(name={"$ref": "#/definitions/name"})})
    order = of(id=INTEGER, by={"$ref": "customer.json"}, also={"$ref": "customer.json#/definitions/name"})
    with StandIn() as stand_in:
        stand_in.register("customer", customer, "JSON")
        reference = {"name": "customer.json", "subject": "customer", "version": 1}
        first = stand_in.register("orders-value", json.dumps(of(id=INTEGER, old=STRING)), "JSON")
        last = stand_in.register("orders-value", json.dumps(order), "JSON", [reference])
        registry = SchemaRegistry(stand_in.url)
        newest = Json(registry=registry, subject="orders-value")
        batch, bad = decoded(newest, [value(last, id=1, by={"name": "x"}, also="y")])
        assert (batch.to_pylist(), bad) == ([{"id": 1, "by": {"name": "x"}, "also": "y"}], [])
        union = Json(registry=registry, subject="orders-value", columns="union")
        batch, bad = decoded(union, [value(first, id=1, old="z")])
        assert (batch.to_pylist(), bad) == ([{"id": 1, "by": None, "also": None, "old": "z"}], [])


def test_references_are_found_by_the_id_of_a_document_and_may_not_hold_themselves() -> None:
    item = json.dumps({"$id": "http://x/item.json", **STRING})
    whole = {"$id": "http://x/order.json", **of(a={"$ref": "item.json"}, b={"$ref": "http://x/item.json#"})}
    registry = {1: RegisteredSchema("JSON", whole, (("item", item),))}
    assert decoded(Json(registry=registry), [value(1, a="1", b="2")])[0].to_pylist() == [{"a": "1", "b": "2"}]
    one, two = (json.dumps(of(x={"$ref": other})) for other in ("two.json", "one.json"))
    looped = RegisteredSchema("JSON", of(a={"$ref": "one.json"}), (("one.json", one), ("two.json", two)))
    with pytest.raises(JsonSchemaError, match=r"one\.json# contains itself"):
        Json(registry={1: looped})
    with pytest.raises(JsonSchemaError, match=r"item#: the schema is not JSON"):
        Json(registry={1: RegisteredSchema("JSON", whole, (("item", "{"),))})


def test_an_id_of_a_writers_schema_may_be_no_url() -> None:
    registry: dict[int, Any] = {1: OLD}
    json_ = Json(registry=registry, columns="union")
    registry[2] = {"$id": "http://[::1", **of(a={"$ref": "item.json"})}
    batch, bad = decoded(json_, [value(2, a=1), value(1, a=1)])
    assert (batch["a"].to_pylist(), [each.row for each in bad]) == ([None, 1], [0])
    assert "'item.json' is neither in this schema nor" in bad[0].reason


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "Json needs the schema of the columns, or a registry"),
        ({"schema": OLD, "columns": "union"}, "subject and columns need a registry, and can't be"),
        (
            {"schema": OLD, "registry": {1: OLD}, "subject": "s"},
            "subject and columns need a registry, and can't be combined",
        ),
        ({"registry": {1: OLD}, "columns": "oldest"}, "columns must be 'newest' or 'union', not 'oldest'"),
        ({"registry": {1: OLD}, "subject": "s"}, "subject needs a registry client"),
        ({"registry": {}}, "the registry has no schemas: give a schema, columns='union'"),
        ({"registry": print}, "the newest schema is unknown: give a schema, columns='union', or a registry client"),
        ({"registry": {1: OLD}, "framing": "other"}, "framing must be 'confluent' or 'apicurio', not 'other'"),
        ({"registry": 5}, "registry must be a SchemaRegistry, a mapping, a function or a client, not 5"),
    ],
)
def test_arguments_that_can_not_be_combined_are_refused(arguments: Any, why: str) -> None:
    with pytest.raises((ConfigError, TypeError), match=why):
        Json(**arguments)
