"""Collects the schemas that a registered schema references, directly or indirectly; the same for each kind of registry.

A reference gives the referenced schema a name, by which the text of the referencing schema mentions it. So a name must
mean the same text in all of the collected schemas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import quote

from kafka_nextgen.errors import RegistryError

__all__ = [
    "MISSING_CODES",
    "MissingReferenceError",
    "Reference",
    "Referencing",
    "is_missing",
    "path_of",
    "references_of",
]

#: A registry's codes for a subject, version or schema that does not exist (docs.confluent.io, "API Error Reference").
MISSING_CODES: Final = range(40401, 40404)

#: The maximum depth of references between schemas: well below Python's recursion limit.
_DEEPEST: Final = 200
_MOST: Final = 1000


class MissingReferenceError(RegistryError):
    """The registry has a schema, but not one that it references, directly or indirectly. ``missing`` says which one."""

    def __init__(self, what: str, reference: Reference) -> None:
        name, subject, version = reference
        described = f"version {version} of subject {subject!r}, referenced as {name!r},"
        self.missing = f"{described} is not in the registry: restore it there"
        super().__init__(f"{what}: {self.missing}", HTTPStatus.NOT_FOUND)


class Reference(NamedTuple):
    """A reference to a version of a subject, by a name."""

    name: str
    subject: str
    version: int


class Referencing(NamedTuple):
    """The text of a schema, and its own references."""

    text: str
    references: Sequence[Reference]


def references_of(
    what: str, schema: Referencing, find: Callable[[Reference], Referencing]
) -> tuple[tuple[str, str], ...]:
    """Return the names and texts of all schemas that a schema references, each after those that it references itself.

    Arguments:
        what: the schema in error messages: its path in the registry, if known.
        schema: the schema.
        find: requests a referenced schema from the registry. It raises an error as ``SchemaSource.schema_by_id`` does.

    Raises MissingReferenceError, the errors of ``find``, and RegistryError for a schema that references itself, for too
    many or too deep references, and for a name that means two schemas.
    """
    found: dict[str, str] = {}
    _follow(schema, (what,), found, find)
    return tuple(found.items())


def _follow(
    schema: Referencing, above: tuple[str, ...], found: dict[str, str], find: Callable[[Reference], Referencing]
) -> None:
    """Add what ``schema`` references to ``found``. ``above`` are the paths from the first schema down to this one."""
    for reference in schema.references:
        path = path_of(reference.subject, reference.version)
        if path in above or len(found) >= _MOST:
            raise RegistryError(f"{path}: a schema references itself, or more than {_MOST} schemas")
        if len(above) > _DEEPEST:
            raise RegistryError(f"{path}: references are nested deeper than {_DEEPEST} levels")
        referenced = _found(above[-1], reference, find)
        if reference.name not in found:
            _follow(referenced, (*above, path), found, find)
        if found.setdefault(reference.name, referenced.text) != referenced.text:
            raise RegistryError(f"{path}: two schemas are referenced by the name {reference.name!r}")


def _found(what: str, reference: Reference, find: Callable[[Reference], Referencing]) -> Referencing:
    try:
        return find(reference)
    except Exception as error:
        if getattr(error, "http_status_code", None) != HTTPStatus.NOT_FOUND or not is_missing(error):
            raise
        raise MissingReferenceError(what, reference) from error


def is_missing(error: Exception) -> bool:
    """Return whether an error with status 404 means that the schema does not exist.

    Proxies and other servers return 404, too. confluent-kafka's error then has an ``error_code`` that no registry uses:
    -1 if the body is not JSON.
    """
    return not hasattr(error, "error_code") or error.error_code in MISSING_CODES


def path_of(subject: str, version: int | str | None = None) -> str:
    """Return the path of a subject's version in a registry; without a version, the path that lists the versions."""
    versions = f"subjects/{quote(subject, safe='')}/versions"
    return versions if version is None else f"{versions}/{version}"
