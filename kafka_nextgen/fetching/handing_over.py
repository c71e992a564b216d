"""Handing records over to the application, and what that means for commits.

The position advances when records are handed over, never before, so that a poll that is given up loses nothing. Errors
are raised where the application takes records, after everything that lies before them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kafka_nextgen.fetching.assigned import Assigned
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.uncommitted import Uncommitted, let_go, note_put_back
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["Handover"]


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
                note_put_back(parts[0], state)

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
