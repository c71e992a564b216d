"""The schemas of a registry: by id and GUID, and the versions of each subject.

A schema is registered once: the same text, type and references have the same id and GUID under each subject, as in
Confluent's registry. JSON texts are the same if their values are equal. Deleted versions are gone, but their schemas
are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from kafka_nextgen.lazy_attrs import frozen

__all__ = ["RefusedError", "Registered", "Store"]

#: The types whose schemas are JSON.
_OF_JSON = ("AVRO", "JSON")
TYPES = (*_OF_JSON, "PROTOBUF")


class RefusedError(Exception):
    """The answer to a refused request: an HTTP status, the registry's own error code, and a message."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


@frozen
class Registered:
    """A schema, its id, and its type: AVRO, JSON or PROTOBUF."""

    id: int
    guid: str
    text: str
    type: str
    references: tuple[Mapping[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        """The schema as the registry returns it, without fields that have their default value."""
        answer: dict[str, Any] = {"schema": self.text, "guid": self.guid}
        if self.type != "AVRO":
            answer["schemaType"] = self.type
        if self.references:
            answer["references"] = list(self.references)
        return answer


class Store:
    """The registered schemas. Not thread-safe."""

    def __init__(self) -> None:
        self._schemas: list[Registered] = []
        self.subjects: dict[str, dict[int, Registered]] = {}
        self._last_versions: dict[str, int] = {}

    def register(self, subject: str, body: Mapping[str, Any]) -> tuple[int, Registered]:
        """Return the version of this schema in the subject, a new one if it has none. Raises RefusedError."""
        schema = self._known(body) or self._added(body)
        for version, registered in self.subjects.get(subject, {}).items():
            if registered is schema:
                return version, schema
        version = self._last_versions[subject] = self._last_versions.get(subject, 0) + 1
        self.subjects.setdefault(subject, {})[version] = schema
        return version, schema

    def look_up(self, subject: str, body: Mapping[str, Any]) -> tuple[int, Registered]:
        """Return the version of this schema in the subject. Raises RefusedError if it has none."""
        schema = self._known(body)
        for version, registered in self.versions(subject).items():
            if registered is schema:
                return version, registered
        raise RefusedError(404, 40403, "Schema not found")

    def versions(self, subject: str) -> dict[int, Registered]:
        """The versions of a subject. Raises RefusedError if it does not exist."""
        versions = self.subjects.get(subject)
        if not versions:
            raise RefusedError(404, 40401, f"Subject '{subject}' not found.")
        return versions

    def version(self, subject: str, which: str) -> tuple[int, Registered]:
        """A version by its number, or ``latest``. Raises RefusedError."""
        versions = self.versions(subject)
        if which in ("latest", "-1"):
            return max(versions.items())
        if not which.isdecimal():
            raise RefusedError(422, 42202, f"The specified version '{which}' is not a valid version id.")
        if int(which) not in versions:
            raise RefusedError(404, 40402, f"Version {which} not found.")
        return int(which), versions[int(which)]

    def by_id(self, which: str) -> Registered:
        """The schema with this id. Raises RefusedError."""
        if which.isdecimal() and 1 <= int(which) <= len(self._schemas):
            return self._schemas[int(which) - 1]
        raise RefusedError(404, 40403, f"Schema {which} not found")

    def by_guid(self, which: str) -> Registered:
        """The schema with this GUID. Raises RefusedError."""
        for schema in self._schemas:
            if schema.guid == which:
                return schema
        raise RefusedError(404, 40403, f"Schema {which} not found")

    def places(self, schema: Registered) -> list[tuple[str, int]]:
        """The subjects and versions that have this schema."""
        return [
            (subject, version)
            for subject, versions in self.subjects.items()
            for version, registered in versions.items()
            if registered is schema
        ]

    def referring(self, subject: str, version: int) -> list[int]:
        """The ids of the schemas that refer to this version."""
        return [
            schema.id
            for schema in self._schemas
            if any((each["subject"], each["version"]) == (subject, version) for each in schema.references)
        ]

    def delete(self, subject: str, which: str | None = None) -> list[int]:
        """Delete a version of a subject, or all; return the deleted ones. Raises RefusedError."""
        versions = self.versions(subject)
        deleted = list(versions) if which is None else [self.version(subject, which)[0]]
        for version in deleted:
            del versions[version]
        return deleted

    def _known(self, body: Mapping[str, Any]) -> Registered | None:
        guid = _guid_of(*_read(body))
        return next((schema for schema in self._schemas if schema.guid == guid), None)

    def _added(self, body: Mapping[str, Any]) -> Registered:
        text, kind, references = _read(body)
        for each in references:
            self.version(each["subject"], str(each["version"]))
        schema = Registered(len(self._schemas) + 1, _guid_of(text, kind, references), text, kind, references)
        self._schemas.append(schema)
        return schema


def _read(body: Mapping[str, Any]) -> tuple[str, str, tuple[Mapping[str, Any], ...]]:
    text, kind, references = body.get("schema"), body.get("schemaType") or "AVRO", body.get("references") or ()
    if not isinstance(text, str) or not text or kind not in TYPES:
        raise RefusedError(422, 42201, f"Invalid schema of type {kind}")
    if any(not {"name", "subject", "version"} <= set(each) for each in references):
        raise RefusedError(422, 42201, "Invalid schema: a reference needs a name, a subject and a version")
    return text, kind, tuple(references)


def _guid_of(text: str, kind: str, references: tuple[Mapping[str, Any], ...]) -> str:
    content = text
    if kind in _OF_JSON:
        try:
            content = json.dumps(json.loads(text))
        except ValueError:
            raise RefusedError(422, 42201, f"Invalid schema: {text[:100]}") from None
    identity = json.dumps([content, kind, [dict(each) for each in references]])
    return str(UUID(bytes=hashlib.sha256(identity.encode()).digest()[:16]))
