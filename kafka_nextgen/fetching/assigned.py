"""A consumer's assigned partitions: which topic each belongs to, and how far it is read.

Each partition has a fence, a number that changes whenever answers still in flight become invalid for it.

The name of a topic does not identify it (KIP-516; KIP-848, "Topic ID and Topic Recreation"). A topic that is deleted
and created again under its old name is another topic. Offsets of the old topic mean nothing in the new one, so no
position, buffer or commit may be carried over.

- A coordinator that assigns by topic id identifies the topic, and revokes the partition itself when the topic is
  deleted. Until then the partition is *gone*: no requests are sent for it, and its offsets are not committed.
- Where partitions are assigned by name, the topic is the one first seen under that name. If another topic replaces it,
  the partitions start over where ``auto.offset.reset`` says. An offset committed under that name belongs to the old
  topic, even if it was committed after the new one was created; used as a position, it would skip the new topic's first
  records. For the same reason, a commit beyond such a partition's position is not sent (``of_old_topics``).
- If a partition is read up to an end (``bounds``), no other topic can replace its topic, which a range may identify by
  id. If the topic is missing or was replaced, the application gets an error after a few lookups.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import evolve, frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import MisuseError, UnknownTopicError
from kafka_nextgen.fetching.buffers import Buffers, HandedOverCount
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.requests.cluster_image import LOOKS, ClusterImage, TopicInfo
from kafka_nextgen.types import TopicId, TopicPartition, lag_of

__all__ = ["Assigned", "FetchProgress", "PartitionProgress", "find_topic", "is_of_old_topic", "tell_if_missing"]


class Assigned:
    """The states of partitions, in the order in which they are fetched, and their buffers."""

    def __init__(
        self, max_bytes: int, states: Iterable[PartitionState] = (), buffers: Buffers | None = None, last_fence: int = 0
    ) -> None:
        self._max_bytes = max_bytes
        self._states = {state.partition: state for state in states}
        #: A live view of every partition's state.
        self.by_partition: Mapping[TopicPartition, PartitionState] = self._states
        #: A live view of the states without the partitions as keys.
        self.states: Collection[PartitionState] = self._states.values()
        #: All assigned partitions.
        self.partitions = frozenset(self._states)
        self._last_fence = last_fence
        self.buffers = buffers or Buffers()

    def copy(self, partitions: Collection[TopicPartition]) -> Assigned:
        """A copy of these partitions that can be changed independently."""
        return Assigned(
            self._max_bytes, map(evolve, self.known(partitions)), self.buffers.copy(partitions), self._last_fence
        )

    def replace(
        self,
        partitions: Iterable[TopicPartition],
        added: Iterable[TopicPartition],
        topic_ids: Mapping[str, TopicId],
    ) -> None:
        """Make ``partitions`` the whole assignment; those in ``added`` start over, the others keep their state."""
        wanted = set(partitions)
        anew = wanted & set(added)
        for tp in [tp for tp in self._states if tp not in wanted or tp in anew]:
            self.buffers.drop(tp)
            del self._states[tp]
        for state in self._states.values():
            state.stopped = False  # an assigned partition is not being revoked
        for tp in sorted(wanted - self._states.keys()):
            topic_id = topic_ids.get(tp.topic)
            self._states[tp] = PartitionState(
                tp, self._next_fence(), self._max_bytes, topic_id, assigned_by_id=topic_id is not None
            )
        self.partitions = frozenset(self._states)

    def begin_anew(self, state: PartitionState, topic_id: TopicId | None) -> PartitionState:
        """Discard a partition's whole state except that it is assigned, since it belongs to another topic now."""
        self.buffers.drop(state.partition)
        anew = self._states[state.partition] = PartitionState(
            state.partition,
            self._next_fence(),
            self._max_bytes,
            topic_id,
            replaced=True,
            released=state.released,
            paused=state.paused,
        )
        return anew

    def known(self, partitions: Iterable[TopicPartition]) -> list[PartitionState]:
        """The states of those of ``partitions`` that are assigned."""
        return [state for state in map(self._states.get, partitions) if state is not None]

    def require(self, partition: TopicPartition) -> PartitionState:
        """The state of a partition; raises MisuseError if it is not assigned."""
        state = self._states.get(partition)
        if state is None:
            raise MisuseError(f"{partition} is not assigned to this consumer")
        return state

    def unchanged(self, fences: Mapping[TopicPartition, int]) -> dict[TopicPartition, PartitionState]:
        """The states of the partitions that still have these fences."""
        found: dict[TopicPartition, PartitionState] = {}
        get = self._states.get
        for tp, fence in fences.items():
            state = get(tp)
            if state is not None and state.fence == fence:
                found[tp] = state
        return found

    def start_over(self, state: PartitionState) -> None:
        """Drop a partition's buffered records and answers still in flight, to fetch again from its position.

        This is atomic even if a signal handler raises, because dropped records must be fetched again.
        """
        fence, position = self._next_fence(), state.position
        self.buffers.drop(state.partition)  # no calls from here to the end, so no signal handler runs
        state.fence = fence
        state.asked = False
        state.ahead = None
        state.drain_first = False
        state.error = None
        if position is not None:
            state.fetch_offset = position.offset
            state.fetch_epoch = position.leader_epoch
        state.failures = 0
        state.retry_at = 0.0

    def call_off(self, state: PartitionState) -> None:
        """Ignore a partition's answers still in flight; its buffered records stay."""
        state.fence = self._next_fence()
        state.asked = False
        state.ahead = None

    def ask_last(self, partition: TopicPartition) -> PartitionState:
        """Move an assigned partition to the end of the fetch order; returns its state."""
        state = self._states[partition] = self._states.pop(partition)
        return state

    def _next_fence(self) -> int:
        self._last_fence += 1
        return self._last_fence


