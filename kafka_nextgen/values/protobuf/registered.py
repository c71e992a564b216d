"""Schemas of a registry as descriptors. Registries compile ``.proto`` files; ``format=serialized`` requests the result.

The result is a FileDescriptorProto in base64. Registries omit its name, so this module sets one; the files that it
imports are the registry's references and the files that are part of protobuf.
"""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from kafka_nextgen.errors import ProtobufSchemaError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.values.protobuf.descriptors import add_file, new_pool, path_of
from kafka_nextgen.values.schema_source import RegisteredSchema
from kafka_nextgen.values.schemas import Reading, Schemas

__all__ = ["READING", "SchemaFile", "message_in", "path_in"]

_OWN_NAME = "the schema"


@frozen(eq=False)
class SchemaFile:
    """The descriptor of a schema's file. Unpickling creates it again from the schema."""

    schema: RegisteredSchema
    descriptor: Any

    def __reduce__(self) -> tuple[object, ...]:
        return _file_of, (self.schema,)


def _file_of(schema: RegisteredSchema) -> SchemaFile:
    """Return the file of a schema. Raises ProtobufSchemaError if it is invalid."""
    pool = new_pool()
    files = {name: _proto(text, name) for name, text in (*schema.references, (_OWN_NAME, schema.text))}
    try:
        add_file(pool, files, _OWN_NAME, set())
        return SchemaFile(schema, pool.FindFileByName(_OWN_NAME))
    except (TypeError, KeyError) as error:  # raised by the pool: the files contradict each other
        raise ProtobufSchemaError(f"the schema can't be used: {error}") from None


def _proto(text: Any, name: str) -> Any:
    from google.protobuf import descriptor_pb2
    from google.protobuf.message import DecodeError

    try:
        file = descriptor_pb2.FileDescriptorProto.FromString(
            text if isinstance(text, bytes) else b64decode(text, validate=True)
        )
    except (ValueError, TypeError, DecodeError):
        raise ProtobufSchemaError(
            f"{name} is not a FileDescriptorProto, as bytes or in base64: the text of a .proto file must be compiled "
            "by a registry that supports format=serialized (Confluent's, Redpanda's since 25.2), or by protoc for "
            "Protobuf(message, framed=True)"
        ) from None
    file.name = name
    return file


READING: Reading[SchemaFile] = Reading("PROTOBUF", _file_of, ProtobufSchemaError, "a message")


def message_in(file: SchemaFile, name: str | None) -> Any:
    """Return the message with this full name, or the file's first one. Raises ProtobufSchemaError if there is none."""
    if name is None:
        for message in file.descriptor.message_types_by_name.values():
            return message
        raise ProtobufSchemaError("the schema has no message")
    try:
        return file.descriptor.pool.FindMessageTypeByName(name)
    except KeyError:
        raise ProtobufSchemaError(f"the schema has no message {name}") from None


def path_in(schemas: Schemas[SchemaFile], name: str, schema_id: int) -> tuple[int, ...]:
    """Return the indexes of a message in the file of a schema.

    Raises ProtobufSchemaError if the file does not define it.
    """
    message = message_in(schemas(schema_id), name)
    if message.file.name != _OWN_NAME:
        raise ProtobufSchemaError(f"message {name} is defined in a file that the schema imports")
    return path_of(message)
