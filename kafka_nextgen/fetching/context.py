"""The assigned partitions, and everything else that the parts of ``FetchState`` share.

Each partition has a fence, a number that changes whenever answers still in flight become invalid for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import Factory, evolve

from kafka_nextgen.errors import MisuseError
from kafka_nextgen.fetching.buffers import Buffers
from kafka_nextgen.fetching.needs import Fetch, NeedMetadata
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.socket_answers import SteadySocket, apply_taken
from kafka_nextgen.fetching.underway import FetchBudget, Underway
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["Assigned", "FetchContext", "MetadataRefresh", "SteadyState"]


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
        #: A counter of changes after which a partition may have another error or position than before. The application
        #: looks at all partitions only after such a change.
        self.changes = 0

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
        """Discard a partition's whole state but keep it assigned, since its name belongs to another topic now."""
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
        """The states of those ``partitions`` that are assigned."""
        return [state for state in map(self._states.get, partitions) if state is not None]

    def require(self, partition: TopicPartition) -> PartitionState:
        """The state of a partition; raises MisuseError if it is not assigned."""
        state = self._states.get(partition)
        if state is None:
            raise MisuseError(f"{partition} is not assigned to this consumer")
        return state

    def unchanged(self, fences: Mapping[TopicPartition, int]) -> dict[TopicPartition, PartitionState]:
        """The states of the partitions that still have these fences."""
        states = [(tp, self._states.get(tp), fence) for tp, fence in fences.items()]
        return {tp: state for tp, state, fence in states if state is not None and state.fence == fence}

    def answered(
        self, fences: Mapping[TopicPartition, int], but: Collection[TopicPartition] = ()
    ) -> dict[TopicPartition, PartitionState]:
        """Return the states that still have these fences, and note that their request has ended, except for ``but``."""
        found: dict[TopicPartition, PartitionState] = {}
        get = self._states.get
        for tp, fence in fences.items():
            state = get(tp)
            if state is not None and state.fence == fence:
                found[tp] = state
                state.asked = state.asked and tp in but
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


class FetchContext:
    """The assigned partitions, the buffered records, and the fetches in flight."""

    def __init__(self, settings: FetchSettings) -> None:
        self.settings = settings
        self.assigned = Assigned(settings.partition_max_bytes)
        self.buffers = self.assigned.buffers
        self.underway = Underway()
        self.budget = FetchBudget(settings.buffer_bytes)
        self.metadata = MetadataRefresh(settings)
        #: The cluster image in which this assignment's topics were last looked up.
        self.searched: ClusterImage | None = None
        #: None if the state is not steady, or if that has not been checked yet.
        self.steady_state: SteadyState | None = None
        #: The connections that are lent to the application's thread.
        self.sockets: list[SteadySocket] = []
        #: How many records these have received so far, and how many bytes their batches took, uncompressed.
        self.received_records = self.received_bytes = 0

    def apply_taken(self) -> None:
        """Apply the answers that the application's thread has received; called before the state is read or changed."""
        for socket in self.sockets:
            apply_taken(socket.taken, self)

    def end_steady_state(self) -> None:
        """End the steady state; called before each change that affects the next requests."""
        self.assigned.changes += 1
        for socket in self.sockets:
            socket.stop()
        self.apply_taken()
        if self.steady_state is not None:
            self.steady_state.note_silence(self.assigned)
            self.steady_state = None


@define
class SteadyState:
    """Facts that hold until something changes. ``share_bytes`` is each partition's share of the buffers.

    ``asked`` contains, by node, the fences of a fetch known to request all partitions read from that node.
    ``answered_at`` contains the time of each node's last answer, in seconds. ``fast_path`` defines when a state is
    steady.
    """

    image: ClusterImage
    settings: FetchSettings
    num_nodes: int
    share_bytes: int
    asked: dict[int, Mapping[TopicPartition, int]] = Factory(dict)
    answered_at: dict[int, float] = Factory(dict)

    def covers(self, fetch: Fetch, assigned: Assigned) -> bool:
        """Whether the fetch requests all partitions read from its node, exactly as a new plan would.

        The log end of each must be known: only the slow path queries an end that an answer omits.
        """
        current = assigned.unchanged(fetch.fences)
        if fetch.session.is_full or fetch.max_wait_ms != self.settings.max_wait_ms or len(current) != len(fetch.fences):
            return False
        if any(state.end_offset < 0 for state in current.values()):
            return False
        positions = {tp: state.next_position() for tp, state in current.items()}
        assert positions == fetch.wanted, "a partition requested in any other way counts as new to its node"
        self.asked[fetch.node_id] = fetch.fences
        return True

    def note_silence(self, assigned: Assigned) -> None:
        """Copy each node's last answer time to its partitions."""
        for node_id, answered_at in self.answered_at.items():
            for state in assigned.unchanged(self.asked[node_id]).values():
                state.silent_since = answered_at


class MetadataRefresh:
    """Allows one metadata request at a time, with increasing pauses while something is missing.

    ``retry_at`` is the earliest time of the next request, on the driver's clock, in seconds. ``is_missed`` means that
    something was missing when the last requests were planned.
    """

    def __init__(self, settings: FetchSettings) -> None:
        self.retry_at = 0.0
        self.is_missed = False
        self._settings = settings
        self._is_asked = False
        self._rounds = 0  # how many times in a row something was missing

    def plan(self, states: Iterable[PartitionState], now: float) -> list[NeedMetadata]:
        """Plan one refresh for all topics that lack a leader or have a wrong one, unless it has to wait."""
        fences = {state.partition: state.fence for state in states if state.has_question and state.needs_metadata}
        self.is_missed = bool(fences)
        if self._is_asked or self.retry_at > now:
            return []
        self._is_asked = self.is_missed
        self._rounds = self._rounds + 1 if fences else 0
        return [NeedMetadata(frozenset(tp.topic for tp in fences), fences)] if fences else []

    def answered(self, now: float) -> None:
        """Note that the answer has arrived, or that none will."""
        self._is_asked = False
        self.retry_at = now + self._settings.backoff_s(max(0, self._rounds - 1))
