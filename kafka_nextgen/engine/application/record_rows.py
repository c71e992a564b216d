"""Iterates over the rows of columns as records, each created when it is taken.

The work is done in the C extension, or by Python builtins that are implemented in C. In both cases no line of Python
runs between two records, so taking one is atomic for other threads (under the GIL). Therefore ``row`` is always exact,
and ``end`` works between any two records, from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, repeat
from operator import length_hint
from typing import TypeAlias

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.types import Record, TimestampType
from kafka_nextgen.wire.records import Columns

__all__ = ["RecordRows", "RowsInPython", "record_rows"]

#: How many records are created from lists at a time: enough to make the lists cheap, few enough for a quick start.
CHUNK_RECORDS = 512

_TIMESTAMP_TYPES = (TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME)  # indexed by their numbers
# Does the same as Record._make, but without its line of Python.
_to_record: Callable[[Iterable[object]], Record] = Record._make if ACCELERATED else partial(tuple.__new__, Record)
_NOTHING: dict[str, Record] = {}  # its ``get`` returns the default, that is, the second of two arguments


#: An iterable of records that can be ended between any two of them.
RecordRows: TypeAlias = "accelerator.RecordRows[Record] | RowsInPython"


def _compiled(columns: Columns, start: int, stop: int) -> RecordRows:
    keys, values = columns.keys, columns.values
    return accelerator.RecordRows(
        Record,
        columns.partition.topic,
        columns.partition.partition,
        _TIMESTAMP_TYPES,
        None if columns.headers is None else columns.headers.buffers,
        columns.offsets,
        columns.timestamps,
        columns.timestamp_types,
        columns.leader_epochs,
        (keys.data, keys.bounds, keys.validity),
        (values.data, values.bounds, values.validity),
        start,
        stop,
    )


class RowsInPython:
    """The same without the C extension: records are created in chunks, column by column.

    The length hint of a chunk's iterator is the number of records left. Each record first takes an item from a parallel
    list, the gate. Clearing the gate ends the chunk before another record is taken.
    """

    def __init__(self, columns: Columns, start: int, stop: int) -> None:
        self._columns = columns
        self._start, self._stop = start, stop
        self._is_over = False
        self._gate: list[str] = []
        self._at: tuple[int, Iterator[Record]] = start, iter(())
        self._records = chain.from_iterable(self._chunks())

    def __iter__(self) -> Iterator[Record]:
        return self._records

    @property
    def row(self) -> int:
        """The row of the next record."""
        stop, left = self._at
        return stop - length_hint(left)

    def end(self) -> None:
        """Hand over nothing more; callable from any thread, never blocks."""
        self._is_over = True  # first: ``_chunks`` checks it after making a chunk
        self._gate.clear()

    def _chunks(self) -> Iterator[Iterator[Record]]:
        for start in range(self._start, self._stop, CHUNK_RECORDS):
            stop = min(start + CHUNK_RECORDS, self._stop)
            left = iter(list(map(_to_record, zip(*_fields_of(self._columns, start, stop), strict=False))))
            gate = [""] * (stop - start)
            self._gate = gate
            if self._is_over:  # checked after the gate is set: the previous chunk may have been ended early
                return
            self._at = stop, left
            yield map(_NOTHING.get, gate, left)


def _fields_of(columns: Columns, start: int, stop: int) -> tuple[Iterable[object], ...]:
    """Return iterables of all fields of a ``Record``; one with equal values is infinite."""
    return (
        repeat(columns.partition.topic),
        repeat(columns.partition.partition),
        columns.offsets[start:stop].tolist(),
        columns.timestamps[start:stop].tolist(),
        map(_TIMESTAMP_TYPES.__getitem__, columns.timestamp_types[start:stop]),
        columns.keys.to_list(start, stop),
        columns.values.to_list(start, stop),
        repeat(()) if columns.headers is None else columns.headers.to_list(start, stop),
        columns.leader_epochs[start:stop],
    )


#: Iterates over the records of a range of rows: the first row, and the row after the last one.
record_rows: Callable[[Columns, int, int], RecordRows] = _compiled if ACCELERATED else RowsInPython
