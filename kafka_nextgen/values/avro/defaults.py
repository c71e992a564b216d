"""Defaults: their bytes, which programs read, and their size in columns.

All programs for one reader's schema share its defaults, because encoding and checking them is slow.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.values.avro.encoding import encoded
from kafka_nextgen.values.avro.faults import REASONS, Fault, shown
from kafka_nextgen.values.avro.program import FrameUse, Program
from kafka_nextgen.values.avro.twin import avro_decode
from kafka_nextgen.values.avro.types import Field, Type
from kafka_nextgen.values.columns import Column, Kind, PythonColumnBuilder, flattened

__all__ = ["Default", "Defaults"]


@frozen
class Default:
    """The bytes of a default, and its approximate size in the columns."""

    data: bytes
    column_bytes: int


class Defaults:
    """The defaults of the fields of ``reader``. Each is encoded once, even if its record is used several times.

    ``read`` compiles the program that reads values of a type into the only column of a layout.
    """

    def __init__(self, reader: Type, read: Callable[[Type, Column], Program]) -> None:
        self._reader, self._read = reader, read  # the reference to the reader keeps the id() of each field valid
        self._known: dict[int, Default] = {}  # by the id() of a field: references by name lead to the same object

    def __reduce__(self) -> tuple[object, ...]:
        return Defaults, (self._reader, self._read)  # without the cache: unpickled fields have another id()

    def of(self, field: Field, tree: Column) -> Default:
        """Return the default of a field with this column. Raises AvroSchemaError if it is not a value of the type."""
        known = self._known.get(id(field))
        if known is None:
            data = encoded(field.type, field.default)
            known = self._known[id(field)] = Default(data, self._column_bytes(field, data, tree))
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
