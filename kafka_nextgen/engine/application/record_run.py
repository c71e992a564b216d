"""Iterates over the records of column slices, one slice after the other; each record is created when it is taken.

The records are made in the C extension, or by Python builtins that are implemented in C. In both cases no line of
Python runs between two records of a slice, unless there are deserializers, so taking one is atomic for other threads
(under the GIL). Therefore:

- The progress of a run is always known exactly, because it consists of row numbers only.
- A run can be ended between any two records, from any thread.

With deserializers, a signal handler may raise between any two lines of Python here, and a deserializer may raise, too.
The record that is being deserialized is then not handed over: the run ends before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, count, repeat
from operator import length_hint
from typing import TYPE_CHECKING, Any, TypeAlias

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.types import Record, TimestampType, TopicPartition
from kafka_nextgen.wire.records import Columns, ColumnSlice

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.deserializers import Deserializers

__all__ = [
    "NO_WATCH",
    "TIMESTAMP_TYPES",
    "DeserializedRows",
    "RecordRows",
    "RecordRun",
    "RowsInPython",
    "Watch",
    "record_rows",
]

#: How many records are created from lists at a time: enough to make the lists cheap, few enough to start quickly.
CHUNK_RECORDS = 512

#: By their numbers.
TIMESTAMP_TYPES = (TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME)
# Like Record._make, but without running a line of Python.
_to_record: Callable[[Iterable[object]], Record] = Record._make if ACCELERATED else partial(tuple.__new__, Record)
_NOTHING: dict[str, Record] = {}  # its ``get`` returns the default, that is, the second of two arguments


#: An iterable of records that can be ended between any two of them.
RecordRows: TypeAlias = "accelerator.RecordRows[Record[Any, Any]] | RowsInPython"


def _compiled(columns: Columns, start: int, stop: int) -> RecordRows:
    if isinstance(columns, accelerator.ArrivedColumns):
        return columns.rows(Record, TIMESTAMP_TYPES, start, stop)
    keys, values = columns.keys, columns.values
    return accelerator.RecordRows(
        Record,
        columns.partition.topic,
        columns.partition.partition,
        TIMESTAMP_TYPES,
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
        self._at: tuple[int, Iterator[Record[Any, Any]]] = start, iter(())
        self._records = chain.from_iterable(self._chunks())

    def __iter__(self) -> Iterator[Record[Any, Any]]:
        return self._records

    @property
    def row(self) -> int:
        """The row of the next record."""
        stop, left = self._at
        return stop - length_hint(left)

    def end(self) -> None:
        """Stop handing over records; can be called on any thread, never blocks."""
        self._is_over = True  # first: ``_chunks`` checks it after making a chunk
        self._gate.clear()

    def _chunks(self) -> Iterator[Iterator[Record[Any, Any]]]:
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
    """Return iterables of all fields of a ``Record``; an iterable of one repeated value is infinite."""
    return (
        repeat(columns.partition.topic),
        repeat(columns.partition.partition),
        columns.offsets[start:stop].tolist(),
        columns.timestamps[start:stop].tolist(),
        map(TIMESTAMP_TYPES.__getitem__, columns.timestamp_types[start:stop]),
        columns.keys.to_list(start, stop),
        columns.values.to_list(start, stop),
        repeat(()) if columns.headers is None else columns.headers.to_list(start, stop),
        columns.leader_epochs[start:stop],
    )


#: Iterates over the records of a range of rows: the first row, and the row after the last one.
record_rows: Callable[[Columns, int, int], RecordRows] = _compiled if ACCELERATED else RowsInPython


class DeserializedRows:
    """The records of ``rows``, deserialized; skipped records are left out."""

    def __init__(self, rows: RecordRows, deserializers: Deserializers) -> None:
        self._rows = rows
        self._apply = deserializers.apply
        #: The row of the next record. A record that is being deserialized counts as handed over.
        self.row = rows.row

    @property
    def is_cut(self) -> bool:
        """Whether a record was taken from the rows, but not handed over because of an exception."""
        return self._rows.row != self.row

    def end(self) -> None:
        """Stop handing over records; can be called on any thread, never blocks."""
        self._rows.end()

    def records(self, on_failure: Callable[[], None]) -> Iterator[Record[Any, Any]]:
        """Iterate over the records. ``on_failure`` is called when a record can't be deserialized."""
        # These callables hold no reference to the iterator, so the memory of the records is freed with the iterator's
        # last user.
        return filter(None, map(partial(self._take, on_failure), self._rows, count(self.row)))

    def _take(self, on_failure: Callable[[], None], record: Record, row: int) -> Record | None:
        if row != self.row:  # an exception at the start of this method kept the previous record from being handed over
            raise StopIteration
        self.row = row + 1
        try:
            return self._apply(record)
        except BaseException:
            self.row = row  # before any call: a signal handler that raises there would skip this record
            self._rows.end()
            on_failure()
            raise


