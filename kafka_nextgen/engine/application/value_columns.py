"""Decodes keys and values of records to typed columns. Imported only on demand, as pyarrow is an extra.

A bad key or value raises an error, or its record is left out, or its fields are null and extra columns contain the
reason and the bytes. Other rows are not affected. If a field of the value has the name of one of the record's own
columns, the prefix ``record_`` is added to the record's column.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from kafka_nextgen.engine.application.arrow_columns import builders_of
from kafka_nextgen.engine.application.record_run import record_rows
from kafka_nextgen.errors import BadValueError, DeserializationError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.values.formats import BadValue, Buffers, ColumnDecoder
from kafka_nextgen.values.framing import Framing, is_prefixed, with_prefixes

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.value_formats import Formats
    from kafka_nextgen.wire.records import BinaryColumn, ColumnSlice

__all__ = ["OnError", "ValueColumns"]

OnError = Literal["raise", "skip", "null"]

_RECORD = pa.schema([("partition", pa.int32()), ("offset", pa.int64()), ("timestamp", pa.timestamp("ms", tz="UTC"))])


@frozen
class _Side:
    """Keys or values, and their decoder."""

    field: Literal["key", "value"]
    decoder: ColumnDecoder
    framing: Framing | None

    def buffers(self, part: ColumnSlice) -> Buffers:
        """Return the bytes that the decoder expects: schema ids stored outside the values are prepended to them."""
        buffers, headers = self.column(part).buffers, part.columns.headers
        keys = None if headers is None else headers.keys.data
        if self.framing is None or is_prefixed(self.framing, self.field, keys):
            return buffers
        of_rows = repeat((), len(part)) if headers is None else headers.to_list(part.start, part.stop)
        return with_prefixes(self.framing, self.field, buffers, of_rows, part.start, part.stop)

    def column(self, part: ColumnSlice) -> BinaryColumn:
        return part.columns.keys if self.field == "key" else part.columns.values


@frozen
class _Decoded:
    side: _Side
    columns: pa.RecordBatch
    bad: list[BadValue]  # with row numbers of the original columns


class ValueColumns:
    """Converts records to tables, with a format for values, for keys, or for both."""

    def __init__(self, schema: pa.Schema | None, formats: Formats) -> None:
        self._record = _RECORD if schema is None else schema
        self._builders = builders_of(self._record)
        self._on_error = formats.on_error
        self._sides: list[_Side] = []
        if (key := formats.key) is not None:
            self._sides.append(_Side("key", key.decoder("key", False), key.framing))
        if (value := formats.value) is not None:
            self._sides.append(_Side("value", value.decoder("value", True), value.framing))

    def table(self, slices: Sequence[ColumnSlice]) -> pa.Table:
        """Return a table with one record batch for each slice."""
        batches = [self.batch(part) for part in slices]
        while any(batch.schema != batches[-1].schema for batch in batches):
            # the columns of a format may be the union of the writers' schemas; a later schema has added fields
            batches = [self.batch(part) for part in slices]
        return pa.Table.from_batches(batches or [self._empty()])

    def batch(self, part: ColumnSlice) -> pa.RecordBatch:
        """Convert the records of a slice. By default, raises DeserializationError for the first bad one."""
        decoded = [self._decode(side, part) for side in self._sides]
        if self._on_error == "raise":
            _raise_first(decoded, part)
        batch = self._joined([build(part) for build in self._builders], decoded, part)
        rows = {bad.row for each in decoded for bad in each.bad}
        return _without(batch, {row - part.start for row in rows}) if self._on_error == "skip" and rows else batch

    def _decode(self, side: _Side, part: ColumnSlice) -> _Decoded:
        columns, bad = side.decoder.decode(side.buffers(part), part.start, part.stop)
        return _Decoded(side, pa.record_batch(columns), bad)

    def _empty(self) -> pa.RecordBatch:
        """Return a batch with the columns but no rows."""
        decoded = []
        for side in self._sides:
            columns, _ = side.decoder.decode((b"", memoryview(array("i", (0,))), None), 0, 0)
            decoded.append(_Decoded(side, pa.record_batch(columns), []))
        return self._joined([pa.nulls(0, kind) for kind in self._record.types], decoded, None)

    def _joined(self, record: list[pa.Array], decoded: list[_Decoded], part: ColumnSlice | None) -> pa.RecordBatch:
        taken = {name for each in decoded if each.side.field == "value" for name in each.columns.schema.names}
        columns = list(zip(self._record, record, strict=True))
        for each in decoded:
            if each.side.field == "key":
                columns += zip(each.columns.schema, each.columns.columns, strict=True)
        if self._on_error == "null":
            columns += [pair for each in decoded for pair in _errors(each, part)]
        others = [(_other_than(taken, field), array) for field, array in columns]
        return _batch_of(others, [each.columns for each in decoded if each.side.field == "value"])


def _batch_of(columns: list[tuple[pa.Field, pa.Array]], more: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Join these columns and, after them, the columns of the values."""
    for batch in more:
        columns = [*columns, *zip(batch.schema, batch.columns, strict=True)]
    return pa.RecordBatch.from_arrays(
        [array for _, array in columns], schema=pa.schema([field for field, _ in columns])
    )


