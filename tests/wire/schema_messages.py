"""Messages made from the schemas: full ones, in which every field says something, and any there can be."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from kafka_nextgen.wire.apis import APIS, Api
from kafka_nextgen.wire.messages import ApiVersionsResponse
from kafka_nextgen.wire.schema import Field, Message, Structure

INT_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}

FULL_VALUES: dict[str, Any] = {
    "bool": True,
    "int8": 1,
    "int16": 300,
    "uint16": 40_000,
    "int32": 70_000,
    "int64": 1 << 40,
    "float64": 1.5,
    "uuid": UUID(int=0x1234),
    "string": "häß",
    "bytes": b"\x00\xff",
    "records": b"batches",
    "bitfield": frozenset({0, 3}),
}

#: Every version of every API, requests and answers apart.
ALL = [
    (api, version, is_request)
    for api in APIS.values()
    for version in range(api.min_version, api.max_version + 1)
    for is_request in (True, False)
]


def name_of(case: tuple[Api, int, bool]) -> str:
    api, version, is_request = case
    return f"{api.name}{'Request' if is_request else 'Response'}-v{version}"


def message_class(case: tuple[Api, int, bool]) -> Any:
    api, _, is_request = case
    return api.request if is_request else api.response


def full(cls: type[Message], version: int) -> Any:
    """The message with nothing null or empty and every tag there is."""
    return _made(cls, _full_fields(cls, version))


def _full_fields(cls: type[Structure], version: int) -> dict[str, Any]:
    return {field.name: _full_value(field.kind, version) for field in fields_of(cls, version)}


def _full_value(kind: Any, version: int) -> Any:
    if isinstance(kind, list):
        return [_full_value(kind[0], version)] * 2
    return FULL_VALUES[kind] if isinstance(kind, str) else kind(**_full_fields(kind, version))


def fields_of(cls: type[Structure], version: int) -> list[Field]:
    """The fields that the version has."""
    return [field for field in cls.FIELDS if field.versions.has(version)]


def messages(cls: type[Message], version: int) -> st.SearchStrategy[Any]:
    """Any message of this version."""
    return _fields(cls, version).map(lambda values: _made(cls, values))


def _made(cls: Any, values: dict[str, Any]) -> Any:
    if cls is ApiVersionsResponse:
        values["error_code"] = 0  # with an error it would go out in version 0
    return cls(**values)


def _fields(cls: type[Structure], version: int) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({field.name: _value(field, version) for field in fields_of(cls, version)})


def _value(field: Field, version: int) -> st.SearchStrategy[Any]:
    present = _present(field.kind, version)
    return st.none() | present if field.nullable.has(version) else present


def _present(kind: Any, version: int) -> st.SearchStrategy[Any]:
    if isinstance(kind, list):
        return st.lists(_present(kind[0], version), max_size=3)
    return _scalar(kind) if isinstance(kind, str) else _fields(kind, version).map(lambda values: kind(**values))


def _scalar(type_name: str) -> st.SearchStrategy[Any]:
    if type_name in INT_BITS:
        limit = 1 << (INT_BITS[type_name] - 1)
        return st.integers(-limit, limit - 1)
    return {
        "bool": st.booleans(),
        "uint16": st.integers(0, 65535),
        "float64": st.floats(allow_nan=False),
        "uuid": st.uuids(),
        "string": st.text(max_size=5),
        "bytes": st.binary(max_size=5),
        "records": st.binary(max_size=200),
        "bitfield": st.none() | st.frozensets(st.integers(0, 30), max_size=3),
    }[type_name]
