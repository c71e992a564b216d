"""The driver's part of decoding: reads the schemas of formats, and determines the types of keys and values."""

from __future__ import annotations

import json
from array import array
from base64 import b64decode
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DataType, StructType

from kafka_nextgen.errors import (
    AvroSchemaError,
    ConfigError,
    JsonSchemaError,
    KafkaNextgenError,
    ProtobufSchemaError,
    RegistryError,
)
from kafka_nextgen.spark.decoding.formats import Decoding, FieldFormat, format_of, registry_of
from kafka_nextgen.spark.decoding.options import DecodingOptions, FieldOptions, RegistryOptions
from kafka_nextgen.spark.decoding.spark_types import spark_type_of
from kafka_nextgen.spark.errors import SchemaError
from kafka_nextgen.values import RegisteredSchema
from kafka_nextgen.values.formats import Buffers

__all__ = ["plan_decoding", "types_of"]

_NO_VALUES: Buffers = (b"", memoryview(array("i", (0,))), None)


def plan_decoding(options: DecodingOptions, wanted: StructType | None) -> Decoding:
    """Read the schemas of the formats.

    Arguments:
        options: the options of the query.
        wanted: the user's schema, None if there is none. It may give the type of JSON.

    Raises ``SchemaError`` or ``ConfigError``, which names the option, and ``RegistryError``.
    """
    return Decoding(tuple(_planned(each, options.registry, wanted) for each in options.fields), options.on_error)


def types_of(decoding: Decoding) -> Mapping[str, pa.DataType]:
    """Return the types to which keys and values are decoded, by column name."""
    return {each.field: _decoded_type(each) for each in decoding.fields}


def _planned(options: FieldOptions, registry: RegistryOptions | None, wanted: StructType | None) -> FieldFormat:
    used = options.registry_of(registry)
    schema: Any = _schema(options, used, wanted)
    found = FieldFormat(options.field, options.format, schema, options.message, bool(options.is_framed), used)
    try:
        format_of(found)
    except (AvroSchemaError, JsonSchemaError, ProtobufSchemaError) as error:
        if isinstance(schema, RegisteredSchema):
            raise _unusable(options, schema, error) from None
        raise SchemaError(f"{_where(options)}: {error}", options.option("Schema")) from None
    return found


def _unusable(options: FieldOptions, schema: RegisteredSchema, error: Exception) -> SchemaError:
    """Return the error that names the subject whose latest schema can't be used."""
    subject, kind = options.option("Subject"), schema.type.lower()
    what = f"the latest schema of {subject}={options.subject}: {error}"
    if kind != options.format:
        return SchemaError(f"{what}: use {options.option('Format')}={kind}, or another subject", subject)
    return SchemaError(what, subject)


def _where(options: FieldOptions) -> str:
    """The option that gives the schema."""
    if options.schema_file is not None:
        return f"{options.option('SchemaFile')}={options.schema_file}"
    return options.option("Schema") if options.schema is not None else f"the schema of {options.field}"


def _schema(
    options: FieldOptions, registry: RegistryOptions | None, wanted: StructType | None
) -> str | bytes | pa.DataType | RegisteredSchema:
    text = _given(options)
    if text is None:
        return _in_columns(options, wanted) if registry is None else _latest(options, registry)
    if options.format == "protobuf":
        return text if options.schema is None else _from_base64(text, options)
    try:
        schema = text.decode()
    except UnicodeDecodeError:
        raise ConfigError(f"{_where(options)}: the schema is not UTF-8", options.option("Schema")) from None
    return _of_spark(schema, options) or schema if options.format == "json" else schema


def _given(options: FieldOptions) -> bytes | None:
    """The schema given by the options; None if there is none."""
    if options.schema_file is None:
        return None if options.schema is None else options.schema.encode()
    try:
        return Path(options.schema_file).read_bytes()
    except OSError as error:
        file = options.option("SchemaFile")
        what = f"{file}={options.schema_file} can't be read: {error.strerror}. It must be a file on the driver"
        raise ConfigError(what, file) from None


def _from_base64(text: bytes, options: FieldOptions) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        schema = options.option("Schema")
        what = f"{schema} must be a FileDescriptorSet in base64; {schema}File takes the path of one"
        raise ConfigError(what, schema) from None


def _latest(options: FieldOptions, registry: RegistryOptions) -> RegisteredSchema:
    """The latest schema of the subject, which defines the columns."""
    subject = options.option("Subject")
    try:
        return registry_of(registry, options.format).schema_of(options.subject or "")
    except RegistryError as error:
        what = f"the columns are those of the latest schema of {subject}={options.subject}, but {error}"
        if error.http_status_code == HTTPStatus.NOT_FOUND:
            what += f". If {options.field}s are not framed, set {options.option('Framed')}=false"
        raise RegistryError(what, error.http_status_code) from None


def _of_spark(text: str, options: FieldOptions) -> pa.DataType | None:
    """The type for a schema in Spark's JSON (``DataFrame.schema.json()``); None if it is not such a schema."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None  # the format reports what is wrong with it
    if not isinstance(parsed, dict) or parsed.get("type") != "struct":
        return None
    try:
        found = StructType.fromJson(parsed)
    except (AttributeError, KeyError, TypeError, ValueError, PySparkException) as error:
        what = f"{_where(options)}: not a Spark schema in JSON: {error}"
        raise SchemaError(what, options.option("Schema")) from None
    return _arrow_type(found, options)


def _in_columns(options: FieldOptions, wanted: StructType | None) -> pa.DataType:
    """The type of JSON according to the user's schema."""
    name, schema = options.field, options.option("Schema")
    column = next((one for one in wanted or () if one.name.lower() == name), None)
    if column is None:
        raise SchemaError(
            f"{options.option('Format')}={options.format} needs a schema: name the column {name} in .schema(), for "
            f'instance .schema("offset bigint, {name} struct<id: bigint>"), or give {schema}',
            schema,
        )
    return _arrow_type(column.dataType, options)


def _arrow_type(wanted: DataType, options: FieldOptions) -> pa.DataType:
    """Return the Arrow type that corresponds to a Spark type."""
    try:
        found: pa.DataType = to_arrow_schema(StructType().add("it", wanted), timezone="UTC").field(0).type
    except PySparkException as error:
        raise _no_json(wanted, options, str(error)) from None
    if spark_type_of(found, options.field).simpleString() != wanted.simpleString():
        raise _no_json(wanted, options, "it has a type that this source does not read")
    return found


def _no_json(wanted: DataType, options: FieldOptions, why: str) -> KafkaNextgenError:
    told = f"{options.field} {wanted.simpleString()}"
    return SchemaError(
        f"{told} can't be read from JSON: {why}. Use another type, such as string", options.option("Schema")
    )


def _decoded_type(planned: FieldFormat) -> pa.DataType:
    columns, _ = format_of(planned).decoder(planned.field, False).decode(_NO_VALUES, 0, 0)
    return pa.record_batch(columns).schema.field(0).type
