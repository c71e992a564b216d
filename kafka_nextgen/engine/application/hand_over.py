"""What one poll handed over, while its records are deserialized one by one.

The positions are behind all of it already. If a record can't be deserialized, what was not given out counts as not
handed over: the bad record and all behind it, and every other partition from its first record on that was not given
out. It goes back to where it was fetched to, and the positions with it, so that a commit covers what was given out and
no more. What was handed over, sought or given up since stays as it is.

The application may go on with the records of another partition all the same. These are then handed over again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from kafka_nextgen.engine.application.record_rows import RecordRows
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["HandOver", "PutBack"]

#: Puts these runs back; the partition is the last in turn from there on.
PutBack = Callable[[Iterable[ColumnSlice], TopicPartition], None]


class HandOver:
    """Shared by all views of the records of one poll. It refers to no iterator over them."""

    def __init__(
        self, slices: Sequence[ColumnSlice], put_back: PutBack, hand_over: Callable[[Collection[ColumnSlice]], None]
    ) -> None:
        self._slices = slices
        self._put_back = put_back
        self._hand_over = hand_over
        self._begun: list[tuple[ColumnSlice, RecordRows]] = []
        self._failed: set[TopicPartition] = set()

    def begin(self, part: ColumnSlice, rows: RecordRows) -> None:
        """Note that the records of ``part`` are given out from here on."""
        self._begun.append((part, rows))
        if self._failed and part.partition not in self._failed:
            self._hand_over([part])

    def fail(self, part: ColumnSlice, rows: RecordRows) -> None:
        """Put back what was not given out: the next record of ``rows`` can't be deserialized."""
        self._failed.add(part.partition)
        self._put_back(self._left(), part.partition)

    def _left(self) -> list[ColumnSlice]:
        found = []
        for part in self._slices:
            row = max((rows.row for begun, rows in self._begun if begun is part), default=part.start)
            if row < part.stop:
                found.append(ColumnSlice(part.columns, row, part.stop))
        return found
