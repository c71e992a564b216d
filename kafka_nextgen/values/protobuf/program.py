"""The parts of programs that read Protobuf messages into columns, and the faults of values.

``accelerator/protobuf_program.h`` describes the numbers of a message and of a field.
"""

from __future__ import annotations

from array import array
from enum import IntEnum, auto

__all__ = ["Fault", "Op", "Program"]

#: Messages, fields, tables, bytes of defaults, and the indexes that a frame must have (empty if there are no frames).
Program = tuple["array[int]", "array[int]", "array[int]", bytes, "array[int]"]


class Op(IntEnum):
    """How a value is read, as in ``accelerator/protobuf_program.h``."""

    BOOL = 0
    VARINT4 = auto()
    VARINT8 = auto()
    ZIGZAG4 = auto()
    ZIGZAG8 = auto()
    FIXED4 = auto()
    FIXED8 = auto()
    BYTES = auto()
    STRING = auto()
    ENUM = auto()
    CLOSED_ENUM = auto()
    CLOSED_NUMBER = auto()
    MESSAGE = auto()
    GROUP = auto()
    TIMESTAMP = auto()
    DURATION = auto()
    STRUCT = auto()
    VALUE = auto()
    LIST = auto()


class Fault(IntEnum):
    """A fault of a value, as in ``accelerator/protobuf_wire.h``; only the Python version uses the last one."""

    ENDS_EARLY = 1
    LONG_VARINT = auto()
    BAD_TAG = auto()
    BAD_LENGTH = auto()
    BAD_GROUP = auto()
    TOO_DEEP = auto()
    TOO_SPARSE = auto()
    NO_FRAME = auto()
    OTHER_MESSAGE = auto()
    NO_UTF8 = auto()
    NO_NAME = auto()
    OUT_OF_RANGE = auto()
    NOT_FINITE = auto()
    GIVEN_TWICE = auto()
    SKIPPED = auto()
    REFUSED = auto()
