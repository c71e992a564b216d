"""Avro as Confluent's serializers frame it: a zero byte, the id of the schema, and the value."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from random import Random

import fastavro
import pyarrow as pa

from benchmarks.avro_values import SHAPES, encoded
from benchmarks.decoding.formats import ToTable
from kafka_nextgen.values import Avro, ValueFormat

__all__ = ["USUAL", "ours", "values"]

SCHEMA_ID = 1
_FRAME = b"\0" + SCHEMA_ID.to_bytes(4, "big")


def values(shape: str) -> Iterator[bytes]:
    schema, make, _ = SHAPES[shape]
    parsed, random = fastavro.parse_schema(schema), Random(1)
    while True:
        yield _FRAME + encoded(parsed, make(random))


def ours(shape: str) -> ValueFormat:
    return Avro(registry={SCHEMA_ID: json.dumps(SHAPES[shape][0])})


def _fastavro(shape: str) -> ToTable:
    parsed, skipped = fastavro.parse_schema(SHAPES[shape][0]), len(_FRAME)
    read = fastavro.schemaless_reader
    return lambda values: pa.Table.from_pylist([read(io.BytesIO(value[skipped:]), parsed, None) for value in values])


def _confluent(shape: str) -> ToTable:
    from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
    from confluent_kafka.schema_registry.avro import AvroDeserializer
    from confluent_kafka.serialization import MessageField, SerializationContext

    registry = SchemaRegistryClient.new_client({"url": "mock://"})  # in the process: no lookup costs time
    assert registry.register_schema("values-value", Schema(json.dumps(SHAPES[shape][0]), "AVRO")) == SCHEMA_ID
    decode, context = AvroDeserializer(registry), SerializationContext("values", MessageField.VALUE)
    return lambda values: pa.Table.from_pylist([decode(value, context) for value in values])


USUAL: Mapping[str, Callable[[str], ToTable]] = {
    "AvroDeserializer": _confluent,
    "fastavro.schemaless_reader": _fastavro,
}
