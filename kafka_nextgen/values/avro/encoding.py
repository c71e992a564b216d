"""Converts a default from the JSON of a schema to the bytes of an Avro value, which decoders can read."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values.avro.faults import shown
from kafka_nextgen.values.avro.types import NO_DEFAULT, Array, Enum, Fixed, Map, Primitive, Record, Type, Union

__all__ = ["encoded", "zigzag"]

_RANGES = {"int": 1 << 31, "long": 1 << 63}


def zigzag(number: int) -> bytes:
    """Encode a long."""
    rest = number << 1 ^ number >> 63
    data = bytearray()
    while rest > 0x7F:
        data.append(rest & 0x7F | 0x80)
        rest >>= 7
    data.append(rest)
    return bytes(data)


def encoded(kind: Type, value: Any) -> bytes:
    """Return the bytes of this value. Raises AvroSchemaError if it does not have this type.

    The default of a union has the type of the first matching branch (Avro 1.12, "Complex Types, Records").
    """
    if isinstance(kind, Union):
        return _of_union(kind, value)
    if isinstance(kind, Record) and isinstance(value, Mapping):
        fields = ((field, value.get(field.name, field.default)) for field in kind.fields)
        return b"".join(encoded(field.type, each) for field, each in fields)
    if isinstance(kind, Array) and isinstance(value, list):
        items = b"".join(encoded(kind.items, item) for item in value)
        return (zigzag(len(value)) + items if value else b"") + b"\0"
    if isinstance(kind, Map) and isinstance(value, Mapping):
        pairs = b"".join(_text(key.encode()) + encoded(kind.values, each) for key, each in value.items())
        return (zigzag(len(value)) + pairs if value else b"") + b"\0"
    if isinstance(kind, Enum) and value in kind.symbols:
        return zigzag(kind.symbols.index(value))
    data = _simple(kind, value) if isinstance(kind, Primitive | Fixed) else None
    if data is None:
        raise AvroSchemaError(f"the default {_what(value)} a value of type {kind.kind}")
    return data


def _of_union(kind: Union, value: Any) -> bytes:
    for index, branch in enumerate(kind.branches):
        try:
            return zigzag(index) + encoded(branch, value)
        except AvroSchemaError:
            continue
    raise AvroSchemaError(f"the default {_what(value)} a value of any branch of its union")


def _what(value: object) -> str:
    return "lacks" if value is NO_DEFAULT else f"{shown(value)} is not"


def _text(data: bytes) -> bytes:
    return zigzag(len(data)) + data


def _simple(kind: Primitive | Fixed, value: Any) -> bytes | None:
    name = kind.kind
    if name == "null":
        return b"" if value is None else None
    if isinstance(value, bool):
        return bytes((value,)) if name == "boolean" else None
    if isinstance(value, str):
        return _of_text(kind, value)
    if isinstance(value, int) and name in _RANGES:
        return zigzag(value) if -_RANGES[name] <= value < _RANGES[name] else None
    if isinstance(value, int | float) and name in ("float", "double"):
        return _packed("<f" if name == "float" else "<d", value)
    return None


def _packed(form: str, value: float) -> bytes | None:
    with suppress(OverflowError):
        return struct.pack(form, value)
    return None


def _of_text(kind: Primitive | Fixed, value: str) -> bytes | None:
    """Strings are UTF-8; in JSON, each byte is written as one character (Avro 1.12, table of defaults)."""
    if kind.kind == "string":
        with suppress(UnicodeEncodeError):  # a lone surrogate
            return _text(value.encode())
        return None
    if kind.kind in ("float", "double") and value in ("NaN", "Infinity", "-Infinity"):
        return struct.pack("<f" if kind.kind == "float" else "<d", float(value))
    if kind.kind not in ("bytes", "fixed") or not all(character <= "\xff" for character in value):
        return None
    data = value.encode("latin-1")
    if isinstance(kind, Fixed):
        return data if len(data) == kind.size else None
    return _text(data)
