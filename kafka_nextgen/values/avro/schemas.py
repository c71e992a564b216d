"""The writers' schemas: one for all values, or by the id that each value begins with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values.avro.parsing import parse
from kafka_nextgen.values.avro.types import Type
from kafka_nextgen.values.framing import name_of
from kafka_nextgen.values.schema_source import SchemaSource, source_of

__all__ = ["SchemaLookup", "lookup_of"]


class SchemaLookup:
    """Finds schemas by id, each once."""

    def __init__(self, find: Callable[[int], Type], newest: Callable[[], Type]) -> None:
        self._find = find
        self._known: dict[int, Type] = {}
        self.newest = newest

    def __call__(self, schema_id: int) -> Type:
        """The schema of this id. Raises AvroSchemaError if there is none, and the errors of the registry."""
        known = self._known.get(schema_id)
        if known is None:
            known = self._known[schema_id] = self._find(schema_id)
        return known


def lookup_of(schema: object, registry: object) -> SchemaLookup:
    """What finds the writers' schemas. Each is parsed once."""
    if (schema is None) == (registry is None):
        raise ValueError("Avro needs either the schema of all values or a registry")
    if schema is not None:
        kind = parse(schema)
        return SchemaLookup(lambda _: kind, lambda: kind)
    source = source_of(registry, "AVRO")
    newest = partial(_newest, source, registry) if isinstance(registry, Mapping) else _none_is_newest
    return SchemaLookup(partial(_found, source), newest)


def _found(source: SchemaSource, schema_id: int) -> Type:
    try:
        schema = source.schema_by_id(schema_id)
    except Exception as error:
        # what says that an id is unknown; any other error, such as an outage, is not the value's
        if getattr(error, "http_status_code", None) == HTTPStatus.NOT_FOUND:
            raise AvroSchemaError(f"the registry has no schema {name_of(schema_id)}") from None
        raise
    if schema.type != "AVRO":
        raise AvroSchemaError(f"schema {name_of(schema_id)} is of the type {schema.type}")
    return parse(schema.text, [text for _, text in schema.references])


def _newest(source: SchemaSource, registry: Mapping[int, object]) -> Type:
    ids = [each for each in registry if isinstance(each, int)]  # others are GUIDs
    if not ids:
        raise ValueError("the registry has no schema: reader_schema has to say what the columns are")
    return _found(source, max(ids))


def _none_is_newest() -> Type:
    raise ValueError("reader_schema has to say what the columns are: a function can't tell the newest schema")
