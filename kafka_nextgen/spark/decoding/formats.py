"""Formats in the plan of a query, and the decoders that a process creates from them.

The driver reads the schema, from an option, a file or the registry, and sends it to the tasks. A worker creates the
format once, and keeps it for its next tasks, with the compiled programs of writers' schemas and the registry's answers.
Only workers request the schemas of values from the registry.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.spark.decoding.options import Field, Format, RegistryOptions
from kafka_nextgen.values import Avro, Json, Protobuf, RegisteredSchema, SchemaRegistry, ValueFormat
from kafka_nextgen.values.registry.client import MOST_ANSWER_BYTES
from kafka_nextgen.values.schema_source import Pinned

if TYPE_CHECKING:
    import pyarrow as pa

    from kafka_nextgen.engine.application.value_columns import OnError

__all__ = ["Decoding", "FieldFormat", "format_of", "registry_of"]

#: The maximum number of formats that a process keeps.
_KEPT = 16
#: Any name will do: a pinned source returns the same schema for each subject.
_PINNED = "pinned"


@frozen
class FieldFormat:
    """The format of keys or values, with its schema.

    ``schema`` is in the form that the format accepts: text, bytes, an Arrow type, or a registered schema with all
    schemas that it refers to. With a ``registry`` it defines the columns, and values name the schemas with which they
    were written. ``is_framed`` is for values without a registry.
    """

    field: Field
    format: Format
    schema: str | bytes | pa.DataType | RegisteredSchema
    message: str | None = None
    is_framed: bool = False
    registry: RegistryOptions | None = None


@frozen
class Decoding:
    """The formats of keys, values or both, and the policy for invalid ones."""

    fields: tuple[FieldFormat, ...]
    on_error: OnError = "raise"


@lru_cache(_KEPT)
def format_of(planned: FieldFormat) -> ValueFormat:
    """Return the format. Raises the format's errors for its schema."""
    if planned.registry is None:
        return _by_schema(planned)
    registry, framing = registry_of(planned.registry, planned.format), planned.registry.framing
    if isinstance(planned.schema, RegisteredSchema):
        pinned = Pinned(registry, planned.schema)
        if planned.format == "protobuf":
            return Protobuf(None, planned.message, registry=pinned, subject=_PINNED, unit="us")
        make = Json if planned.format == "json" else Avro
        return make(registry=pinned, subject=_PINNED, framing=framing)
    if planned.format == "protobuf":
        return Protobuf(planned.schema, planned.message, registry=registry, unit="us")
    if planned.format == "json":  # JSON contains the names of fields, so the schemas of values are not needed
        return Json(planned.schema, framed=True, framing=framing)
    return Avro(registry=registry, reader_schema=planned.schema, framing=framing)


def _by_schema(planned: FieldFormat) -> ValueFormat:
    if planned.format == "json":
        return Json(planned.schema, framed=planned.is_framed)
    if planned.format == "protobuf":
        return Protobuf(planned.schema, planned.message, framed=planned.is_framed, unit="us")
    return Avro(planned.schema, framed=planned.is_framed)


@lru_cache(_KEPT)
def registry_of(options: RegistryOptions, format_name: Format) -> SchemaRegistry:
    """Return a client for schemas of a format. Raises ``ConfigError``, which names the option.

    For Protobuf it requests compiled descriptors, since Python can't compile the text of a .proto file.
    """
    try:
        registry = SchemaRegistry(
            options.url.reveal(),
            user=options.user,
            token=options.token,
            tls={key: text.reveal() for key, text in options.tls},
            headers={name: text.reveal() for name, text in options.headers},
            max_answer_bytes=options.max_answer_bytes or MOST_ANSWER_BYTES,
        )
    except ConfigError as error:
        option = f"schemaRegistry.{error.key}" if error.key else "schemaRegistry.url"
        raise ConfigError(f"{option}: {error}", option) from None
    return registry.serialized() if format_name == "protobuf" else registry
