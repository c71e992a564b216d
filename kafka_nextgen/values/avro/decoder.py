"""Runs the programs of the writers' schemas on values: in C if the extension is installed, otherwise in Python."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values.avro.compiling import compiled, defaults_of, failing
from kafka_nextgen.values.avro.faults import REASONS, Fault
from kafka_nextgen.values.avro.layout import layout_of
from kafka_nextgen.values.avro.program import FrameUse, Program
from kafka_nextgen.values.avro.readers import ReaderSchema
from kafka_nextgen.values.avro.twin import avro_decode
from kafka_nextgen.values.avro.types import Type
from kafka_nextgen.values.columns import PythonColumnBuilder, flattened
from kafka_nextgen.values.formats import BadValue, Buffers, ColumnDecoder
from kafka_nextgen.values.framing import name_of
from kafka_nextgen.values.ids import id_at, ids_in
from kafka_nextgen.values.recent import FAILURE_S, Recent
from kafka_nextgen.values.schemas import Schemas

__all__ = ["AvroDecoder"]

#: Columns store numbers as they are encoded, in little-endian order, which all platforms with wheels have.
_IN_C = ACCELERATED and sys.byteorder == "little"
#: How many programs are cached, for the most recently used ids. A separate cache of the same size holds the ids without
#: a usable schema, because values that are not Avro can have any id.
_MOST_PROGRAMS = 100

_Answer = tuple[Any, list[BadValue]]


class _Target:
    """The columns of one reader's schema, and the programs that fill them from values of writers' schemas."""

    def __init__(self, reader: Type, name: str, flat: bool) -> None:
        self.reader, self._flat = reader, flat
        self.root = layout_of(reader, name, flat)
        self.layout = flattened(self.root)
        self._defaults = defaults_of(reader)
        self._programs: Recent[Program] = Recent(_MOST_PROGRAMS)
        self._failing: Recent[Program] = Recent(_MOST_PROGRAMS, FAILURE_S)

    @property
    def programs(self) -> Mapping[int, Program]:
        """The programs for the most recently used ids."""
        return {**self._failing.young, **self._programs.young}

    def known(self, schema_id: int) -> Program | None:
        """The program for this id, if it is cached."""
        return self._programs.get(schema_id) or self._failing.get(schema_id)

    def learn(self, schema_id: int, writer: Type) -> Program:
        """Compile the program for values of a schema.

        Raises AvroSchemaError if its values can't be stored in these columns.
        """
        program = compiled(writer, self.reader, self.root, self._flat, self._defaults)
        self._programs.put(schema_id, program)
        return program

    def fail(self, schema_id: int, why: str) -> Program:
        """Create a program that fails for each value with this id."""
        program = failing(f"schema {name_of(schema_id)}: {why}")
        self._failing.put(schema_id, program)
        return program


class AvroDecoder(ColumnDecoder):
    """Decodes to columns of a reader's schema, with one program for each writer's schema."""

    def __init__(
        self, reader: ReaderSchema, schemas: Schemas[Type], frame_use: FrameUse, name: str, flat: bool
    ) -> None:
        self._reader, self._schemas, self._frame_use = reader, schemas, frame_use
        self._name, self._flat = name, flat
        self._target = _Target(reader.schema, name, flat)
        if frame_use != FrameUse.BY_ID:
            self._target.learn(0, schemas(0))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; those of a union can grow."""
        return tuple(column.name for column in self._target_now().root.children)

    def decode(self, values: Buffers, start: int, stop: int, in_c: bool = _IN_C) -> _Answer:
        """Return the columns of these rows, and the bad rows; with ``in_c=False``, the Python version decodes them."""
        while True:
            answer = self._decoded(self._target_now(), values, start, stop, in_c)
            if answer is not None:
                return answer

    def _target_now(self) -> _Target:
        """Return the columns of the current reader's schema."""
        if self._target.reader is not self._reader.schema:
            self._target = _Target(self._reader.schema, self._name, self._flat)
        return self._target

    def _decoded(self, target: _Target, values: Buffers, start: int, stop: int, in_c: bool) -> _Answer | None:
        """Return None if a new schema has added columns to the reader's schema."""
        builder: Any = accelerator.ColumnBuilder(target.layout) if in_c else PythonColumnBuilder(target.layout)
        run: Any = accelerator.avro_decode if in_c else avro_decode
        bad: list[BadValue] = []
        row, known = start, target.programs
        while True:
            programs = tuple(program.buffers(schema_id) for schema_id, program in known.items())
            row, found = run(builder, programs, self._frame_use, values, row, stop)
            bad += [BadValue(each[0], self._reason(known, values, *each)) for each in found]
            if row == stop:
                return builder, bad
            schema_id = id_at(values, row)
            program = self._program_of(target, schema_id)
            if target.reader is not self._reader.schema:
                self._meet(ids_in(values, row, stop) - {schema_id})
                return None
            known = {**target.programs, schema_id: program}

    def _program_of(self, target: _Target, schema_id: int) -> Program:
        """Return the program for a schema, compiled if necessary; for an unreadable schema, it fails for each value."""
        known = target.known(schema_id)
        if known is not None:
            return known
        try:
            writer = self._schemas(schema_id)
            self._reader.meet(schema_id, writer)
            return target.learn(schema_id, writer)
        except AvroSchemaError as error:
            return target.fail(schema_id, str(error))

    def _meet(self, schema_ids: set[int]) -> None:
        """Add all schemas of the batch to the union, so that the batch is decoded again only once."""
        for schema_id in sorted(schema_ids):
            with suppress(AvroSchemaError):
                self._reader.meet(schema_id, self._schemas(schema_id))

    def _reason(self, known: Mapping[int, Program], values: Buffers, row: int, fault: int, at: int, detail: int) -> str:
        if fault == Fault.NOT_RESOLVED:
            return known[id_at(values, row) if self._frame_use == FrameUse.BY_ID else 0].failures[detail]
        return f"{REASONS[Fault(fault)]} (at byte {at})"
