"""The primitives of a frame. Lengths are checked before they are used.

A length is either -1 (null) or non-negative. Classic messages write it in two or four bytes, flexible ones (KIP-482) as
an unsigned varint of the length plus one. A varint has at most five bytes, fits in 32 bits, and is in its shortest
form. The tags at the end of a structure in a flexible message are in ascending order, and each field lies within its
structure.

Reading functions start at ``pos``, never go beyond ``end``, and return the value with the position after it. ``where``
names the field in a ``DecodeError``.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import lru_cache
from struct import Struct
from typing import NoReturn

from kafka_nextgen.errors import DecodeError

__all__ = [
    "LIGHT_BYTES",
    "NUMBER_WEIGHT",
    "OBJECT_WEIGHT",
    "Data",
    "Weighing",
    "compact_length",
    "encoded_varint",
    "find_tags",
    "int16_length",
    "int32_length",
    "leading_int16",
    "need",
    "not_utf8",
    "refuse",
    "refuse_null",
    "too_many",
    "unsigned_varint",
    "weighing",
]

Data = bytes | memoryview
#: Counts the elements of an array before the first is read: ``(count, weight of one, where)``.
Weighing = Callable[[int, int, str], None]

_VARINT_SHIFTS = (0, 7, 14, 21, 28)
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from

#: The maximum weight of a message's elements, enough for a million partitions in Metadata. The limit protects memory: a
#: structure of seven bytes in a frame takes several hundred bytes as an object.
_MOST_WEIGHT = 16_000_000
#: The weight of a number.
NUMBER_WEIGHT = 1
#: The weight of any other element.
OBJECT_WEIGHT = 8
#: A message up to this size can't hold too many elements, because each takes a byte.
LIGHT_BYTES = _MOST_WEIGHT // OBJECT_WEIGHT


def weighing() -> Weighing:
    """Start counting the elements of a message."""
    weight = 0

    def weigh(count: int, each: int, where: str) -> None:
        nonlocal weight
        weight += count * each
        if weight > _MOST_WEIGHT:
            refuse(where, f"{count} elements, more than fit into a reasonable amount of memory")

    return weigh


def refuse(where: str, what: str) -> NoReturn:
    """Raise a ``DecodeError`` that names the field and says what is wrong with it."""
    raise DecodeError(f"{where}: {what}")


def need(size: int, pos: int, end: int, where: str) -> int:
    """The position after ``size`` bytes. Raises ``DecodeError`` if fewer are left."""
    if size > end - pos:
        refuse(where, f"needs {size} bytes, {end - pos} are left")
    return pos + size


def refuse_null(where: str) -> NoReturn:
    """Refuse a null that the schema doesn't allow."""
    refuse(where, "null, which this field does not allow")


def not_utf8(error: UnicodeDecodeError, where: str) -> NoReturn:
    """Refuse a string whose bytes are not UTF-8."""
    raise DecodeError(f"{where}: a string that is not UTF-8 ({error.reason})") from error


def too_many(count: int, least: int, left: int, where: str) -> NoReturn:
    """Refuse an array that can't fit in the bytes left."""
    refuse(where, f"{count} elements of {least} bytes or more, {left} bytes are left")


def unsigned_varint(data: Data, pos: int, end: int, where: str) -> tuple[int, int]:
    """Read an unsigned varint of 32 bits."""
    value = 0
    for shift in _VARINT_SHIFTS:
        if pos >= end:
            refuse(where, "the message ends inside a varint")
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value > 0xFFFFFFFF or (shift and not byte):
                refuse(where, "a varint beyond 32 bits or not in its shortest form")
            return value, pos
    refuse(where, "a varint of more than 5 bytes")


@lru_cache(maxsize=4096)
def encoded_varint(number: int) -> bytes:
    """Write an unsigned varint."""
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def compact_length(data: Data, pos: int, end: int, where: str) -> tuple[int, int]:
    """Read the length of a string, of bytes or of an array in a flexible message."""
    if pos < end and data[pos] < 0x80:  # one byte, the usual case
        return data[pos] - 1, pos + 1
    value, pos = unsigned_varint(data, pos, end, where)
    return value - 1, pos


def leading_int16(data: Data, where: str) -> int:
    """Read the int16 at the start of ``data``."""
    need(2, 0, len(data), where)
    return int(_unpack_int16(data)[0])


def int16_length(data: Data, pos: int, end: int, where: str) -> tuple[int, int]:
    """Read the length of a string in a classic message."""
    after = need(2, pos, end, where)
    return _not_below_null(_unpack_int16(data, pos)[0], where), after


def int32_length(data: Data, pos: int, end: int, where: str) -> tuple[int, int]:
    """Read the length of bytes or of an array in a classic message."""
    after = need(4, pos, end, where)
    return _not_below_null(_unpack_int32(data, pos)[0], where), after


def _not_below_null(length: int, where: str) -> int:
    if length < -1:
        refuse(where, f"a length of {length}")
    return length


def find_tags(
    data: Data, pos: int, end: int, known: Container[int], where: str
) -> tuple[dict[int, tuple[int, int]], int]:
    """Find where the fields of the ``known`` tags begin and end (KIP-482); others are skipped."""
    count, pos = unsigned_varint(data, pos, end, where)
    found: dict[int, tuple[int, int]] = {}
    previous = -1
    for _ in range(count):
        tag, pos = unsigned_varint(data, pos, end, where)
        if tag <= previous:
            refuse(where, f"tag {tag} after tag {previous}")
        size, pos = unsigned_varint(data, pos, end, where)
        after = need(size, pos, end, f"{where}, tag {tag}")
        if tag in known:
            found[tag] = (pos, after)
        previous, pos = tag, after
    return found, pos
