"""The rows of columns as records, one made when it is taken: in C, or with what Python has that is written in C.

Both give out records between which no line of Python runs: taking one is one step to other threads (under the GIL). So
``row`` is exact at any moment, and ``end`` ends them between any two records, from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, repeat
from operator import length_hint
from typing import Protocol

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.types import Record, TimestampType
from kafka_nextgen.wire.records import Columns

__all__ = ["RecordRows", "RowsInPython", "record_rows"]

#: How many records are made of lists at a time: enough to make the lists cheap, few enough to begin at once.
CHUNK_RECORDS = 512

_TIMESTAMP_TYPES = (TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME)  # by their numbers
# What Record._make does, without its line of Python.
_to_record: Callable[[Iterable[object]], Record] = Record._make if ACCELERATED else partial(tuple.__new__, Record)
_NOTHING: dict[str, Record] = {}  # getting something from it gives the default: of two arguments the second


class RecordRows(Protocol):
    """Records to be taken one after the other."""

    @property
    def row(self) -> int:
        """The row that is given out next."""

    def end(self) -> None:
        """Give out nothing more; may be called from any thread, and waits for nothing."""

    def __iter__(self) -> Iterator[Record]:
        """The records that are left."""


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
    """The twin without a compiler: records are made in chunks, column by column.

    Nobody counts them: the iterator over a chunk knows how many of it are left. With each record something is taken
    from a list beside them, the gate, and first: emptying that ends the chunk before the record is touched.
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
        """The row that is given out next."""
        stop, left = self._at
        return stop - length_hint(left)

    def end(self) -> None:
        """Give out nothing more."""
        self._is_over = True  # first: a chunk that is being made now will see it
        self._gate.clear()

    def _chunks(self) -> Iterator[Iterator[Record]]:
        for start in range(self._start, self._stop, CHUNK_RECORDS):
            stop = min(start + CHUNK_RECORDS, self._stop)
            left = iter(list(map(_to_record, zip(*_fields_of(self._columns, start, stop), strict=False))))
            gate = [""] * (stop - start)
            self._gate = gate
            if self._is_over:  # looked at when the gate stands; the chunk before may have been cut short
                return
            self._at = stop, left
            yield map(_NOTHING.get, gate, left)


def _fields_of(columns: Columns, start: int, stop: int) -> tuple[Iterable[object], ...]:
    """All fields of a ``Record``, those that are alike in all of them without an end."""
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


#: The records of the rows of these columns from the first number up to before the second.
record_rows: Callable[[Columns, int, int], RecordRows] = _compiled if ACCELERATED else RowsInPython
