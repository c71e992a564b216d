"""The partitions a consumer has, what is buffered of each, and the fences that keep late answers out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import evolve

from kafka_nextgen.errors import MisuseError
from kafka_nextgen.fetching.buffers import Buffers
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["Assigned"]


class Assigned:
    """States by partition, those first whose turn it is to be asked for; none without a state has a buffer."""

    def __init__(
        self, max_bytes: int, states: Iterable[PartitionState] = (), buffers: Buffers | None = None, last_fence: int = 0
    ) -> None:
        self._max_bytes = max_bytes
        self._states = {state.partition: state for state in states}
        #: Every partition's state, as it is at any time.
        self.by_partition: Mapping[TopicPartition, PartitionState] = self._states
        #: The same without their partitions.
        self.states: Collection[PartitionState] = self._states.values()
        #: Every partition.
        self.partitions = frozenset(self._states)
        self._last_fence = last_fence
        self.buffers = buffers or Buffers()

    def copy(self, partitions: Collection[TopicPartition]) -> Assigned:
        """These partitions again, to be changed without changing this."""
        return Assigned(
            self._max_bytes, map(evolve, self.known(partitions)), self.buffers.copy(partitions), self._last_fence
        )

    def replace(
        self,
        partitions: Iterable[TopicPartition],
        added: Iterable[TopicPartition],
        topic_ids: Mapping[str, TopicId],
    ) -> None:
        """Make ``partitions`` the whole assignment; ``added`` start over, the others stay as they are."""
        wanted = set(partitions)
        anew = wanted & set(added)
        for tp in [tp for tp in self._states if tp not in wanted or tp in anew]:
            self.buffers.drop(tp)
            del self._states[tp]
        for state in self._states.values():
            state.stopped = False  # what is assigned is not being given up
        for tp in sorted(wanted - self._states.keys()):
            topic_id = topic_ids.get(tp.topic)
            self._states[tp] = PartitionState(
                tp, self._next_fence(), self._max_bytes, topic_id, assigned_by_id=topic_id is not None
            )
        self.partitions = frozenset(self._states)

    def begin_anew(self, state: PartitionState, topic_id: TopicId | None) -> PartitionState:
        """Keep of a partition only that it is assigned, for it belongs to another topic now."""
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
        """Those that are still as they were when they had these fences."""
        found: dict[TopicPartition, PartitionState] = {}
        get = self._states.get
        for tp, fence in fences.items():
            state = get(tp)
            if state is not None and state.fence == fence:
                found[tp] = state
        return found

    def start_over(self, state: PartitionState) -> None:
        """Drop what is buffered of a partition, and what may still be answered, to fetch on from its position.

        A signal handler that raises finds all of that done, or nothing: records dropped must be fetched again.
        """
        fence, position = self._next_fence(), state.position
        self.buffers.drop(state.partition)  # nothing is called from its beginning to the end of this
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
        """Let what may still be answered about a partition be worth nothing; what is buffered stays."""
        state.fence = self._next_fence()
        state.asked = False
        state.ahead = None

    def ask_last(self, partition: TopicPartition) -> PartitionState:
        """Let all others be asked for before this one, which is assigned; returns its state."""
        state = self._states[partition] = self._states.pop(partition)
        return state

    def _next_fence(self) -> int:
        self._last_fence += 1
        return self._last_fence
