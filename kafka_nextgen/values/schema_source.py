"""Where formats get the schemas of values: a small protocol, and adapters for several kinds of registries.

A negative id represents a GUID or a long id (``framing.long_id``).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final, Literal, NamedTuple, Protocol, runtime_checkable
from uuid import UUID

from kafka_nextgen.errors import RegistryError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.values.framing import long_id
from kafka_nextgen.values.references import Reference, Referencing, references_of

__all__ = [
    "NO_REGISTRY",
    "Pinned",
    "RegisteredSchema",
    "SchemaSource",
    "SubjectSource",
    "check_picklable",
    "long_id_of",
    "source_of",
]

NO_REGISTRY: Final = "status 404, but not from a schema registry: check the URL and its path"


class RegisteredSchema(NamedTuple):
    """A schema from a registry.

    ``type`` is AVRO, JSON or PROTOBUF. ``text`` can also be the result of ``json.loads``. ``references`` are the names
    and texts of all schemas that this one references, directly or indirectly; each is listed after the schemas that it
    references itself. ``id`` is None if the registry did not return it.
    """

    type: str
    text: Any
    references: tuple[tuple[str, str], ...] = ()
    id: int | None = None


@runtime_checkable
class SchemaSource(Protocol):
    """Finds schemas by the ids in the frames of values; ``SchemaRegistry`` is one."""

    def schema_by_id(self, schema_id: int) -> RegisteredSchema:
        """Return the schema with this id; may block.

        Raises an error whose ``http_status_code`` is 404 if there is none; its ``error_code``, if it has one, is then
        one of ``MISSING_CODES``. Any other error is a failure of the source, not a problem with the values.
        """


@runtime_checkable
class SubjectSource(SchemaSource, Protocol):
    """A source that also knows subjects."""

    def schema_of(self, subject: str, version: int | Literal["latest"] = "latest") -> RegisteredSchema:
        """Return a version of a subject, with its id; raises as ``schema_by_id`` does."""

    def versions_of(self, subject: str) -> list[int]:
        """Return the numbers of a subject's versions; raises as ``schema_by_id`` does."""


@frozen
class Pinned:
    """A ``SubjectSource`` whose subjects have one version, ``schema``, so that its columns do not change."""

    source: SchemaSource
    schema: RegisteredSchema

    def schema_by_id(self, schema_id: int) -> RegisteredSchema:
        """Return the schema from the source; raises its errors."""
        return self.source.schema_by_id(schema_id)

    def schema_of(self, subject: str, version: int | Literal["latest"] = "latest") -> RegisteredSchema:
        """Return the only version."""
        return self.schema

    def versions_of(self, subject: str) -> list[int]:
        """Return the number of that version."""
        return [1]


def source_of(registry: object, schema_type: str) -> SchemaSource:
    """Create a source from a mapping by id, a function, or confluent-kafka's client. Raises TypeError for others.

    ``schema_type`` is assumed for schemas without a type.
    """
    is_serialized = schema_type == "PROTOBUF"
    if is_serialized and hasattr(registry, "serialized"):
        own: SchemaSource = registry.serialized()
        return own
    if isinstance(registry, SchemaSource):
        return registry
    if isinstance(registry, Mapping):
        return _Found(registry.__getitem__, schema_type)
    if hasattr(registry, "get_schema") and hasattr(registry, "get_version"):
        return _OfConfluent(registry, is_serialized)
    if callable(registry):
        return _Found(registry, schema_type)
    raise TypeError(f"registry must be a SchemaRegistry, a mapping, a function or a client, not {registry!r}")


class _Found:
    """Schemas from a function, which raises KeyError if there is none. GUIDs are passed to it as text."""

    def __init__(self, find: Callable[[Any], object], schema_type: str) -> None:
        self.given = find
        self._type = schema_type

    def schema_by_id(self, schema_id: int) -> RegisteredSchema:
        what = long_id_of(schema_id)
        try:
            found: Any = self.given(str(what) if isinstance(what, UUID) else what)
        except KeyError:
            raise RegistryError(f"the registry has no schema {what}", HTTPStatus.NOT_FOUND) from None
        if isinstance(found, RegisteredSchema):
            return found
        text, kind = getattr(found, "schema_str", found), getattr(found, "schema_type", self._type)
        return RegisteredSchema(kind, text, id=None if isinstance(what, UUID) else what)


class _OfConfluent:
    """confluent-kafka's ``SchemaRegistryClient``, whose errors have an ``http_status_code``."""

    def __init__(self, client: Any, is_serialized: bool) -> None:
        self.given = client
        self._format = {"fmt": "serialized"} if is_serialized else {}

    def schema_by_id(self, schema_id: int) -> RegisteredSchema:
        what, client = long_id_of(schema_id), self.given
        if isinstance(what, UUID):
            return self._with_references(client.get_schema_by_guid(str(what), **self._format), None)
        return self._with_references(client.get_schema(what, **self._format), what)

    def schema_of(self, subject: str, version: int | Literal["latest"] = "latest") -> RegisteredSchema:
        client = self.given
        if version == "latest":
            found = client.get_latest_version(subject, **self._format)
        else:
            found = client.get_version(subject, version, **self._format)
        return self._with_references(found.schema, found.schema_id)

    def versions_of(self, subject: str) -> list[int]:
        return list(self.given.get_versions(subject))

    def _with_references(self, schema: Any, schema_id: int | None) -> RegisteredSchema:
        what = "a schema" if schema_id is None else f"schema {schema_id}"
        references = references_of(what, _referencing(schema), self._referenced)
        return RegisteredSchema(schema.schema_type, schema.schema_str, references, schema_id)

    def _referenced(self, reference: Reference) -> Referencing:
        found = self.given.get_version(reference.subject, reference.version, True, **self._format)
        return _referencing(found.schema)


def _referencing(schema: Any) -> Referencing:
    references = [Reference(each.name, each.subject, each.version) for each in schema.references or ()]
    return Referencing(schema.schema_str, references)


def check_picklable(source: SchemaSource) -> None:
    """Raise PicklingError for a source with an object that no pickler can handle, such as a lock.

    A function that pickle can't find by its name is not refused: cloudpickle, which Spark and dask use, can pickle it.
    """
    try:
        pickle.dumps(source)
    except TypeError as error:
        name = type(getattr(source, "given", source)).__name__
        raise pickle.PicklingError(
            f"the format can't be pickled because its registry, a {name}, can't be: {error}. Use a SchemaRegistry "
            "whose tls is a mapping of keys, or a mapping of schemas, or a function defined at module level"
        ) from None
    except (pickle.PicklingError, AttributeError):
        return


def long_id_of(schema_id: int) -> UUID | int:
    """Return the id that a number represents. Raises RegistryError, as for a schema that does not exist."""
    try:
        return long_id(schema_id)
    except KeyError as error:
        raise RegistryError(f"there is no schema {error.args[0]}", HTTPStatus.NOT_FOUND) from None
