"""Defaults in a program: their bytes, and their size in columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from attrs import frozen

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values.avro.encoding import encoded
from kafka_nextgen.values.avro.faults import REASONS, Fault, shown
from kafka_nextgen.values.avro.program import FrameUse, Program, Writing
from kafka_nextgen.values.avro.twin import avro_decode
from kafka_nextgen.values.avro.types import Field, Type
from kafka_nextgen.values.columns import Column, Kind, PythonColumnBuilder, flattened

__all__ = ["Default", "Defaults"]


@frozen
class Default:
    """The place of a default's bytes in the program, and its approximate size in the columns."""

    begin: int
    size: int
    column_bytes: int


class Defaults:
    """The defaults of fields. Each is encoded once, even if its record is used several times.

    ``read`` compiles the program that reads a type into the only column of a layout.
    """

    def __init__(self, writing: Writing, read: Callable[[Type, Column], Program]) -> None:
        self._writing, self._read = writing, read
        self._known: dict[int, Default] = {}  # by the id() of a field: references by name lead to the same object

    def of(self, field: Field, tree: Column) -> Default:
        """Return the default of a field with this column. Raises AvroSchemaError if it is not a value of its type."""
        known = self._known.get(id(field))
        if known is None:
            data = encoded(field.type, field.default)
            size = self._column_bytes(field, data, tree)
            known = self._known[id(field)] = Default(self._writing.blob(data), len(data), size)
        return known

    def _column_bytes(self, field: Field, data: bytes, tree: Column) -> int:
        """Decode the default once: a bad default would make every value that needs it bad."""
        root = Column("", Kind.STRUCTS, "+s", children=(tree,))
        builder = PythonColumnBuilder(flattened(root))
        program = self._read(field.type, root).buffers(0)
        values = data, memoryview(array("i", (0, len(data)))), None
        _, bad = avro_decode(builder, (program,), FrameUse.BARE, values, 0, 1)
        if bad:
            raise AvroSchemaError(f"the default {shown(field.default)} is bad: {REASONS[Fault(bad[0][1])]}")
        return builder.nbytes
