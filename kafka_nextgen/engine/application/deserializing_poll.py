"""The records of one poll while they are deserialized: after a failure, the rest counts as not handed over."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from kafka_nextgen.engine.application.record_run import DeserializedRows, Watch
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["DeserializingPoll", "PutBack"]

#: Puts these runs of records back; the partition then comes last.
PutBack = Callable[[Iterable[ColumnSlice], TopicPartition], None]


class DeserializingPoll(Watch):
    """The records of one poll, while they are deserialized one by one; shared by all views of it.

    The positions are already after all of these records. If a record can't be deserialized, the rest counts as not
    handed over: that record and all later ones of its partition, and in other partitions all records not handed over
    yet. They are put back into the buffers, and the positions move back with them, so a commit covers exactly the
    records handed over. Partitions that were polled, repositioned with ``seek`` or given up in the meantime are not
    changed. If the application continues with the records of another partition anyway, they are handed over again. This
    object holds no reference to an iterator over the records.
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
