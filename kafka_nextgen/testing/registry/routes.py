"""The registry's answer to each request (Confluent's API, docs.confluent.io, "Schema Registry API Reference").

A route is a method and a path, in which each ``*`` matches one part. Its function gets these parts, the query and the
body, and returns the value to send as JSON. Every schema is compatible with every other.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from kafka_nextgen.testing.registry.store import TYPES, RefusedError, Registered, Store

__all__ = ["answer"]

Body = Mapping[str, Any]
_NO_COMPATIBILITY = "NONE"


def answer(store: Store, method: str, target: str, body: Body) -> object:
    """Answer a request. Raises RefusedError."""
    where = urlsplit(target)
    parts = tuple(unquote(part) for part in where.path.strip("/").split("/"))
    for (wanted, pattern), function in _ROUTES.items():
        given = _match(pattern.split("/"), parts) if wanted == method else None
        if given is not None:
            query = parse_qs(where.query)
            return _in_format(function(store, given, query, body), query)
    raise RefusedError(404, 404, f"HTTP 404 Not Found: {method} {where.path}")


def _in_format(answered: object, query: Mapping[str, list[str]]) -> object:
    """The answer. A serialized Protobuf schema must have been registered in that form: nothing is compiled here."""
    if query.get("format") != ["serialized"] or not isinstance(answered, dict):
        return answered
    try:
        b64decode(answered["schema"] if answered.get("schemaType") == "PROTOBUF" else "", validate=True)
    except ValueError:
        why = "register a FileDescriptorProto in base64: this registry does not compile Protobuf text"
        raise RefusedError(422, 42201, why) from None
    return answered


def _match(pattern: list[str], parts: tuple[str, ...]) -> list[str] | None:
    """The parts that the stars match; None if the path does not match."""
    if len(pattern) != len(parts) or any(name not in ("*", part) for name, part in zip(pattern, parts, strict=True)):
        return None
    return [part for name, part in zip(pattern, parts, strict=True) if name == "*"]


def _version(subject: str, version: int, schema: Registered) -> dict[str, Any]:
    return {"subject": subject, "version": version, "id": schema.id, **schema.as_json()}


def _versions_of_id(store: Store, which: str) -> list[dict[str, Any]]:
    return [{"subject": subject, "version": version} for subject, version in store.places(store.by_id(which))]


def _subjects_of_id(store: Store, which: str) -> list[str]:
    return list(dict.fromkeys(subject for subject, _ in store.places(store.by_id(which))))


def _subjects(store: Store, query: Mapping[str, list[str]]) -> list[str]:
    (prefix,) = query.get("subjectPrefix", [""])
    return [subject for subject, versions in store.subjects.items() if versions and subject.startswith(prefix)]


_Function = Callable[[Store, list[str], Mapping[str, list[str]], Body], object]
_ROUTES: dict[tuple[str, str], _Function] = {
    ("GET", ""): lambda store, parts, query, body: {},
    ("GET", "schemas/types"): lambda store, parts, query, body: list(TYPES),
    ("GET", "schemas/ids/*"): lambda store, parts, query, body: store.by_id(parts[0]).as_json(),
    ("GET", "schemas/ids/*/schema"): lambda store, parts, query, body: store.by_id(parts[0]).text,
    ("GET", "schemas/ids/*/subjects"): lambda store, parts, query, body: _subjects_of_id(store, parts[0]),
    ("GET", "schemas/ids/*/versions"): lambda store, parts, query, body: _versions_of_id(store, parts[0]),
    ("GET", "schemas/guids/*"): lambda store, parts, query, body: store.by_guid(parts[0]).as_json(),
    ("GET", "subjects"): lambda store, parts, query, body: _subjects(store, query),
    ("POST", "subjects/*"): lambda store, parts, query, body: _version(parts[0], *store.look_up(parts[0], body)),
    ("DELETE", "subjects/*"): lambda store, parts, query, body: store.delete(parts[0]),
    ("GET", "subjects/*/versions"): lambda store, parts, query, body: list(store.versions(parts[0])),
    ("POST", "subjects/*/versions"): lambda store, parts, query, body: _version(
        parts[0], *store.register(parts[0], body)
    ),
    ("GET", "subjects/*/versions/*"): lambda store, parts, query, body: _version(parts[0], *store.version(*parts)),
    ("DELETE", "subjects/*/versions/*"): lambda store, parts, query, body: store.delete(*parts)[0],
    ("GET", "subjects/*/versions/*/referencedby"): lambda store, parts, query, body: store.referring(
        parts[0], store.version(*parts)[0]
    ),
    ("POST", "compatibility/subjects/*/versions"): lambda store, parts, query, body: {"is_compatible": True},
    ("POST", "compatibility/subjects/*/versions/*"): lambda store, parts, query, body: {"is_compatible": True},
    ("GET", "config"): lambda store, parts, query, body: {"compatibilityLevel": _NO_COMPATIBILITY},
    ("GET", "config/*"): lambda store, parts, query, body: {"compatibilityLevel": _NO_COMPATIBILITY},
    ("PUT", "config"): lambda store, parts, query, body: body,
    ("PUT", "config/*"): lambda store, parts, query, body: body,
    ("GET", "mode"): lambda store, parts, query, body: {"mode": "READWRITE"},
    ("GET", "mode/*"): lambda store, parts, query, body: {"mode": "READWRITE"},
    # confluent-kafka requests a topic's subject; without an answer it uses the topic's name
    ("GET", "associations/resources/*/*"): lambda store, parts, query, body: [],
}
