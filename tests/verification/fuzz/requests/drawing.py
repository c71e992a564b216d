"""Draws a request by its schema: each field null where it may be, arrays empty or with duplicates."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from kafka_nextgen.testing.broker.apis import EXTENSIONS, SERVED
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.schema import Field, Message, Structure
from tests.verification.fuzz.requests.words import Words

_APIS: tuple[Api, ...] = (*SERVED, *EXTENSIONS, apis.API_VERSIONS)

_ALL = -1  # the default is 0, which wants no answer
_CALM = 0.6
_NULL = 0.2
_LEFT_AT_DEFAULT = 0.1
_TWICE = 0.3
_LENGTHS = (0, 1, 1, 1, 2, 3)


@frozen
class Drawn:
    """A request in one of the versions that the broker has."""

    api: Api
    version: int
    message: Message

    def __str__(self) -> str:
        return f"{self.api.name} v{self.version}: {self.message}"


def draw(words: Words) -> Drawn:
    """The next request, of any API in any version."""
    words.is_calm = words.chance(_CALM)
    api = words.random.choice(_APIS)
    version = words.random.randint(api.min_version, api.max_version)
    fields = _fields(api.request, version, words)
    if api is apis.PRODUCE:
        fields.setdefault("acks", _ALL)
    return Drawn(api, version, api.request(**fields))


def _fields(cls: type[Structure], version: int, words: Words) -> dict[str, Any]:
    drawn = {}
    for field in cls.FIELDS:
        if field.versions.has(version) and not words.chance(_LEFT_AT_DEFAULT):
            drawn[field.name] = _value(field, version, words)
    return drawn


def _value(field: Field, version: int, words: Words) -> Any:
    if field.nullable.has(version) and words.chance(_NULL):
        return None
    if field.element is None:
        return _one(field.kind, field.name, version, words)
    found = [_one(field.element, field.name, version, words) for _ in range(words.random.choice(_LENGTHS))]
    if found and words.chance(_TWICE):
        found.append(words.random.choice(found))
    return found


def _one(kind: Any, name: str, version: int, words: Words) -> Any:
    return words.draw(kind, name) if isinstance(kind, str) else kind(**_fields(kind, version, words))
