"""Protobuf with a registry: the message of each schema by its indexes, what is bad, and what can't be had."""

from __future__ import annotations

import struct
from base64 import b64encode
from typing import Any

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient

from kafka_nextgen.errors import ConfigError, ProtobufSchemaError
from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values import Protobuf, RegisteredSchema, SchemaRegistry
from tests.values.protobuf_messages import F, class_of, decoded, file_of

OLD_FILE = file_of("proto3", {"M": [F("id", 1, "int64")]})
NEW_FILE = file_of("proto3", {"Other": [F("x", 1, "string")], "M": [F("id", 1, "int64"), F("tag", 2, "string")]})
OLD, NEW = class_of(OLD_FILE, "M"), class_of(NEW_FILE, "M")
BY_ID = {1: OLD_FILE.SerializeToString(), 2: b64encode(NEW_FILE.SerializeToString()).decode()}


def value(schema_id: int, message: Any, *indexes: int) -> bytes:
    frame = bytes((2 * len(indexes), *(2 * index for index in indexes))) if indexes else b"\0"
    return struct.pack(">bI", 0, schema_id) + frame + message.SerializeToString()


def test_the_message_has_other_indexes_in_each_schema() -> None:
    protobuf = Protobuf(None, "t.M", registry=BY_ID)
    values = [
        value(1, OLD(id=1)),
        value(2, NEW(id=2, tag="x"), 1),
        None,
        b"\1",
        value(1, OLD(id=3)),
        value(2, NEW(id=4), 0),
    ]
    batch, bad = decoded(protobuf, values)
    assert batch["id"].to_pylist() == [1, 2, None, None, 3, None]
    assert batch["tag"].to_pylist() == ["", "x", None, None, "", None]
    assert [(each.row, each.reason.partition(" (")[0]) for each in bad] == [
        (3, "the value does not begin with a zero byte, the id of a schema and the indexes of a message"),
        (5, "the value's frame has the indexes of another message"),
    ]
    assert decoded(Protobuf(registry=BY_ID), [])[0].schema.names == ["x"]  # the first message of the newest
    assert decoded(Protobuf(OLD, registry=BY_ID), values[:2])[0].to_pylist() == [{"id": 1}, {"id": 2}]


def test_values_of_unknown_schemas_and_of_those_without_the_message_are_bad() -> None:
    schemas = {**BY_ID, 3: file_of("proto3", {"X": []}).SerializeToString(), 4: "syntax = 'proto3';"}
    schemas[5] = RegisteredSchema("AVRO", '"int"')
    batch, bad = decoded(Protobuf(OLD, registry=schemas), [value(each, OLD(id=7)) for each in (1, 3, 4, 5, 6)])
    assert batch["id"].to_pylist() == [7, None, None, None, None]
    assert [each.reason[:60] for each in bad] == [
        "schema 3: the schema has no message t.M",
        "schema 4: the schema is not a FileDescriptorProto, as bytes ",
        "schema 5: the schema has the type AVRO, not PROTOBUF",
        "schema 6: the registry has no schema 6",
    ]


def test_a_message_of_an_imported_file_has_no_indexes_in_the_schema() -> None:
    imported = file_of("proto3", {"M": [F("id", 1, "int64")]})
    importing = file_of("proto3", {"Other": []})
    importing.dependency.append("m.proto")
    texts = [b64encode(file.SerializeToString()).decode() for file in (importing, imported)]
    schema = RegisteredSchema("PROTOBUF", texts[0], (("m.proto", texts[1]),))
    _, bad = decoded(Protobuf(OLD, registry={1: schema}), [value(1, OLD(id=7))])
    assert [each.reason for each in bad] == ["schema 1: message t.M is defined in a file that the schema imports"]


def test_a_nested_message_has_the_indexes_of_its_enclosing_messages_first() -> None:
    file = file_of("proto3", {"First": [], "Outer": []})
    inner = file.message_type[1].nested_type.add(name="Inner")
    inner.field.add(name="id", number=1, type="TYPE_INT64", label="LABEL_OPTIONAL")
    protobuf = Protobuf(None, "t.Outer.Inner", registry={1: file.SerializeToString()})
    batch, bad = decoded(protobuf, [value(1, OLD(id=7), 1, 0), value(1, OLD(id=7), 0, 1)])
    assert (batch["id"].to_pylist(), [each.row for each in bad]) == ([7, None], [1])


def test_schemas_of_a_subject_with_imports_by_each_client() -> None:
    item = file_of("proto3", {"Item": [F("n", 1, "int32")]})
    order = file_of("proto3", {"Order": [F("item", 1, ".t.Item"), F("at", 2, ".google.protobuf.Timestamp")]})
    order.dependency.append("shop/item.proto")
    with StandIn() as stand_in:
        stand_in.register("item", b64encode(item.SerializeToString()).decode(), "PROTOBUF")
        reference = {"name": "shop/item.proto", "subject": "item", "version": 1}
        text = b64encode(order.SerializeToString()).decode()
        schema_id = stand_in.register("orders-value", text, "PROTOBUF", [reference])
        for registry in (SchemaRegistry(stand_in.url), SchemaRegistryClient({"url": stand_in.url})):
            protobuf = Protobuf(registry=registry, subject="orders-value")
            batch, bad = decoded(protobuf, [struct.pack(">bI", 0, schema_id) + b"\0" + b"\x0a\x02\x08\x05"])
            assert (batch["item"].to_pylist(), bad) == ([{"n": 5}], [])
        assert all("format=serialized" in path for _, path in stand_in.requests)


def test_a_missing_import_is_named() -> None:
    file = file_of("proto3", {"M": []})
    file.dependency.append("shop/gone.proto")
    with pytest.raises(ProtobufSchemaError, match=r"the schema imports shop/gone\.proto, which is missing"):
        Protobuf(registry={1: file.SerializeToString()})


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "Protobuf needs a message, or a registry"),
        ({"message": OLD, "subject": "s"}, "subject and columns need a registry, and can't be combined"),
        ({"registry": BY_ID, "columns": "union"}, "columns='union' is not supported for Protobuf"),
        ({"registry": BY_ID, "columns": "old"}, "columns must be 'newest', not 'old'"),
        ({"registry": BY_ID, "framing": "apicurio"}, "Apicurio's serializers put the name of the message"),
        ({"registry": {}}, "the registry has no schemas: give a message"),
        ({"registry": BY_ID, "name": "t.None"}, "the schema has no message t.None"),
        ({"registry": {1: "syntax = 'proto3';"}}, "must be compiled"),
    ],
)
def test_what_can_not_be_had_is_refused(arguments: Any, why: str) -> None:
    with pytest.raises((ConfigError, ProtobufSchemaError), match=why):
        Protobuf(**arguments)
