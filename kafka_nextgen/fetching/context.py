"""The assigned partitions, and everything else that the parts of ``FetchState`` share.

Each partition has a fence, a number that changes whenever answers still in flight become invalid for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from attrs import evolve

from kafka_nextgen.errors import MisuseError
from kafka_nextgen.fetching.buffers import Buffers
from kafka_nextgen.fetching.needs import Fetch, NeedMetadata
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.resting import Resting, find_resting
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.socket_answers import SteadySocket, apply_taken
from kafka_nextgen.fetching.underway import FetchBudget, NodeUnderway, Underway
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["NO_LEADER", "Assigned", "FetchContext", "MetadataRefresh", "SteadyState"]

#: In place of a node, for partitions without a leader.
NO_LEADER = -2


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
        self._last_turn = 0
        self.buffers = buffers or Buffers()
        #: A counter of changes after which any partition may have another error or position. The application looks at
        #: all partitions only after such a change.
        self.changes = 0
        #: The partitions that may have another position since the application last requested records.
        self.moved: dict[TopicPartition, PartitionState] = {}
        #: The partitions that may have an error since the application last looked at all partitions.
        self.failing: dict[TopicPartition, PartitionState] = {}
        #: Whether the next plan must visit all partitions; otherwise it visits those in ``pending`` (``resting``).
        self.all_pending = True
        self.pending: dict[TopicPartition, PartitionState] = {}

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
                tp,
                self._next_fence(),
                self._max_bytes,
                topic_id,
                turn=self._next_turn(),
                assigned_by_id=topic_id is not None,
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
            turn=state.turn,
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
                found[tp] = self.pending[tp] = state
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

    def note_visited(self, state: PartitionState) -> None:
        """Note that an answer has changed the partition's state."""
        self.pending[state.partition] = self.moved[state.partition] = state
        if state.error is not None:
            self.failing[state.partition] = state

    def ask_last(self, partition: TopicPartition) -> PartitionState:
        """Move an assigned partition to the end of the fetch order; returns its state."""
        state = self._states[partition] = self._states.pop(partition)
        state.turn = self._next_turn()
        return state

    def _next_turn(self) -> int:
        self._last_turn += 1
        return self._last_turn

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
        #: By node, the number of partitions that must be fetched from it, as of the last plan; ``NO_LEADER`` for those
        #: without a leader.
        self.num_read: Counter[int | None] = Counter()
        #: None if the state is not steady, or if that has not been checked yet.
        self.steady_state: SteadyState | None = None
        #: The partitions whose records the fast path has taken since it was last settled.
        self.went_on: dict[TopicPartition, None] = {}
        #: The connections that are lent to the application's thread.
        self.sockets: list[SteadySocket] = []
        #: How many records these have received so far, and how many bytes their batches took, uncompressed.
        self.received_records = self.received_bytes = 0

    def apply_taken(self) -> None:
        """Apply the answers that the application's thread has received; called before the state is read or changed."""
        for socket in self.sockets:
            apply_taken(socket.taken, self)

    def end_steady_state(self) -> None:
        """End the steady state; called before each change that affects the next requests, unless it is an answer."""
        self.assigned.changes += 1
        self.interrupt_steady_state()
        self.wake_all()

    def interrupt_steady_state(self) -> None:
        """End the steady state before an answer or a plan, which change only the partitions that they visit."""
        for socket in self.sockets:
            socket.stop()
        self.apply_taken()
        self.steady_state = None

    def wake_all(self) -> None:
        """Let every partition have its own state, and the next plan visit all of them. May be repeated."""
        self.assigned.all_pending = True
        for node in tuple(self.underway.nodes.values()):
            self.wake(node)

    def wake(self, node: NodeUnderway) -> None:
        """Let each resting partition of a node have its own state."""
        resting = node.resting
        if resting is not None:
            resting.wake(resting.resting_of(self.assigned.by_partition))
            node.resting = None

    @property
    def pending_states(self) -> Collection[PartitionState]:
        """The partitions about which something may have to be requested."""
        return self.assigned.states if self.assigned.all_pending else self.assigned.pending.values()

    @property
    def num_nodes(self) -> int:
        """From how many nodes partitions must be fetched, as of the last plan."""
        return sum([count > 0 for node_id, count in self.num_read.items() if node_id not in (None, NO_LEADER)])

    @property
    def share_bytes(self) -> int:
        """The share of the buffers of each partition that must be fetched; there is at least one."""
        num_partitions = sum([count for node_id, count in self.num_read.items() if node_id is not None])
        return self.settings.buffer_bytes // num_partitions

    @property
    def is_little_waiting(self) -> bool:
        """Whether not even all buffered and undecoded records together exceed a partition's share."""
        return self.buffers.total_bytes + self.underway.decoding_bytes < self.share_bytes

    def note_silence(self) -> None:
        """Copy the time of each node's last answer to its resting partitions."""
        for node in self.underway.nodes.values():
            if node.resting is not None:
                node.resting.note_silence(node.resting.resting_of(self.assigned.by_partition))

    def find_resting(self, node: NodeUnderway) -> Resting | None:
        """The resting partitions of a node; None if each partition may have changed, or if no fetch is in flight."""
        image = None if self.assigned.all_pending else self.searched
        if node.resting is None and node.asked is not None and image is not None:
            node.resting = find_resting(node.asked, self.assigned.by_partition, image)
        return node.resting


@define
class SteadyState:
    """Facts that hold until something changes. ``share_bytes`` is each partition's share of the buffers.

    ``fast_path`` defines when a state is steady.
    """

    image: ClusterImage
    settings: FetchSettings
    num_nodes: int
    share_bytes: int

    def covers(self, fetch: Fetch, underway: Underway) -> bool:
        """Whether the fetch requests all partitions read from its node, exactly as a new plan would."""
        resting = underway.nodes[fetch.node_id].resting
        is_regular = not fetch.session.is_full and fetch.max_wait_ms == self.settings.max_wait_ms
        return is_regular and resting is not None and resting.fetch is fetch and not resting.restless


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
