"""The complete state of fetching: the assignment, next requests, answers, and records to hand over.

``planning`` decides the requests, ``results`` takes the answers, ``steady`` is the fast path in front of both, and
``handover`` gives records to the application. All of them share one context.

- A partition is fetched and handed over only between ``release`` (its rebalance callback has returned) and ``stop`` (it
  is being revoked). Records that arrive outside that time are dropped. Its position is looked up before ``release``.
- A new assignment does not affect partitions that stay: their buffers and requests in flight are kept.
- A topic created again under its old name is another topic: no state is carried over from the old one (``topics``).
- The position advances when records are handed over, never before, so that an abandoned poll loses nothing.
- The records read are compared with every new leader's log by leader epochs; losses are reported (``resets``).
- Errors such as corrupt data and denied access are raised where the application takes records, after all earlier
  records. The position stays. They are raised again at each attempt until a seek, or until the cause is gone.

There is no clock, lock or callback here: ``now`` is an argument (seconds, any monotonic clock), and threads that share
this object hold one lock around each call. Decoding is separate (``decode_answer``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from kafka_nextgen.fetching.bounds import Bound
from kafka_nextgen.fetching.buffers import HandedOverCount
from kafka_nextgen.fetching.context import FetchContext
from kafka_nextgen.fetching.fast_path import FastPath
from kafka_nextgen.fetching.handing_over import Handover
from kafka_nextgen.fetching.planning import Planning
from kafka_nextgen.fetching.progress import FetchProgress
from kafka_nextgen.fetching.results import Results
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.socket_answers import SteadySocket
from kafka_nextgen.fetching.topics import is_of_old_topic
from kafka_nextgen.fetching.uncommitted import let_go
from kafka_nextgen.properties.offset_reset import Reset
from kafka_nextgen.types import OffsetAndMetadata, OffsetRange, TopicId, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["NO_RANGES", "FetchState"]

#: For an assignment by name.
NO_TOPIC_IDS: Mapping[str, TopicId] = MappingProxyType({})
#: Partitions without an end.
NO_RANGES: Mapping[TopicPartition, OffsetRange] = MappingProxyType({})


class FetchState:
    """The whole fetching state of one consumer."""

    def __init__(self, settings: FetchSettings) -> None:
        self._context = FetchContext(settings)
        self._assigned = self._context.assigned
        #: Every partition's state.
        self.by_partition = self._assigned.by_partition
        self.planning = Planning(self._context)
        self.results = Results(self._context)
        self.steady = FastPath(self._context)
        self.handover = Handover(self._assigned, settings.stores_offsets)
        #: The connections that are lent to the application's thread.
        self.sockets: Collection[SteadySocket] = self._context.sockets
        #: Whether partitions are read up to an end.
        self.has_ranges = False

    def apply_taken(self) -> None:
        """Apply the answers that the application's thread has received; called before anything else."""
        self._context.apply_taken()

    def note_changed(self) -> None:
        """Note that the application has changed the state, in a call that a signal handler may have interrupted."""
        self._assigned.changes += 1

    # ---- the assignment

    def assignment(self) -> frozenset[TopicPartition]:
        """All assigned partitions, including those being revoked."""
        return self._assigned.partitions

    def of_old_topics(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> frozenset[TopicPartition]:
        """The partitions whose offsets here belong to a topic that another one has replaced."""
        states = self._assigned.by_partition
        return frozenset(tp for tp, at in offsets.items() if tp in states and is_of_old_topic(states[tp], at.offset))

    def topic_ids(self, partitions: Collection[TopicPartition]) -> dict[str, TopicId]:
        """The known topic ids behind these topic names, assigned or not."""
        by_partition = self._assigned.by_partition
        own = (by_partition[tp] for tp in partitions if tp in by_partition)
        found = {state.partition.topic: state.topic_id for state in own if state.topic_id is not None}
        others = {tp.topic for tp in partitions} - found.keys()
        if others:
            states = (state for state in self._assigned.states if state.partition.topic in others)
            found |= {state.partition.topic: state.topic_id for state in states if state.topic_id is not None}
        return found

    def gone(self) -> frozenset[TopicPartition]:
        """The partitions whose topic was deleted, even if a new topic has the same name."""
        return frozenset([state.partition for state in self._assigned.states if state.gone])

    def assign(
        self,
        partitions: Iterable[TopicPartition],
        added: Iterable[TopicPartition],
        topic_ids: Mapping[str, TopicId] = NO_TOPIC_IDS,
        ranges: Mapping[TopicPartition, OffsetRange] = NO_RANGES,
    ) -> None:
        """Make ``partitions`` the whole assignment. ``added`` start over, and wait for ``release``.

        ``topic_ids`` identifies the topics, if known. ``ranges`` are for partitions in ``added``, which are read from
        the start of their range to its end. All other partitions have no end, even if they had one before.
        """
        self._context.end_steady_state()
        partitions, added = set(partitions), set(added)
        kept = partitions - added
        self.handover.uncommitted.note_gone(state for state in self._assigned.states if state.partition not in kept)
        self._assigned.replace(partitions, added, topic_ids)
        self._context.searched = None
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
        """Start fetching and handing over: ``on_partitions_assigned`` has returned."""
        self._context.end_steady_state()
        for state in self._assigned.known(partitions):
            state.released = True

    def stop(self, partitions: Iterable[TopicPartition]) -> None:
        """Stop handing over records of these partitions. Their positions stay until ``assign`` removes them."""
        self._context.end_steady_state()
        for state in self._assigned.known(partitions):
            state.stopped = True
            state.last_handed_over = -1
            self._assigned.start_over(state)

    # ---- calls by the application

    def seek(self, partition: TopicPartition, offset: int, leader_epoch: int = -1) -> None:
        """Continue at ``offset``. Raises MisuseError if the partition is not assigned."""
        self._context.end_steady_state()
        state = self._assigned.require(partition)
        self.handover.note_leaving(state)
        self._assigned.start_over(state)
        state.start_at(offset, leader_epoch)
        self.handover.note_sought(state)
        let_go([state])

    def seek_to(self, partitions: Iterable[TopicPartition], where: Reset) -> None:
        """Continue at the beginning or the end. Raises MisuseError if a partition is not assigned."""
        self._context.end_steady_state()
        for state in [self._assigned.require(tp) for tp in partitions]:
            self.handover.note_leaving(state)
            self._assigned.start_over(state)
            state.await_reset(where)
            let_go([state])

    def store(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """Note what is processed. Raises MisuseError, and stores nothing, if a partition is not assigned."""
        for state, offset in [(self._assigned.require(tp), offset) for tp, offset in offsets.items()]:
            state.consumed = offset

    def pause(self, partitions: Iterable[TopicPartition]) -> None:
        """Stop fetching and handing over records of these until ``resume``.

        Raises MisuseError if one is not assigned.
        """
        self._context.end_steady_state()
        for state in [self._assigned.require(tp) for tp in partitions]:
            state.paused = True

    def resume(self, partitions: Iterable[TopicPartition]) -> None:
        """End ``pause``. Raises MisuseError if a partition is not assigned."""
        self._context.end_steady_state()
        for state in [self._assigned.require(tp) for tp in partitions]:
            state.is_new_there = state.is_new_there or state.paused
            state.paused = False

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        return frozenset(state.partition for state in self._assigned.states if state.paused)

    def position(self, partition: TopicPartition, given_out: Sequence[ColumnSlice] = ()) -> int | None:
        """The next offset after ``given_out``; None during its lookup. Raises MisuseError if not assigned."""
        state = self._assigned.require(partition)
        behind = self.handover.preview([part for part in given_out if part.partition == partition])
        position = behind.by_partition.get(partition, state).position
        return None if position is None else position.offset

    def progress(self, given_out: Sequence[ColumnSlice] = ()) -> FetchProgress:
        """How far every partition is read once ``given_out`` is handed over, for metrics."""
        received = HandedOverCount(self._context.received_records, self._context.received_bytes)
        return FetchProgress.of(self._assigned, self.handover.preview(given_out), received)

    def finished(self, given_out: Sequence[ColumnSlice] = ()) -> frozenset[TopicPartition]:
        """The partitions whose end is reached once ``given_out`` is handed over."""
        if not self.has_ranges:
            return frozenset()
        behind = self.handover.preview(given_out).by_partition
        return frozenset(tp for tp, state in self.by_partition.items() if behind.get(tp, state).is_finished)

    def is_all_finished(self) -> bool:
        """Whether there are partitions and all have reached their end, so that no more records will arrive."""
        return self.has_ranges and all(state.is_finished for state in self._assigned.states)
