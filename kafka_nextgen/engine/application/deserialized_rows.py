"""Rows whose records are deserialized when they are taken, which takes lines of Python for each.

A signal handler may raise at any of these lines, and so may a deserializer. The record they are about is then not
given out: ``row`` stays at it, and nothing behind it is given out either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.engine.application.record_rows import RecordRows
from kafka_nextgen.types import Record

__all__ = ["DeserializedRows"]


class DeserializedRows:
    """The records of ``rows``, deserialized, without those that are skipped."""

    def __init__(self, rows: RecordRows, deserializers: Deserializers) -> None:
        self._rows = rows
        self._apply = deserializers.apply
        #: The row that is given out next. The one that is being deserialized counts as given out.
        self.row = rows.row

    @property
    def is_cut(self) -> bool:
        """Whether an exception kept a record from being given out that was taken from the rows."""
        return self._rows.row != self.row

    def end(self) -> None:
        """Give out nothing more; may be called from any thread, and waits for nothing."""
        self._rows.end()

    def records(self, on_failure: Callable[[], None]) -> Iterator[Record]:
        """The records, to be taken once. ``on_failure`` is called where a record can't be deserialized."""
        # What is called refers to no iterator, so what was read is free with its last user.
        return filter(None, map(partial(self._take, on_failure), self._rows, count(self.row)))

    def _take(self, on_failure: Callable[[], None], record: Record, row: int) -> Record | None:
        if row != self.row:  # an exception at the beginning of this function: the one in front was not given out
            raise StopIteration
        self.row = row + 1
        try:
            return self._apply(record)
        except BaseException:  # a KeyboardInterrupt, too
            self.row = row  # first: nothing is called before this
            self._rows.end()
            on_failure()
            raise
