"""What one poll handed over, while its records are deserialized one by one.

The positions are behind all of it already. If a record can't be deserialized, what was not given out counts as not
handed over: the bad record and all behind it, and every other partition from its first record on that was not given
out. It goes back to where it was fetched to, and the positions with it, so that a commit covers what was given out and
no more. What was handed over, sought or given up since stays as it is.

The application may go on with the records of another partition all the same. These are then handed over again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from kafka_nextgen.engine.application.deserialized_rows import DeserializedRows
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
        self._begun: list[tuple[ColumnSlice, DeserializedRows]] = []
        self._put_back_behind: list[DeserializedRows] = []
        self._failed: set[TopicPartition] = set()

    def begin(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """Note that the records of ``part`` are given out from here on."""
        self._begun.append((part, rows))
        if self._failed and part.partition not in self._failed:
            self._hand_over([part])

    def fail(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """Put back what was not given out: an exception keeps the next record of ``rows`` from that."""
        self._failed.add(part.partition)
        self._put_back(self._left(), part.partition)
        self._put_back_behind.append(rows)

    def stop_behind(self, part: ColumnSlice) -> None:
        """Put back what was not given out: an exception came between the records of ``part`` and the next ones."""
        self._failed.add(part.partition)
        self._put_back(self._left(), part.partition)

    def settle(self) -> bool:
        """Call ``fail`` where a signal handler kept it from being called; whether more records may be given out."""
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
