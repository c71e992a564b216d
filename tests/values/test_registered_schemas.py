"""Formats accept a schema as a registry returns it, with the schemas that it references."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from kafka_nextgen.errors import AvroSchemaError, JsonSchemaError, ProtobufSchemaError
from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values import Avro, Json, Protobuf, RegisteredSchema, SchemaRegistry
from tests.values.decoding import decoded, framed
from tests.values.protobuf_messages import F, class_of, file_of
from tests.values.protobuf_messages import decoded as decoded_protobuf

ITEM = {"type": "record", "name": "Item", "fields": [{"name": "n", "type": "int"}]}
ORDER = {"type": "record", "name": "Order", "fields": [{"name": "item", "type": "Item"}]}
WITH_ITEM = RegisteredSchema("AVRO", json.dumps(ORDER), (("Item", json.dumps(ITEM)),), 7)
FILE = file_of("proto3", {"M": [F("id", 1, "int64")], "Other": [F("x", 1, "string")]})
COMPILED = RegisteredSchema("PROTOBUF", b64encode(FILE.SerializeToString()).decode())


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (lambda: Avro(WITH_ITEM), b"\x02"),
        (lambda: Avro(registry={1: WITH_ITEM}, reader_schema=WITH_ITEM), framed(1, b"\x02")),
        (lambda: Avro(registry={1: WITH_ITEM}), framed(1, b"\x02")),
    ],
    ids=["schema", "reader_schema", "registry"],
)
def test_avro_takes_it(form: Callable[[], Avro], value: bytes) -> None:
    batch, bad = decoded(form(), [value])
    assert (batch.to_pylist(), bad) == ([{"item": {"n": 1}}], [])


def test_json_takes_it() -> None:
    other = ("int.json", json.dumps({"type": "integer"}))
    schema = RegisteredSchema("JSON", {"type": "object", "properties": {"a": {"$ref": "int.json"}}}, (other,))
    batch, bad = decoded(Json(schema), [b'{"a": 1}'])
    assert (batch.to_pylist(), bad) == ([{"a": 1}], [])


def test_protobuf_takes_what_the_registry_has_compiled() -> None:
    message = class_of(FILE, "M")(id=5).SerializeToString()
    for form in (Protobuf(COMPILED), Protobuf(COMPILED, "t.M")):
        assert decoded_protobuf(form, [message])[0].to_pylist() == [{"id": 5}]
    assert decoded_protobuf(Protobuf(COMPILED, "t.Other"), [])[0].schema.names == ["x"]


def test_the_latest_schema_of_a_subject_can_be_passed_to_a_format_unchanged() -> None:
    with StandIn() as stand_in:
        stand_in.register("orders-value", json.dumps(ITEM))
        registry = SchemaRegistry(stand_in.url)
        avro = Avro(registry=registry, reader_schema=registry.schema_of("orders-value"))
    assert decoded(avro, [])[0].schema.names == ["n"]


@pytest.mark.parametrize(
    ("form", "error", "why"),
    [
        (lambda: Avro(COMPILED), AvroSchemaError, "the schema has the type PROTOBUF, not AVRO"),
        (lambda: Avro(ITEM, reader_schema=COMPILED), AvroSchemaError, "the schema has the type PROTOBUF, not AVRO"),
        (lambda: Json(WITH_ITEM), JsonSchemaError, "the schema has the type AVRO, not JSON"),
        (lambda: Protobuf(WITH_ITEM), ProtobufSchemaError, "the schema has the type AVRO, not PROTOBUF"),
        (
            lambda: Protobuf(RegisteredSchema("PROTOBUF", "message M {}")),
            ProtobufSchemaError,
            "the text of a .proto file must be compiled by a registry that supports format=serialized",
        ),
    ],
    ids=["avro", "reader_schema", "json", "protobuf", "proto text"],
)
def test_a_schema_of_another_type_is_refused(form: Callable[[], object], error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        form()


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({"id": pa.int64()}, "dict"),
        ([("id", pa.int64())], "list"),
        ([pa.field("id", pa.int64())], "list"),
        ((pa.field("id", pa.int64()),), "tuple"),
    ],
)
def test_json_says_how_to_make_a_schema_of_arrow_types(schema: Any, given: str) -> None:
    why = rf"a {given} of Arrow types is not a schema: pass it to pyarrow\.schema\(\.\.\.\) first, or give"
    with pytest.raises(JsonSchemaError, match=why):
        Json(schema)
    assert decoded(Json(pa.schema(schema)), [])[0].schema.names == ["id"]