class Watch:
    """An observer that is notified while records are deserialized.

    This class does nothing; subclasses override what they need.
    """

    def begin(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """``rows`` is about to hand over the records of ``part``."""

    def fail(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """The current record of ``rows`` can't be deserialized; ``rows`` has ended."""

    def stop_behind(self, part: ColumnSlice) -> None:
        """An exception ended the run before it reached the next slice."""


NO_WATCH = Watch()
_NO_ROWS: RecordRows = record_rows(Columns(TopicPartition("none", 0), 0), 0, 0)


class RecordRun:
    """The records of some slices; the iterator ``records`` hands them over."""

    def __init__(
        self,
        slices: Sequence[ColumnSlice],
        deserializers: Deserializers | None = None,
        watch: Watch = NO_WATCH,
    ) -> None:
        self._slices = tuple(slices)
        self._deserializers = deserializers
        self._watch = watch
        self._is_over = False
        self._rows: RecordRows | DeserializedRows = _NO_ROWS
        self._at: tuple[int, RecordRows | DeserializedRows] = 0, _NO_ROWS  # the slice, and the position in it
        self.records: Iterator[Record[Any, Any]]
        if len(self._slices) == 1:  # no other slice can begin, so the records come directly from this one
            self.records = iter(self._begin(0))
        else:
            self.records = chain.from_iterable(self._parts())

    def end(self) -> None:
        """Stop handing over records; can be called on any thread, never blocks."""
        self._is_over = True  # first: ``_parts`` checks it before the next slice
        self._rows.end()

    @property
    def next(self) -> tuple[int, int] | None:
        """Return the index of the next slice and row; None if the run has ended."""
        which, rows = self._at
        is_used_up = which + 1 >= len(self._slices) and (not self._slices or rows.row == self._slices[which].stop)
        return None if self._is_over or is_used_up else (which, rows.row)

    def progress(self, but_last: bool = False) -> list[ColumnSlice]:
        """Return the records handed over so far; ``but_last`` omits the last one, unless the run was cut off there."""
        which, rows = self._at
        done = list(self._slices[:which])
        if rows is not _NO_ROWS:
            part, stop = self._slices[which], rows.row
            if stop > part.start:
                done.append(part if stop == part.stop else ColumnSlice(part.columns, part.start, stop))
        if but_last and done and not _is_cut(rows):
            last = done.pop()
            done += [ColumnSlice(last.columns, last.start, last.stop - 1)] if len(last) > 1 else []
        return done

    def _parts(self) -> Iterator[Iterable[Record]]:
        # A generator can't be entered twice at the same time, so slices begin in order.
        which = 0
        try:
            for which in range(len(self._slices)):
                if _is_cut(self._rows):
                    return
                records = self._begin(which)
                if self._is_over:  # checked once ``end`` can reach these rows: the last slice may have been cut
                    return
                yield records
        except GeneratorExit:  # the iterator was dropped
            raise
        except BaseException:
            if self.progress():  # before the first record, nothing has changed
                self._watch.stop_behind(self._slices[which])
            raise

    def _begin(self, which: int) -> Iterable[Record]:
        part = self._slices[which]
        made = record_rows(part.columns, part.start, part.stop)
        rows = made if self._deserializers is None else DeserializedRows(made, self._deserializers)
        self._rows = rows
        if not self._is_over:
            self._at = which, rows
        if not isinstance(rows, DeserializedRows):
            return rows
        self._watch.begin(part, rows)
        return rows.records(partial(self._watch.fail, part, rows))


def _is_cut(rows: RecordRows | DeserializedRows) -> bool:
    return isinstance(rows, DeserializedRows) and rows.is_cut
