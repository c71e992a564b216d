"""Functions that replace Kafka's deserializers, by the names of their Java classes.

``StringDeserializer`` replaces invalid UTF-8 with U+FFFD, as in Java. Numbers are big-endian; a value of the wrong
length raises ``ValueError``, where Java raises ``SerializationException``.
"""

from __future__ import annotations

import struct
import uuid  # noqa: TID251  (a value of records)
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["DESERIALIZERS", "PACKAGE", "java_deserializer"]

PACKAGE: Final = "org.apache.kafka.common.serialization."


def read_string(data: bytes) -> str:
    """``StringDeserializer``, with its default encoding."""
    return data.decode("utf-8", "replace")


def read_uuid(data: bytes) -> uuid.UUID:
    """``UUIDDeserializer``: a UUID written as text."""
    return uuid.UUID(data.decode())


def read_nothing(data: bytes) -> None:
    """``VoidDeserializer``: every value must be null."""
    raise ValueError(f"VoidDeserializer takes only null, not {len(data)} bytes")


def _unpack(data: bytes, form: str, name: str) -> object:
    if len(data) != struct.calcsize(form):
        raise ValueError(f"{name} takes {struct.calcsize(form)} bytes, not {len(data)}")
    return struct.unpack(form, data)[0]


def read_short(data: bytes) -> object:
    """``ShortDeserializer``."""
    return _unpack(data, ">h", "ShortDeserializer")


def read_integer(data: bytes) -> object:
    """``IntegerDeserializer``."""
    return _unpack(data, ">i", "IntegerDeserializer")


def read_long(data: bytes) -> object:
    """``LongDeserializer``."""
    return _unpack(data, ">q", "LongDeserializer")


def read_float(data: bytes) -> object:
    """``FloatDeserializer``."""
    return _unpack(data, ">f", "FloatDeserializer")


def read_double(data: bytes) -> object:
    """``DoubleDeserializer``."""
    return _unpack(data, ">d", "DoubleDeserializer")


def read_boolean(data: bytes) -> bool:
    """``BooleanDeserializer``: one byte, 0 or 1."""
    if data not in (b"\0", b"\1"):
        raise ValueError("BooleanDeserializer takes one byte, 0 or 1")
    return data == b"\1"


#: Functions by the name of the class without its package; with None, values stay bytes.
DESERIALIZERS: Final[Mapping[str, Callable[[bytes], object] | None]] = MappingProxyType(
    {
        "BooleanDeserializer": read_boolean,
        "ByteArrayDeserializer": None,
        "ByteBufferDeserializer": None,
        "BytesDeserializer": None,
        "DoubleDeserializer": read_double,
        "FloatDeserializer": read_float,
        "IntegerDeserializer": read_integer,
        "LongDeserializer": read_long,
        "ShortDeserializer": read_short,
        "StringDeserializer": read_string,
        "UUIDDeserializer": read_uuid,
        "VoidDeserializer": read_nothing,
    }
)


def java_deserializer(name: str) -> Callable[[bytes], object] | None:
    """Return the function for a Java class. Raises ``ValueError`` if it is not one of Kafka's."""
    short = name.strip().removeprefix(PACKAGE)
    if short not in DESERIALIZERS:
        raise ValueError(
            f"names {name!r}, which is not a Kafka deserializer: remove it, and pass a function that takes bytes as "
            "key_deserializer or value_deserializer"
        )
    return DESERIALIZERS[short]
