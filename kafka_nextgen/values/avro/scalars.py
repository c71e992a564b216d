"""Instructions for single values, by the writer's and the reader's type."""

from __future__ import annotations

from kafka_nextgen.values.avro.program import Op, Writing
from kafka_nextgen.values.avro.types import Array, Enum, Fixed, Logical, Map, Record, Type, Union, is_long

__all__ = ["emit_scalar", "least_bytes"]

_OPS = {
    ("boolean", "boolean"): Op.BOOLEAN,
    ("int", "int"): Op.INT,
    ("int", "long"): Op.LONG_OF_INT,
    ("int", "float"): Op.FLOAT_OF_INT,
    ("int", "double"): Op.DOUBLE_OF_INT,
    ("long", "long"): Op.LONG,
    ("long", "float"): Op.FLOAT_OF_LONG,
    ("long", "double"): Op.DOUBLE_OF_LONG,
    ("float", "float"): Op.FLOAT,
    ("float", "double"): Op.DOUBLE_OF_FLOAT,
    ("double", "double"): Op.DOUBLE,
    ("bytes", "bytes"): Op.BYTES,
    ("bytes", "string"): Op.STRING,
    ("string", "string"): Op.STRING,
    ("string", "bytes"): Op.BYTES,
    ("fixed", "fixed"): Op.FIXED,
}
#: The upper limits of times: a day.
_LIMITS = {"time-millis": 86_400_000, "time-micros": 86_400_000_000}
_LEAST = {"null": 0, "float": 4, "double": 8}
_MOST = 1 << 40  # caps the minimum size of an item, which nested records can make impossibly large


def emit_scalar(writing: Writing, writer: Type, reader: Type | None, column: int) -> None:
    """Emit the instructions that read a scalar (not a record, list, map, union or null) into a column.

    If ``reader`` is None, the scalar is read and dropped.
    """
    reader = writer if reader is None else reader
    if isinstance(writer, Enum) and isinstance(reader, Enum):
        _emit_enum(writing, writer, reader, column)
        return
    logical: Logical = getattr(reader, "logical", None) or Logical("")
    name = logical.name
    op = _OPS[writer.kind, reader.kind]
    if name == "decimal":
        size = writer.size if isinstance(writer, Fixed) else -1
        limit = (10**logical.precision).to_bytes(32, "little")
        words = [int.from_bytes(limit[at : at + 8], "little", signed=True) for at in range(0, 32, 8)]
        writing.emit(Op.DECIMAL, column, size, writing.table(words))
    elif name == "uuid" and not isinstance(writer, Fixed):
        writing.emit(Op.UUID, column)
    elif name == "duration":
        writing.emit(Op.DURATION, column)
    elif isinstance(writer, Fixed) and is_long(writer):
        writing.emit(Op.LONG_FIXED, column, writer.size)
    else:
        writing.emit(op, column, writer.size if isinstance(writer, Fixed) else _LIMITS.get(name, 0))


def _emit_enum(writing: Writing, writer: Enum, reader: Enum, column: int) -> None:
    """Share one table among all uses of these two enums, which are the same objects in every reference."""
    table = writing.table_of((id(writer), id(reader)), lambda: _numbers(writer, reader))
    writing.emit(Op.ENUM, column, len(writer.symbols), table)


def _numbers(writer: Enum, reader: Enum) -> list[int]:
    """Map the writer's symbol numbers to the reader's. Unknown symbols map to the reader's default, or to -1 without
    one."""
    numbers = {symbol: number for number, symbol in enumerate(reader.symbols)}
    unknown = -1 if reader.default is None else numbers[reader.default]
    return [numbers.get(symbol, unknown) for symbol in writer.symbols]


def least_bytes(kind: Type) -> int:
    """Return the minimum size of a value of this type."""
    if isinstance(kind, Record):
        return min(_MOST, sum(least_bytes(field.type) for field in kind.fields))
    if isinstance(kind, Union):
        return min(_MOST, 1 + min(map(least_bytes, kind.branches)))
    if isinstance(kind, Array | Map):
        return 1
    return kind.size if isinstance(kind, Fixed) else _LEAST.get(kind.kind, 1)
