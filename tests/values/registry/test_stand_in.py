"""The stand-in registry is one to confluent-kafka's client, serializers and deserializers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka.schema_registry import (
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    SchemaRegistryError,
)
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from kafka_nextgen import MisuseError, Secret
from kafka_nextgen.errors import RegistryError
from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values import RegisteredSchema, SchemaRegistry
from kafka_nextgen.values.schema_source import SubjectSource, source_of
from tests.support.messages import order_class

ORDER = json.dumps({"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]})
JSON_ORDER = json.dumps({"title": "Order", "type": "object", "properties": {"id": {"type": "integer"}}})
VALUE = SerializationContext("orders", MessageField.VALUE, [])


def client_of(registry: StandIn) -> SchemaRegistryClient:
    return SchemaRegistryClient({"url": registry.url, "max.retries": 0})


def test_schemas_are_registered_and_found(registry: StandIn) -> None:
    client, schema = client_of(registry), Schema(ORDER, "AVRO")
    full = client.register_schema_full_response("orders-value", schema)
    assert full.schema_id is not None
    assert registry.guid_of(full.schema_id) == full.guid
    for found in (client_of(registry).get_schema(full.schema_id), client_of(registry).get_schema_by_guid(full.guid)):
        assert (found.schema_str, found.schema_type) == (ORDER, "AVRO")
    assert client_of(registry).lookup_schema("orders-value", schema).version == 1


def test_the_same_schema_has_one_id_everywhere_and_another_type_another(registry: StandIn) -> None:
    first = registry.register("a", '{"type": "string"}')
    assert registry.register("b", '{"type":"string"}') == first
    assert registry.register("a", '{"type": "string"}', "JSON") != first
    reference = {"name": "A", "subject": "a", "version": 1}
    assert registry.register("a", '{"type": "string"}', references=[reference]) != first, "it means something else"


def test_subjects_have_versions(registry: StandIn) -> None:
    client = client_of(registry)
    for text in (ORDER, '"int"', ORDER):
        client.register_schema("orders-value", Schema(text, "AVRO"))
    assert client.get_versions("orders-value") == [1, 2]
    assert client.get_latest_version("orders-value").schema.schema_str == '"int"'
    assert client.get_version("orders-value", 1).schema.schema_str == ORDER
    assert client.get_subjects() == client.get_subjects(subject_prefix="orders") == ["orders-value"]
    assert client.get_subjects(subject_prefix="x") == []
    assert [(each.subject, each.version) for each in client.get_schema_versions(1)] == [("orders-value", 1)]
    assert client.get_subjects_by_schema_id(1) == ["orders-value"]
    assert client.delete_version("orders-value", 1) == 1
    assert client.delete_subject("orders-value") == [2]
    assert client.get_subjects() == []
    assert client.register_schema("orders-value", Schema('"long"', "AVRO")) == 3
    assert client.get_versions("orders-value") == [3], "numbers of versions are not given out twice"


def test_a_client_of_confluent_is_a_source_of_subjects(registry: StandIn) -> None:
    source = source_of(client_of(registry), "AVRO")
    assert isinstance(source, SubjectSource)
    registry.register("item", '"int"')
    registry.register("orders-value", ORDER, references=[{"name": "Item", "subject": "item", "version": 1}])
    expected = RegisteredSchema("AVRO", ORDER, (("Item", '"int"'),), 2)
    assert source.versions_of("orders-value") == [1]
    assert source.schema_of("orders-value", 1) == source.schema_of("orders-value") == source.schema_by_id(2) == expected


def test_what_a_client_of_confluent_finds_stands_behind_what_it_refers_to(registry: StandIn) -> None:
    registry.register("a", '"int"')
    registry.register("b", '"long"', references=[{"name": "A", "subject": "a", "version": 1}])
    top = registry.register("top", ORDER, references=[{"name": "B", "subject": "b", "version": 1}])
    found = source_of(client_of(registry), "AVRO").schema_by_id(top)
    assert found.references == (("A", '"int"'), ("B", '"long"'))


def test_references_are_kept(registry: StandIn) -> None:
    client = client_of(registry)
    client.register_schema("item", Schema('"int"', "AVRO"))
    schema = Schema(ORDER, "AVRO", [SchemaReference("Item", "item", 1)])
    found = client_of(registry).get_schema(client.register_schema("orders-value", schema))
    assert [(each.name, each.subject, each.version) for each in found.references] == [("Item", "item", 1)]
    assert client.get_referenced_by("item", 1) == [2]


def test_everything_is_compatible(registry: StandIn) -> None:
    client = client_of(registry)
    client.register_schema("orders-value", Schema(ORDER, "AVRO"))
    assert client.test_compatibility("orders-value", Schema('"int"', "AVRO"))
    assert client.test_compatibility_all_versions("orders-value", Schema('"int"', "AVRO"))
    assert client.set_compatibility("orders-value", "FULL") == {"compatibility": "FULL"}
    assert client.get_compatibility("orders-value") == "NONE"
    assert client.get_global_mode() == "READWRITE"
    assert client.get_schema_types() == ["AVRO", "JSON", "PROTOBUF"]


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda client: client.get_schema(7), 40403),
        (lambda client: client.get_schema_by_guid("7"), 40403),
        (lambda client: client.get_latest_version("none"), 40401),
        (lambda client: client.get_version("there", 7), 40402),
        (lambda client: client.lookup_schema("there", Schema('"long"', "AVRO")), 40403),
        (lambda client: client.register_schema("there", Schema("{", "AVRO")), 42201),
        (lambda client: client.register_schema("there", Schema('"int"', "THRIFT")), 42201),
        (lambda client: client._rest_client.get("subjects/there/versions/x"), 42202),
        (lambda client: client._rest_client.get("nowhere"), 404),
        (lambda client: client._rest_client.post("subjects/there", []), 400),
    ],
)
def test_a_refusal_has_the_code_of_confluents_registry(
    registry: StandIn, ask: Callable[[Any], object], code: int
) -> None:
    registry.register("there", '"int"')
    with pytest.raises(SchemaRegistryError) as caught:
        ask(client_of(registry))
    assert caught.value.error_code == code


def test_credentials_are_asked_for() -> None:
    with StandIn(users={"u": Secret("p")}) as registry:
        registry.register("orders-value", ORDER)
        good, bad = ({"url": registry.url, "basic.auth.user.info": f"u:{word}"} for word in ("p", "x"))
        assert SchemaRegistryClient(good).get_schema(1).schema_str == ORDER
        with pytest.raises(SchemaRegistryError) as caught:
            SchemaRegistryClient(bad).get_schema(1)
        assert (caught.value.http_status_code, caught.value.error_code) == (401, 40101)


def test_faults_are_answered_until_it_recovers(registry: StandIn) -> None:
    registry.register("orders-value", ORDER)
    registry.fail(503, '{"error_code": 50003, "message": "busy"}')
    for _ in range(2):
        with pytest.raises(SchemaRegistryError, match="busy"):
            client_of(registry).get_schema(1)
    registry.recover()
    registry.delay(0.01)
    assert client_of(registry).get_schema(1).schema_str == ORDER


def test_a_delayed_answer_can_come_too_late(registry: StandIn) -> None:
    registry.register("orders-value", ORDER)
    registry.delay(3600.0)
    with pytest.raises(RegistryError):
        SchemaRegistry(registry.url, timeout_s=0.1).schema_by_id(1)


def test_a_registry_that_hangs_answers_when_it_goes_on(registry: StandIn) -> None:
    registry.register("orders-value", ORDER)
    found = []
    with registry.hanging():
        asking = threading.Thread(target=lambda: found.append(client_of(registry).get_schema(1)))
        asking.start()
        registry.wait_for_requests(1)
        assert found == []
    asking.join()
    assert found[0].schema_str == ORDER


def test_a_registry_is_used_once_and_inside_its_block(registry: StandIn) -> None:
    with pytest.raises(TimeoutError, match="only 0 of 1 requests"):
        registry.wait_for_requests(1, 0.0)
    for refused in ('"', ""):
        with pytest.raises(ValueError, match="Invalid schema"):
            registry.register("x", refused)
    with pytest.raises(ValueError, match="a reference needs a name"):
        registry.register("x", '"int"', references=[{"name": "A"}])
    with pytest.raises(ValueError, match="Subject 'none' not found"):
        registry.register("x", '"int"', references=[{"name": "A", "subject": "none", "version": 1}])
    for unknown in (0, 7):
        with pytest.raises(ValueError, match=f"Schema {unknown} not found"):
            registry.guid_of(unknown)
    with pytest.raises(MisuseError, match="can be used once"):
        registry.__enter__()
    with pytest.raises(MisuseError, match="use it in a with block"):
        print(StandIn().url)


# ---- serializers and deserializers


def avro(client: SchemaRegistryClient) -> tuple[AvroSerializer, AvroDeserializer]:
    return AvroSerializer(client, ORDER), AvroDeserializer(client)


def json_schema(client: SchemaRegistryClient) -> tuple[JSONSerializer, JSONDeserializer]:
    return JSONSerializer(JSON_ORDER, client), JSONDeserializer(JSON_ORDER, schema_registry_client=client)


@pytest.mark.parametrize("pair", [avro, json_schema])
def test_values_go_there_and_back(registry: StandIn, pair: Any) -> None:
    serializer, deserializer = pair(client_of(registry))
    assert deserializer(serializer({"id": 7}, VALUE), VALUE) == {"id": 7}


def test_messages_of_protobuf_go_there_and_back(registry: StandIn) -> None:
    client, order = client_of(registry), order_class()
    data = ProtobufSerializer(order, client)(order(id=7), VALUE)
    assert ProtobufDeserializer(order, schema_registry_client=client)(data, VALUE) == order(id=7)
    assert SchemaRegistry(registry.url).schema_by_id(1).type == "PROTOBUF"


def test_texts_of_protobuf_are_not_compiled() -> None:
    with StandIn() as registry:
        schema_id = registry.register("s", "syntax = 'proto3';", "PROTOBUF")
        client = SchemaRegistry(registry.url)
        assert client.schema_by_id(schema_id).text == "syntax = 'proto3';"
        with pytest.raises(RegistryError, match="status 422"):
            client.serialized().schema_by_id(schema_id)
