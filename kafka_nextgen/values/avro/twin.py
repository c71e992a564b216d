"""``avro_decode`` in Python: the reference for the extension's version (``accelerator/avro.h``), and the fallback."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Sequence

from kafka_nextgen.values.avro.faults import Fault
from kafka_nextgen.values.avro.program import EMPTY_ITEM_BYTES, EXPANSION, FREE_BYTES, INSTRUCTION, FrameUse, Op
from kafka_nextgen.values.avro.reading import BadError, Reader
from kafka_nextgen.values.columns import MOST_DEPTH, PythonColumnBuilder
from kafka_nextgen.values.formats import Buffers

__all__ = ["avro_decode"]

_Program = tuple[int, "array[int]", "array[int]", bytes]
_Bad = tuple[int, int, int, int]


def avro_decode(
    builder: PythonColumnBuilder,
    programs: Sequence[_Program],
    framing: int,
    values: Buffers,
    start: int,
    stop: int,
) -> tuple[int, list[_Bad]]:
    """Decode the values from ``start`` up to ``stop``, exclusive; returns where it stopped, and the bad values."""
    data, bounds, validity = memoryview(values[0]), memoryview(values[1]).cast("B").cast("i"), values[2]
    by_id = {program[0]: program for program in programs}
    bad: list[_Bad] = []
    for row in range(start, stop):
        if validity is not None and not validity[row >> 3] >> (row & 7) & 1:
            builder.append_null(0)
            continue
        rows = len(builder)
        reader = Reader(bytes(data[bounds[row] : bounds[row + 1]]))
        try:
            schema_id = 0 if framing == FrameUse.BARE else _id_of(reader)
            program = by_id.get(schema_id) if framing == FrameUse.BY_ID else programs[0]
            if program is None:
                return row, bad
            _Run(reader, program, builder).run()
        except BadError as error:
            builder.cut_rows(rows)
            builder.append_null(0)
            bad.append((row, error.fault, reader.at if reader.resumed is None else 0, error.detail))
    return stop, bad


def _id_of(reader: Reader) -> int:
    if len(reader.data) < 5 or reader.data[0]:
        raise BadError(Fault.NO_FRAME)
    reader.at = 5
    schema_id: int = struct.unpack_from(">i", reader.data, 1)[0]
    return schema_id


class _Run:
    """Decodes one value with a program."""

    def __init__(self, reader: Reader, program: _Program, builder: PythonColumnBuilder) -> None:
        _, self._code, self._table, self._blob = program
        self._reader, self._builder = reader, builder
        self._left: list[int] = []
        self._cost = 0  # of the current instruction
        self._allowance = FREE_BYTES + EXPANSION * len(reader.data)

    def run(self) -> None:
        """Read the value. Raises BadError if bytes are left over."""
        place = 0
        while True:
            op, column, a, b, c = self._code[place * INSTRUCTION : (place + 1) * INSTRUCTION]
            place += 1
            if op == Op.END:
                break
            control = _CONTROL.get(op)
            if control is not None:
                self._cost = c
                if op != Op.NULLABLE:
                    self._spend()
                place = control(self, place, column, a, b)
            else:
                self._append(column, op, self._reader.value(op, a, b, self._table, self._width(column)))
        if self._reader.at < len(self._reader.data):
            raise BadError(Fault.BYTES_LEFT)

    def _spend(self) -> None:
        """Count the bytes that the instruction adds to columns beyond the bytes that it reads."""
        self._allowance -= self._cost
        if self._allowance < 0:
            raise BadError(Fault.EXPANDS_TOO_FAR)

    def _width(self, column: int) -> int:
        return -1 if column < 0 else self._builder.columns[column].width

    def _append(self, column: int, op: int, data: bytes) -> None:
        if column < 0:
            return
        if op in (Op.BYTES, Op.STRING, Op.LONG_FIXED):
            self._builder.append_string(column, data)
        else:
            self._builder.append_number(column, data)

    def null(self, place: int, column: int, a: int, b: int) -> int:
        """Append a null to this column, and to each later sibling before column ``a``."""
        while column >= 0:
            self._builder.append_null(column)
            column = self._builder.layout[column][5]
            if column >= a:
                break
        return place

    def struct(self, place: int, column: int, a: int, b: int) -> int:
        """Append a struct, whose children follow."""
        if column >= 0:
            self._builder.append_struct(column)
        return place

    def branch(self, place: int, column: int, a: int, b: int) -> int:
        """Append a struct with one child; the others are null."""
        self._builder.append_struct(column)
        for child in self._builder.children(column):
            if child != a:
                self._builder.append_null(child)
        return place

    def list(self, place: int, column: int, a: int, b: int) -> int:
        """Begin the first block of a list."""
        if len(self._left) == MOST_DEPTH:
            raise OverflowError("lists are nested too deeply")
        self._left.append(0)
        return self._go_through(place, a, column, b)

    def next(self, place: int, column: int, a: int, b: int) -> int:
        """Continue with the next item, or the next block."""
        self._left[-1] -= 1
        return a if self._left[-1] > 0 else self._go_through(a, place, column, b)

    def _go_through(self, item: int, behind: int, column: int, least: int) -> int:
        self._left[-1] = self._begin_block(least)
        if self._left[-1]:
            return item
        self._left.pop()
        if column >= 0:
            self._builder.append_list(column)
        return behind

    def _begin_block(self, least: int) -> int:
        count = self._reader.read_long()
        if count < 0:
            size = self._reader.read_long()
            if not 0 <= size <= self._reader.left or count == -(2**63):
                raise BadError(Fault.BAD_LENGTH)
            count = -count
        if least > 0 and count > self._reader.left // least:
            raise BadError(Fault.TOO_MANY_ITEMS)
        if least == 0 and count > self._allowance // EMPTY_ITEM_BYTES:
            raise BadError(Fault.EXPANDS_TOO_FAR)
        self._allowance -= count * EMPTY_ITEM_BYTES if least == 0 else 0
        return count

    def switch(self, place: int, column: int, a: int, b: int) -> int:
        """Continue with the branch of a union."""
        index = self._reader.read_long()
        if not 0 <= index < a:
            raise BadError(Fault.NO_BRANCH)
        return self._table[b + index]

    def nullable(self, place: int, column: int, a: int, b: int) -> int:
        """Continue with the branch of a union of null and another type."""
        index = self._reader.read_long()
        if not 0 <= index <= 1:
            raise BadError(Fault.NO_BRANCH)
        if index != a:
            return place
        self._spend()
        return self.null(b, column, 0, b)

    def jump(self, place: int, column: int, a: int, b: int) -> int:
        """Jump to another place in the program."""
        return a

    def default(self, place: int, column: int, a: int, b: int) -> int:
        """Read a default instead of the value."""
        self._reader.read_instead(self._blob[a : a + b])
        return place

    def resume(self, place: int, column: int, a: int, b: int) -> int:
        """Continue to read the value."""
        self._reader.resume()
        return place

    def fail(self, place: int, column: int, a: int, b: int) -> int:
        """Fail, because the schemas can't be resolved here."""
        raise BadError(Fault.NOT_RESOLVED, a)


_CONTROL: dict[int, Callable[[_Run, int, int, int, int], int]] = {
    Op.NULL: _Run.null,
    Op.STRUCT: _Run.struct,
    Op.BRANCH: _Run.branch,
    Op.LIST: _Run.list,
    Op.NEXT: _Run.next,
    Op.SWITCH: _Run.switch,
    Op.NULLABLE: _Run.nullable,
    Op.JUMP: _Run.jump,
    Op.DEFAULT: _Run.default,
    Op.RESUME: _Run.resume,
    Op.FAIL: _Run.fail,
}
