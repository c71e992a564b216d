"""A run of records that have not arrived yet: it waits for them on the lent connections itself.

See ``kafka_nextgen.engine.reading.lent_sockets``. The run ends as soon as a poll has anything else to do, and at the
latest when the next poll must be reported to the member.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.types import Record
from kafka_nextgen.wire.records import Columns, ColumnSlice

if TYPE_CHECKING:
    from kafka_nextgen.compiled import accelerator

__all__ = ["ArrivingRun"]

_COMPLETE = -1  # in place of a row: all records of the columns


class ArrivingRun:
    """A run like ``RecordRun``, of the records of ``rows``; ``call`` names the consumer's call that waits for them."""

    def __init__(self, rows: accelerator.ArrivingRows[Record[Any, Any]], call: str) -> None:
        self.rows = rows
        self.call = call
        #: Whether a task waits for the next records.
        self.is_awaited = False
        self.records: Iterator[Record[Any, Any]] = rows

    @staticmethod
    def records_of(offered: list[Columns]) -> Records[Any, Any]:
        """Return the records of an offer."""
        return Records([ColumnSlice(columns, 0, len(columns)) for columns in offered])

    def end(self) -> None:
        """Stop handing over records; can be called on any thread, never blocks."""
        self.rows.end()

    @property
    def next(self) -> tuple[int, int] | None:
        """Return the number of columns so far, and the next row; None if the run has ended."""
        handed, row, _ = self.rows.progress()
        return None if self.rows.is_over else (len(handed), row)

    def settle(self, hand_over: Callable[[list[ColumnSlice]], None]) -> None:
        """Call ``hand_over`` with the records handed over since the last call, or again with the last of them."""
        handed, row, _ = self.rows.progress()
        hand_over(_slices(handed, row))
        self.rows.forget(handed)

    def progress(self, but_last: bool = False) -> list[ColumnSlice]:
        """Return the records handed over so far, without those that were settled.

        ``but_last`` omits what is still being processed: the last record, or all of the last offer. That is nothing if
        the caller has asked for more.
        """
        handed, row, offered = self.rows.progress()
        is_asked = self.rows.is_asked  # second: another thread may get a record meanwhile, and then more is omitted
        if not but_last:
            return _slices(handed, row)
        if offered:
            return _slices(handed[:-offered], _COMPLETE)
        return _slices(handed, row, omitted=int(not is_asked))


def _slices(handed: list[Columns], row: int, omitted: int = 0) -> list[ColumnSlice]:
    done = [ColumnSlice(columns, 0, len(columns)) for columns in handed]
    if done:
        last = done.pop()
        stop = (last.stop if row == _COMPLETE else row) - omitted
        done += [ColumnSlice(last.columns, 0, stop)] if stop > 0 else []
    return done
