"""The writers' schemas: one for all values, or by the id that each value begins with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values.avro.parsing import parse
from kafka_nextgen.values.avro.types import Type

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


def lookup_of(schema: object, registry: Mapping[int, object] | Callable[[int], object] | None) -> SchemaLookup:
    """What finds the writers' schemas. Each is parsed once."""
    if (schema is None) == (registry is None):
        raise ValueError("Avro needs either the schema of all values or a registry")
    if schema is not None:
        kind = parse(schema)
        return SchemaLookup(lambda _: kind, lambda: kind)
    if isinstance(registry, Mapping):
        schemas = registry
        return SchemaLookup(lambda schema_id: _found(schemas.__getitem__, schema_id), lambda: _newest(schemas))
    if not callable(registry):
        raise TypeError(f"a registry is a mapping or a function, not {registry!r}")
    function = registry
    return SchemaLookup(lambda schema_id: _found(function, schema_id), _none_is_newest)


def _found(find: Callable[[int], object], schema_id: int) -> Type:
    try:
        schema = find(schema_id)
    except Exception as error:
        # confluent-kafka's client answers an unknown id so; any other error, such as an outage, is not the value's
        if isinstance(error, KeyError) or getattr(error, "http_status_code", None) == HTTPStatus.NOT_FOUND:
            raise AvroSchemaError(f"the registry has no schema {schema_id}") from None
        raise
    return parse(getattr(schema, "schema_str", schema))  # confluent-kafka's Schema


def _newest(registry: Mapping[int, object]) -> Type:
    if not registry:
        raise ValueError("the registry has no schema: reader_schema has to say what the columns are")
    return _found(registry.__getitem__, max(registry))


def _none_is_newest() -> Type:
    raise ValueError("reader_schema has to say what the columns are: a function can't tell the newest schema")
