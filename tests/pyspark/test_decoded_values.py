"""Keys and values that are decoded in executors, in batch and streaming queries, next to what Spark makes of them."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2

from kafka_nextgen.testing.registry import SchemaRegistry
from tests.pyspark.failures import failure_of
from tests.pyspark.sources import BUILT_IN, OURS, Sources, run_to_the_end
from tests.pyspark.topics import write
from tests.support.clients import create_topic
from tests.values.decoding import encoded, framed
from tests.values.protobuf_messages import F, class_of, file_of

FIELDS = """id: bigint, amount: decimal(10,2), at: timestamp, day: date, paid: boolean, score: double,
    lines: array<struct<sku: string, count: int>>, tags: map<string, bigint>, more: struct<a: int, b: binary>"""
ORDERS = [
    {
        "id": number,
        "amount": number / 4,
        "at": "2026-11-29T12:30:15.5Z",
        "day": "1969-12-31",
        "paid": number % 2 == 0,
        "score": 0.5,
        "lines": [{"sku": "a", "count": number}, {"sku": "b"}] if number else [],
        "tags": {"x": 1, "y": number},
        "more": {"a": 1, "b": "YWI="} if number else None,
    }
    for number in range(5)
]
BAD = [b'{"id": 1}', b"no JSON", None, b'{"id": 2}']


def topic_of(sources: Sources, values: list[bytes | None]) -> str:
    topic = create_topic(sources.bootstrap_servers, "decoded")
    write(sources.bootstrap_servers, topic, values)
    return topic


@pytest.mark.oldest_spark
def test_json_becomes_what_from_json_makes_of_it(sources: Sources) -> None:
    topic = topic_of(sources, [*(json.dumps(order).encode() for order in ORDERS), None, b"{}"])
    schema = f"offset bigint, value struct<{FIELDS}>"
    ours = sources.batch(OURS, schema, subscribe=topic, valueFormat="json")
    built_in = sources.batch(BUILT_IN, subscribe=topic).selectExpr(
        "offset", f"from_json(cast(value AS string), 'struct<{FIELDS}>') AS value"
    )
    assert ours.schema == built_in.schema
    found, expected = (sorted(each.collect()) for each in (ours, built_in))
    assert found == expected
    assert [row.value is None for row in found] == [False] * len(ORDERS) + [True, False]


def test_bad_values_end_the_query_or_are_shown(sources: Sources) -> None:
    topic = topic_of(sources, BAD)
    schema = "offset bigint, value struct<id: bigint>"
    options = {"subscribe": topic, "valueFormat": "json"}
    failure = failure_of(lambda: sources.batch(OURS, schema, **options).collect())
    assert f"{topic}[0] at offset 1: bad value: not JSON" in failure
    assert "onError=skip" in failure
    sql = f"""CREATE TEMPORARY VIEW shown USING {OURS} OPTIONS (`kafka.bootstrap.servers` '{sources.bootstrap_servers}',
        subscribe '{topic}', valueFormat 'json', onError 'null',
        valueSchema '{{"type": "object", "properties": {{"id": {{"type": "integer"}}}}}}')"""
    sources.spark.sql(sql)
    shown = sources.spark.sql("SELECT value.id, value_raw, value_error IS NULL FROM shown")
    sources.spark.sql("DROP VIEW shown")
    assert [tuple(row) for row in shown.collect()] == [
        (1, None, True),
        (None, b"no JSON", False),
        (None, None, True),
        (2, None, True),
    ]


FIRST = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}'
SECOND = """{"type": "record", "name": "Order", "fields": [
    {"name": "id", "type": "long"},
    {"name": "status", "type": {"type": "enum", "name": "Status", "symbols": ["NEW", "PAID"]}, "default": "NEW"},
    {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}, "default": 0},
    {"name": "token", "type": ["null", {"type": "string", "logicalType": "uuid"}], "default": null},
    {"name": "from", "type": ["null", {"type": "int", "logicalType": "time-millis"}], "default": null}]}"""


@pytest.fixture
def registry() -> Iterator[SchemaRegistry]:
    with SchemaRegistry(users={"billing": "s3cret"}) as registry:
        yield registry


def test_a_stream_decodes_avro_of_several_schemas_that_executors_ask_the_registry_for(
    sources: Sources, registry: SchemaRegistry
) -> None:
    first, second = (registry.register("orders-value", schema) for schema in (FIRST, SECOND))
    token = "89791762-2336-4186-9674-299b90a802e2"
    order = {"id": 2, "status": "PAID", "at": 1_000, "token": token, "from": 1_500}
    values = [framed(first, encoded(json.loads(FIRST), {"id": 1})), framed(second, encoded(json.loads(SECOND), order))]
    options: Mapping[str, Any] = {
        "subscribe": topic_of(sources, [*values, None]),
        "startingOffsets": "earliest",
        "valueFormat": "avro",
        "valueSubject": "orders-value",
        "schemaRegistry.url": registry.url,
        "schemaRegistry.user": "billing",
        "schemaRegistry.password": "s3cret",
    }
    stream = sources.stream(OURS, **options)
    assert stream.schema["value"].dataType.simpleString() == (
        "struct<id:bigint,status:string,at:timestamp,token:string,from:string>"
    )
    assert "s3cret" not in stream._jdf.queryExecution().toString()
    writer = stream.writeStream.format("memory").queryName("decoded_avro").trigger(availableNow=True)
    run_to_the_end(writer.start)
    rows = sources.spark.sql("SELECT value.*, unix_micros(value.at) AS us FROM decoded_avro").collect()
    assert [(row.id, row.status, row.us, row.token, row["from"]) for row in rows] == [
        (1, "NEW", 0, None, None),
        (2, "PAID", 1_000_000, token, "00:00:01.500"),
        (None, None, None, None, None),
    ]
    assert registry.requests


def login(registry: SchemaRegistry, subject: str) -> dict[str, Any]:
    return {
        "valueSubject": subject,
        "schemaRegistry.url": registry.url,
        "schemaRegistry.user": "billing",
        "schemaRegistry.password": "s3cret",
    }


JSON_FIRST = '{"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}'
JSON_SECOND = """{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"},
    "status": {"enum": ["NEW", "PAID"]}, "token": {"type": "string", "format": "uuid"},
    "at": {"type": "string", "format": "date-time"}}}"""


def test_json_with_a_registry_has_the_columns_of_the_latest_schema_in_batches_and_streams(
    sources: Sources, registry: SchemaRegistry
) -> None:
    first, second = (registry.register("json-value", schema, "JSON") for schema in (JSON_FIRST, JSON_SECOND))
    token = "89791762-2336-4186-9674-299b90a802e2"
    order = {"id": 2, "status": "PAID", "token": token, "at": "1970-01-01T00:00:01Z"}
    values = [framed(first, b'{"id": 1}'), framed(second, json.dumps(order).encode()), None]
    options = {"subscribe": topic_of(sources, values), "valueFormat": "json", **login(registry, "json-value")}
    frame = sources.batch(OURS, **options)
    stream = sources.stream(OURS, startingOffsets="earliest", **options)
    for each in (frame, stream):
        assert (
            each.schema["value"].dataType.simpleString() == "struct<id:bigint,status:string,token:string,at:timestamp>"
        )
    writer = stream.writeStream.format("memory").queryName("registered_json").trigger(availableNow=True)
    run_to_the_end(writer.start)
    for read in (frame, sources.spark.table("registered_json")):
        rows = read.selectExpr("value.*", "unix_micros(value.at) AS us").orderBy("id").collect()
        assert [(row.id, row.status, row.token, row.us) for row in rows] == [
            (None, None, None, None),
            (1, None, None, None),
            (2, "PAID", token, 1_000_000),
        ]


def test_protobuf_with_a_registry_is_read_by_the_ids_of_values_in_batches_and_streams(
    sources: Sources, registry: SchemaRegistry
) -> None:
    old = file_of("proto3", {"M": [F("id", 1, "uint64")]})
    new = file_of("proto3", {"Other": [F("x", 1, "string")], "M": [F("id", 1, "uint64"), F("tag", 2, "string")]})
    later = file_of("proto3", {"M": [F("id", 1, "uint64"), F("tag", 2, "string"), F("more", 3, "string")]})
    texts = [b64encode(file.SerializeToString()).decode() for file in (old, new, later)]
    ids = [registry.register("pb-value", text, "PROTOBUF") for text in texts[:2]]
    values = [
        framed(ids[0], b"\0" + class_of(old, "M")(id=1).SerializeToString()),
        framed(ids[1], b"\2\2" + class_of(new, "M")(id=2, tag="x").SerializeToString()),
        framed(77, b"\0"),
        None,
    ]
    options = {"subscribe": topic_of(sources, values), "valueFormat": "protobuf", "valueMessage": "t.M"}
    options |= {"onError": "null", **login(registry, "pb-value")}
    frame = sources.batch(OURS, **options)
    stream = sources.stream(OURS, startingOffsets="earliest", **options)
    registry.register("pb-value", texts[2], "PROTOBUF")  # for the next load()
    for each in (frame, stream):
        assert each.schema["value"].dataType.simpleString() == "struct<id:decimal(20,0),tag:string>"
    writer = stream.writeStream.format("memory").queryName("registered_pb").trigger(availableNow=True)
    run_to_the_end(writer.start)
    for read in (frame, sources.spark.table("registered_pb")):
        rows = read.select("offset", "value.*", "value_error").orderBy("offset").collect()
        assert [(row.id, row.tag, row.value_error) for row in rows] == [
            (1, "", None),
            (2, "x", None),
            (None, None, "schema 77: the registry has no schema 77"),
            (None, None, None),
        ]


def test_protobuf_values_and_json_keys_have_types_of_spark(sources: Sources, tmp_path: Path) -> None:
    fields = [F("id", 1, "uint64"), F("count", 2, "uint32", "repeated"), F("tags", 3, "fixed32", "string")]
    made = file_of("proto3", {"M": [*fields, F("took", 4, ".google.protobuf.Duration")]})
    message = class_of(made, "M")(id=2**64 - 1, count=[2**32 - 1], tags={"a": 7}, took={"seconds": 1, "nanos": 1_999})
    file = tmp_path / "m.pb"
    file.write_bytes(descriptor_pb2.FileDescriptorSet(file=[made]).SerializeToString())
    options = {"valueFormat": "protobuf", "valueSchemaFile": file, "valueMessage": "t.M", "keyFormat": "json"}
    topic = topic_of(sources, [message.SerializeToString()])
    found = sources.batch(OURS, subscribe=topic, keySchema='{"type": "integer"}', **options)
    assert found.schema["value"].dataType.simpleString() == (
        "struct<id:decimal(20,0),count:array<bigint>,tags:map<string,bigint>,took:interval day to second>"
    )
    assert found.schema["key"].dataType.simpleString() == "bigint"
    (row,) = found.select("key", "value.*").collect()
    assert (row.key, row.id, row["count"], row.tags) == (None, Decimal(2**64 - 1), [2**32 - 1], {"a": 7})
    assert row.took == timedelta(seconds=1, microseconds=1)
