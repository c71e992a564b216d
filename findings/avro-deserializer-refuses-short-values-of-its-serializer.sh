#!/usr/bin/env bash
# confluent-kafka 2.16.1: with the schema's id in a header (header_schema_id_serializer) an Avro value has no prefix, so
# a record with one short string takes 1 to 5 bytes. AvroDeserializer refuses those that AvroSerializer just wrote; from
# 6 bytes on it reads them.
. "$(dirname "$0")/support/common.sh"
python_with "confluent-kafka[avro,schemaregistry]==2.16.1"
python_says "$(cat <<'SEEN'
1 bytes: SerializationError
5 bytes: SerializationError
6 bytes: {'s': 'abcde'}
SEEN
)" <<'PY'
from confluent_kafka.schema_registry import (
    SchemaRegistryClient,
    dual_schema_id_deserializer,
    header_schema_id_serializer,
)
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

registry = SchemaRegistryClient.new_client({"url": "mock://"})
schema = '{"type": "record", "name": "R", "fields": [{"name": "s", "type": "string"}]}'
write = AvroSerializer(registry, schema, conf={"schema.id.serializer": header_schema_id_serializer})
read = AvroDeserializer(registry, conf={"schema.id.deserializer": dual_schema_id_deserializer})
for text in ("", "abcd", "abcde"):
    context = SerializationContext("t", MessageField.VALUE, [])
    value = write({"s": text}, context)
    try:
        told = read(value, context)
    except Exception as error:
        told = type(error).__name__
    print(f"{len(value)} bytes: {told}")
PY
