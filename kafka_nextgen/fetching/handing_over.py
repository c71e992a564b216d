"""Handing records over to the application, and which of them are lost uncommitted.

The position advances when records are handed over, never before, so that a poll that is given up loses nothing. Errors
are raised where the application takes records, after everything that lies before them.

Records that were handed over and not committed before their partition went are lost: ``commit()`` has to say so.

- ``read_to`` of a partition is the offset behind the last record handed over, until a commit covers it or the record is
  put back. After a seek it need not be committed any more. Positions advance over the records of a poll only at the
  next call, so a commit of their offsets may come first.
- A partition that goes with such records is lost until the application is told, or until a commit of them that was
  under way succeeds. Records that are put back after their partition went are not lost, since the application does not
  have them. Nor are those of a deleted topic, where nothing is left to commit.
- Iteration says only later which records it gave out. What it gave out beyond the position of a partition that went
  meanwhile is lost, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from kafka_nextgen.fetching.assigned import Assigned
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["Handover", "Uncommitted", "let_go"]


class Handover:
    """The part of ``FetchState`` that the application takes records from."""

    def __init__(self, assigned: Assigned) -> None:
        self._assigned = assigned
        self._states = assigned.states
        self._by_partition = assigned.by_partition
        self._buffers = assigned.buffers
        self.uncommitted = Uncommitted(assigned.by_partition)

    def has_records(self) -> bool:
        """Whether ``take`` would bring records, or raise."""
        for tp in self._buffers.partitions:
            if self._by_partition[tp].may_hand_over:
                return True
        for state in self._states:  # noqa: SIM110  (a generator would be gone in and out of for each)
            if state.error is not None and state.may_hand_over:
                return True
        return False

    def take(self, max_records: int) -> list[ColumnSlice]:
        """Hand over at most ``max_records`` records and advance the positions; raises as ``peek`` does."""
        parts = self.peek(max_records)
        for part in parts:
            self.hand_over(part)
        return parts

    @property
    def runs_done(self) -> int:
        """Changes whenever handing over made room for more."""
        return self._buffers.runs_done

    def peek(self, max_records: int, whole_runs: bool = False) -> list[ColumnSlice]:
        """The records ``take`` would hand over, without doing so; with ``whole_runs`` the last run to its end.

        Raises, once per attempt, what stands in the way of a partition: CorruptRecordError, OffsetOutOfRangeError,
        TopicAuthorizationError or another BrokerError.
        """
        for state in self._states:
            if state.error is not None and state.may_hand_over:
                error, state.error = state.error, None
                raise error
        return self._buffers.peek(self._by_partition, max_records, whole_runs)

    def hand_over(self, part: ColumnSlice) -> None:
        """Advance the position to the end of ``part``, a run peeked at or its beginning.

        Does nothing if the partition was stopped or sought since, or is beyond it already.
        """
        state = self._by_partition.get(part.columns.partition)
        if state is None:
            self.uncommitted.note_overtaken(part)
            return
        behind = OffsetAndMetadata(part.next_offset, part.leader_epoch)
        end = OffsetAndMetadata(state.fetch_offset, state.fetch_epoch)
        last = part.columns.offsets[part.stop - 1]
        left = self._buffers.hand_over(part)
        if left is not None:  # no signal handler runs between the one and the other
            state.position = behind if left else end
            state.last_handed_over = last
            self.uncommitted.note_handed_over(part, state)
        else:
            self.uncommitted.note_overtaken(part)

    def put_back(self, parts: Sequence[ColumnSlice]) -> None:
        """Undo ``hand_over`` of these runs, which are of one partition: its position goes back to their beginning.

        Does nothing if the partition was given up or sought since, or if more of it was handed over; but what is put
        back is not lost with a partition that went.
        """
        self.uncommitted.note_put_back_late(parts)
        for state in self._assigned.known(part.partition for part in parts[:1]):
            last = parts[-1]
            if state.last_handed_over == last.columns.offsets[last.stop - 1]:
                position = state.position_before(parts[0])
                self._buffers.put_back(parts)
                state.position = position  # no signal handler runs between the one and all of the other
                state.last_handed_over = -1
                if state.consumed is not None and state.consumed.offset > position.offset:
                    state.consumed = position
                if state.error is not None:  # it lies behind these records
                    state.error = None
                    state.drain_first = True
                _note_put_back(parts[0], state)

    def pass_turn(self, partition: TopicPartition) -> None:
        """Hand over records of all other partitions before those of this one."""
        self._buffers.pass_turn(partition)

    def preview(self, parts: Sequence[ColumnSlice]) -> Assigned:
        """How the partitions of ``parts`` stand once these are handed over: a copy of them, nothing here changes."""
        copied = self._assigned.copy({part.partition for part in parts})
        handover = Handover(copied)
        for part in parts:
            handover.hand_over(part)
        return copied

    def mark_consumed(self) -> None:
        """The application came back for more: what was handed over until now counts as processed."""
        for state in self._states:
            state.consumed = state.position or state.consumed

    def consumed_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """What auto-commit may commit: everything handed over before ``mark_consumed``."""
        return {state.partition: state.consumed for state in self._there() if state.consumed is not None}

    def found_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """Where reading began, if the next owner begins there without a commit: as committed, or the earliest."""
        return {state.partition: state.found for state in self._there() if state.found is not None}

    def handed_over_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """What ``commit()`` commits: the positions behind everything handed over."""
        return {state.partition: state.position for state in self._there() if state.position is not None}

    def positions_to_keep(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """The same without the partitions that are being given up."""
        stopped = {state.partition for state in self._states if state.stopped}
        return {tp: position for tp, position in self.handed_over_offsets().items() if tp not in stopped}

    def let_go(self, partitions: Iterable[TopicPartition]) -> None:
        """The application gives these up, or was asked to: it has committed what it wants committed."""
        let_go(self._assigned.known(partitions))

    def _there(self) -> list[PartitionState]:
        """Those whose topic is not gone: under its name the offset would be one in another topic."""
        return [state for state in self._states if not state.gone]


#: In place of an offset: nothing to commit; the loss was reported to the application.
_NOTHING, _REPORTED = -1, -2


def let_go(states: Iterable[PartitionState]) -> None:
    """The application knows that these go, and has committed what it wants committed."""
    for state in states:
        state.read_to = state.uncommitted_from = _NOTHING


def _note_put_back(first: ColumnSlice, state: PartitionState) -> None:
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
        """The loss of records was reported, of partitions that went or are about to go."""
        for tp in partitions:
            self._left_at.pop(tp, None)
            if self._lost.pop(tp, None) is None and tp in self._states:
                self._states[tp].read_to = _REPORTED
