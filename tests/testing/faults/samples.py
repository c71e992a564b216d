"""A request of every API in every version, made from its schema: two elements in each array, all values different."""

from __future__ import annotations

from itertools import count
from typing import Any
from uuid import UUID

from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.frames import RequestFrame, decode_request, encode_request
from kafka_nextgen.wire.schema import Field, Message, Structure

PER_ARRAY = 2


def sample(api: Api, version: int) -> RequestFrame:
    """A request as a broker reads it."""
    message: Message = _filled(api.request, version, count(1))
    return decode_request(encode_request(message, version, 1, "tests")[4:])


def _filled(kind: Any, version: int, numbers: Any) -> Any:
    fields = (field for field in kind.FIELDS if field.versions.has(version) and field.tag is None)
    return kind(**{field.name: _value(field, version, numbers) for field in fields})


def _value(field: Field, version: int, numbers: Any) -> Any:
    if isinstance(field.kind, list):
        return [_plain(field.kind[0], version, numbers) for _ in range(PER_ARRAY)]
    return _plain(field.kind, version, numbers)


def _plain(kind: Any, version: int, numbers: Any) -> Any:
    if isinstance(kind, type) and issubclass(kind, Structure):
        return _filled(kind, version, numbers)
    number = next(numbers)
    if kind == "bool":
        return True
    if kind in ("bytes", "records"):
        return b"%d" % number
    if kind == "uuid":
        return UUID(int=number)
    return f"name-{number}" if kind == "string" else number
