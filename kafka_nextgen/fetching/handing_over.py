"""Hands records over to the application.

The position advances when records are handed over, never before, so that an abandoned poll loses nothing. Errors are
raised where the application takes records, after everything that lies before them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from kafka_nextgen.fetching.context import Assigned
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.uncommitted import Uncommitted, let_go, note_put_back
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["Handover"]

#: The minimum number of runs for which grouping them by partition is worthwhile.
_MANY = 8


class Handover:
    """The part of ``FetchState`` from which the application takes records.

    With ``stores_offsets``, records count as processed only once the application has stored their offsets.
    """

    def __init__(self, assigned: Assigned, stores_offsets: bool = False) -> None:
        self._assigned = assigned
        self._stores_offsets = stores_offsets
        self._states = assigned.states
        self._by_partition = assigned.by_partition
        self._buffers = assigned.buffers
        self.uncommitted = Uncommitted(assigned.by_partition)
        self._failing_at = self._consumed_at = -1  # the numbers of ``assigned.changes`` then

    def has_records(self) -> bool:
        """Whether ``take`` would return records, or raise."""
        for tp in self._buffers.runs:
            if self._by_partition[tp].may_hand_over:
                return True
        return self._first_with_error() is not None

    def _first_with_error(self) -> PartitionState | None:
        """The first partition with an error for the application."""
        assigned = self._assigned
        changes = assigned.changes
        if self._failing_at != changes:
            assigned.failing = {state.partition: state for state in self._states if state.error is not None}
            self._failing_at = changes
        if not assigned.failing:
            return None
        assigned.failing = {tp: state for tp, state in assigned.failing.items() if state.error is not None}
        failing = [state for state in assigned.failing.values() if state.may_hand_over]
        return min(failing, key=lambda state: state.turn, default=None)

    def take(self, max_records: int) -> list[ColumnSlice]:
        """Hand over at most ``max_records`` records and advance the positions; raises the same errors as ``peek``."""
        parts = self.peek(max_records)
        for part in parts:
            self.hand_over(part)
        return parts

    @property
    def runs_done(self) -> int:
        """A counter that changes whenever handing over frees buffer space."""
        return self._buffers.runs_done

    def peek(self, max_records: int, whole_runs: bool = False) -> list[ColumnSlice]:
        """The records that ``take`` would hand over. They stay buffered.

        With ``whole_runs``, the last run is always complete, because only a complete run frees its memory. Raises a
        partition's error, once per attempt: CorruptRecordError, OffsetOutOfRangeError, TopicAuthorizationError or
        another BrokerError.
        """
        state = self._first_with_error()
        if state is not None and state.error is not None:
            error, state.error = state.error, None
            raise error
        found: list[ColumnSlice] = []
        left = max_records
        for partition, runs in self._buffers.runs.items():
            if not self._by_partition[partition].may_hand_over:
                continue
            for run in runs:
                if left <= 0:
                    return found
                stop = run.stop if whole_runs else min(run.stop, run.start + left)
                found.append(run if stop == run.stop else ColumnSlice(run.columns, run.start, stop))
                left -= stop - run.start
        return found

    def has_records_of(self, only: Collection[TopicPartition]) -> bool:
        """Whether ``peek_one`` would return a record, or raise."""
        return any(
            state.may_hand_over and (state.error is not None or self._buffers.has(state.partition))
            for state in self._assigned.known(only)
        )

    def peek_one(self, only: Collection[TopicPartition]) -> list[ColumnSlice]:
        """Like ``peek``, but at most one record, of these partitions; records and errors of others stay."""
        for state in self._assigned.known(only):
            if state.error is not None and state.may_hand_over:
                error, state.error = state.error, None
                raise error
        for partition, runs in self._buffers.runs.items():
            if partition in only and self._by_partition[partition].may_hand_over:
                run = next(iter(runs))
                return [ColumnSlice(run.columns, run.start, run.start + 1)]
        return []

    def hand_over(self, part: ColumnSlice) -> None:
        """Advance the position to the end of ``part``, which is a peeked run or the first part of one.

        Does nothing if the partition has since been stopped, if ``seek`` was called for it, or if its position is
        already beyond ``part``.
        """
        state = self._by_partition.get(part.columns.partition)
        if state is None:
            self.uncommitted.note_overtaken(part)
            return
        self._assigned.moved[state.partition] = state  # before its position moves
        behind = OffsetAndMetadata(part.next_offset, part.leader_epoch)
        end = OffsetAndMetadata(state.fetch_offset, state.fetch_epoch)
        last = part.columns.offsets[part.stop - 1]
        left = self._buffers.hand_over(part)
        if left is not None:  # no signal handler runs between these two statements
            state.position = behind if left else end
            state.last_handed_over = last
            self.uncommitted.note_handed_over(part, state)
        else:
            self.uncommitted.note_overtaken(part)

    def hand_over_all(self, parts: Collection[ColumnSlice]) -> None:
        """Hand these over in order; whole runs of a partition are handed over together."""
        if len(parts) < _MANY:
            for part in parts:
                self.hand_over(part)
            return
        by_partition: dict[TopicPartition, list[ColumnSlice]] = {}
        for part in parts:
            by_partition.setdefault(part.columns.partition, []).append(part)
        for own in by_partition.values():
            self._hand_over_runs(own)

    def _hand_over_runs(self, parts: Sequence[ColumnSlice]) -> None:
        """Hand over records of one partition."""
        *whole, last = parts
        state = self._by_partition.get(last.columns.partition)
        if state is not None and len(whole) > 1:
            self._assigned.moved[state.partition] = state  # before its position moves
            end = whole[-1]
            behind = OffsetAndMetadata(end.next_offset, end.leader_epoch)
            fetched = OffsetAndMetadata(state.fetch_offset, state.fetch_epoch)
            last_offset = end.columns.offsets[end.stop - 1]
            left = self._buffers.hand_over_runs(whole)
            if left is not None:  # no signal handler runs between these two
                state.position = behind if left else fetched
                state.last_handed_over = last_offset
                self.uncommitted.note_handed_over(whole[0], state)
                self.uncommitted.note_handed_over(end, state)
                whole = []
        for part in (*whole, last):
            self.hand_over(part)

    def put_back(self, parts: Sequence[ColumnSlice]) -> None:
        """Undo ``hand_over`` of these runs of one partition: its position goes back to their start.

        Does nothing if the partition has since been revoked, if ``seek`` was called for it, or if more of it was handed
        over. Even then, the records no longer count as lost if the partition was revoked.
        """
        self.uncommitted.note_put_back_late(parts)
        for state in self._assigned.known(part.partition for part in parts[:1]):
            last = parts[-1]
            self._assigned.moved[state.partition] = state
            if state.last_handed_over == last.columns.offsets[last.stop - 1]:
                position = state.position_before(parts[0])
                self._buffers.put_back(parts)
                state.position = position  # no signal handler runs in between
                state.last_handed_over = -1
                if state.consumed is not None and state.consumed.offset > position.offset:
                    state.consumed = position
                if state.error is not None:  # the error is after these records
                    state.error = None
                    state.drain_first = True
                note_put_back(parts[0], state)

    def pass_turn(self, partition: TopicPartition) -> None:
        """Move this partition to the end of the round-robin order."""
        self._buffers.pass_turn(partition)

    def preview(self, parts: Sequence[ColumnSlice]) -> Assigned:
        """Return a copy of the partitions of ``parts``, after these have been handed over."""
        copied = self._assigned.copy({part.partition for part in parts})
        handover = Handover(copied)
        for part in parts:
            handover.hand_over(part)
        return copied

    def mark_consumed(self) -> None:
        """Note that the application requested more records, so all records handed over so far count as processed."""
        changes, moved = self._assigned.changes, self._assigned.moved
        is_all = self._consumed_at != changes
        self._consumed_at = -1  # if this call is interrupted, the next one looks at all partitions
        self._assigned.moved = {}
        for state in tuple(self._states if is_all else moved.values()):
            if self._stores_offsets:
                self._mark_start(state)
                continue
            state.consumed = state.position or state.consumed
        self._consumed_at = changes

    @staticmethod
    def _mark_start(state: PartitionState) -> None:
        """Note where reading began: the next owner must not begin later if no offset is stored yet."""
        if state.consumed is None and state.released and state.position is not None:
            first = state.uncommitted_from if state.read_to >= 0 else state.position.offset
            state.consumed = OffsetAndMetadata(first) if first < state.position.offset else state.position

    def note_leaving(self, state: PartitionState) -> None:
        """Note before a seek where reading began: records that were read and not stored must not be passed by it."""
        if self._stores_offsets and state.read_to >= 0:
            self._mark_start(state)

    def note_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """Store offsets that the application commits, so that auto-commit does not go back behind them."""
        for state in self._assigned.known(offsets):
            if state.consumed is None or state.consumed.offset < offsets[state.partition].offset:
                state.consumed = offsets[state.partition]

    def note_sought(self, state: PartitionState) -> None:
        """Note the new position after a seek; it does not pass what was read and not stored."""
        stored, position = state.consumed, state.position
        is_forward = stored is not None and position is not None and stored.offset <= position.offset
        if not (self._stores_offsets and is_forward):
            state.consumed = position

    def consumed_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """The offsets that auto-commit may commit: what was handed over before ``mark_consumed``, or what is stored."""
        return {state.partition: state.consumed for state in self._there() if state.consumed is not None}

    def found_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """Where reading started, if the next owner would start there even without a commit.

        This is the committed or earliest offset.
        """
        return {state.partition: state.found for state in self._there() if state.found is not None}

    def handed_over_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """The positions after everything handed over."""
        return {state.partition: state.position for state in self._there() if state.position is not None}

    def offsets_to_commit(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """The offsets that ``commit()`` commits: the positions, or what is stored."""
        return self.consumed_offsets() if self._stores_offsets else self.handed_over_offsets()

    def positions_to_keep(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """Like ``handed_over_offsets``, but without the partitions being revoked."""
        stopped = {state.partition for state in self._states if state.stopped}
        return {tp: position for tp, position in self.handed_over_offsets().items() if tp not in stopped}

    def let_go(self, partitions: Iterable[TopicPartition]) -> None:
        """Stop tracking uncommitted records of these partitions: the application has made its last commit."""
        let_go(self._assigned.known(partitions))

    def _there(self) -> list[PartitionState]:
        """Partitions whose topic still exists; a commit under a deleted topic's name could apply to another topic."""
        return [state for state in self._states if not state.gone]
