"""``protobuf_decode`` with protobuf's own classes: the reference for ``accelerator/protobuf.h``."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from typing import Any

from kafka_nextgen.values.columns import Column, Kind, PythonColumnBuilder
from kafka_nextgen.values.formats import Buffers
from kafka_nextgen.values.protobuf.compiling import numbered
from kafka_nextgen.values.protobuf.frames import BadError, behind_frame
from kafka_nextgen.values.protobuf.layout import is_flat
from kafka_nextgen.values.protobuf.program import Fault, Op
from kafka_nextgen.values.protobuf.shapes import Arity, Closing, Field, Message, Scalar, Shape

__all__ = ["Twin"]

_Bad = tuple[int, int, int, int]
_FORMATS = {"tsn:UTC": "q", "tsu:UTC": "q", "tDn": "q", "tDu": "q", "g": "d"}
_JSON = (Op.STRUCT, Op.VALUE, Op.LIST)
_MOST_SECONDS = 315_576_000_000


class Twin:
    """Fills a builder with values, which ``parse`` converts to messages."""

    def __init__(
        self,
        builder: PythonColumnBuilder,
        shape: Shape,
        root: Column,
        flat: bool,
        parse: Callable[[bytes], Any],
        path: Sequence[int],
    ) -> None:
        self._builder, self._shape, self._parse, self._path = builder, shape, parse, path
        self._is_flat = is_flat(shape, flat)
        self._root = root

    def decode(self, values: Buffers, start: int, stop: int) -> list[_Bad]:
        """Decode the values from ``start`` up to ``stop``, exclusive; returns the bad ones."""
        data, bounds, validity = memoryview(values[0]), memoryview(values[1]).cast("B").cast("i"), values[2]
        bad: list[_Bad] = []
        for row in range(start, stop):
            if validity is not None and not validity[row >> 3] >> (row & 7) & 1:
                self._builder.append_null(0)
                continue
            rows = len(self._builder)
            try:
                self._row(bytes(data[bounds[row] : bounds[row + 1]]))
            except BadError as error:
                self._builder.cut_rows(rows)
                self._builder.append_null(0)
                bad.append((row, error.fault, 0, error.detail))
        return bad

    def _row(self, value: bytes) -> None:
        message = self._parse(value[behind_frame(value, self._path) :])
        if message is None:
            raise BadError(Fault.REFUSED)
        if self._is_flat:
            self._value(self._shape, 0, self._root, message)
        else:
            self._builder.append_struct(0)
            self._value(self._shape, 1, self._root.children[0], message)

    def _value(self, shape: Shape, index: int, column: Column, value: Any) -> None:
        builder = self._builder
        if isinstance(shape, Message):
            self._message(shape, index, column, value)
        elif shape.kind == Kind.STRINGS:
            builder.append_string(index, _bytes_of(shape, value))
        elif shape.kind == Kind.BITS:
            builder.append_number(index, bytes((value,)))
        else:
            form = _FORMATS.get(shape.format, shape.format if shape.width == 4 else shape.format.replace("l", "q"))
            builder.append_number(index, struct.pack("=" + form.replace("L", "Q"), _number_of(shape, value)))

    def _message(self, shape: Message, index: int, column: Column, value: Any) -> None:
        if shape.closing is Closing.NOTHING:
            self._value(shape.fields[0].type, index, column, getattr(value, shape.fields[0].name))
        elif shape.closing is Closing.BIT:
            self._builder.append_number(index, b"\1")
        else:
            self._builder.append_struct(index)
            for field, (child, below) in zip(shape.fields, numbered(column.children, index + 1), strict=True):
                self._field(field, child, below, value)

    def _field(self, field: Field, index: int, column: Column, message: Any) -> None:
        value = getattr(message, field.name)
        if field.arity is Arity.MAP:
            self._map(field, index, column, value)
        elif field.arity is Arity.REPEATED:
            for item in value:
                self._value(field.type, index + 1, column.children[0], item)
            self._builder.append_list(index)
        elif field.has_presence and not message.HasField(field.name):
            self._builder.append_null(index)
        else:
            self._value(field.type, index, column, value)

    def _map(self, field: Field, index: int, column: Column, value: Any) -> None:
        assert isinstance(field.type, Message)
        parts = zip(field.type.fields, numbered(column.children[0].children, index + 2), strict=True)
        by_name = {each.name: (each.type, *place) for each, place in parts}
        for key in value:
            self._builder.append_struct(index + 1)
            self._value(*by_name["key"], key)
            self._value(*by_name["value"], value[key])
        self._builder.append_list(index)


def _bytes_of(shape: Scalar, value: Any) -> bytes:
    if shape.op in _JSON:
        return _json(value)
    if shape.op is Op.BYTES:
        return bytes(value)
    try:
        text: str = value if isinstance(value, str) else value.decode()  # protobuf returns bytes if it is not UTF-8
    except UnicodeDecodeError:
        raise BadError(Fault.NO_UTF8) from None
    return text.encode()


def _json(value: Any) -> bytes:
    from google.protobuf.json_format import MessageToDict, SerializeToJsonError

    try:
        return json.dumps(MessageToDict(value), separators=(",", ":"), ensure_ascii=False).encode()
    except (SerializeToJsonError, ValueError):  # which of these is raised depends on the release of protobuf
        raise BadError(Fault.NOT_FINITE) from None


def _number_of(shape: Scalar, value: Any) -> Any:
    if shape.op in (Op.TIMESTAMP, Op.DURATION):
        return _time(shape, value.seconds, value.nanos)
    if shape.symbols is None:
        return value
    index = dict(shape.pairs).get(value)
    if index is None:
        raise BadError(Fault.NO_NAME, value)
    return index


def _time(shape: Scalar, seconds: int, nanos: int) -> int:
    if shape.op is Op.TIMESTAMP:
        is_in_range = -62_135_596_800 <= seconds <= 253_402_300_799 and 0 <= nanos < 10**9
    else:
        is_in_range = abs(seconds) <= _MOST_SECONDS and abs(nanos) < 10**9 and seconds * nanos >= 0
    units = 10**9 // shape.argument
    time = seconds * units + (nanos // shape.argument if nanos >= 0 else -(-nanos // shape.argument))
    if not is_in_range or not -(2**63) <= time < 2**63:
        raise BadError(Fault.OUT_OF_RANGE)
    return time
