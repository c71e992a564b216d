"""Reads values into columns, in C if the extension is installed, otherwise in Python, and describes faults."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from attrs import evolve

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.errors import JsonSchemaError
from kafka_nextgen.values.columns import MOST_COLUMNS, MOST_DEPTH, Column, Kind, PythonColumnBuilder, flattened
from kafka_nextgen.values.formats import BadValue, Buffers, ColumnDecoder
from kafka_nextgen.values.json.documents import NotJsonError, document_of
from kafka_nextgen.values.json.faults import Fault
from kafka_nextgen.values.json.program import HAS_ZONE, Node, Op, Program, column_of
from kafka_nextgen.values.json.twin import json_decode

__all__ = ["JsonDecoder"]

#: Columns store numbers as they are in memory, which is little-endian on all platforms with wheels.
_IN_C = ACCELERATED and sys.byteorder == "little"

_JSON_TYPES = {
    Op.NULL: "null",
    Op.BOOLEAN: "true or false",
    Op.INTEGER: "a number",
    Op.FLOAT: "a number",
    Op.DECIMAL: "a number or a string",
    Op.STRUCT: "an object",
    Op.MAP: "an object",
    Op.LIST: "an array",
}
_FORMS = {
    Op.BINARY: "base64 with padding",
    Op.FIXED: "base64 with padding",
    Op.UUID: "a uuid of 36 characters",
    Op.DECIMAL: "a number",
    Op.DATE: "a date such as 2026-11-29",
    Op.TIME: "a time such as 12:30:15, without a zone",
    Op.TIMESTAMP: "a time such as 2026-11-29T12:30:15, without a zone",
    Op.DURATION: "a duration such as P1DT2H30M, without years and months",
}


class JsonDecoder(ColumnDecoder):
    """Decodes to the columns of one schema. If there is a ``target``, a ``pyarrow.Schema``, they are cast to it.

    ``frame`` is the number of bytes in front of each value; the first of these is 0.
    """

    def __init__(self, value: Node, name: str, flat: bool, target: Any = None, frame: int = 0) -> None:
        self._index = 0 if flat and value.op == Op.STRUCT else 1
        root = evolve(value, name="") if self._index == 0 else _around(evolve(value, name=name))
        if root.depth > MOST_DEPTH or sum(1 for _ in root) > MOST_COLUMNS:
            raise JsonSchemaError(
                f"the schema has more than {MOST_COLUMNS} columns, or columns nested deeper than {MOST_DEPTH}"
            )
        self._program = Program(root)
        self._root = _layout(root)
        self._layout = flattened(self._root)
        self._target, self._frame = target, frame

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self._root.children)

    def decode(self, values: Buffers, start: int, stop: int, in_c: bool = _IN_C) -> tuple[Any, list[BadValue]]:
        """Return the columns of these rows, and the bad rows; with ``in_c=False``, the Python version decodes them."""
        builder: Any
        if in_c:
            builder = accelerator.ColumnBuilder(self._layout)
            bad = accelerator.json_decode(
                builder, self._program.buffers(), self._index, self._frame, values, start, stop
            )
        else:
            builder = PythonColumnBuilder(self._layout)
            bad = json_decode(builder, self._program, self._index, self._frame, values, start, stop)
        return self._cast(builder), [BadValue(row, self._reason(values, row, *what)) for row, *what in bad]

    def _cast(self, builder: Any) -> Any:
        if self._target is None:
            return builder
        from kafka_nextgen.values.json.arrow_schema import Cast

        return Cast(builder, self._target)

    def _reason(self, values: Buffers, row: int, fault: int, column: int) -> str:
        if fault == Fault.NO_FRAME:
            return "the value does not begin with a zero byte and the id of a schema"
        if fault == Fault.NOT_JSON:
            return _why_not_json(bytes(memoryview(values[0])[values[1][row] + self._frame : values[1][row + 1]]))
        return f"{self._program.path(column) or 'the value'} {_REASONS[Fault(fault)](self._program.nodes[column])}"


def _around(value: Node) -> Node:
    return Node("", Op.ENTRY, Kind.STRUCTS, "+s", children=(value,))


def _layout(root: Node) -> Column:
    """Return the columns. All are nullable, since a value can be null or bad."""
    children = tuple(column_of(child, nullable=True) for child in root.children)
    return Column("", Kind.STRUCTS, "+s", children=children)


def _why_not_json(data: bytes) -> str:
    try:
        document_of(data)
    except NotJsonError as error:
        return str(error)
    raise AssertionError(f"the extension refused a value that is JSON: {data[:100]!r}")


def _type_of(node: Node) -> str:
    if node.op == Op.INTEGER:
        return f"{'' if node.a else 'u'}int{node.width * 8}"
    if node.op == Op.FLOAT:
        return "double" if node.width == 8 else "float"
    if node.op == Op.DECIMAL:
        return f"decimal({node.b}, {node.a})"
    if node.op == Op.LIST:
        return f"{node.a} items"
    if node.op == Op.FIXED:
        return f"{node.width} bytes"
    kind = {Op.DATE: "date", Op.TIME: "time", Op.TIMESTAMP: "timestamp"}.get(node.op, "duration")
    return f"a {kind} in {_unit_of(node)}"


def _unit_of(node: Node) -> str:
    if node.op == Op.DATE:
        return "days"
    return {1: "seconds", 1000: "milliseconds", 1_000_000: "microseconds"}.get(node.a, "nanoseconds")


def _form_of(node: Node) -> str:
    if node.op in (Op.BINARY, Op.FIXED) and node.a:
        return "pairs of hexadecimal digits"
    if node.op == Op.TIMESTAMP and node.b & HAS_ZONE:
        return "a time with its zone, such as 2026-11-29T12:30:15Z"
    return _FORMS[node.op]


_REASONS: dict[Fault, Callable[[Node], str]] = {
    Fault.NO_NULL: lambda node: "is null",
    Fault.MISSING: lambda node: "is missing",
    Fault.WRONG_TYPE: lambda node: f"is not {_JSON_TYPES.get(node.op, 'a string')}",
    Fault.OUT_OF_RANGE: lambda node: f"is out of the range of {_type_of(node)}",
    Fault.NOT_EXACT: lambda node: f"is not exactly {_type_of(node)}",
    Fault.WRONG_FORM: lambda node: f"is not {_form_of(node)}",
    Fault.NO_SYMBOL: lambda node: "is not one of the strings of its enum",
    Fault.TOO_SPARSE: lambda node: "is null or missing too often for such a short value",
}
