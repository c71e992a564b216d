"""Tracks records that are lost before they are committed.

Records that were handed over but not committed before their partition was revoked are lost, and ``commit()`` has to
report that.

- ``read_to`` of a partition is the offset after the last record handed over, until a commit covers it or the record is
  put back. After a seek, it no longer needs to be committed. Positions advance over the records of a poll only at the
  next call, so their offsets may be committed before that.
- A partition revoked with such records counts as lost until the loss is reported, or until a commit already in flight
  covers them. Records put back after their partition was revoked are not lost, since the application does not have
  them. Records of a deleted topic are not lost either, because their offsets can't be committed.
- Iteration reports the records that it returned only after a delay. If a partition was revoked in the meantime, the
  records beyond its position are lost, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["Uncommitted", "let_go", "note_put_back"]

#: Special values instead of an offset: nothing to commit; the loss was reported to the application.
_NOTHING, _REPORTED = -1, -2


def let_go(states: Iterable[PartitionState]) -> None:
    """Stop tracking uncommitted records: the application was notified of the revocation and has made its last
    commit."""
    for state in states:
        state.read_to = state.uncommitted_from = _NOTHING


def note_put_back(first: ColumnSlice, state: PartitionState) -> None:
    """Note that the records from this offset on were put back, so the application does not have them."""
    offset = _first_of(first)
    if state.read_to >= 0:
        state.read_to = offset if state.uncommitted_from < offset else _NOTHING


def _first_of(part: ColumnSlice) -> int:
    return part.columns.offsets[part.start]


def _end_of(part: ColumnSlice) -> int:
    """The offset after the last record; up to ``next_offset`` there may be offsets without records."""
    return part.columns.offsets[part.stop - 1] + 1


def _read(first: int, end: int, state: PartitionState) -> None:
    """Note that the records from ``first`` to ``end`` were handed over, or returned by iteration."""
    if state.read_to < 0:
        state.uncommitted_from = max(state.uncommitted_from, first)
    state.read_to = end if end > state.uncommitted_from else _NOTHING


def _wanted(state: PartitionState) -> int:
    """The lowest commit that covers all records that were read and are still in the log.

    A truncation lowers the position.
    """
    return state.read_to if state.position is None else min(state.read_to, state.position.offset)


class Uncommitted:
    """Records lost without a commit: for each partition, the first uncommitted record, and the end of the last."""

    def __init__(self, states: Mapping[TopicPartition, PartitionState]) -> None:
        self._states = states
        self._lost: dict[TopicPartition, tuple[int, int]] = {}
        #: For revoked partitions, the position or a commit beyond it, as long as iteration may still report records.
        self._left_at: dict[TopicPartition, int] = {}

    @property
    def partitions(self) -> frozenset[TopicPartition]:
        """The partitions with lost records, even if assigned again."""
        return frozenset(self._lost)

    def note_gone(self, states: Iterable[PartitionState]) -> None:
        """Note that these partitions are no longer assigned, or start over."""
        for state in states:
            if state.gone:
                continue
            if state.position is not None:
                self._left_at[state.partition] = max(state.position.offset, state.uncommitted_from)
            if state.read_to >= 0:
                self._lost[state.partition] = state.uncommitted_from, state.read_to

    def note_handed_over(self, part: ColumnSlice, state: PartitionState) -> None:
        """Note that these records were handed over."""
        _read(_first_of(part), _end_of(part), state)
        self._left_at.pop(state.partition, None)

    def note_overtaken(self, part: ColumnSlice) -> None:
        """Note iterated records that are no longer buffered: handed over before, or returned during the revocation."""
        tp, end = part.partition, part.next_offset
        state = self._states.get(tp)
        if state is not None and state.stopped:
            if state.position is not None and end > state.position.offset and state.read_to != _REPORTED:
                _read(_first_of(part), end, state)
        elif end > self._left_at.get(tp, end):
            first, _ = self._lost.get(tp, (_first_of(part), end))
            self._lost[tp] = first, end

    def note_put_back_late(self, parts: Sequence[ColumnSlice]) -> None:
        """Note that these runs of one partition were put back; if it was revoked, they are not lost with it."""
        for tp in {part.partition for part in parts[:1]} & self._lost.keys():
            first, end = self._lost[tp]
            if end in (_end_of(parts[-1]), parts[-1].next_offset):
                self._keep_lost(tp, first, _first_of(parts[0]))

    def _keep_lost(self, tp: TopicPartition, first: int, end: int) -> None:
        """Limit the partition's loss to this range."""
        if first < end:
            self._lost[tp] = first, end
        else:
            del self._lost[tp]

    def note_committed(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """Note that the coordinator stored these offsets."""
        for tp, committed in offsets.items():
            state = self._states.get(tp)
            if state is not None:
                state.uncommitted_from = max(state.uncommitted_from, committed.offset)
                if state.read_to >= 0 and _wanted(state) <= committed.offset:
                    state.read_to = _NOTHING
            if tp in self._left_at:
                self._left_at[tp] = max(self._left_at[tp], committed.offset)
            if tp in self._lost:
                first, end = self._lost[tp]
                self._keep_lost(tp, max(first, committed.offset), end)

    def note_reported(self, partitions: Collection[TopicPartition]) -> None:
        """Note that the loss of records was reported for partitions that are revoked or being revoked."""
        for tp in partitions:
            self._left_at.pop(tp, None)
            if self._lost.pop(tp, None) is None and tp in self._states:
                self._states[tp].read_to = _REPORTED
