"""The Avro format, and the decoder for its values. ``docs/guides/values.md`` lists the types."""

from __future__ import annotations

from typing import Literal

from kafka_nextgen.errors import AvroSchemaError, ConfigError
from kafka_nextgen.values.avro.decoder import AvroDecoder
from kafka_nextgen.values.avro.parsing import parse
from kafka_nextgen.values.avro.program import FrameUse
from kafka_nextgen.values.avro.readers import ReaderSchema, UnionSchema
from kafka_nextgen.values.avro.types import Type
from kafka_nextgen.values.formats import ColumnDecoder, ValueFormat
from kafka_nextgen.values.framing import Framing
from kafka_nextgen.values.schema_source import RegisteredSchema
from kafka_nextgen.values.schemas import OneSchema, Reading, Schemas, schemas_of

__all__ = ["Avro"]


class Avro(ValueFormat):
    """Values in Avro's binary encoding.

    ``schema`` is the schema with which all values were written: JSON, the result of ``json.loads``, or a
    ``RegisteredSchema`` such as ``registry.schema_of(subject)``; ``reader_schema`` accepts the same types. Without
    ``schema``, values begin with Confluent's frame (a zero byte and the id of a schema in four bytes), and ``registry``
    maps ids to schemas: a ``SchemaRegistry``, confluent-kafka's ``SchemaRegistryClient``, a mapping, or a function. The
    1,000 most recently used ids are cached; a ``KeyError`` or HTTP status 404 means that the schema does not exist.
    ``framing`` names the serializers that wrote the values; Confluent's may have put the schema's GUID into a header.

    One of these defines the columns, and each writer's schema is resolved to it:

    * ``reader_schema``.
    * ``schema``, if no ``reader_schema`` is given.
    * ``columns="newest"``, the default with a registry: the mapping's schema with the highest id, or the latest version
      of ``subject``, at the time the format is created.
    * ``columns="union"``: the fields of all schemas in the mapping, or of all versions of ``subject``, and of each new
      schema that occurs in a value. Later tables keep these columns.

    ``framed`` means that values have the frame even though ``schema`` is given; the id is ignored.

    Raises AvroSchemaError for schemas that are invalid, recursive, or can't be resolved, ConfigError for arguments that
    can't be combined, and, with ``subject``, the errors of the registry.
    """

    def __init__(
        self,
        schema: object = None,
        *,
        reader_schema: object = None,
        registry: object = None,
        subject: str | None = None,
        columns: Literal["newest", "union"] | None = None,
        framed: bool = False,
        framing: Framing | str = Framing.CONFLUENT,
    ) -> None:
        self.framing = Framing.of(framing) if framed or registry is not None else None
        self._schemas = _schemas_of(schema, registry, subject)
        if columns is not None and (schema is not None or reader_schema is not None):
            raise ConfigError("columns needs a registry, and can't be combined with reader_schema")
        self._reader = _reader_of(self._schemas, reader_schema, columns or "newest")
        bare = FrameUse.ANY_ID if framed else FrameUse.BARE
        self._frame_use = FrameUse.BY_ID if registry is not None else bare
        self._decoders: dict[tuple[str, bool], AvroDecoder] = {}
        self.decoder("value", True)  # raises now if the schemas can't be converted to columns or resolved

    def decoder(self, name: str, flat: bool) -> ColumnDecoder:
        """Return the decoder for these arguments; repeated calls return the same one."""
        known = self._decoders.get((name, flat))
        if known is None:
            known = AvroDecoder(self._reader, self._schemas, self._frame_use, name, flat)
            self._decoders[name, flat] = known
        return known


def _schemas_of(schema: object, registry: object, subject: str | None) -> Schemas[Type]:
    if (schema is None) == (registry is None):
        raise ConfigError("Avro needs either the schema of all values or a registry")
    if schema is not None and subject is None:
        return OneSchema(_given(schema))
    return schemas_of(registry, subject, _READING)


def _parsed(schema: RegisteredSchema) -> Type:
    return parse(schema.text, [text for _, text in schema.references])


_READING = Reading("AVRO", _parsed, AvroSchemaError, "reader_schema, columns='union'")


def _given(schema: object) -> Type:
    """Return the type of a schema that the caller passed, which may come from a registry."""
    return _READING.of(schema) if isinstance(schema, RegisteredSchema) else parse(schema)


def _reader_of(schemas: Schemas[Type], reader_schema: object, columns: str) -> ReaderSchema:
    if reader_schema is not None:
        return ReaderSchema(_given(reader_schema))
    if columns == "newest":
        return ReaderSchema(schemas.newest())
    if columns != "union":
        raise ConfigError(f"columns must be 'newest' or 'union', not {columns!r}")
    return UnionSchema(schemas.all())
