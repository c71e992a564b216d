"""Runs the programs of the writers' schemas over values: in C where the extension is, else in Python."""

from __future__ import annotations

import struct
import sys
from typing import Any

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values.avro.compiling import compiled, failing
from kafka_nextgen.values.avro.layout import layout_of
from kafka_nextgen.values.avro.program import Fault, Program
from kafka_nextgen.values.avro.schemas import SchemaLookup
from kafka_nextgen.values.avro.twin import avro_decode
from kafka_nextgen.values.avro.types import Type
from kafka_nextgen.values.columns import PythonColumnBuilder, flattened
from kafka_nextgen.values.formats import BadValue, Buffers, ColumnDecoder

__all__ = ["AvroDecoder"]

#: Numbers lie in columns as they are encoded, which is so on all machines there are wheels for.
_IN_C = ACCELERATED and sys.byteorder == "little"
#: Programs that are kept for ids without a schema that can be read. Values that are no Avro may have any id.
_MOST_FAILING = 100

_REASONS = {
    Fault.ENDS_EARLY: "the value ends too early",
    Fault.LONG_VARINT: "a number exceeds 64 bits",
    Fault.NO_INT: "a number exceeds the 32 bits of an int",
    Fault.NO_BOOLEAN: "a boolean is neither 0 nor 1",
    Fault.BAD_LENGTH: "a length is negative, or more than there is",
    Fault.NO_UTF8: "a string is not UTF-8",
    Fault.NO_SYMBOL: "an enum has no such symbol",
    Fault.UNKNOWN_SYMBOL: "an enum has a symbol that the reader's schema has not, without a default",
    Fault.NO_BRANCH: "a union has no such branch",
    Fault.TOO_MANY_ITEMS: "a list or map says it has more items than there are bytes for",
    Fault.TOO_MANY_EMPTY: "lists or maps have too many items that take no bytes",
    Fault.TOO_MANY_DIGITS: "a decimal has more digits than its precision",
    Fault.NO_UUID: "a uuid is not 36 characters of its usual form",
    Fault.OUT_OF_RANGE: "a time is not within a day, or a duration exceeds 31 bits of months or days",
    Fault.BYTES_LEFT: "the value has more bytes than its schema",
    Fault.NO_FRAME: "the value does not begin with a zero byte and the id of a schema",
}


class AvroDecoder(ColumnDecoder):
    """Columns for one reader's schema; keeps a program for each writer's."""

    def __init__(self, reader: Type, lookup: SchemaLookup, is_framed: bool, name: str, flat: bool) -> None:
        self._reader, self._lookup, self._is_framed, self._flat = reader, lookup, is_framed, flat
        self._root = layout_of(reader, name, flat)
        self._layout = flattened(self._root)
        self._programs: dict[int, Program] = {}  # replaced, never changed: several threads may decode
        if not is_framed:
            self._programs = {0: self._compiled(0)}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self._root.children)

    def decode(self, values: Buffers, start: int, stop: int, in_c: bool = _IN_C) -> tuple[Any, list[BadValue]]:
        """The columns of these rows, and the bad rows; ``in_c=False`` has the twin in Python make them."""
        builder: Any = accelerator.ColumnBuilder(self._layout) if in_c else PythonColumnBuilder(self._layout)
        run: Any = accelerator.avro_decode if in_c else avro_decode
        bad: list[BadValue] = []
        row = start
        while True:
            known = self._programs
            programs = tuple(program.buffers(schema_id) for schema_id, program in known.items())
            row, found = run(builder, programs, self._is_framed, values, row, stop)
            bad += [BadValue(each[0], self._reason(known, values, *each)) for each in found]
            if row == stop:
                return builder, bad
            self._learn(_id_at(values, row))

    def _learn(self, schema_id: int) -> None:
        """Make the program for a schema that was not met before; one that can't be read fails with each value."""
        known = self._programs
        try:
            self._programs = {**known, schema_id: self._compiled(schema_id)}
        except AvroSchemaError as error:
            bad_ids = [each for each, program in known.items() if program.is_failing]
            kept = {each: known[each] for each in known if len(bad_ids) < _MOST_FAILING or each != bad_ids[0]}
            self._programs = {**kept, schema_id: failing(f"schema {schema_id}: {error}")}

    def _compiled(self, schema_id: int) -> Program:
        return compiled(self._lookup(schema_id), self._reader, self._root, self._flat)

    def _reason(self, known: dict[int, Program], values: Buffers, row: int, fault: int, at: int, detail: int) -> str:
        if fault == Fault.NOT_RESOLVED:
            return known[_id_at(values, row) if self._is_framed else 0].failures[detail]
        return f"{_REASONS[Fault(fault)]} (at byte {at})"


def _id_at(values: Buffers, row: int) -> int:
    data, bounds, _ = values
    schema_id: int = struct.unpack_from(">xi", data, bounds[row])[0]
    return schema_id
