"""Records as objects, made when somebody looks at them, in chunks and column by column.

A chunk is made at one stroke, and from then on no line of Python runs: taking a record goes through iterators written
in C only, which under the GIL is one step to other threads (unless there are deserializers, and those run when the
record is out). Three things follow.

- Nobody counts records: the iterator over a chunk knows how many of it are left.
- A run can be ended between any two records, from any thread. With each record something is taken from a list beside
  them, the gate, and first: emptying that ends the chunk before the record is touched, so that what was given out is
  still known exactly.
- What a deserializer raises leaves the run as it is, behind the bad record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, repeat
from operator import length_hint
from typing import TypeVar

from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.types import Record, TimestampType
from kafka_nextgen.wire.records import Columns, ColumnSlice, make_records

__all__ = ["RecordRun"]

T = TypeVar("T")

#: How many records are made of lists at a time: enough to make the lists cheap, few enough to begin at once.
CHUNK_RECORDS = 512

_TIMESTAMP_TYPES = (TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME)  # by their numbers
_to_record = partial(tuple.__new__, Record)  # what Record._make does, without its line of Python
_NOTHING: dict[str, Record] = {}  # getting something from it gives the default: of two arguments the second


class RecordRun:
    """The records of some slices, to be taken one after the other from the iterator ``records``."""

    def __init__(self, slices: Sequence[ColumnSlice], deserializers: Deserializers) -> None:
        self._slices = tuple(slices)
        self._deserializers = deserializers
        self._is_over = False
        self._gate: list[str] = []
        self._at: tuple[int, int, Iterator[Record]] = 0, slices[0].start if slices else 0, iter(())
        self.records: Iterator[Record] = chain.from_iterable(self._chunks())

    def end(self) -> None:
        """Give out nothing more; may be called from any thread, and waits for nothing."""
        self._is_over = True  # first: a chunk that is being made now will see it
        self._gate.clear()

    def progress(self, but_last: bool = False) -> list[ColumnSlice]:
        """What was taken so far, slice by slice, perhaps without the last record taken."""
        which, chunk_stop, left = self._at
        done = list(self._slices[:which])
        if which < len(self._slices):
            part, stop = self._slices[which], chunk_stop - length_hint(left)
            done += [ColumnSlice(part.columns, part.start, stop)] if stop > part.start else []
        if but_last and done:
            last = done.pop()
            done += [ColumnSlice(last.columns, last.start, last.stop - 1)] if len(last) > 1 else []
        return done

    def _chunks(self) -> Iterator[Iterator[Record]]:
        for which, part in enumerate(self._slices):
            for start in range(part.start, part.stop, CHUNK_RECORDS):
                stop = min(start + CHUNK_RECORDS, part.stop)
                records = iter(_records_of(part.columns, start, stop))
                gate = [part.partition.topic] * (stop - start)
                self._gate = gate
                if self._is_over:  # looked at when the gate stands; the chunk before may have been cut short
                    return
                self._at = which, stop, records
                yield self._made(map(_NOTHING.get, gate, records))

    def _made(self, records: Iterator[Record]) -> Iterator[Record]:
        return map(self._deserializers.apply, records) if self._deserializers else records


def _records_of(columns: Columns, start: int, stop: int) -> list[Record]:
    records = make_records(columns, start, stop, Record, _TIMESTAMP_TYPES)
    if records is None:
        records = list(map(_to_record, zip(*_fields_of(columns, start, stop), strict=False)))
    return records


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
