"""The schemas of a registry, parsed by a format: one for all values, or by the id at the beginning of each value.

A ``Reading`` describes how a format handles schemas: their type, how they are parsed, and the error for unusable ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Generic, TypeVar

from kafka_nextgen.errors import ConfigError, RegistryError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.values.framing import name_of
from kafka_nextgen.values.recent import Recent
from kafka_nextgen.values.references import MissingReferenceError, is_missing
from kafka_nextgen.values.schema_source import (
    NO_REGISTRY,
    RegisteredSchema,
    SchemaSource,
    SubjectSource,
    check_picklable,
    source_of,
)

__all__ = ["OneSchema", "Reading", "Schemas", "schemas_of"]

T = TypeVar("T")

#: The number of most recently used schemas that are cached.
_MOST = 1000


@frozen
class Reading(Generic[T]):
    """How a format parses schemas.

    ``columns`` names the arguments that define the columns if there is no newest schema.
    """

    schema_type: str
    read: Callable[[RegisteredSchema], T]
    error: type[Exception]
    columns: str

    def of(self, schema: RegisteredSchema) -> T:
        """Parse a schema. Raises the format's error if the schema has another type, or can't be used."""
        if schema.type != self.schema_type:
            raise self.error(f"the schema has the type {schema.type}, not {self.schema_type}")
        return self.read(schema)


class Schemas(ABC, Generic[T]):
    """Schemas by id."""

    @abstractmethod
    def __call__(self, schema_id: int) -> T:
        """Return the schema with this id. Raises the format's error if there is none, and the registry's errors."""

    @abstractmethod
    def newest(self) -> T:
        """Return the newest schema. Raises ConfigError if there is none or it is unknown."""

    @abstractmethod
    def all(self) -> Iterator[tuple[int, T]]:
        """Return all schemas that are known in advance, newest first."""


class OneSchema(Schemas[T]):
    """The schema of all values; their ids are ignored."""

    def __init__(self, schema: T) -> None:
        self._schema = schema

    def __call__(self, schema_id: int) -> T:
        """Return the schema, for any id."""
        return self._schema

    def newest(self) -> T:
        """Return the schema."""
        return self._schema

    def all(self) -> Iterator[tuple[int, T]]:
        """Return only the schema."""
        return iter(((0, self._schema),))


class _OfSource(Schemas[T]):
    """Schemas of a registry. The most recently used ones are cached."""

    def __init__(self, source: SchemaSource, reading: Reading[T]) -> None:
        self._source = source
        self._reading = reading
        self._known: Recent[T] = Recent(_MOST)

    def __getstate__(self) -> dict[str, object]:
        check_picklable(self._source)
        return self.__dict__

    def __call__(self, schema_id: int) -> T:
        known = self._known.get(schema_id)
        return self._read(schema_id, self._found(schema_id)) if known is None else known

    def newest(self) -> T:
        raise ConfigError(
            f"the newest schema is unknown: give {self._reading.columns}, or a registry client and a subject"
        )

    def all(self) -> Iterator[tuple[int, T]]:
        return iter(())

    def _found(self, schema_id: int) -> RegisteredSchema:
        try:
            return self._source.schema_by_id(schema_id)
        except MissingReferenceError as error:
            raise self._reading.error(error.missing) from None
        except Exception as error:
            # only an unknown id makes values bad; an outage, for example, does not
            if getattr(error, "http_status_code", None) != HTTPStatus.NOT_FOUND:
                raise
            if is_missing(error):
                raise self._reading.error(f"the registry has no schema {name_of(schema_id)}") from None
            raise RegistryError(f"schema {name_of(schema_id)}: {NO_REGISTRY}") from error

    def _read(self, schema_id: int | None, schema: RegisteredSchema) -> T:
        kind = self._reading.of(schema)
        if schema_id is not None:
            self._known.put(schema_id, kind)
        return kind


class _InMapping(_OfSource[T]):
    """Schemas of a mapping by id. Its other keys are GUIDs, which have no order."""

    def __init__(self, source: SchemaSource, reading: Reading[T], schemas: Mapping[object, object]) -> None:
        super().__init__(source, reading)
        self._schemas = schemas

    def newest(self) -> T:
        if not self._ids():
            raise ConfigError(f"the registry has no schemas: give {self._reading.columns}")
        return self(self._ids()[0])

    def all(self) -> Iterator[tuple[int, T]]:
        return ((schema_id, self(schema_id)) for schema_id in self._ids())

    def _ids(self) -> list[int]:
        return sorted((each for each in self._schemas if isinstance(each, int)), reverse=True)


class _OfSubject(_OfSource[T]):
    """Schemas of a registry client, which knows the versions of a subject."""

    def __init__(self, source: SubjectSource, reading: Reading[T], subject: str) -> None:
        super().__init__(source, reading)
        self._subjects, self._subject = source, subject

    def newest(self) -> T:
        schema = self._subjects.schema_of(self._subject)
        return self._read(schema.id, schema)

    def all(self) -> Iterator[tuple[int, T]]:
        for number in sorted(self._subjects.versions_of(self._subject), reverse=True):
            schema = self._subjects.schema_of(self._subject, number)
            yield schema.id or 0, self._read(schema.id, schema)


def schemas_of(registry: object, subject: str | None, reading: Reading[T]) -> Schemas[T]:
    """Return the schemas of a registry. Raises ConfigError for arguments that can't be combined."""
    source = None if registry is None else source_of(registry, reading.schema_type)
    if subject is not None:
        if not isinstance(source, SubjectSource):
            raise ConfigError("subject needs a registry client, such as SchemaRegistry")
        return _OfSubject(source, reading, subject)
    assert source is not None
    return _InMapping(source, reading, registry) if isinstance(registry, Mapping) else _OfSource(source, reading)
