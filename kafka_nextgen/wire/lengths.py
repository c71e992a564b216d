"""Reading the lengths in a frame, none of which is believed.

A length is -1 for null or not negative. Classic messages write it in two or four bytes, flexible ones (KIP-482) as
an unsigned varint of the length plus one. A varint has at most five bytes, fits in 32 bits, and is the shortest
that says its number.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import NoReturn

from attrs import define, frozen

from kafka_nextgen.errors import DecodeError

__all__ = [
    "COMPACT_LENGTH",
    "INT16_LENGTH",
    "INT32_LENGTH",
    "NUMBER_WEIGHT",
    "OBJECT_WEIGHT",
    "Frame",
    "Length",
    "need",
    "refuse",
    "unsigned_varint",
]

_VARINT_SHIFTS = (0, 7, 14, 21, 28)
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from


#: What the elements of a message may weigh: those of a million partitions in Metadata. A structure that takes seven
#: bytes of a frame takes several hundred as an object.
_MOST_WEIGHT = 16_000_000
#: What a number counts among them.
NUMBER_WEIGHT = 1
#: What any other element counts.
OBJECT_WEIGHT = 8


@define
class Frame:
    """The bytes being looked at.

    ``tag_bytes`` counts what decoding the tags met so far will copy, ``weight`` what the elements of arrays will make.
    """

    data: bytes | memoryview
    tag_bytes: int = 0
    weight: int = 0

    def weigh(self, count: int, each: int, where: str) -> None:
        """Count the elements of an array, before the first of them is looked at."""
        self.weight += count * each
        if self.weight > _MOST_WEIGHT:
            refuse(where, f"{count} elements, more than a message can be made of in reasonable memory")


@frozen
class Length:
    """A way to write a length: the fewest bytes it takes, and how it is read.

    ``read(frame, position, end, where)`` returns the length, or -1 for null, and the position after it.
    """

    least: int
    read: Callable[[Frame, int, int, str], tuple[int, int]]


def refuse(where: str, what: str) -> NoReturn:
    """Raise the ``DecodeError`` that says what is wrong with which field."""
    raise DecodeError(f"{where}: {what}")


def need(size: int, pos: int, end: int, where: str) -> int:
    """Pass over ``size`` bytes; refuse if so many are not there."""
    if size > end - pos:
        refuse(where, f"needs {size} bytes, {end - pos} are left")
    return pos + size


def unsigned_varint(frame: Frame, pos: int, end: int, where: str) -> tuple[int, int]:
    """Read an unsigned varint of 32 bits."""
    value = 0
    for shift in _VARINT_SHIFTS:
        if pos >= end:
            refuse(where, "the message ends inside a varint")
        byte = frame.data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value > 0xFFFFFFFF or (shift and not byte):
                refuse(where, "a varint beyond 32 bits or not in its shortest form")
            return value, pos
    refuse(where, "a varint of more than 5 bytes")


def _read_compact(frame: Frame, pos: int, end: int, where: str) -> tuple[int, int]:
    if pos < end and frame.data[pos] < 0x80:  # as most are
        return frame.data[pos] - 1, pos + 1
    value, pos = unsigned_varint(frame, pos, end, where)
    return value - 1, pos


def _read_int16(frame: Frame, pos: int, end: int, where: str) -> tuple[int, int]:
    after = need(2, pos, end, where)
    return _not_below_null(_unpack_int16(frame.data, pos)[0], where), after


def _read_int32(frame: Frame, pos: int, end: int, where: str) -> tuple[int, int]:
    after = need(4, pos, end, where)
    return _not_below_null(_unpack_int32(frame.data, pos)[0], where), after


def _not_below_null(length: int, where: str) -> int:
    if length < -1:
        refuse(where, f"a length of {length}")
    return length


#: Strings, bytes and arrays of flexible messages.
COMPACT_LENGTH = Length(1, _read_compact)
#: Strings of classic messages.
INT16_LENGTH = Length(2, _read_int16)
#: Bytes and arrays of classic messages.
INT32_LENGTH = Length(4, _read_int32)
