"""Records as objects, made when somebody looks at them, of one slice of columns after the other.

Between two records of a slice no line of Python runs (``record_rows.py``), unless there are deserializers. So three
things hold.

- How far a run went is known exactly, at any moment: only the rows themselves count.
- A run can be ended between any two records, from any thread.
- A record that can't be deserialized ends the run in front of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Protocol

from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.engine.application.record_rows import RecordRows, record_rows
from kafka_nextgen.types import Record, TopicPartition
from kafka_nextgen.wire.records import Columns, ColumnSlice

__all__ = ["RecordRun", "Watch"]

_NO_ROWS: RecordRows = record_rows(Columns(TopicPartition("none", 0), 0), 0, 0)


class Watch(Protocol):
    """What hears of records that are deserialized."""

    def begin(self, part: ColumnSlice, rows: RecordRows) -> None:
        """Those of ``part`` are, which ``rows`` gives out."""

    def fail(self, part: ColumnSlice, rows: RecordRows) -> None:
        """The one at the row of ``rows``, which have ended, can't be."""


class RecordRun:
    """The records of some slices, to be taken one after the other from the iterator ``records``."""

    def __init__(
        self,
        slices: Sequence[ColumnSlice],
        deserializers: Deserializers | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._slices = tuple(slices)
        self._deserializers = deserializers
        self._watch = watch
        self._is_over = False
        self._rows = _NO_ROWS
        self._at = 0, _NO_ROWS  # which slice, and how far in it
        self.records: Iterator[Record]
        if len(self._slices) == 1:  # where records come one by one: nothing else can be begun
            self.records = iter(self._begin(0))
        else:
            self.records = chain.from_iterable(self._parts())

    def end(self) -> None:
        """Give out nothing more; may be called from any thread, and waits for nothing."""
        self._is_over = True  # first: whoever goes on to the next slice now will see it
        self._rows.end()

    @property
    def next(self) -> tuple[int, int] | None:
        """Which slice and which row of it come next; None if nothing may be given out any more."""
        which, rows = self._at
        is_used_up = which + 1 >= len(self._slices) and (not self._slices or rows.row == self._slices[which].stop)
        return None if self._is_over or is_used_up else (which, rows.row)

    def progress(self, but_last: bool = False) -> list[ColumnSlice]:
        """What was taken so far, slice by slice, perhaps without the last record taken, if it was given out."""
        which, rows = self._at
        done = list(self._slices[:which])
        if rows is not _NO_ROWS:
            part, stop = self._slices[which], rows.row
            if stop > part.start:
                done.append(part if stop == part.stop else ColumnSlice(part.columns, part.start, stop))
        if but_last and done and not rows.took_back:
            last = done.pop()
            done += [ColumnSlice(last.columns, last.start, last.stop - 1)] if len(last) > 1 else []
        return done

    def _parts(self) -> Iterator[Iterable[Record]]:
        # A generator, for nobody gets in while somebody is inside: no slice is begun before the one in front of it.
        for which in range(len(self._slices)):
            if self._rows.took_back:
                return
            records = self._begin(which)
            if self._is_over:  # looked at when they can be ended; the slice before may have been cut short
                return
            yield records

    def _begin(self, which: int) -> Iterable[Record]:
        part = self._slices[which]
        rows = self._rows = record_rows(part.columns, part.start, part.stop)
        if not self._is_over:
            self._at = which, rows
        if self._deserializers is None:
            return rows
        if self._watch is None:
            return self._deserializers.deserialized(rows)
        self._watch.begin(part, rows)
        return self._deserializers.deserialized(rows, partial(self._watch.fail, part, rows))
