"""Runs the program of a message on values: in C if the extension is installed, or with protobuf's own classes."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.values.columns import PythonColumnBuilder, flattened
from kafka_nextgen.values.formats import BadValue, Buffers, ColumnDecoder
from kafka_nextgen.values.ids import without_ids
from kafka_nextgen.values.protobuf.compiling import compiled
from kafka_nextgen.values.protobuf.descriptors import MessageType
from kafka_nextgen.values.protobuf.frames import behind_frame
from kafka_nextgen.values.protobuf.layout import layout_of
from kafka_nextgen.values.protobuf.program import Fault
from kafka_nextgen.values.protobuf.shapes import Shape
from kafka_nextgen.values.protobuf.twin import Twin
from kafka_nextgen.values.protobuf.writers import Path, Writers, runs_of

__all__ = ["ProtobufDecoder"]

#: Columns store numbers as they are encoded, in little-endian order, which all platforms with wheels have.
_IN_C = ACCELERATED and sys.byteorder == "little"

_REASONS = {
    Fault.ENDS_EARLY: "the value ends too early",
    Fault.LONG_VARINT: "a varint is too long",
    Fault.BAD_TAG: "a field has an invalid number or wire type",
    Fault.BAD_LENGTH: "a length is greater than the number of bytes left, or does not match its items",
    Fault.BAD_GROUP: "a group ends without having begun",
    Fault.TOO_DEEP: "messages or groups are nested too deeply",
    Fault.TOO_SPARSE: "messages in lists have too many absent fields",
    Fault.NO_FRAME: "the value does not begin with a zero byte, the id of a schema and the indexes of a message",
    Fault.OTHER_MESSAGE: "the value's frame has the indexes of another message",
    Fault.NO_UTF8: "a string is not UTF-8",
    Fault.NO_NAME: "an enum has a number without a name",
    Fault.OUT_OF_RANGE: "a Timestamp or Duration is out of range, or does not fit in 64 bits in its unit",
    Fault.NOT_FINITE: "a Value is NaN or infinite, which JSON can't represent",
    Fault.GIVEN_TWICE: "protobuf refuses the value",
    Fault.REFUSED: "protobuf refuses the value",
}


class ProtobufDecoder(ColumnDecoder):
    """Decodes to the columns of one message."""

    def __init__(
        self, message: MessageType, shape: Shape, path: Path, name: str, flat: bool, writers: Writers | None = None
    ) -> None:
        self._writers = writers
        self._message, self._shape, self._path, self._flat = message, shape, path, flat
        self._root = layout_of(shape, name, flat)
        self._layout = flattened(self._root)
        self._programs = {path: compiled(shape, self._root, flat, path)}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self._root.children)

    def decode(self, values: Buffers, start: int, stop: int, in_c: bool = _IN_C) -> tuple[Any, list[BadValue]]:
        """Return the columns of these rows, and the bad rows; with ``in_c=False``, protobuf's classes decode them."""
        builder: Any = accelerator.ColumnBuilder(self._layout) if in_c else PythonColumnBuilder(self._layout)
        run = self._in_c if in_c else self._in_python
        if self._writers is None:
            return builder, run(builder, self._path, values, start, stop)
        paths, failing = self._writers.paths(values, start, stop)
        kept, bad = without_ids(values, start, stop, failing) if failing else (values, [])
        for path, begin, end in runs_of(kept, start, stop, paths, self._path):
            bad += run(builder, path, kept, begin, end)
        return builder, sorted(bad, key=lambda each: each.row)

    def _in_c(self, builder: Any, path: Path, values: Buffers, start: int, stop: int) -> list[BadValue]:
        program = self._programs.get(path)
        if program is None:
            program = compiled(self._shape, self._root, self._flat, path)
            self._programs = {self._path: self._programs[self._path], path: program}
        merge = partial(self._merged, values, path)
        _, found = accelerator.protobuf_decode(builder, program, values, start, stop, merge)
        return [BadValue(row, _reason(*what)) for row, *what in found]

    def _in_python(self, builder: Any, path: Path, values: Buffers, start: int, stop: int) -> list[BadValue]:
        twin = Twin(builder, self._shape, self._root, self._flat, self._message.parse, path)
        return [BadValue(row, _reason(*what)) for row, *what in twin.decode(values, start, stop)]

    def _merged(self, values: Buffers, path: Path, row: int) -> bytes | None:
        """Return a value as protobuf writes it after reading it, with each field once; None if protobuf refuses it."""
        data, bounds, _ = values
        value = bytes(memoryview(data)[bounds[row] : bounds[row + 1]])
        message = self._message.parse(value[behind_frame(value, path) :])
        if message is None:
            return None
        merged: bytes = message.SerializePartialToString(deterministic=True)
        return merged


def _reason(fault: int, at: int, detail: int) -> str:
    number = f": {detail}" if fault == Fault.NO_NAME else ""
    return f"{_REASONS[Fault(fault)]}{number} (at byte {at})"
