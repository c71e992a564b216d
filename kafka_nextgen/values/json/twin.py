"""``json_decode`` in Python: the reference for the extension's version (``accelerator/json.h``), and the fallback.

The standard library first parses the whole value, so that it is known to be JSON; then its fields are appended to the
columns, in the order of the columns.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

from kafka_nextgen.values.columns import Kind, PythonColumnBuilder
from kafka_nextgen.values.formats import Buffers
from kafka_nextgen.values.json.documents import NotJsonError, Number, Pairs, document_of
from kafka_nextgen.values.json.faults import BadJsonError, Fault
from kafka_nextgen.values.json.numbers import exact, is_number
from kafka_nextgen.values.json.program import FREE_COST, HAS_ZONE, TAKES_INTEGERS, Node, Op, Program
from kafka_nextgen.values.json.texts import (
    DAY_SECONDS,
    bytes_of,
    date_units,
    duration_units,
    time_units,
    timestamp_units,
    uuid_bytes,
)

__all__ = ["json_decode"]

_Bad = tuple[int, int, int]


def json_decode(
    builder: PythonColumnBuilder, program: Program, column: int, frame: int, values: Buffers, start: int, stop: int
) -> list[_Bad]:
    """Decode the values from ``start`` up to, but not including, ``stop`` into this column.

    Each is preceded by ``frame`` bytes. Returns the bad values.
    """
    data, bounds, validity = memoryview(values[0]), memoryview(values[1]).cast("B").cast("i"), values[2]
    bad: list[_Bad] = []
    for row in range(start, stop):
        if validity is not None and not validity[row >> 3] >> (row & 7) & 1:
            builder.append_null(0)
            continue
        rows = len(builder)
        try:
            value = bytes(data[bounds[row] : bounds[row + 1]])
            if frame and (len(value) < frame or value[0]):
                raise BadJsonError(Fault.NO_FRAME)
            _Run(builder, program).read(value[frame:], column)
        except BadJsonError as error:
            builder.cut_rows(rows)
            builder.append_null(0)
            bad.append((row, error.fault, error.column))
    return bad


class _Run:
    """Decodes one value."""

    def __init__(self, builder: PythonColumnBuilder, program: Program) -> None:
        self._builder, self._nodes, self._ends = builder, program.nodes, program.ends
        self._lists = 0
        self._cost = FREE_COST

    def read(self, data: bytes, column: int) -> None:
        """Read a document into this column: 0, or 1 for the only child of column 0."""
        try:
            value = document_of(data)
        except NotJsonError:
            raise BadJsonError(Fault.NOT_JSON) from None
        self._cost += 64 * len(data)
        if column == 1:
            self._builder.append_struct(0)
        self._value(value, column)

    def _value(self, value: Any, index: int) -> None:
        node = self._nodes[index]
        try:
            if value is None:
                self._null(index, Fault.NO_NULL)
            elif node.op in _NESTED:
                _NESTED[node.op](self, value, index)
            else:
                self._append(index, _READERS[node.op](node, value))
        except BadJsonError as error:
            raise BadJsonError(error.fault, index if error.column < 0 else error.column) from None

    def _append(self, index: int, data: bytes) -> None:
        if self._nodes[index].kind == Kind.STRINGS:
            self._builder.append_string(index, data)
        else:
            self._builder.append_number(index, data)

    def _null(self, index: int, fault: Fault) -> None:
        """Append a null if the column is nullable; within lists, the total size of nulls is limited."""
        if not self._nodes[index].nullable:
            raise BadJsonError(fault, index)
        if self._lists:
            self._cost -= self._nodes[index].cost
            if self._cost < 0:
                raise BadJsonError(Fault.TOO_SPARSE, index)
        self._builder.append_null(index)

    def struct(self, value: Any, index: int) -> None:
        """Append an object with fields; if a field occurs twice, the last one counts."""
        if not isinstance(value, Pairs):
            raise BadJsonError(Fault.WRONG_TYPE)
        fields = dict(value)
        self._builder.append_struct(index)
        for child in self._builder.children(index):
            name = self._nodes[child].name
            if name in fields:
                self._value(fields[name], child)
            else:
                self._null(child, Fault.MISSING)

    def list(self, value: Any, index: int) -> None:
        """Append an array."""
        if not isinstance(value, list) or isinstance(value, Pairs):
            raise BadJsonError(Fault.WRONG_TYPE)
        self._lists += 1
        for each in value:
            self._value(each, index + 1)
        self._lists -= 1
        if self._nodes[index].a not in (0, len(value)):
            raise BadJsonError(Fault.OUT_OF_RANGE)
        self._builder.append_list(index)

    def map(self, value: Any, index: int) -> None:
        """Append an object with arbitrary names; a name that occurs twice is appended twice."""
        if not isinstance(value, Pairs):
            raise BadJsonError(Fault.WRONG_TYPE)
        self._lists += 1
        for name, each in value:
            self._builder.append_struct(index + 1)
            self._builder.append_string(index + 2, name.encode())
            self._value(each, index + 3)
        self._lists -= 1
        self._builder.append_list(index)


def _number(value: Any) -> str:
    if not isinstance(value, Number):
        raise BadJsonError(Fault.WRONG_TYPE)
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or isinstance(value, Number):
        raise BadJsonError(Fault.WRONG_TYPE)
    return value


def _boolean(node: Node, value: Any) -> bytes:
    if not isinstance(value, bool):
        raise BadJsonError(Fault.WRONG_TYPE)
    return bytes([value])


def _integer(node: Node, value: Any) -> bytes:
    number = exact(_number(value), 0, 20)
    try:
        return number.to_bytes(node.width, "little", signed=bool(node.a))
    except OverflowError:
        raise BadJsonError(Fault.OUT_OF_RANGE) from None


def _float(node: Node, value: Any) -> bytes:
    number = float(_number(value))
    if math.isinf(number):
        raise BadJsonError(Fault.OUT_OF_RANGE)
    try:
        return struct.pack("<d" if node.width == 8 else "<f", number)
    except OverflowError:
        raise BadJsonError(Fault.OUT_OF_RANGE) from None


def _binary(node: Node, value: Any) -> bytes:
    return bytes_of(_text(value), bool(node.a))


def _fixed(node: Node, value: Any) -> bytes:
    data = _binary(node, value)
    if len(data) != node.width:
        raise BadJsonError(Fault.OUT_OF_RANGE)
    return data


def _symbol(node: Node, value: Any) -> bytes:
    assert node.symbols is not None
    text = _text(value)
    if text not in node.symbols:
        raise BadJsonError(Fault.NO_SYMBOL)
    return node.symbols.index(text).to_bytes(4, "little")


def _decimal(node: Node, value: Any) -> bytes:
    text = value if isinstance(value, str) else _number(value)
    if not is_number(text):
        raise BadJsonError(Fault.WRONG_FORM)
    return exact(text, node.a, node.b).to_bytes(node.width, "little", signed=True)


def _moment(node: Node, value: Any) -> bytes:
    units = (
        _units(node, value) if isinstance(value, Number) and node.b & TAKES_INTEGERS else _units_of(node, _text(value))
    )
    return units.to_bytes(node.width, "little", signed=True)


def _units_of(node: Node, text: str) -> int:
    if node.op == Op.DATE:
        return date_units(text, node.a)
    if node.op == Op.TIME:
        return time_units(text, node.a)
    if node.op == Op.TIMESTAMP:
        return timestamp_units(text, node.a, bool(node.b & HAS_ZONE))
    return duration_units(text, node.a)


def _units(node: Node, number: Number) -> int:
    """Return an integer in the column's unit. Times must be within a day, and dates in milliseconds whole days."""
    units = int.from_bytes(
        _integer(Node("", Op.INTEGER, Kind.NUMBERS, "", node.width, a=1), number), "little", signed=True
    )
    if node.op == Op.TIME and not 0 <= units < DAY_SECONDS * node.a:
        raise BadJsonError(Fault.OUT_OF_RANGE)
    if node.op == Op.DATE and units % node.a:
        raise BadJsonError(Fault.NOT_EXACT)
    return units


def _nothing(node: Node, value: Any) -> bytes:
    raise BadJsonError(Fault.WRONG_TYPE)


_READERS: dict[Op, Callable[[Node, Any], bytes]] = {
    Op.NULL: _nothing,
    Op.BOOLEAN: _boolean,
    Op.INTEGER: _integer,
    Op.FLOAT: _float,
    Op.STRING: lambda node, value: _text(value).encode(),
    Op.BINARY: _binary,
    Op.FIXED: _fixed,
    Op.UUID: lambda node, value: uuid_bytes(_text(value)),
    Op.ENUM: _symbol,
    Op.DECIMAL: _decimal,
    Op.DATE: _moment,
    Op.TIME: _moment,
    Op.TIMESTAMP: _moment,
    Op.DURATION: _moment,
}
_NESTED: dict[Op, Callable[[_Run, Any, int], None]] = {
    Op.STRUCT: _Run.struct,
    Op.LIST: _Run.list,
    Op.MAP: _Run.map,
}