def _other_than(taken: set[str], field: pa.Field) -> pa.Field:
    """Return the field, renamed if a field of the value has the same name."""
    name = field.name
    while name in taken:
        name = f"record_{name}"
    return field.with_name(name)


def _raise_first(decoded: list[_Decoded], part: ColumnSlice) -> None:
    first = min(((each.bad[0].row, each) for each in decoded if each.bad), key=lambda pair: pair[0], default=None)
    if first is None:
        return
    row, each = first
    reason, field = each.bad[0].reason, each.side.field
    record = next(iter(record_rows(part.columns, row, row + 1)))
    message = f"{part.partition} at offset {record.offset}: bad {field}: {reason}"
    raise DeserializationError(message, record, field) from BadValueError(reason)


def _without(batch: pa.RecordBatch, rows: set[int]) -> pa.RecordBatch:
    """Leave out these rows. In pyarrow 26, slicing and joining work for all types; ``take`` fails for string_view."""
    bounds = [-1, *sorted(rows), batch.num_rows]
    return pa.concat_batches([batch.slice(left + 1, right - left - 1) for left, right in pairwise(bounds)])


def _errors(each: _Decoded, part: ColumnSlice | None) -> list[tuple[pa.Field, pa.Array]]:
    """Return a column of the reasons why rows are bad and one of their raw bytes; both are null in all other rows."""
    fields = [pa.field(f"{each.side.field}_error", pa.string()), pa.field(f"{each.side.field}_raw", pa.binary())]
    count = each.columns.num_rows
    if part is None or not each.bad:
        return [(field, pa.nulls(count, field.type)) for field in fields]
    column, start = each.side.column(part), part.start
    reasons = {bad.row - start: bad.reason.encode() for bad in each.bad}
    raw = {bad.row - start: column[bad.row] or b"" for bad in each.bad}
    return [(field, _sparse(field.type, entries, count)) for field, entries in zip(fields, (reasons, raw), strict=True)]


def _sparse(kind: pa.DataType, entries: dict[int, bytes], count: int) -> pa.Array:
    """Build a column of byte strings that is null except at the rows of ``entries``."""
    validity, bounds = bytearray((count + 7) // 8), array("i", (0,))
    for row in range(count):
        entry = entries.get(row)
        bounds.append(bounds[-1] + len(entry or b""))
        if entry is not None:
            validity[row >> 3] |= 1 << (row & 7)
    data = b"".join(entries[row] for row in sorted(entries))
    return pa.Array.from_buffers(kind, count, [*map(pa.py_buffer, (validity, bounds, data))])
