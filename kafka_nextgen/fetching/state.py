"""The one door to fetching: who is assigned, what to ask next, what came, what is handed over.

- A partition is fetched and handed over only between ``release`` (its rebalance callback has returned) and
  ``stop`` (it is being given up). What arrives outside is dropped. Its position is looked up before ``release``.
- A new assignment leaves the partitions that stay exactly as they are: buffers, questions on their way, all.
- A topic made again under its old name is another one: nothing goes over from the old one (``topics``).
- The position advances when records are handed over, never before, so that a poll that is given up loses nothing.
- What was read is compared with the log of every new leader, by leader epochs; what was lost is told (``truncation``).
- Corrupt data and refusals are raised where the application takes records, after everything that lies before
  them. The position stays. They are raised again at the next attempt, until somebody seeks or the cause is gone.

No clock, no lock, no callback: ``now`` is an argument (seconds, any steady clock), and whoever shares this between
threads holds one lock around each call. Decoding is done outside (``decode_answer``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from kafka_nextgen.fetching.assigned import Assigned
from kafka_nextgen.fetching.bounds import Bound
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.standings import Standings
from kafka_nextgen.fetching.steady_fetching import SteadyFetching
from kafka_nextgen.fetching.topics import is_of_old_topic
from kafka_nextgen.fetching.uncommitted import Uncommitted, let_go, note_put_back
from kafka_nextgen.offset_reset import Reset
from kafka_nextgen.types import OffsetAndMetadata, OffsetRange, TopicId, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["NO_RANGES", "FetchState"]

#: Whoever assigns by name.
NO_TOPIC_IDS: Mapping[str, TopicId] = MappingProxyType({})
#: Partitions without an end.
NO_RANGES: Mapping[TopicPartition, OffsetRange] = MappingProxyType({})


class FetchState(SteadyFetching):
    """Everything about fetching for one consumer; what is asked is in ``Inquiry``, what came of it in ``Findings``."""

    def __init__(self, settings: FetchSettings, assigned: Assigned | None = None) -> None:
        super().__init__(settings, assigned)
        self._uncommitted = Uncommitted()
        #: Whether partitions are read up to an end.
        self.has_ranges = False

    # ---- the assignment

    def assignment(self) -> frozenset[TopicPartition]:
        """Every partition that is assigned, also those being given up."""
        return self._assigned.partitions

    def of_old_topics(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> frozenset[TopicPartition]:
        """The partitions whose offsets here are of a topic that another one has taken the place of."""
        states = self._assigned.by_partition
        return frozenset(tp for tp, at in offsets.items() if tp in states and is_of_old_topic(states[tp], at.offset))

    def topic_ids(self, partitions: Collection[TopicPartition]) -> dict[str, TopicId]:
        """The topics that are meant by the names of these, assigned or not, as far as that is known."""
        by_partition = self._assigned.by_partition
        own = (by_partition[tp] for tp in partitions if tp in by_partition)
        found = {state.partition.topic: state.topic_id for state in own if state.topic_id is not None}
        others = {tp.topic for tp in partitions} - found.keys()
        if others:
            states = (state for state in self._assigned.states if state.partition.topic in others)
            found |= {state.partition.topic: state.topic_id for state in states if state.topic_id is not None}
        return found

    def gone(self) -> frozenset[TopicPartition]:
        """The partitions whose topic was deleted, even if there is another one of that name."""
        return frozenset([state.partition for state in self._assigned.states if state.gone])

    def assign(
        self,
        partitions: Iterable[TopicPartition],
        added: Iterable[TopicPartition],
        topic_ids: Mapping[str, TopicId] = NO_TOPIC_IDS,
        ranges: Mapping[TopicPartition, OffsetRange] = NO_RANGES,
    ) -> None:
        """Make ``partitions`` the whole assignment. ``added`` begin anew, and wait for ``release``.

        ``topic_ids`` says which topics are meant, if whoever assigns knows. ``ranges`` are of partitions that are
        ``added``: they begin at the start of those, and are read up to the end. All others have no end (any more).
        """
        self._end_steady_state()
        partitions, added = set(partitions), set(added)
        kept = partitions - added
        self._uncommitted.note_gone(state for state in self._assigned.states if state.partition not in kept)
        self._assigned.replace(partitions, added, topic_ids)
        self._searched = None
        if ranges or self.has_ranges:
            self._limit(ranges)

    def _limit(self, ranges: Mapping[TopicPartition, OffsetRange]) -> None:
        self.has_ranges = bool(ranges)
        for state in self._assigned.states:
            wanted = ranges.get(state.partition)
            state.bound = None if wanted is None else Bound(wanted.end)
            if wanted is not None:
                state.start_at(wanted.start)
                state.consumed = state.position

    def release(self, partitions: Iterable[TopicPartition]) -> None:
        """Let fetching and handing over begin: ``on_partitions_assigned`` has returned."""
        self._end_steady_state()
        for state in self._assigned.known(partitions):
            state.released = True

    def stop(self, partitions: Iterable[TopicPartition]) -> None:
        """Hand out nothing of these from here on. Their positions stay until ``assign`` leaves them out."""
        self._end_steady_state()
        for state in self._assigned.known(partitions):
            state.stopped = True
            state.last_handed_over = -1
            self._assigned.start_over(state)

    # ---- what the application does with it

    def seek(self, partition: TopicPartition, offset: int, leader_epoch: int = -1) -> None:
        """Go on at ``offset``. Raises MisuseError if the partition is not assigned."""
        self._end_steady_state()
        state = self._assigned.require(partition)
        self._assigned.start_over(state)
        state.start_at(offset, leader_epoch)
        state.consumed = state.position
        let_go([state])

    def seek_to(self, partitions: Iterable[TopicPartition], where: Reset) -> None:
        """Go on at the beginning or the end. Raises MisuseError if a partition is not assigned."""
        self._end_steady_state()
        for state in [self._assigned.require(tp) for tp in partitions]:
            self._assigned.start_over(state)
            state.await_reset(where)
            let_go([state])

    def pause(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetch and hand over nothing of these until ``resume``. Raises MisuseError if one is not assigned."""
        self._end_steady_state()
        for state in [self._assigned.require(tp) for tp in partitions]:
            state.paused = True

    def resume(self, partitions: Iterable[TopicPartition]) -> None:
        """End ``pause``. Raises MisuseError if a partition is not assigned."""
        self._end_steady_state()
        for state in [self._assigned.require(tp) for tp in partitions]:
            state.is_new_there = state.is_new_there or state.paused
            state.paused = False

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        return frozenset(state.partition for state in self._assigned.states if state.paused)

    def position(self, partition: TopicPartition, given_out: Sequence[ColumnSlice] = ()) -> int | None:
        """Where handing over goes on after ``given_out``; None while it is looked up. MisuseError if not assigned."""
        state = self._assigned.require(partition)
        behind = self.preview([part for part in given_out if part.partition == partition])
        position = behind.by_partition.get(partition, state).position
        return None if position is None else position.offset

    def standings(self, given_out: Sequence[ColumnSlice] = ()) -> Standings:
        """Where every partition stands once ``given_out`` is handed over, for whoever measures."""
        return Standings.of(self._assigned, self.preview(given_out))

    def finished(self, given_out: Sequence[ColumnSlice] = ()) -> frozenset[TopicPartition]:
        """The partitions whose end is reached once ``given_out`` is handed over."""
        if not self.has_ranges:
            return frozenset()
        behind = self.preview(given_out).by_partition
        return frozenset(tp for tp, state in self.by_partition.items() if behind.get(tp, state).is_finished)

    def is_all_finished(self) -> bool:
        """Whether there are partitions, and the end of each is reached: nothing will ever come."""
        return self.has_ranges and all(state.is_finished for state in self._assigned.states)

    # ---- handing over

    def has_records(self) -> bool:
        """Whether ``take`` would bring records, or raise."""
        for tp in self._buffers.partitions:
            if self.by_partition[tp].may_hand_over:
                return True
        for state in self._assigned.states:  # noqa: SIM110  (a generator would be gone in and out of for each)
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
        for state in self._assigned.states:
            if state.error is not None and state.may_hand_over:
                error, state.error = state.error, None
                raise error
        return self._buffers.peek(self.by_partition, max_records, whole_runs)

    def holds(self, part: ColumnSlice) -> bool:
        """Whether these records, once peeked at, may still be handed over: not stopped, sought or paused since."""
        states = self._assigned.known([part.partition])
        return any(state.may_hand_over for state in states) and self._buffers.holds(part)

    def hand_over(self, part: ColumnSlice) -> None:
        """Advance the position to the end of ``part``, a run peeked at or its beginning.

        Does nothing if the partition was stopped or sought since, or is beyond it already.
        """
        state = self.by_partition.get(part.columns.partition)
        if state is None:
            self._uncommitted.note_overtaken(part, self.by_partition)
            return
        behind = OffsetAndMetadata(part.next_offset, part.leader_epoch)
        end = OffsetAndMetadata(state.fetch_offset, state.fetch_epoch)
        last = part.columns.offsets[part.stop - 1]
        left = self._buffers.hand_over(part)
        if left is not None:  # no signal handler runs between the one and the other
            state.position = behind if left else end
            state.last_handed_over = last
            self._uncommitted.note_handed_over(part, state)
        else:
            self._uncommitted.note_overtaken(part, self.by_partition)

    def put_back(self, parts: Sequence[ColumnSlice]) -> None:
        """Undo ``hand_over`` of these runs, which are of one partition: its position goes back to their beginning.

        Does nothing if the partition was given up or sought since, or if more of it was handed over; but what is put
        back is not lost with a partition that went.
        """
        self._uncommitted.note_put_back_late(parts)
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
        state = FetchState(self._settings, copied)
        for part in parts:
            state.hand_over(part)
        return copied

    def mark_consumed(self) -> None:
        """The application came back for more: what was handed over until now counts as processed."""
        for state in self._assigned.states:
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

    def lost_uncommitted(self) -> frozenset[TopicPartition]:
        """The partitions that went with records that were handed over and not committed; see ``note_told``."""
        return self._uncommitted.partitions

    def note_committed(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """The coordinator took these."""
        self._uncommitted.note_committed(offsets, self.by_partition)

    def note_told(self, partitions: Collection[TopicPartition]) -> None:
        """The application was told that records of these were lost uncommitted."""
        self._uncommitted.note_told(partitions, self.by_partition)

    def let_go(self, partitions: Iterable[TopicPartition]) -> None:
        """The application gives these up, or was asked to: it has committed what it wants committed."""
        let_go(self._assigned.known(partitions))

    def _there(self) -> list[PartitionState]:
        """Those whose topic is not gone: under its name the offset would be one in another topic."""
        return [state for state in self._assigned.states if not state.gone]
