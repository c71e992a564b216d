"""The shape of a message: the parts of its descriptor that matter for columns, as a tree.

A message that is used twice occurs twice, so no message may contain itself. Well-known types have simpler shapes: a
wrapper becomes its value, a timestamp a number, and a Struct its JSON.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Any

from kafka_nextgen.errors import ProtobufSchemaError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.values.columns import MOST_COLUMNS, Kind
from kafka_nextgen.values.protobuf.program import Op

__all__ = ["Arity", "Closing", "Field", "Message", "Scalar", "Shape", "shape_of"]


class Arity(IntEnum):
    """How often a field can occur, as in ``accelerator/protobuf_program.h``."""

    SINGULAR = 0
    REPEATED = 1
    MAP = 2


class Closing(IntEnum):
    """How an entry for a message is completed: by its only field, as a struct, or as a bit if it has no fields."""

    NOTHING = 0
    STRUCT = 1
    BIT = 2


@frozen
class Scalar:
    """One entry of a column. ``default`` replaces a missing field; ``argument`` is the argument of ``op``."""

    op: Op
    kind: Kind
    format: str
    width: int = 0
    wire: int = 0
    default: bytes = b""
    argument: int = 0
    symbols: tuple[str, ...] | None = None
    pairs: tuple[tuple[int, int], ...] = ()  # for enums: each number, and the index of its name


@frozen
class Field:
    """A field of a message. ``oneof`` is the index of its oneof, if any."""

    name: str
    number: int
    type: Shape
    arity: Arity
    has_presence: bool
    oneof: int | None = None
    is_group: bool = False


@frozen
class Message:
    """A message, with its fields in declaration order."""

    name: str
    fields: tuple[Field, ...]
    closing: Closing


Shape = Scalar | Message

_LENGTH = 2
_VARINT, _FIXED8, _FIXED4 = 0, 1, 5
#: By the number of a field's type (descriptor.proto, FieldDescriptorProto.Type).
_SCALARS = {
    1: Scalar(Op.FIXED8, Kind.NUMBERS, "g", 8, _FIXED8),
    2: Scalar(Op.FIXED4, Kind.NUMBERS, "f", 4, _FIXED4),
    3: Scalar(Op.VARINT8, Kind.NUMBERS, "l", 8, _VARINT),
    4: Scalar(Op.VARINT8, Kind.NUMBERS, "L", 8, _VARINT),
    5: Scalar(Op.VARINT4, Kind.NUMBERS, "i", 4, _VARINT),
    6: Scalar(Op.FIXED8, Kind.NUMBERS, "L", 8, _FIXED8),
    7: Scalar(Op.FIXED4, Kind.NUMBERS, "I", 4, _FIXED4),
    8: Scalar(Op.BOOL, Kind.BITS, "b", 0, _VARINT, b"\0"),
    9: Scalar(Op.STRING, Kind.STRINGS, "u", 0, _LENGTH),
    12: Scalar(Op.BYTES, Kind.STRINGS, "z", 0, _LENGTH),
    13: Scalar(Op.VARINT4, Kind.NUMBERS, "I", 4, _VARINT),
    15: Scalar(Op.FIXED4, Kind.NUMBERS, "i", 4, _FIXED4),
    16: Scalar(Op.FIXED8, Kind.NUMBERS, "l", 8, _FIXED8),
    17: Scalar(Op.ZIGZAG4, Kind.NUMBERS, "i", 4, _VARINT),
    18: Scalar(Op.ZIGZAG8, Kind.NUMBERS, "l", 8, _VARINT),
}
_GROUP, _MESSAGE, _ENUM = 10, 11, 14
_WRAPPERS = {f"google.protobuf.{name}Value" for name in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32")}
_WRAPPERS |= {f"google.protobuf.{name}Value" for name in ("Bool", "String", "Bytes")}
_JSON = {
    "google.protobuf.Struct": Scalar(Op.STRUCT, Kind.STRINGS, "u", 0, _LENGTH, b"{}"),
    "google.protobuf.Value": Scalar(Op.VALUE, Kind.STRINGS, "u", 0, _LENGTH, b"null"),
    "google.protobuf.ListValue": Scalar(Op.LIST, Kind.STRINGS, "u", 0, _LENGTH, b"[]"),
}


def shape_of(descriptor: Any, has_names: bool, unit: str) -> Shape:
    """Return the shape of a message. Raises ProtobufSchemaError if it contains itself, or has too many fields."""
    return _Shaping(has_names, unit).message(descriptor)


class _Shaping:
    def __init__(self, has_names: bool, unit: str) -> None:
        self._has_names, self._unit = has_names, unit
        self._open: list[tuple[Any, str]] = []  # the messages around the current one, and the fields that lead to it
        self._count = 0

    def message(self, descriptor: Any) -> Shape:
        known = self._well_known(descriptor)
        if known is not None:
            return known
        self._check_cycle(descriptor)
        fields = []
        for field in descriptor.fields:
            self._open.append((descriptor, field.name))
            fields.append(self._field(field))
            self._open.pop()
        is_wrapper = descriptor.full_name in _WRAPPERS and len(fields) == 1
        closing = Closing.NOTHING if is_wrapper else Closing.STRUCT if fields else Closing.BIT
        return Message(descriptor.full_name, tuple(fields), closing)

    def _check_cycle(self, descriptor: Any) -> None:
        names = [outer.full_name for outer, _ in self._open]
        if descriptor.full_name in names:
            cycle = self._open[names.index(descriptor.full_name) :]
            path = " -> ".join(f"{outer.full_name}.{field}" for outer, field in cycle)
            raise ProtobufSchemaError(
                f"message {descriptor.full_name} contains itself ({path} -> {descriptor.full_name}), but no Arrow "
                "type can"
            )

    def _well_known(self, descriptor: Any) -> Shape | None:
        name = descriptor.full_name
        if name == "google.protobuf.Timestamp":
            form, op = f"ts{self._unit[0]}:UTC", Op.TIMESTAMP
        elif name == "google.protobuf.Duration":
            form, op = f"tD{self._unit[0]}", Op.DURATION
        else:
            return _JSON.get(name)
        return Scalar(op, Kind.NUMBERS, form, 8, _LENGTH, bytes(8), 1 if self._unit == "ns" else 1000)

    def _field(self, field: Any) -> Field:
        self._count += 1
        if self._count > MOST_COLUMNS:
            raise ProtobufSchemaError(f"message {self._open[0][0].full_name} has more than {MOST_COLUMNS} columns")
        is_repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
        inner = field.message_type
        is_map = is_repeated and inner is not None and inner.GetOptions().map_entry
        is_entry = field.containing_type.GetOptions().map_entry
        oneof = field.containing_oneof
        return Field(
            field.name,
            field.number,
            self._type(field),
            Arity.MAP if is_map else Arity.REPEATED if is_repeated else Arity.SINGULAR,
            field.has_presence and not is_entry,
            None if oneof is None or len(oneof.fields) == 1 else oneof.index,
            field.type == _GROUP,
        )

    def _type(self, field: Any) -> Shape:
        if field.type in (_GROUP, _MESSAGE):
            return self.message(field.message_type)
        if field.type == _ENUM:
            return self._enum(field)
        return _SCALARS[field.type]

    def _enum(self, field: Any) -> Scalar:
        """Return the shape of an enum; if a number has several names, protobuf's choice is used."""
        enum = field.enum_type
        is_closed = enum.is_closed if hasattr(enum, "is_closed") else enum.file.syntax == "proto2"
        if not self._has_names and not is_closed:
            return Scalar(Op.VARINT4, Kind.NUMBERS, "i", 4, _VARINT, bytes(4))
        numbers = list(dict.fromkeys(value.number for value in enum.values))
        pairs = tuple(sorted((number, index) for index, number in enumerate(numbers)))
        default = struct.pack("=i", numbers.index(enum.values[0].number) if self._has_names else enum.values[0].number)
        if not self._has_names:
            return Scalar(Op.CLOSED_NUMBER, Kind.NUMBERS, "i", 4, _VARINT, default, pairs=pairs)
        symbols = tuple(enum.values_by_number[number].name for number in numbers)
        op = Op.CLOSED_ENUM if is_closed else Op.ENUM
        return Scalar(op, Kind.NUMBERS, "i", 4, _VARINT, default, symbols=symbols, pairs=pairs)
