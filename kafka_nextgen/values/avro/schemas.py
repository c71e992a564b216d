"""The writers' schemas: one for all values, or by the id that each value begins with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from http import HTTPStatus

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values.avro.parsing import parse
from kafka_nextgen.values.avro.recent import Recent
from kafka_nextgen.values.avro.types import Type
from kafka_nextgen.values.framing import name_of
from kafka_nextgen.values.schema_source import RegisteredSchema, SchemaSource, SubjectSource, source_of

__all__ = ["Schemas", "schemas_of"]

#: How many of the last used schemas are kept.
_MOST = 1000


class Schemas(ABC):
    """The writers' schemas by id."""

    @abstractmethod
    def __call__(self, schema_id: int) -> Type:
        """The schema of this id. Raises AvroSchemaError if there is none, and the errors of the registry."""

    @abstractmethod
    def newest(self) -> Type:
        """The newest schema. Raises ValueError if there is none, or if the newest is unknown."""

    @abstractmethod
    def all(self) -> Iterator[tuple[int, Type]]:
        """All schemas that are known in advance, newest first."""


class _One(Schemas):
    """The schema of all values; their ids are ignored."""

    def __init__(self, schema: object) -> None:
        self._kind = parse(schema)

    def __call__(self, schema_id: int) -> Type:
        return self._kind

    def newest(self) -> Type:
        return self._kind

    def all(self) -> Iterator[tuple[int, Type]]:
        return iter(((0, self._kind),))


class _OfSource(Schemas):
    """Schemas of a registry. Each is requested and parsed once while it is among the last used ones."""

    def __init__(self, source: SchemaSource) -> None:
        self._source = source
        self._known: Recent[Type] = Recent(_MOST)

    def __call__(self, schema_id: int) -> Type:
        known = self._known.get(schema_id)
        return self._parsed(schema_id, self._found(schema_id)) if known is None else known

    def newest(self) -> Type:
        raise ValueError(
            "the newest schema is unknown: give reader_schema, columns='union', or a registry client and a subject"
        )

    def all(self) -> Iterator[tuple[int, Type]]:
        return iter(())

    def _found(self, schema_id: int) -> RegisteredSchema:
        try:
            return self._source.schema_by_id(schema_id)
        except Exception as error:
            # what says that an id is unknown; any other error, such as an outage, is not the value's
            if getattr(error, "http_status_code", None) == HTTPStatus.NOT_FOUND:
                raise AvroSchemaError(f"the registry has no schema {name_of(schema_id)}") from None
            raise

    def _parsed(self, schema_id: int | None, schema: RegisteredSchema) -> Type:
        if schema.type != "AVRO":
            raise AvroSchemaError(f"the schema is of the type {schema.type}")
        kind = parse(schema.text, [text for _, text in schema.references])
        if schema_id is not None:
            self._known.put(schema_id, kind)
        return kind


class _InMapping(_OfSource):
    """Schemas of a mapping by id. Its other keys are GUIDs, which have no order."""

    def __init__(self, source: SchemaSource, schemas: Mapping[object, object]) -> None:
        super().__init__(source)
        self._schemas = schemas

    def newest(self) -> Type:
        if not self._ids():
            raise ValueError("the registry has no schemas: give reader_schema, or columns='union'")
        return self(self._ids()[0])

    def all(self) -> Iterator[tuple[int, Type]]:
        return ((schema_id, self(schema_id)) for schema_id in self._ids())

    def _ids(self) -> list[int]:
        return sorted((each for each in self._schemas if isinstance(each, int)), reverse=True)


class _OfSubject(_OfSource):
    """Schemas of a registry client, which knows the versions of a subject."""

    def __init__(self, source: SubjectSource, subject: str) -> None:
        super().__init__(source)
        self._subjects, self._subject = source, subject

    def newest(self) -> Type:
        schema = self._subjects.schema_of(self._subject)
        return self._parsed(schema.id, schema)

    def all(self) -> Iterator[tuple[int, Type]]:
        for number in sorted(self._subjects.versions_of(self._subject), reverse=True):
            schema = self._subjects.schema_of(self._subject, number)
            yield schema.id or 0, self._parsed(schema.id, schema)


def schemas_of(schema: object, registry: object, subject: str | None) -> Schemas:
    """The writers' schemas. Raises ValueError for arguments that can't be combined."""
    if (schema is None) == (registry is None):
        raise ValueError("Avro needs either the schema of all values or a registry")
    source = None if schema is not None else source_of(registry, "AVRO")
    if subject is not None:
        if not isinstance(source, SubjectSource):
            raise ValueError("subject needs a registry client, such as SchemaRegistry")
        return _OfSubject(source, subject)
    if source is None:
        return _One(schema)
    return _InMapping(source, registry) if isinstance(registry, Mapping) else _OfSource(source)