_NO_SUCH_TOPIC = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})


def find_topic(state: PartitionState, image: ClusterImage) -> bool:
    """Check whether the partition's topic still exists; True if it was replaced and must start over."""
    topic = image.topics_by_name.get(state.partition.topic)
    if topic is None:
        return False  # not requested yet
    if state.topic_id is None:
        state.topic_id = topic.topic_id
    is_another = _is_another(state, topic)
    was_there = state.topic_id is not None
    state.gone = is_another or (was_there and topic.error in _NO_SUCH_TOPIC)
    return is_another and not state.assigned_by_id and not state.stopped and state.bound is None


def tell_if_missing(state: PartitionState, image: ClusterImage, behind_buffered: bool) -> None:
    """Give the application an error for a missing partition, if the partition has an end and nothing is buffered."""
    why = image.why_missing(state.partition) or ("its topic was deleted and made again" if state.gone else None)
    if why is None:
        state.sought = 0
    elif state.sought >= LOOKS and not (state.is_fetched or behind_buffered):
        state.sought = 0
        state.error = UnknownTopicError(
            f"{state.partition} can't be read at offset {state.next_fetch_offset}: {why}.",
            code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            partition=state.partition,
        )


def is_of_old_topic(state: PartitionState, offset: int) -> bool:
    """Whether an offset to be committed belongs to the topic that had this name before."""
    return state.replaced and (state.position is None or offset > state.position.offset)


def _is_another(state: PartitionState, topic: TopicInfo) -> bool:
    return topic.topic_id is not None and topic.topic_id != state.topic_id


@frozen
class PartitionProgress:
    """One assigned partition. ``position`` is None during its lookup; the log's ends are None before a fetch."""

    position: int | None
    log_start: int | None
    log_end: int | None
    buffered_records: int
    is_paused: bool

    @classmethod
    def of(cls, state: PartitionState, buffers: Buffers) -> PartitionProgress:
        """Copy the progress of a partition."""
        return cls(
            None if state.position is None else state.position.offset,
            state.log_start_offset if state.log_start_offset >= 0 else None,
            state.end_offset if state.end_offset >= 0 else None,
            buffers.records_of(state.partition),
            state.paused,
        )

    @property
    def lag(self) -> int | None:
        """How many offsets are left to read, not counting those already deleted from the beginning of the log."""
        if self.position is None or self.log_end is None:
            return None
        return lag_of(self.position, self.log_start, self.log_end)

    @property
    def lead(self) -> int | None:
        """How far the position is from the beginning of the log."""
        return None if self.position is None or self.log_start is None else max(0, self.position - self.log_start)


@frozen
class FetchProgress:
    """All assigned partitions, the buffered records, and the records handed over so far by topic."""

    partitions: Mapping[TopicPartition, PartitionProgress]
    buffered_bytes: int
    handed_over: Mapping[str, HandedOverCount]

    @classmethod
    def of(cls, now: Assigned, then: Assigned) -> FetchProgress:
        """Copy the progress from ``now``, but for partitions in ``then`` from there."""
        partitions = {
            state.partition: PartitionProgress.of(state, each.buffers) for each in (now, then) for state in each.states
        }
        replaced_bytes = sum(map(now.buffers.bytes_of, then.by_partition))
        buffered_bytes = now.buffers.total_bytes - replaced_bytes + then.buffers.total_bytes
        return cls(partitions, buffered_bytes, then.buffers.handed_over())
