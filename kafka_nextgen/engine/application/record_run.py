"""Iterates over the records of column slices, one slice after the other; each record is created when it is taken.

No line of Python runs between two records of a slice (``record_rows.py``), unless there are deserializers. So:

- The progress of a run is always known exactly, as it consists of row numbers only.
- A run can be ended between any two records, from any thread.
- A record that can't be deserialized ends the run before it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from kafka_nextgen.engine.application.deserializers import DeserializedRows, Deserializers
from kafka_nextgen.engine.application.record_rows import RecordRows, record_rows
from kafka_nextgen.types import Record, TopicPartition
from kafka_nextgen.wire.records import Columns, ColumnSlice

__all__ = ["NO_WATCH", "DeserializingPoll", "PutBack", "RecordRun", "Watch"]

_NO_ROWS: RecordRows = record_rows(Columns(TopicPartition("none", 0), 0), 0, 0)


class Watch:
    """Is notified while records are deserialized. This class does nothing; subclasses override what they need."""

    def begin(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """``rows`` is about to hand over the records of ``part``."""

    def fail(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """The current record of ``rows`` can't be deserialized; ``rows`` has ended."""

    def stop_behind(self, part: ColumnSlice) -> None:
        """An exception ended the run before it reached the next slice."""


NO_WATCH = Watch()


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
        self._at: tuple[int, RecordRows | DeserializedRows] = 0, _NO_ROWS  # the slice, and the place in it
        self.records: Iterator[Record]
        if len(self._slices) == 1:  # no other slice can begin, so records can come straight from this one
            self.records = iter(self._begin(0))
        else:
            self.records = chain.from_iterable(self._parts())

    def end(self) -> None:
        """Hand over nothing more; callable from any thread, never blocks."""
        self._is_over = True  # first: ``_parts`` checks it before the next slice
        self._rows.end()

    @property
    def next(self) -> tuple[int, int] | None:
        """Return the index of the next slice and row; None if the run has ended."""
        which, rows = self._at
        is_used_up = which + 1 >= len(self._slices) and (not self._slices or rows.row == self._slices[which].stop)
        return None if self._is_over or is_used_up else (which, rows.row)

    def progress(self, but_last: bool = False) -> list[ColumnSlice]:
        """Return the records handed over so far; ``but_last`` omits the last, unless the run was cut off after it."""
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


#: Puts these runs of records back; the partition is then served last.
PutBack = Callable[[Iterable[ColumnSlice], TopicPartition], None]


class DeserializingPoll(Watch):
    """The records of one poll, while they are deserialized one by one; shared by all views of it.

    The positions are already after all of these records. If one can't be deserialized, the rest counts as not handed
    over: in its own partition that record and all later ones, and in every other partition all records that were not
    handed over yet. They are put back into the buffers, and the positions move back with them, so a commit covers
    exactly the records handed over. Partitions that were polled, sought or given up in the meantime are left alone. If
    the application continues with the records of another partition anyway, they are handed over again. This object
    holds no reference to an iterator over the records.
    """

    def __init__(
        self, slices: Sequence[ColumnSlice], put_back: PutBack, hand_over: Callable[[Collection[ColumnSlice]], None]
    ) -> None:
        self._slices = slices
        self._put_back = put_back
        self._hand_over = hand_over
        self._begun: list[tuple[ColumnSlice, DeserializedRows]] = []
        self._put_back_behind: list[DeserializedRows] = []
        self._failed: set[TopicPartition] = set()

    def begin(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """Note that the records of ``part`` are about to be handed over."""
        self._begun.append((part, rows))
        if self._failed and part.partition not in self._failed:
            self._hand_over([part])

    def fail(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """Put back the remaining records, after an exception at the current record of ``rows``."""
        self._failed.add(part.partition)
        self._put_back(self._left(), part.partition)
        self._put_back_behind.append(rows)

    def stop_behind(self, part: ColumnSlice) -> None:
        """Put back the remaining records, after an exception between ``part`` and the next slice."""
        self._failed.add(part.partition)
        self._put_back(self._left(), part.partition)

    def settle(self) -> bool:
        """Call ``fail`` if a signal handler prevented that; returns whether more records may be handed over."""
        for part, rows in self._begun:
            if rows.is_cut and rows not in self._put_back_behind:
                self.fail(part, rows)
        return any(not rows.is_cut and rows.row < part.stop for part, rows in self._begun)

    def _left(self) -> list[ColumnSlice]:
        found = []
        for part in self._slices:
            row = max((rows.row for begun, rows in self._begun if begun is part), default=part.start)
            if row < part.stop:
                found.append(ColumnSlice(part.columns, row, part.stop))
        return found
