"""Compiles the shape of a message to a program that reads its values."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from kafka_nextgen.values.columns import Column
from kafka_nextgen.values.protobuf.layout import is_flat
from kafka_nextgen.values.protobuf.program import Op, Program
from kafka_nextgen.values.protobuf.shapes import Arity, Closing, Field, Message, Scalar, Shape

__all__ = ["compiled", "numbered"]

_LENGTH, _GROUP = 2, 3
_NULL, _DEFAULT, _EMPTY = range(3)
_PACKABLE = {Op.BOOL, Op.VARINT4, Op.VARINT8, Op.ZIGZAG4, Op.ZIGZAG8, Op.FIXED4, Op.FIXED8}
_PACKABLE |= {Op.ENUM, Op.CLOSED_ENUM, Op.CLOSED_NUMBER}


def numbered(columns: Sequence[Column], index: int) -> Iterator[tuple[int, Column]]:
    """Yield sibling columns with their indexes in the flattened layout."""
    for column in columns:
        yield index, column
        index += sum(1 for _ in column)


def compiled(shape: Shape, root: Column, flat: bool, path: Sequence[int]) -> Program:
    """Return the program that reads values of this shape into columns laid out for it."""
    compiler = _Compiler()
    index, column = (0, root) if is_flat(shape, flat) else (1, root.children[0])
    compiler.fields.append(())
    compiler.fields[0] = compiler.field(Field("", 0, shape, Arity.SINGULAR, True), index, column, -1)
    return compiler.done(path)


class _Compiler:
    def __init__(self) -> None:
        self.messages: list[tuple[int, ...]] = []
        self.fields: list[tuple[int, ...]] = []
        self._table = array("q")
        self._blob = bytearray()

    def field(self, field: Field, index: int, column: Column, oneof: int) -> tuple[int, ...]:
        """Return the numbers that describe a field with this column."""
        within = (index, column) if field.arity is Arity.SINGULAR else (index + 1, column.children[0])
        if isinstance(field.type, Message):
            number = self._message(field.type, *within)
            absent = _NULL if field.has_presence or field.arity is not Arity.SINGULAR else _EMPTY
            op, wire = (Op.GROUP, _GROUP) if field.is_group else (Op.MESSAGE, _LENGTH)
            return (field.number << 3 | wire, 0, op, index, field.arity, number, 0, oneof, absent, 0, 0)
        return self._scalar(field, field.type, index, oneof)

    def _scalar(self, field: Field, scalar: Scalar, index: int, oneof: int) -> tuple[int, ...]:
        is_packable = field.arity is Arity.REPEATED and scalar.op in _PACKABLE
        packed = field.number << 3 | _LENGTH if is_packable else 0
        a = self._pairs(scalar) if scalar.pairs else scalar.argument
        absent = _NULL if field.has_presence or field.arity is not Arity.SINGULAR else _DEFAULT
        at, data = len(self._blob), scalar.default or bytes(scalar.width)
        self._blob += data if absent == _DEFAULT else b""
        size = len(data) if absent == _DEFAULT else 0
        tag = field.number << 3 | scalar.wire
        return (tag, packed, scalar.op, index, field.arity, a, len(scalar.pairs), oneof, absent, at, size)

    def _pairs(self, scalar: Scalar) -> int:
        begin = len(self._table)
        for pair in scalar.pairs:
            self._table.extend(pair)
        return begin

    def _message(self, message: Message, index: int, column: Column) -> int:
        """Add a message and then the messages in it; the fields of a message are stored together."""
        number, first = len(self.messages), len(self.fields)
        self.messages.append(())
        self.fields += [()] * len(message.fields)
        if message.closing is Closing.NOTHING:
            columns = [(index, column)]
        else:
            columns = list(numbered(column.children, index + 1))
        pairs = zip(message.fields, columns, strict=False)  # even a message without fields has a column
        for place, (field, where) in enumerate(sorted(pairs, key=lambda pair: pair[0].number)):
            self.fields[first + place] = self.field(field, *where, self._others(field, message, columns))
        self.messages[number] = (index, message.closing, first, first + len(message.fields))
        return number

    def _others(self, field: Field, message: Message, columns: Sequence[tuple[int, Column]]) -> int:
        """Add a table of the columns of the oneof's other members; returns its index."""
        if field.oneof is None:
            return -1
        pairs = zip(message.fields, columns, strict=True)
        others = [index for each, (index, _) in pairs if each.oneof == field.oneof and each is not field]
        self._table.extend((len(others), *others))
        return len(self._table) - len(others) - 1

    def done(self, path: Sequence[int]) -> Program:
        """Return the finished program."""
        messages = array("q", (number for message in self.messages for number in message))
        fields = array("q", (number for field in self.fields for number in field))
        return messages, fields, self._table, bytes(self._blob), array("q", path)
