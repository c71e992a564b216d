"""Records as objects, made when somebody looks at them, of one slice of columns after the other.

Between two records of a slice no line of Python runs (``record_rows.py``), unless there are deserializers, and those
run when the record is out. So three things hold.

- How far a run went is known exactly, at any moment: nobody but the rows themselves counts.
- A run can be ended between any two records, from any thread.
- What a deserializer raises leaves the run as it is, behind the bad record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from kafka_nextgen.engine.application.record_rows import RecordRows, record_rows
from kafka_nextgen.types import Record, TopicPartition
from kafka_nextgen.wire.records import Columns, ColumnSlice

__all__ = ["RecordRun"]

_NO_ROWS: RecordRows = record_rows(Columns(TopicPartition("none", 0), 0), 0, 0)


class RecordRun:
    """The records of some slices, to be taken one after the other from the iterator ``records``.

    ``apply`` makes of each record the one that is given out.
    """

    def __init__(self, slices: Sequence[ColumnSlice], apply: Callable[[Record], Record] | None) -> None:
        self._slices = tuple(slices)
        self._apply = apply
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

    def progress(self, but_last: bool = False) -> list[ColumnSlice]:
        """What was taken so far, slice by slice, perhaps without the last record taken."""
        which, rows = self._at
        done = list(self._slices[:which])
        if rows is not _NO_ROWS:
            part, stop = self._slices[which], rows.row
            if stop > part.start:
                done.append(part if stop == part.stop else ColumnSlice(part.columns, part.start, stop))
        if but_last and done:
            last = done.pop()
            done += [ColumnSlice(last.columns, last.start, last.stop - 1)] if len(last) > 1 else []
        return done

    def _parts(self) -> Iterator[Iterable[Record]]:
        # A generator, for nobody gets in while somebody is inside: no slice is begun before the one in front of it.
        for which in range(len(self._slices)):
            records = self._begin(which)
            if self._is_over:  # looked at when they can be ended; the slice before may have been cut short
                return
            yield records

    def _begin(self, which: int) -> Iterable[Record]:
        part = self._slices[which]
        rows = self._rows = record_rows(part.columns, part.start, part.stop)
        if not self._is_over:
            self._at = which, rows
        return rows if self._apply is None else map(self._apply, rows)
