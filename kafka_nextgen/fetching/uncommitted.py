"""Records that were handed over and not committed before their partition went: ``commit()`` has to say so.

- ``read_to`` of a partition is the offset behind the last record handed over, until a commit covers it or the record is
  put back. After a seek it need not be committed any more. Positions advance over the records of a poll at the next
  call only, so that a commit of their offsets may come first.
- A partition that goes with such records is lost until the application is told, or until the coordinator answers that
  a commit of them, which was under way, succeeded. What is put back after its partition went is no loss, for the
  application does not have it. That its topic was deleted is none either: nothing is left to commit.
- Iteration says only later which records it gave out. What it gave out beyond the position of a partition that went
  meanwhile is lost, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["Uncommitted", "let_go", "note_put_back"]

#: In place of an offset: there is nothing to commit, or the application was told that it is too late.
_NOTHING, _REPORTED = -1, -2


def let_go(states: Iterable[PartitionState]) -> None:
    """The application knows that these go, and has committed what it wants committed."""
    for state in states:
        state.read_to = state.uncommitted_from = _NOTHING


def note_put_back(first: ColumnSlice, state: PartitionState) -> None:
    """The records from there on were put back: the application does not have them."""
    offset = _first_of(first)
    if state.read_to >= 0:
        state.read_to = offset if state.uncommitted_from < offset else _NOTHING


def _first_of(part: ColumnSlice) -> int:
    return part.columns.offsets[part.start]


def _end_of(part: ColumnSlice) -> int:
    """The offset behind the last record: there may be no records between it and ``next_offset``."""
    return part.columns.offsets[part.stop - 1] + 1


def _read(first: int, end: int, state: PartitionState) -> None:
    """The records from ``first`` to ``end`` were handed over, or given out."""
    if state.read_to < 0:
        state.uncommitted_from = max(state.uncommitted_from, first)
    state.read_to = end if end > state.uncommitted_from else _NOTHING


def _wanted(state: PartitionState) -> int:
    """The least offset that covers what was read and is still in the log: the position goes back if it was cut."""
    return state.read_to if state.position is None else min(state.read_to, state.position.offset)


class Uncommitted:
    """What was lost uncommitted: of each partition the first record that no commit covers, and the end of the last."""

    def __init__(self, states: Mapping[TopicPartition, PartitionState]) -> None:
        self._states = states
        self._lost: dict[TopicPartition, tuple[int, int]] = {}
        #: Of partitions that went, the position or what is committed beyond it, while iteration may be late.
        self._left_at: dict[TopicPartition, int] = {}

    @property
    def partitions(self) -> frozenset[TopicPartition]:
        """The partitions, even if they are assigned again."""
        return frozenset(self._lost)

    def note_gone(self, states: Iterable[PartitionState]) -> None:
        """These are not assigned any more, or start over."""
        for state in states:
            if state.gone:
                continue
            if state.position is not None:
                self._left_at[state.partition] = max(state.position.offset, state.uncommitted_from)
            if state.read_to >= 0:
                self._lost[state.partition] = state.uncommitted_from, state.read_to

    def note_handed_over(self, part: ColumnSlice, state: PartitionState) -> None:
        """These records were handed over."""
        _read(_first_of(part), _end_of(part), state)
        self._left_at.pop(state.partition, None)

    def note_overtaken(self, part: ColumnSlice) -> None:
        """These records are not here any more: they were handed over before, or given out while the partition went."""
        tp, end = part.partition, part.next_offset
        state = self._states.get(tp)
        if state is not None and state.stopped:
            if state.position is not None and end > state.position.offset and state.read_to != _REPORTED:
                _read(_first_of(part), end, state)
        elif end > self._left_at.get(tp, end):
            first, _ = self._lost.get(tp, (_first_of(part), end))
            self._lost[tp] = first, end

    def note_put_back_late(self, parts: Sequence[ColumnSlice]) -> None:
        """These runs, which are of one partition, were put back: if it went, they are not lost with it."""
        for tp in {part.partition for part in parts[:1]} & self._lost.keys():
            first, end = self._lost[tp]
            if end in (_end_of(parts[-1]), parts[-1].next_offset):
                self._keep_lost(tp, first, _first_of(parts[0]))

    def _keep_lost(self, tp: TopicPartition, first: int, end: int) -> None:
        """No more than this is lost."""
        if first < end:
            self._lost[tp] = first, end
        else:
            del self._lost[tp]

    def note_committed(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """The coordinator took these."""
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
        """The application was told that records of these are lost: what went, or else what is about to go."""
        for tp in partitions:
            self._left_at.pop(tp, None)
            if self._lost.pop(tp, None) is None and tp in self._states:
                self._states[tp].read_to = _REPORTED
